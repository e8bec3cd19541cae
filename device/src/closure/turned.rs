//! Rows turned round: what each source reaches, as counts and as tuples.
//!
//! Computes  counts[source][part] = its targets in the part, then in those before it; tuples in order
//! Layout    rows as quads of words; targets in parts of `ClosureSizes::part`; sources in groups of 256
//! Launch    1-D, any number of blocks, no shared memory; a warp a group and part (`sum`: a warp a source)
//! Cost      32 bytes of a row for each target and group, twice; a tuple is written once
//! Next      `sum` after `count`; `write` after the host has summed up sources
//!
//! A lane has a target, and eight words of its row: 256 sources. 32 words of 32 lanes are a matrix of bits;
//! turned round, a lane has a source, and a bit for each target. Words that are 0 in all lanes, and those are
//! most, are passed over.

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::{below, of_lane, warp_of_launch};
use crate::primitives::sums::warp_sums;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::{ClosureSizes, GROUP_SOURCES, GROUP_WORDS, Quad, Target, WARP};

const WORDS: usize = GROUP_WORDS as usize;

/// What is turned round.
pub struct Turned<'a> {
    /// By node: a [`Target`].
    pub targets: &'a [u32],
    /// By place of a component.
    pub rows: &'a [Quad],
    /// How large it is.
    pub sizes: ClosureSizes,
}

/// Counts what each source reaches in each part of the targets.
#[inline(always)]
pub fn count(block: &impl Block, turned: &Turned<'_>, counts: &[AtomicU32]) {
    let sizes = &turned.sizes;
    for_each_part(block, 0, sizes.n_groups(), sizes.n_parts, |group, part| {
        let mut sums = [0; WORDS];
        turned.for_each_word(block, group, part, |nth, _, reached| sums[nth] += reached.count_ones());
        unrolled::<WORDS>(|nth| {
            let source = source_of(block, group, nth);
            if source < sizes.n_sources {
                counts[count_ix(source, part, sizes)].store(sums[nth], Relaxed);
            }
        });
    });
}

/// Makes of each count the sum of those before it of the same source, and of all of them its total.
#[inline(always)]
pub fn sum(block: &impl Block, sizes: &ClosureSizes, counts: &[AtomicU32], totals: &[AtomicU32]) {
    for_each_part(block, 0, sizes.n_sources, 1, |source, _| {
        let mut before = 0;
        let mut first = 0;
        while first < sizes.n_parts {
            let part = first + block.lane();
            let is_there = part < sizes.n_parts;
            let ix = count_ix(source, part, sizes);
            let own = if is_there { counts[ix].load(Relaxed) } else { 0 };
            let upto_here = warp_sums(block, own);
            if is_there {
                counts[ix].store(before + upto_here - own, Relaxed);
            }
            before += block.broadcast(upto_here, WARP - 1);
            first += WARP;
        }
        if block.lane() == 0 {
            totals[source as usize].store(before, Relaxed);
        }
    });
}

/// Writes the tuples of some groups of sources.
#[inline(always)]
pub fn write<W: Words>(
    block: &impl Block,
    turned: &Turned<'_>,
    counts: &[u32],
    starts: &[u64],
    first_tuple: u64,
    tuples: &W,
) {
    let sizes = &turned.sizes;
    for_each_part(block, sizes.first_group, sizes.end_group, sizes.n_parts, |group, part| {
        let mut places = [0; WORDS];
        unrolled::<WORDS>(|nth| {
            let source = source_of(block, group, nth);
            if source < sizes.n_sources {
                let before = u64::from(counts[count_ix(source, part, sizes)]);
                places[nth] = starts[source as usize] - first_tuple + before;
            }
        });
        turned.for_each_word(block, group, part, |nth, node, reached| {
            let first = sizes.first_source + group * GROUP_SOURCES + nth as u32 * WARP;
            // A source after the other: its tuples are written side by side.
            let mut left = block.ballot(reached != 0);
            while left != 0 {
                let lane = left.trailing_zeros();
                let targets = block.broadcast(reached, lane);
                let place = of_lane(block, places[nth], lane);
                if targets >> block.lane() & 1 == 1 {
                    let tuple = u64::from(first + lane) << 32 | u64::from(node);
                    tuples.set(place + u64::from(below(block, targets)), tuple);
                }
                left &= left - 1;
            }
            places[nth] += u64::from(reached.count_ones());
        });
    });
}

