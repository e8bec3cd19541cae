//! Verification: what passed the screen, a warp at a time.
//!
//! ```text
//!   screen ─► pairs of items ─► at a glance ─┬─► pairs of records ─► walk the branch ─► results
//!                                            └─► several records: test the lead ─► expand ─► at a glance ─► pairs of records
//! ```
//!
//! A pair of items stands for all pairs of their records. Where that is one pair, the branch is looked at by the heads of
//! the values; if it may hold, the pair waits for the walk. Where they are several, the lead is tested once for all, and
//! if it holds they are expanded. Very many are handed on to the host, which has them swept by many blocks.
//!
//! What waits is in two queues in shared memory, pairs of items and pairs of records. A step begins when there is a pair for
//! every lane, so none is idle: a glance costs little and rejects most, a walk costs much. The walk is inlined into the
//! kernel, and large, so all ways through this file meet in one place that does it.

use crate::block::Block;
use crate::primitives::queues::{Queue, taken};
use crate::walk::Way;
use crate::work::{N_HEAVY, Scan};
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::{HEAVY_WORDS, WARP};
use hyperblock_shared::sweep::{HEAVY, Order};
use hyperblock_shared::text::Scratch;

/// Words of a queued pair of items, and of records: whether the lead is known to hold is the third.
const ITEM_WORDS: usize = 2;
const RECORD_WORDS: usize = 3;
/// Words of shared memory of a warp's verification: four, and two queues of two warps' pairs.
pub(crate) const VERIFY_WORDS: u32 = SEVERAL + ITEMS + Queue::<RECORD_WORDS>::N_WORDS;
/// Of those, the words of the queue of items.
const ITEMS: u32 = Queue::<ITEM_WORDS>::N_WORDS;

/// A warp's pairs that passed the screen and are not verified yet.
pub(crate) struct Verify<W> {
    way: W,
    /// Where the queue of items begins in shared memory: room for two warps' pairs; then that of records. The four words
    /// before it are the warp's too: which of the pairs of items that were taken last, and still lie behind the queue, are being expanded; how
    /// many pairs are queued, of records in the upper half; and how far the first expansion is, two words.
    items: u32,
}

const SEVERAL: u32 = 4;
const N_QUEUED: u32 = 3;
const N_EXPANDED: u32 = 2;

/// Two items, or two records.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

/// A lane's pair of records on its way to the walk.
#[derive(Clone, Copy)]
struct Waiting {
    records: Pair,
    /// The lead is known to hold.
    is_led: bool,
    is_active: bool,
}

impl<W: Way> Verify<W> {
    pub(crate) fn new(way: W, own: u32) -> Self {
        Self { way, items: own + SEVERAL }
    }

    /// Empties everything. All lanes come here together.
    pub(crate) fn begin(&self, block: &impl Block) {
        if block.lane() == 0 {
            block.set_shared_quad(self.items - SEVERAL, [0; 4]);
        }
        block.warp_barrier();
    }

    #[inline(always)]
    fn items(&self) -> Queue<ITEM_WORDS> {
        Queue(self.items)
    }

    #[inline(always)]
    fn records(&self) -> Queue<RECORD_WORDS> {
        Queue(self.items + ITEMS)
    }

    #[inline(always)]
    fn n_items(&self, block: &impl Block) -> u32 {
        block.shared(self.items - N_QUEUED) & 0xffff
    }

    #[inline(always)]
    fn n_records(&self, block: &impl Block) -> u32 {
        block.shared(self.items - N_QUEUED) >> 16
    }

    /// How many pairs are queued. All lanes come here together, and what they wrote before is seen by all after.
    #[inline(always)]
    fn set_queued(&self, block: &impl Block, n_items: u32, n_records: u32) {
        block.warp_barrier();
        if block.lane() == 0 {
            block.set_shared(self.items - N_QUEUED, n_items | n_records << 16);
        }
        block.warp_barrier();
    }

    /// Which of the pairs of items that were taken last are being expanded, and how far the first is. All lanes come here
    /// together.
    #[inline(always)]
    fn set_expanding(&self, block: &impl Block, several: u32, n_expanded: u64) {
        let n_queued = block.shared(self.items - N_QUEUED);
        block.warp_barrier();
        if block.lane() == 0 {
            let words = [several, n_queued, n_expanded as u32, (n_expanded >> 32) as u32];
            block.set_shared_quad(self.items - SEVERAL, words);
        }
        block.warp_barrier();
    }

