//! The union of two sorted arrays: merged, and equal words once.
//!
//! Computes  by tile of both together how many of them are left of it; how many words it keeps; then the words
//! Layout    tiles of `MERGE_ITEMS` words a thread, of what both would be if no word were dropped
//! Launch    1-D, any number of blocks, all three kernels' with as many threads; `split` no shared memory, others `merge_words`
//! Cost      words are read twice and written once
//! Next      between `count` and `merge`, `starts` says where a tile's words go
//!
//! A tile's part of each array is found by the merge path (Odeh et al., 'Merge Path', 2012; Green et al., 'GPU Merge
//! Path', 2012), in device memory for a tile and then in shared memory for a thread.

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::sums::block_sums;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::relation::{MERGE_ITEMS, merge_words, n_left_of};

const ITEMS: usize = MERGE_ITEMS as usize;

/// Two sorted arrays, and where tiles part them.
#[derive(Clone, Copy)]
pub struct Merge<'a> {
    /// One of them.
    pub left: &'a [u64],
    /// The other.
    pub right: &'a [u64],
    /// By tile: how many words of the left one are before it; and at the end, all.
    pub splits: &'a [u64],
}

/// Parts the arrays by tile.
#[inline(always)]
pub fn split(block: &impl Block, left: &[u64], right: &[u64], splits: &impl Words) {
    let tile_len = u64::from(MERGE_ITEMS * block.n_threads());
    let n_words = (left.len() + right.len()) as u64;
    let mut tile = u64::from(block.block_ix() * block.n_threads() + block.thread_ix());
    while tile < splits.len() {
        let n = (tile * tile_len).min(n_words) as usize;
        let n_left = n_left_of(n, [left.len(), right.len()], |ix| left[ix], |ix| right[ix]);
        splits.set(tile, n_left as u64);
        tile += u64::from(block.n_blocks() * block.n_threads());
    }
}

/// Counts the words that each tile keeps.
#[inline(always)]
pub fn count(block: &impl Block, job: &Merge<'_>, tiles: &[AtomicU64]) {
    for_each_tile(block, job, |tile, own| {
        let (_, n_kept) = block_sums(block, own.kept.count_ones(), 0);
        if block.thread_ix() == 0 {
            tiles[tile].store(u64::from(n_kept), Relaxed);
        }
    });
}

/// Writes the words that each tile keeps, from where it starts.
#[inline(always)]
pub fn merge(block: &impl Block, job: &Merge<'_>, starts: &[u64], merged: &impl Words) {
    for_each_tile(block, job, |tile, own| {
        // All have read what was staged once they have summed up.
        let (mut place, n_kept) = block_sums(block, own.kept.count_ones(), 0);
        unrolled::<ITEMS>(|nth| {
            if own.kept >> nth & 1 == 1 {
                stage(block, place, own.words[nth]);
                place += 1;
            }
        });
        block.barrier();
        unrolled::<ITEMS>(|nth| {
            let staged_ix = nth as u32 * block.n_threads() + block.thread_ix();
            if staged_ix < n_kept {
                merged.set(starts[tile] + u64::from(staged_ix), staged(block, staged_ix));
            }
        });
        block.barrier();
    });
}

/// A thread's words of a tile, and a bit for each that is kept.
struct Own {
    words: [u64; ITEMS],
    kept: u32,
}

// Words of shared memory: sums, and the lower and upper halves of a tile's words.
const _: () = assert!(merge_words(96) == SUM_WORDS + 2 * MERGE_ITEMS * 96);

#[inline(always)]
fn stage(block: &impl Block, ix: u32, word: u64) {
    block.set_shared(SUM_WORDS + ix, word as u32);
    block.set_shared(SUM_WORDS + MERGE_ITEMS * block.n_threads() + ix, (word >> 32) as u32);
}

#[inline(always)]
fn staged(block: &impl Block, ix: u32) -> u64 {
    let high = block.shared(SUM_WORDS + MERGE_ITEMS * block.n_threads() + ix);
    u64::from(block.shared(SUM_WORDS + ix)) | u64::from(high) << 32
}

/// Merges tile by tile. All threads come to `step` together, before which others may still read what is staged.
#[inline(always)]
fn for_each_tile(block: &impl Block, job: &Merge<'_>, mut step: impl FnMut(usize, &Own)) {
    let tile_len = MERGE_ITEMS as usize * block.n_threads() as usize;
    let n_words = job.left.len() + job.right.len();
    let n_tiles = job.splits.len() - 1;
    let mut tile = block.block_ix() as usize;
    while tile < n_tiles {
        let (from, upto) = (tile * tile_len, n_words.min((tile + 1) * tile_len));
        let (first_left, n_left) = (job.splits[tile] as usize, job.splits[tile + 1] - job.splits[tile]);
        let (first_right, n) = (from - first_left, (upto - from) as u32);
        let n_left = n_left as u32;
        unrolled::<ITEMS>(|nth| {
            let ix = nth as u32 * block.n_threads() + block.thread_ix();
            if ix < n {
                let word = match ix < n_left {
                    true => job.left[first_left + ix as usize],
                    false => job.right[first_right + (ix - n_left) as usize],
                };
                stage(block, ix, word);
            }
        });
        block.barrier();
        // What comes right before the tile, if something does.
        let mut before = None;
        if first_left > 0 {
            before = job.left.get(first_left - 1).copied();
        }
        if first_right > 0 {
            before = before.max(job.right.get(first_right - 1).copied());
        }
        let own = merge_own(block, [n_left, n - n_left], before);
        step(tile, &own);
        tile += block.n_blocks() as usize;
    }
}

/// Merges this thread's share of what is staged, first the left words and then the right ones.
#[inline(always)]
fn merge_own(block: &impl Block, [n_left, n_right]: [u32; 2], mut before: Option<u64>) -> Own {
    let n = (block.thread_ix() * MERGE_ITEMS).min(n_left + n_right);
    let word = |ix: usize| staged(block, ix as u32);
    let lens = [n_left as usize, n_right as usize];
    let mut left = n_left_of(n as usize, lens, word, |ix| word(n_left as usize + ix)) as u32;
    let mut right = n - left;
    if left > 0 {
        before = before.max(Some(staged(block, left - 1)));
    }
    if right > 0 {
        before = before.max(Some(staged(block, n_left + right - 1)));
    }
    let mut own = Own { words: [0; ITEMS], kept: 0 };
    unrolled::<ITEMS>(|nth| {
        if left + right < n_left + n_right {
            let of_left = (left < n_left).then(|| staged(block, left));
            let of_right = (right < n_right).then(|| staged(block, n_left + right));
            let word = match (of_left, of_right) {
                (Some(of_left), Some(of_right)) => of_left.min(of_right),
                (of_left, of_right) => of_left.or(of_right).unwrap_or(0),
            };
            // Of equal words the left one comes first.
            match of_left == Some(word) {
                true => left += 1,
                false => right += 1,
            }
            own.words[nth] = word;
            if before != Some(word) {
                own.kept |= 1 << nth;
            }
            before = Some(word);
        }
    });
    own
}