impl Turned<'_> {
    /// For 32 targets of the part at a time and each word of the group that is not 0 in all of them: its
    /// number, this lane's target, and which of the targets this lane's source reaches. All lanes come here
    /// together.
    #[inline(always)]
    fn for_each_word(
        &self,
        block: &impl Block,
        group: u32,
        part: u32,
        mut step: impl FnMut(usize, u32, u32),
    ) {
        let sizes = &self.sizes;
        let n_nodes = self.targets.len() as u32;
        let end = n_nodes.min((part + 1) * sizes.part);
        let mut first = part * sizes.part;
        while first < end {
            let node = first + block.lane();
            let words = if node < end { self.words(node, group) } else { [0; WORDS] };
            unrolled::<WORDS>(|nth| {
                if block.ballot(words[nth] != 0) != 0 {
                    step(nth, node, turned_round(block, words[nth]));
                }
            });
            first += WARP;
        }
    }

    /// Which sources of the group reach a node.
    #[inline(always)]
    fn words(&self, node: u32, group: u32) -> [u32; WORDS] {
        let sizes = &self.sizes;
        let Target { place, is_apart } = Target::from_word(self.targets[node as usize]);
        let first = place as usize * (sizes.row_words / 4) as usize + (group * (GROUP_WORDS / 4)) as usize;
        let (Quad([a, b, c, d]), Quad([e, f, g, h])) = (self.rows[first], self.rows[first + 1]);
        let mut words = [a, b, c, d, e, f, g, h];
        if is_apart {
            // Its own bit, if it is one of the group.
            let own = node.wrapping_sub(sizes.first_source + group * GROUP_SOURCES);
            unrolled::<WORDS>(|nth| {
                if own / WARP == nth as u32 {
                    words[nth] &= !(1 << (own % WARP));
                }
            });
        }
        words
    }
}

/// A matrix of 32 by 32 bits, a word a lane, turned round: bit `i` of lane `j` becomes bit `j` of lane `i`.
/// Halves of halves change places, as in Warren, 'Hacker's Delight', 7-3. All lanes come here together.
#[inline(always)]
fn turned_round(block: &impl Block, word: u32) -> u32 {
    let lane = block.lane();
    let mut word = word;
    let mut mask = 0x0000_ffff;
    let mut distance = WARP / 2;
    while distance > 0 {
        let other = block.broadcast(word, lane ^ distance);
        word = match lane & distance {
            0 => word & mask | (other & mask) << distance,
            _ => word & !mask | other >> distance & mask,
        };
        distance /= 2;
        mask ^= mask << distance;
    }
    word
}

/// This lane's source in a word of a group.
#[inline(always)]
fn source_of(block: &impl Block, group: u32, nth: usize) -> u32 {
    group * GROUP_SOURCES + nth as u32 * WARP + block.lane()
}

#[inline(always)]
fn count_ix(source: u32, part: u32, sizes: &ClosureSizes) -> usize {
    source as usize * sizes.n_parts as usize + part as usize
}

/// A step for each of the groups and parts that fall to this warp. All lanes come here together.
#[inline(always)]
fn for_each_part(
    block: &impl Block,
    first_group: u32,
    end_group: u32,
    n_parts: u32,
    mut step: impl FnMut(u32, u32),
) {
    let (warp, n_warps) = warp_of_launch(block);
    let n = u64::from(end_group - first_group) * u64::from(n_parts);
    let mut ix = u64::from(warp);
    while ix < n {
        // Warps that run together have the same part, and so the same targets: their rows are side by side.
        let n_groups = u64::from(end_group - first_group);
        step(first_group + (ix % n_groups) as u32, (ix / n_groups) as u32);
        ix += u64::from(n_warps);
    }
}
