//! The screen: 32 left items, one a lane, against 32 right ones at a time.
//!
//! The right items' sketches are staged in shared memory, where all lanes read the same one at once. For signatures, what
//! the lead allows depends on the two lengths alone. Both lists ascend by length, so right items of one length come in long
//! runs, and what is allowed is computed when the length changes, and kept in shared memory too: registers are for the path.

use crate::block::Block;
use crate::work::Scan;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::screen::{Allowed, Limits, Screen, Sketch};
use hyperblock_shared::sweep::{Order, Sweep};
use hyperblock_shared::window::Interval;

/// A warp's walk over a stretch. Where it is lies in shared memory.
pub(crate) struct Groups {
    /// Where the warp's words begin.
    own: u32,
}

// A warp's words: its block's left items, the next right item and the end of the stretch; the length that the limits go
// with, and three more; the staged items; the limits of each lane.
const LEFT_FROM: u32 = 0;
const LEFT_UPTO: u32 = 1;
const NEXT: u32 = 2;
const RIGHT_UPTO: u32 = 3;
const LIMITS_OF: u32 = 4;
const STAGE: u32 = 8;
const STAGED_WORDS: u32 = 8;
const LIMITS: u32 = STAGE + WARP * STAGED_WORDS;
const LIMITS_WORDS: u32 = 4;
/// All of them.
pub(crate) const GROUPS_WORDS: u32 = LIMITS + WARP * LIMITS_WORDS;

impl Groups {
    pub(crate) fn new(block: &impl Block, own: u32) -> Self {
        let groups = Self { own };
        groups.begin(block, &Interval { left_from: 0, left_upto: 0, right_from: 0, right_upto: 0 });
        groups
    }

    /// A new stretch. All lanes come here together.
    #[inline(always)]
    pub(crate) fn begin(&self, block: &impl Block, part: &Interval) {
        let words = [part.left_from, part.left_upto, part.right_from, part.right_upto];
        if block.lane() == 0 {
            block.set_shared_quad(self.own, words);
            // No value is empty.
            block.set_shared(self.own + LIMITS_OF, 0);
        }
        block.warp_barrier();
    }

    #[inline(always)]
    fn word(&self, block: &impl Block, ix: u32) -> u32 {
        block.shared(self.own + ix)
    }

    #[inline(always)]
    pub(crate) fn is_done(&self, block: &impl Block) -> bool {
        self.word(block, NEXT) >= self.word(block, RIGHT_UPTO)
    }

    /// The first right item of the group at hand.
    #[inline(always)]
    pub(crate) fn group(&self, block: &impl Block) -> u32 {
        self.word(block, NEXT) - WARP
    }

    /// This thread's left item; it may be past the last.
    #[inline(always)]
    pub(crate) fn left(&self, block: &impl Block) -> u32 {
        self.word(block, LEFT_FROM) + block.thread_ix()
    }

    /// A bit for each item of the next group that passes the screen with this thread's left item.
    #[inline(always)]
    pub(crate) fn next(&self, block: &impl Block, scan: &Scan<'_, impl Columns>) -> u32 {
        let group = self.word(block, NEXT);
        let n_rights = (self.word(block, RIGHT_UPTO) - group).min(WARP);
        let left = self.left(block);
        let mut wanted = u32::MAX >> (WARP - n_rights);
        let is_item = left < self.word(block, LEFT_UPTO);
        if !is_item {
            wanted = 0;
        } else if scan.sweep.settings.order == Order::Unordered && group <= left {
            // Later items; and the item itself, if there are pairs of records in it.
            let n_before = left - group + u32::from(scan.sweep.left.starts.is_empty());
            wanted &= u32::MAX.checked_shl(n_before).unwrap_or(0);
        }
        let is_wanted = block.ballot(wanted != 0) != 0;
        // All have read it before it changes.
        block.warp_barrier();
        if block.lane() == 0 {
            block.set_shared(self.own + NEXT, group + WARP);
        }
        block.warp_barrier();
        if !is_wanted {
            return 0;
        }
        // The same item throughout a stretch: the limits are kept for it.
        let place = if is_item { left } else { self.word(block, LEFT_FROM) };
        wanted & self.passing(block, scan, place, group, n_rights)
    }

    /// The same without regard to which pairs are wanted.
    #[inline(always)]
    fn passing(
        &self,
        block: &impl Block,
        scan: &Scan<'_, impl Columns>,
        left: u32,
        group: u32,
        n_rights: u32,
    ) -> u32 {
        let Sweep { left: lefts, right: rights, settings, .. } = scan.sweep;
        if settings.screen == Screen::None {
            return u32::MAX;
        }
        let right = group + block.lane().min(n_rights - 1);
        let sketch = lefts.sketches[left as usize];
        self.stage(block, 0, words(&rights.sketches[right as usize]));
        let is_wide = settings.screen == Screen::WideSignatures;
        let mut upper = 0;
        if is_wide {
            upper = lefts.uppers[left as usize];
            let other = rights.uppers[right as usize];
            self.stage(block, 4, [other as u32, (other >> 32) as u32, 0, 0]);
        }
        block.warp_barrier();
        let passed = match settings.screen {
            Screen::None => u32::MAX,
            Screen::Codes => self.each::<false>(block, 0, WARP, |words, _| words[0] == sketch.code()),
            Screen::Reaches => {
                let reach = sketch.reach();
                self.each::<false>(block, 0, WARP, |words, _| reach.from <= words[0] && words[0] < reach.upto)
            }
            Screen::Signatures | Screen::WideSignatures => {
                let len = lefts.lens[left as usize];
                let lens = Lens { left: len, right: rights.lens[right as usize], n_rights };
                let measure = scan.path.predicate(settings.lead).measure();
                measure.map_or(u32::MAX, |measure| {
                    self.by_signatures(block, measure, lens, &sketch, upper, is_wide)
                })
            }
        };
        // The next group must not be staged while a lane still reads this one.
        block.warp_barrier();
        passed
    }

