//! gSSJoin (Ribeiro-Junior, Quirino, Ribeiro and Martins, SBBD 2016): an index of all elements, a score for each pair, no filters.
//!
//! Computes  by element the places of the sets that have it; then by set what it has in common with each one before it, and the
//!           pairs of those that have enough
//! Layout    sets by place, from small to large, of at most `MOST_ELEMENTS`; a score for each place and block, two in a word, 0 when a
//!           set is taken up: so those of all blocks are in the cache
//! Launch    1-D, any number of blocks, no shared memory; `scored` with as many blocks as there are arrays of scores
//! Cost      an atomic for each posting that a set looks up, and a look at each score: what the threshold is makes no difference
//! Next      sums between `count` and `fill`; then the host knows the number of pairs, and where they are

use super::chained::Sink;
use crate::block::Block;
use crate::primitives::lanes::{for_each, warp_of_launch};
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::baselines::{MOST_ELEMENTS, SCORE_BITS, n_score_words};
use hyperblock_shared::layout::WARP;

/// Sets of elements that are numbered through.
#[derive(Clone, Copy)]
pub struct SetList<'a> {
    /// By place where its elements start, and one more.
    pub starts: &'a [u32],
    /// The elements.
    pub elements: &'a [u32],
}

impl<'a> SetList<'a> {
    #[inline(always)]
    fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    #[inline(always)]
    fn get(&self, place: u32) -> &'a [u32] {
        let place = place as usize;
        &self.elements[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Counts the sets of each element.
#[inline(always)]
pub fn count_postings(block: &impl Block, sets: &SetList<'_>, slots: &[AtomicU32]) {
    for_each(block, sets.elements.len(), |ix| {
        slots[sets.elements[ix] as usize].fetch_add(1, Relaxed);
    });
}

/// Writes the sets of each element, in any order. Slots have where they begin, and after it where they end. Warps take sets in
/// turns.
#[inline(always)]
pub fn fill_postings(block: &impl Block, sets: &SetList<'_>, slots: &[AtomicU32], postings: &[AtomicU32]) {
    let (mut place, n_warps) = warp_of_launch(block);
    while place < sets.len() {
        let elements = sets.get(place);
        let mut nth = block.lane();
        while nth < elements.len() as u32 {
            let posting = slots[elements[nth as usize] as usize].fetch_add(1, Relaxed);
            postings[posting as usize].store(place, Relaxed);
            nth += WARP;
        }
        place += n_warps;
    }
}

/// What sets are scored with.
#[derive(Clone, Copy)]
pub struct Scored<'a> {
    /// The sets.
    pub sets: SetList<'a>,
    /// By element where its sets end, which is where the next one's start.
    pub ends: &'a [u32],
    /// The places of sets.
    pub postings: &'a [u32],
    /// By place: which size it has, of so many that there are.
    pub sizes: &'a [u32],
    /// How many.
    pub n_sizes: u32,
    /// By two sizes: how many elements sets of them need in common.
    pub least: &'a [u32],
    /// By block and two places, all 0.
    pub scores: &'a [AtomicU32],
}

/// Scores each set with those before it, and hands on pairs of places that have enough in common. Blocks take sets in turns,
/// those that meet most first.
#[inline(always)]
pub fn scored<S: Sink>(block: &impl Block, job: &Scored<'_>, sink: &mut S) {
    let n_sets = job.sets.len();
    let n_words = n_score_words(n_sets) as usize;
    let from = block.block_ix() as usize * n_words;
    let scores = &job.scores[from..from + n_words];
    let mut taken = block.block_ix();
    while taken < n_sets {
        let place = n_sets - 1 - taken;
        score(block, job, place, scores);
        block.barrier();
        gather(block, job, place, scores, sink);
        block.barrier();
        taken += block.n_blocks();
    }
    sink.end(block);
}

/// Adds one for each element in common. Warps take elements in turns.
#[inline(always)]
fn score(block: &impl Block, job: &Scored<'_>, place: u32, scores: &[AtomicU32]) {
    let elements = job.sets.get(place);
    let mut nth = block.warp_ix();
    while nth < elements.len() as u32 {
        let element = elements[nth as usize] as usize;
        let start = if element == 0 { 0 } else { job.ends[element - 1] };
        let mut ix = start + block.lane();
        while ix < job.ends[element] {
            let other = job.postings[ix as usize];
            if other < place {
                scores[other as usize / 2].fetch_add(1 << (other % 2 * SCORE_BITS), Relaxed);
            }
            ix += WARP;
        }
        nth += block.n_threads() / WARP;
    }
}

/// Goes over the scores, and leaves none.
#[inline(always)]
fn gather<S: Sink>(block: &impl Block, job: &Scored<'_>, place: u32, scores: &[AtomicU32], sink: &mut S) {
    let least = &job.least[(job.sizes[place as usize] * job.n_sizes) as usize..];
    let is_enough = |other: u32, score: u32| score > 0 && score >= least[job.sizes[other as usize] as usize];
    let mut first = block.warp_ix() * WARP;
    let mut n_enough = 0;
    while first < n_score_words(place) {
        let word = first + block.lane();
        let mut enough = [false; 2];
        if word < n_score_words(place) {
            // Those from this place on have none.
            let two = scores[word as usize].load(Relaxed);
            if two > 0 {
                scores[word as usize].store(0, Relaxed);
                enough =
                    [is_enough(2 * word, two & MOST_ELEMENTS), is_enough(2 * word + 1, two >> SCORE_BITS)];
            }
        }
        unrolled::<2>(|half| {
            if S::SEES_PAIRS {
                sink.pair(block, enough[half].then_some((2 * word + half as u32, place)));
            } else {
                n_enough += u32::from(enough[half]);
            }
        });
        first += block.n_threads();
    }
    sink.count(n_enough);
}
