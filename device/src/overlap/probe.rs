//! Probing: elements are looked up in the index, hits are filtered, and what passes is verified.
//!
//! Computes  pairs += {(l, r) : l and r have enough elements in common}, each once, in any order
//! Layout    the index by slot, groups of 32 elements of a prefix, their hits in segments (`shared::layout`)
//! Launch    1-D, any number of blocks, `PROBE_WORDS` for each warp
//! Cost      a posting a hit, 32 bytes of a signature for what its class and position let through; a merge of two values
//! Next      `listed` decides the pairs
//! Twin      `host::cpu::overlap`
//!
//! A warp takes segments and looks the elements of the group up once more, one a lane. Their hits are numbered through,
//! and each lane takes every 32nd of them, whichever list it is in. What passes waits in shared memory until there is a
//! pair for every lane (`compare.rs`).

use super::compare::{Hit, Pairs};
use super::segments::Taken;
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::warp_of_launch;
use crate::primitives::owners;
use crate::primitives::queues::{Queue, taken};
use crate::primitives::sums::warp_sums;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::layout::{Group, MOST_HITS, PROBE_WORDS, SEGMENT, WARP, WideSignature};
use hyperblock_shared::overlap::{Overlap, Posting, Range32, Signature, unshared};

/// What is looked up, and where.
#[derive(Clone, Copy)]
pub struct Probing<'a> {
    /// The two sides. Their signatures are not looked at: see [`Probe::signatures`].
    pub overlap: Overlap<'a>,
    /// By slot: where its postings end.
    pub slots: &'a [u32],
    /// The words of `Group`s.
    pub groups: &'a [u64],
}

/// What a probe reads and writes beside that.
#[derive(Clone, Copy)]
pub struct Probe<'a, W> {
    /// What is looked up.
    pub probing: Probing<'a>,
    /// The words of `Posting`s, by slot.
    pub postings: &'a [u64],
    /// As `Overlap::rooms` has them.
    pub rooms: &'a [i32],
    /// Indexed and probing.
    pub signatures: [&'a [WideSignature]; 2],
    /// By group: its first segment; and at the end, how many there are.
    pub segments: &'a [u32],
    /// Where pairs go.
    pub pairs: Pairs<'a, W>,
}

/// Which of the words of `OverlapCounters` is how many hits there are.
const N_HITS: usize = 0;

/// Words of a queued hit: the probing value, the indexed one, and which element of the first is in common.
const HIT_WORDS: usize = 3;

// The first words of a warp are those of its `Taken`.
const QUEUE: u32 = 4;

const _: () = assert!(PROBE_WORDS == QUEUE + Queue::<HIT_WORDS>::N_WORDS);

/// What a lane's element finds.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Where its postings begin.
    start: u32,
    /// How many they are.
    len: u32,
    /// One past the last value that it may find.
    upto: u32,
}

impl Probing<'_> {
    /// Looks up this lane's element of a group.
    #[inline(always)]
    fn find(&self, block: &impl Block, group: Group) -> Found {
        let nth = group.first + block.lane();
        if nth >= self.overlap.probing.class(group.item).prefix {
            return Found::default();
        }
        let Some(lookup) = self.overlap.lookup(group.item, nth) else { return Found::default() };
        let Range32 { from, upto } = lookup.slots;
        // A slot's postings begin where those of the one before it end.
        let start = if from == 0 { 0 } else { self.slots[from as usize - 1] };
        Found { start, len: self.slots[upto as usize - 1] - start, upto: lookup.items.upto }
    }
}

/// How many segments the hits of each group make, and how many hits there are.
#[inline(always)]
pub fn measure(block: &impl Block, probing: &Probing<'_>, segments: &[AtomicU32], counters: &[AtomicU64]) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_groups = probing.groups.len() as u32;
    let mut all_hits = 0;
    let mut group = warp;
    while group < n_groups {
        let found = probing.find(block, Group::from_word(probing.groups[group as usize]));
        block.warp_barrier();
        // Lists of different elements have no posting in common, and all together are fewer than 2^32.
        let n_hits = warp_sums(block, found.len);
        if block.lane() == WARP - 1 {
            segments[group as usize].store(n_hits.div_ceil(SEGMENT), Relaxed);
        }
        all_hits += u64::from(n_hits);
        group += n_warps;
    }
    if block.lane() == WARP - 1 && all_hits > 0 {
        counters[N_HITS].fetch_add(all_hits, Relaxed);
    }
}

/// The segment at hand, the same for all lanes.
#[derive(Clone, Copy, Default)]
struct Segment {
    group: Group,
    class: u32,
    signature: Signature,
    /// The first indexed value that may meet the probing one.
    from: u32,
    /// The next hit, among those of the group.
    hit: u32,
    /// One past its last.
    upto: u32,
}