    #[inline(always)]
    fn several(&self, block: &impl Block) -> u32 {
        block.shared(self.items - SEVERAL)
    }

    /// Takes in this thread's pairs of items, a bit of `passed` each, of which `pair` says the lowest one's; and verifies
    /// as many as make whole warps, when all `is_finished` also what is left.
    #[inline(always)]
    pub(crate) fn all(
        &self,
        block: &impl Block,
        scan: &Scan<'_, impl Columns>,
        pair: impl Fn(u32) -> Pair,
        mut passed: u32,
        is_finished: bool,
        scratch: &mut (impl Scratch + ?Sized),
    ) {
        let settings = &scan.sweep.settings;
        // After every call nothing is left to do but to wait for more.
        if !is_finished && block.ballot(passed != 0) == 0 {
            return;
        }
        loop {
            // How many pairs make a step.
            let full = if settings.queue { WARP } else { 1 };
            let waiting = block.ballot(passed != 0);
            let (n_items, n_records) = (self.n_items(block), self.n_records(block));
            let is_last = is_finished && waiting == 0 && self.several(block) == 0;
            let (step, branch, is_lead);
            if n_records >= full || (is_last && n_items == 0 && n_records > 0) {
                step = self.pop_records(block);
                (branch, is_lead) = (settings.branch(step.is_led), false);
            } else if self.several(block) != 0 {
                let step = self.expand(block, scan);
                self.glance(block, scan, step);
                continue;
            } else if n_items >= full || (is_last && n_items > 0) {
                let (pair, is_active) = self.pop_items(block);
                let n_pairs = n_pairs(scan, pair);
                let places = Pair {
                    left: scan.sweep.left.places(pair.left).start,
                    right: scan.sweep.right.places(pair.right).start,
                };
                let records = records(scan, places);
                let is_led = settings.is_decided;
                self.glance(block, scan, Waiting { records, is_led, is_active: is_active && n_pairs == 1 });
                // Those that stand for several go on to the test of the lead.
                let is_active = is_active && n_pairs > 1;
                if block.ballot(is_active) == 0 {
                    continue;
                }
                step = Waiting { records, is_led: false, is_active };
                (branch, is_lead) = (settings.lead(), true);
            } else if waiting != 0 {
                self.push_items(block, waiting, pair(passed));
                // Clears the lowest bit, and nothing if there is none.
                passed &= passed.wrapping_sub(1);
                continue;
            } else {
                return;
            }
            let (mut witness, mut pair) = (None, step.records);
            let ordered = if is_lead {
                Some((pair.left, pair.right))
            } else {
                settings.order.pair(pair.left, pair.right)
            };
            if let Some((left, right)) = ordered.filter(|_| step.is_active) {
                pair = Pair { left, right };
                witness = self.way.witness(scan.path, branch, scan.columns, (left, right), scratch);
            }
            if is_lead {
                self.begin_expanding(block, scan, witness.is_some());
            } else {
                scan.results.emit(block, pair.left, pair.right, witness);
            }
        }
    }

    /// Queues the pairs of records that may hold, by the heads of their values.
    #[inline(always)]
    fn glance(&self, block: &impl Block, scan: &Scan<'_, impl Columns>, step: Waiting) {
        let settings = &scan.sweep.settings;
        let Pair { left, right } = step.records;
        let may_hold = step.is_active
            && settings.order.pair(left, right).is_some_and(|(left, right)| {
                let branch = settings.branch(step.is_led);
                !W::GLANCES || scan.path.may_have_witness(branch, scan.columns, left, right)
            });
        let waiting = block.ballot(may_hold);
        self.records().push(block, self.n_records(block), waiting, [left, right, u32::from(step.is_led)]);
        self.set_queued(block, self.n_items(block), self.n_records(block) + waiting.count_ones());
    }

    /// A pair of records for every lane, as far as there are any.
    #[inline(always)]
    fn pop_records(&self, block: &impl Block) -> Waiting {
        let n_records = self.n_records(block);
        let n_taken = taken(n_records);
        let [left, right, is_led] = self.records().last(block, n_records);
        let records = Pair { left, right };
        let step = Waiting { records, is_led: is_led == 1, is_active: block.lane() < n_taken };
        self.set_queued(block, self.n_items(block), n_records - n_taken);
        step
    }