    /// Right items of one length at a time.
    #[inline(always)]
    fn by_signatures(
        &self,
        block: &impl Block,
        measure: &ArchivedMeasure,
        lens: Lens,
        sketch: &Sketch,
        upper: u64,
        is_wide: bool,
    ) -> u32 {
        let (mut from, mut passed) = (0, 0);
        while from < lens.n_rights {
            // Lengths ascend, so those equal to the first one are a run.
            let len = block.broadcast(lens.right, from);
            let equal = block.ballot(lens.right == len) >> from;
            let upto = (from + (!equal).trailing_zeros()).min(lens.n_rights);
            let limits = self.limits(block, measure, lens.left, len);
            if block.ballot(limits.is_possible()) != 0 {
                let has_firsts = block.ballot(limits.alike != limits.unlike) != 0;
                passed |= match (is_wide, has_firsts) {
                    (false, false) => self.alike::<false, false>(block, from, upto, sketch, upper, &limits),
                    (false, true) => self.alike::<false, true>(block, from, upto, sketch, upper, &limits),
                    (true, false) => self.alike::<true, false>(block, from, upto, sketch, upper, &limits),
                    (true, true) => self.alike::<true, true>(block, from, upto, sketch, upper, &limits),
                };
            }
            from = upto;
        }
        passed
    }

    /// What the lead allows this lane's left item with right ones of a length. All lanes come here together.
    #[inline(always)]
    fn limits(&self, block: &impl Block, measure: &ArchivedMeasure, left: u32, right: u32) -> Limits {
        let place = self.own + LIMITS + block.lane() * LIMITS_WORDS;
        if self.word(block, LIMITS_OF) != right {
            let Limits { alike, unlike } = measure.limits(left, right);
            let words = [alike.left, alike.right, unlike.left, unlike.right].map(|it| it as u32);
            block.set_shared_quad(place, words);
            block.warp_barrier();
            if block.lane() == 0 {
                block.set_shared(self.own + LIMITS_OF, right);
            }
            block.warp_barrier();
        }
        let [a, b, c, d] = block.shared_quad(place).map(|word| word as i32);
        Limits { alike: Allowed { left: a, right: b }, unlike: Allowed { left: c, right: d } }
    }

    /// [`Limits::pass`] for the staged items from `from` to `upto`: with `WIDE` of 128 bits, with `FIRSTS` looking at first
    /// symbols.
    #[inline(always)]
    fn alike<const WIDE: bool, const FIRSTS: bool>(
        &self,
        block: &impl Block,
        from: u32,
        upto: u32,
        left: &Sketch,
        upper: u64,
        limits: &Limits,
    ) -> u32 {
        // x + |l| - |r| <= left and x - |l| + |r| <= right, with what is the same for all right items on one side.
        let bounds = |allowed: &Allowed| (allowed.left - left.ones as i32, allowed.right + left.ones as i32);
        let (alike, unlike) = (bounds(&limits.alike), bounds(&limits.unlike));
        self.each::<WIDE>(block, from, upto, |[low, high, ones, first], more| {
            let mut x = (left.signature as u32 ^ low).count_ones()
                + ((left.signature >> 32) as u32 ^ high).count_ones();
            if WIDE {
                x += (upper as u32 ^ more[0]).count_ones() + ((upper >> 32) as u32 ^ more[1]).count_ones();
            }
            let (x, ones) = (x as i32, ones as i32);
            let (most_l, most_r) = if FIRSTS && first != left.first { unlike } else { alike };
            (x - ones <= most_l) & (x + ones <= most_r)
        })
    }

    /// A bit for each staged item from `from` to `upto` that passes. Four at a time, so that their loads overlap; that
    /// some before `from` and after `upto` are tested too does no harm.
    #[inline(always)]
    fn each<const WIDE: bool>(
        &self,
        block: &impl Block,
        from: u32,
        upto: u32,
        pass: impl Fn([u32; 4], [u32; 4]) -> bool,
    ) -> u32 {
        let mut passed = 0;
        let mut ix = from & !3;
        while ix < upto {
            let mut four = 0;
            for nth in 0..4 {
                let place = self.own + STAGE + (ix + nth) * STAGED_WORDS;
                let more = if WIDE { block.shared_quad(place + 4) } else { [0; 4] };
                four |= u32::from(pass(block.shared_quad(place), more)) << nth;
            }
            passed |= four << ix;
            ix += 4;
        }
        passed & between(from, upto)
    }

    #[inline(always)]
    fn stage(&self, block: &impl Block, at: u32, words: [u32; 4]) {
        block.set_shared_quad(self.own + STAGE + block.lane() * STAGED_WORDS + at, words);
    }
}

/// Lengths of this thread's left item and of the group's right items, one a lane.
struct Lens {
    left: u32,
    right: u32,
    n_rights: u32,
}

/// Bits `from..upto`, with `upto` at most 32.
fn between(from: u32, upto: u32) -> u32 {
    (u32::MAX >> (WARP - upto)) & u32::MAX.checked_shl(from).unwrap_or(0)
}

#[inline]
fn words(sketch: &Sketch) -> [u32; 4] {
    [sketch.signature as u32, (sketch.signature >> 32) as u32, sketch.ones, sketch.first]
}