/// The kernel's body.
#[inline(always)]
pub fn probe(block: &impl Block, probe: &Probe<'_, impl Words>) {
    let own = block.warp_ix() * PROBE_WORDS;
    let queue = Queue(own + QUEUE);
    Taken::default().keep(block, own);
    let mut n_queued = 0;
    let mut is_finished = probe.pairs.counters[N_HITS].load(Relaxed) > MOST_HITS;
    let mut segment = Segment::default();
    let mut found = Found::default();
    // Of the postings of lanes before this one, how many there are.
    let mut before = 0;
    // The list of the last hit, by lane, and one past its last hit.
    let (mut list, mut list_upto) = (0, 0);
    loop {
        if n_queued >= WARP || (is_finished && n_queued > 0) {
            probe.verify(block, queue, n_queued);
            n_queued -= taken(n_queued);
        } else if is_finished {
            return;
        } else if segment.hit < segment.upto {
            let hit = segment.hit + block.lane();
            let mut lane = list;
            // In a long list there is nothing to look for.
            if segment.hit + WARP > list_upto {
                lane = owners::of_warp(block, before, hit);
                list = block.broadcast(lane, WARP - 1);
                list_upto = block.broadcast(before + found.len, list);
            }
            let place = hit.wrapping_sub(block.broadcast(before.wrapping_sub(found.start), lane));
            let upto = block.broadcast(found.upto, lane);
            let items = Range32 { from: segment.from, upto };
            let other = if hit < segment.upto { probe.passing(&segment, items, place) } else { None };
            block.warp_barrier();
            let waiting = block.ballot(other.is_some());
            let hit = [segment.group.item, other.unwrap_or(0), segment.group.first + lane];
            queue.push(block, n_queued, waiting, hit);
            n_queued += waiting.count_ones();
            segment.hit += WARP;
            block.warp_barrier();
        } else {
            let is_of_use = || probe.pairs.has_room();
            let counters = probe.pairs.counters;
            let Some(mut taken) = Taken::kept_or_next(block, own, probe.segments, counters, is_of_use) else {
                is_finished = true;
                continue;
            };
            (segment, found) = probe.begin(block, &mut taken);
            taken.keep(block, own);
            let upto_here = warp_sums(block, found.len);
            before = upto_here - found.len;
            list_upto = 0;
            segment.upto = segment.upto.min(block.broadcast(upto_here, WARP - 1));
        }
    }
}

impl<W: Words> Probe<'_, W> {
    /// The first of the taken segments, and what its group finds. All lanes come here together.
    #[inline(always)]
    fn begin(&self, block: &impl Block, taken: &mut Taken) -> (Segment, Found) {
        let (group, nth) = taken.begin(block, self.segments);
        let probing = &self.probing;
        let group = Group::from_word(probing.groups[group as usize]);
        let class = probing.overlap.probing.values[group.item as usize].class;
        let hit = nth * SEGMENT;
        let segment = Segment {
            group,
            class,
            signature: self.signatures[1][group.item as usize].0,
            from: probing.overlap.probing.classes[class as usize].from,
            hit,
            upto: hit.saturating_add(SEGMENT),
        };
        (segment, probing.find(block, group))
    }

    /// The value of a posting, if it may hold with the probing one.
    #[inline(always)]
    fn passing(&self, segment: &Segment, items: Range32, place: u32) -> Option<u32> {
        let overlap = &self.probing.overlap;
        let posting = Posting::from_word(self.postings[place as usize]);
        if !overlap.is_hit(segment.class, items, posting) {
            return None;
        }
        let n_classes = overlap.indexed.classes.len() as u32;
        let room = self.rooms[(segment.class * n_classes + u32::from(posting.class)) as usize];
        let mut n_unshared = 0;
        if overlap.sizes.has_bitmap == 1 {
            // By value: a reference to what is inside would not be known to be aligned.
            let WideSignature(signature) = self.signatures[0][posting.item as usize];
            n_unshared = unshared(&segment.signature, &signature);
        }
        (n_unshared as i32 <= room).then_some(posting.item)
    }

    /// Compares the values of the last hits of so many that are queued. All lanes come here together.
    #[inline(always)]
    fn verify(&self, block: &impl Block, queue: Queue<HIT_WORDS>, n_queued: u32) {
        let [probing, indexed, nth] = queue.last(block, n_queued);
        // The words may be used again.
        block.warp_barrier();
        let hit = Hit { probing, indexed, nth: Some(nth) };
        self.pairs.compare(block, &self.probing.overlap, hit, block.lane() < taken(n_queued));
    }
}