    /// Adds the pairs of items of the lanes that have one.
    #[inline(always)]
    fn push_items(&self, block: &impl Block, waiting: u32, pair: Pair) {
        self.items().push(block, self.n_items(block), waiting, [pair.left, pair.right]);
        self.set_queued(block, self.n_items(block) + waiting.count_ones(), self.n_records(block));
    }

    /// A pair of items for every lane, as far as there are any. They stay where they are, behind the queue, until more are
    /// pushed.
    #[inline(always)]
    fn pop_items(&self, block: &impl Block) -> (Pair, bool) {
        let n_items = self.n_items(block);
        let n_taken = taken(n_items);
        self.set_queued(block, n_items - n_taken, self.n_records(block));
        (self.taken(block, block.lane().min(n_taken - 1)), block.lane() < n_taken)
    }

    #[inline(always)]
    fn taken(&self, block: &impl Block, nth: u32) -> Pair {
        let [left, right] = self.items().entry(block, self.n_items(block) + nth);
        Pair { left, right }
    }

    /// The lanes whose items satisfy the lead have them expanded, or handed on.
    #[inline(always)]
    fn begin_expanding(&self, block: &impl Block, scan: &Scan<'_, impl Columns>, holds: bool) {
        // What a lane beyond the last one reads is not used.
        let pair = self.taken(block, block.lane());
        let is_kept = holds && (n_pairs(scan, pair) <= HEAVY || !hand_on(scan, pair));
        self.set_expanding(block, block.ballot(is_kept), 0);
    }

    /// The next pairs of records of the first pair of items that is being expanded, one a lane.
    #[inline(always)]
    fn expand(&self, block: &impl Block, scan: &Scan<'_, impl Columns>) -> Waiting {
        let several = self.several(block);
        let place = self.items - N_EXPANDED;
        let n_expanded = u64::from(block.shared(place)) | u64::from(block.shared(place + 1)) << 32;
        let pair = self.taken(block, several.trailing_zeros());
        let (lefts, rights) = (scan.sweep.left.places(pair.left), scan.sweep.right.places(pair.right));
        let width = u64::from(rights.end - rights.start);
        let n_pairs = u64::from(lefts.end - lefts.start) * width;
        let nth = n_expanded + u64::from(block.lane());
        let (row, column) = if n_pairs <= u64::from(u32::MAX) {
            // Dividing in 64 bits takes ten times as long.
            (nth as u32 / width as u32, nth as u32 % width as u32)
        } else {
            ((nth / width) as u32, (nth % width) as u32)
        };
        // Of an item with itself, each pair of records once.
        let is_same = scan.sweep.settings.order == Order::Unordered && pair.left == pair.right;
        let is_active = nth < n_pairs && (!is_same || row < column);
        let places = Pair { left: lefts.start + row, right: rights.start + column };
        let step = if is_active { records(scan, places) } else { Pair::default() };
        let n_expanded = n_expanded + u64::from(WARP);
        match n_expanded < n_pairs {
            true => self.set_expanding(block, several, n_expanded),
            false => self.set_expanding(block, several & (several - 1), 0),
        }
        Waiting { records: step, is_led: true, is_active }
    }
}

/// How many pairs of records a pair of items stands for.
#[inline(always)]
fn n_pairs(scan: &Scan<'_, impl Columns>, pair: Pair) -> u64 {
    let (lefts, rights) = (scan.sweep.left.places(pair.left), scan.sweep.right.places(pair.right));
    u64::from(lefts.end - lefts.start) * u64::from(rights.end - rights.start)
}

#[inline(always)]
fn records(scan: &Scan<'_, impl Columns>, places: Pair) -> Pair {
    Pair {
        left: scan.sweep.left.records[places.left as usize],
        right: scan.sweep.right.records[places.right as usize],
    }
}

/// Hands a lane's pair of items on to the host; whether there was room for it.
#[inline(always)]
fn hand_on(scan: &Scan<'_, impl Columns>, pair: Pair) -> bool {
    let slot = scan.counters[N_HEAVY].fetch_add(1, Relaxed) as usize * HEAVY_WORDS;
    let Some(words) = scan.heavies.get(slot..slot + HEAVY_WORDS) else { return false };
    words[0].store(pair.left, Relaxed);
    words[1].store(pair.right, Relaxed);
    true
}
