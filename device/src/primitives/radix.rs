//! Radix sort, from the lowest digit to the highest: a pass brings words into the order of one digit, and leaves words with
//! the same one as they stood.
//!
//! Computes  counts[digit][tile] = how many words of the tile have the digit; then words, by digit
//! Layout    tiles of `SORT_ITEMS` words a thread; in a tile each warp has a run of words, lane beside lane
//! Launch    1-D, any number of blocks, all passes' with as many threads; `HISTOGRAM_WORDS`, `scatter_words`
//! Cost      words are read twice and written once a pass
//! Next      between the two, sums over the counts say where a tile's words of a digit go; then the next digit
//!
//! Words are ranked among those of their digit by ballots, warp by warp, and brought together in shared memory; so neighbours
//! write next to each other.

use super::lanes::below;
use super::sums::block_sums;
use super::unrolled::unrolled;
use crate::block::Block;
use crate::memory::Words;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::relation::{DIGIT_BITS, DIGITS, Digit, HISTOGRAM_WORDS, SORT_ITEMS, scatter_words};

const ITEMS: usize = SORT_ITEMS as usize;

/// Counts each tile's words by digit.
#[inline(always)]
pub fn histogram(block: &impl Block, words: &[u64], digit: Digit, counts: &[AtomicU32]) {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    let n_tiles = counts.len() as u32 / DIGITS;
    for_each_digit(block, |value| block.set_shared(value, 0));
    let mut tile = block.block_ix();
    while tile < n_tiles {
        block.barrier();
        let from = tile as usize * (ITEMS * n_threads as usize) + thread as usize;
        let rest = words.get(from..).unwrap_or_default();
        let place = |nth: usize| nth * n_threads as usize;
        let mut own = [0; ITEMS];
        unrolled::<ITEMS>(|nth| own[nth] = rest.get(place(nth)).copied().unwrap_or(0));
        unrolled::<ITEMS>(|nth| {
            if place(nth) < rest.len() {
                block.shared_add(digit.of(own[nth]), 1);
            }
        });
        block.barrier();
        for_each_digit(block, |value| {
            counts[(value * n_tiles + tile) as usize].store(block.shared(value), Relaxed);
            block.set_shared(value, 0);
        });
        tile += block.n_blocks();
    }
}

#[inline(always)]
fn for_each_digit(block: &impl Block, mut step: impl FnMut(u32)) {
    let mut value = block.thread_ix();
    while value < DIGITS {
        step(value);
        value += block.n_threads();
    }
}

/// Where in shared memory what a block needs begins, behind the words for sums, and where it ends: by warp and digit how many
/// words there are, and then where they start in the tile; by digit what is to be added to that to have their places in device
/// memory; and the lower and upper halves of the tile's words, by digit.
const fn places(n_threads: u32) -> [u32; 5] {
    let shifts = SUM_WORDS + n_threads / WARP * DIGITS;
    let lows = shifts + DIGITS;
    [SUM_WORDS, shifts, lows, lows + SORT_ITEMS * n_threads, lows + 2 * SORT_ITEMS * n_threads]
}

const _: () = assert!(places(WARP)[4] == scatter_words(WARP) && places(1024)[4] == scatter_words(1024));
const _: () = assert!(HISTOGRAM_WORDS == DIGITS);

/// Writes words in the order of their digit. `starts` are the sums before each count.
#[inline(always)]
pub fn scatter(block: &impl Block, words: &[u64], digit: Digit, starts: &[u32], sorted: &impl Words) {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    let n_tiles = starts.len() as u32 / DIGITS;
    let [counts, shifts, lows, highs, _] = places(n_threads);
    let own_counts = counts + block.warp_ix() * DIGITS;
    let tile_len = ITEMS * n_threads as usize;
    let mut tile = block.block_ix();
    while tile < n_tiles {
        let first = tile as usize * tile_len;
        let mut value = block.lane();
        while value < DIGITS {
            block.set_shared(own_counts + value, 0);
            value += WARP;
        }
        let from = first + (block.warp_ix() * WARP) as usize * ITEMS + block.lane() as usize;
        let rest = words.get(from..).unwrap_or_default();
        // What is missing of the last tile has the greatest digit and stands behind all others: so it is last, and is not
        // written.
        let mut own = [u64::MAX; ITEMS];
        unrolled::<ITEMS>(|nth| own[nth] = rest.get(nth * WARP as usize).copied().unwrap_or(u64::MAX));
        block.warp_barrier();
        // A digit, and the rank among the warp's words that have it.
        let mut ranked = [0; ITEMS];
        unrolled::<ITEMS>(|nth| {
            let value = digit.of(own[nth]);
            let alike = alike(block, value);
            let n_before = block.shared(own_counts + value);
            block.warp_barrier();
            let rank = below(block, alike);
            if rank == 0 {
                block.set_shared(own_counts + value, n_before + alike.count_ones());
            }
            block.warp_barrier();
            ranked[nth] = value << 16 | (n_before + rank);
        });
        block.barrier();
        place_digits(block, tile, starts, [counts, shifts]);
        unrolled::<ITEMS>(|nth| {
            let staged = block.shared(own_counts + (ranked[nth] >> 16)) + (ranked[nth] & 0xffff);
            block.set_shared(lows + staged, own[nth] as u32);
            block.set_shared(highs + staged, (own[nth] >> 32) as u32);
        });
        block.barrier();
        let n_words = tile_len.min(words.len() - first) as u32;
        unrolled::<ITEMS>(|nth| {
            let staged = nth as u32 * n_threads + thread;
            if staged < n_words {
                let word =
                    u64::from(block.shared(lows + staged)) | u64::from(block.shared(highs + staged)) << 32;
                let shift = block.shared(shifts + digit.of(word));
                sorted.set(u64::from(shift.wrapping_add(staged)), word);
            }
        });
        tile += block.n_blocks();
    }
}

/// The lanes that have the same digit as this one.
#[inline(always)]
fn alike(block: &impl Block, value: u32) -> u32 {
    let mut alike = u32::MAX;
    unrolled::<{ DIGIT_BITS as usize }>(|bit| {
        let has_bit = value >> bit & 1 == 1;
        let others = block.ballot(has_bit);
        alike &= if has_bit { others } else { !others };
    });
    alike
}

/// From how many words each warp has of each digit to where they start. All threads come here together.
#[inline(always)]
fn place_digits(block: &impl Block, tile: u32, starts: &[u32], [counts, shifts]: [u32; 2]) {
    let n_warps = block.n_threads() / WARP;
    let n_tiles = starts.len() as u32 / DIGITS;
    let n_each = DIGITS.div_ceil(block.n_threads());
    let from = (block.thread_ix() * n_each).min(DIGITS);
    let upto = (from + n_each).min(DIGITS);
    let mut n = 0;
    for value in from..upto {
        for warp in 0..n_warps {
            n += block.shared(counts + warp * DIGITS + value);
        }
    }
    let (mut first, _) = block_sums(block, n, 0);
    for value in from..upto {
        let start = starts[(value * n_tiles + tile) as usize];
        block.set_shared(shifts + value, start.wrapping_sub(first));
        for warp in 0..n_warps {
            let n = block.shared(counts + warp * DIGITS + value);
            block.set_shared(counts + warp * DIGITS + value, first);
            first += n;
        }
    }
    block.barrier();
}
