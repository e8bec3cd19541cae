//! The join of two relations, fused with projection: the pairs (x, z) of all (x, y) of the outer one and (y, z) of the inner.
//!
//! Computes  by tile of outer tuples how many it makes; then a range of all that are made
//! Layout    outer tiles of a tuple a thread; the inner relation sorted, and indexed by its first column
//! Launch    1-D, any number of blocks, both kernels' with as many threads; `measure` no shared memory, `join` `join_words`
//! Cost      an outer tuple is looked up once to count, and once by each block that writes some of what it makes
//! Next      between the two, `starts` numbers what is made; then `deduplicate`, or a sort
//!
//! What is made is numbered through, and each block writes a window of it: so a value that very many rows have is written by
//! many blocks, and what does not fit into a buffer is made range by range.

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::warp_of_launch;
use crate::primitives::owners;
use crate::primitives::sums::{block_sums, warp_total};
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::relation::{
    JOIN_ITEMS, WIDE_SUM_WORDS, first_of, join_words, rows_of_key, second_of, tuple,
};

/// Outer tuples that a lane looks up at once.
const AT_ONCE: usize = 8;

/// The two relations.
#[derive(Clone, Copy)]
pub struct Join<'a> {
    /// The outer one, in any order.
    pub outer: &'a [u64],
    /// The inner one, sorted.
    pub inner: &'a [u64],
    /// Its index: by slot a key and its first row.
    pub slots: &'a [u64],
    /// By slot: how many rows.
    pub lens: &'a [u32],
}

impl Join<'_> {
    /// The rows that an outer tuple meets: the first, and how many.
    #[inline(always)]
    fn rows(&self, ix: u64) -> (u32, u32, u32) {
        match self.outer.get(ix as usize) {
            Some(&outer) => {
                let (row, len) = rows_of_key(self.slots, self.lens, second_of(outer));
                (first_of(outer), row, len)
            }
            None => (0, 0, 0),
        }
    }
}

/// Counts what each tile of outer tuples makes.
#[inline(always)]
pub fn measure(block: &impl Block, job: &Join<'_>, tiles: &[AtomicU64]) {
    let (warp, n_warps) = warp_of_launch(block);
    let (warp, n_warps) = (u64::from(warp), u64::from(n_warps));
    let (n_tiles, tile_len) = (tiles.len() as u64 - 1, u64::from(block.n_threads()));
    let mut tile = warp;
    while tile < n_tiles {
        let mut n = 0;
        let mut row = u64::from(block.lane());
        while row < tile_len {
            unrolled::<AT_ONCE>(|nth| {
                let row = row + u64::from(WARP) * nth as u64;
                if row < tile_len {
                    n += u64::from(job.rows(tile * tile_len + row).2);
                }
            });
            row += u64::from(WARP) * AT_ONCE as u64;
        }
        // Looks are of different lengths.
        block.warp_barrier();
        let n = warp_total(block, n);
        if block.lane() == 0 {
            tiles[tile as usize].store(n, Relaxed);
        }
        tile += n_warps;
    }
}

/// Tuples that are made, by number.
#[derive(Clone, Copy)]
struct Window {
    from: u64,
    upto: u64,
}

/// Writes what is made from number `from` on, as much as there is room for. `starts` are the numbers of the first of each
/// tile, and of what would come after the last.
#[inline(always)]
pub fn join(block: &impl Block, job: &Join<'_>, starts: &[u64], from: u64, joined: &impl Words) {
    let set = |place, first, inner| joined.set(place, tuple(first, second_of(inner)));
    matches(block, job, starts, from, joined.len(), set);
}

/// Hands on what is made from number `from` on, at most so many: each once with its place, what comes first in the outer tuple,
/// and the inner tuple.
#[inline(always)]
pub(crate) fn matches(
    block: &impl Block,
    job: &Join<'_>,
    starts: &[u64],
    from: u64,
    most: u64,
    mut set: impl FnMut(u64, u32, u64),
) {
    let n_tiles = starts.len() - 1;
    let upto = starts[n_tiles].min(from + most);
    let n_threads = u64::from(block.n_threads());
    // Little is spread over all blocks.
    let n = upto.saturating_sub(from);
    let per_thread = n.div_ceil(n_threads * u64::from(block.n_blocks())).clamp(1, u64::from(JOIN_ITEMS));
    let len = per_thread * n_threads;
    let mut first = from + u64::from(block.block_ix()) * len;
    while first < upto {
        let window = Window { from: first, upto: upto.min(first + len) };
        let mut tile = owners::in_array(block, starts, first) as usize;
        while tile < n_tiles && starts[tile] < window.upto {
            // One that makes nothing needs no looks.
            if starts[tile] < starts[tile + 1] {
                let place = first - from;
                write(block, job, tile, starts, window, |nth, first, inner| {
                    set(place + u64::from(nth), first, inner);
                });
            }
            tile += 1;
        }
        first += u64::from(block.n_blocks()) * len;
    }
}

// Words of shared memory: sums; and by outer tuple of a tile three, which `write` names.
const _: () = assert!(join_words(96) == WIDE_SUM_WORDS + 3 * 96);

/// Hands on what a tile makes of a window, by its number there. All threads come here together.
#[inline(always)]
fn write(
    block: &impl Block,
    job: &Join<'_>,
    tile: usize,
    starts: &[u64],
    window: Window,
    mut set: impl FnMut(u32, u32, u64),
) {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    // Words of shared memory: sums; and by outer tuple its first value, where in the window its matches end, and what is to
    // be added to a place in the window to have a row.
    let firsts = WIDE_SUM_WORDS;
    let (ends, shifts) = (firsts + n_threads, firsts + 2 * n_threads);
    let (value, row, n_rows) = job.rows(tile as u64 * u64::from(n_threads) + u64::from(thread));
    block.warp_barrier();
    let (before, _) = block_sums(block, u64::from(n_rows), 0);
    let start = starts[tile] + before;
    let in_window = |number: u64| number.saturating_sub(window.from).min(window.upto - window.from) as u32;
    block.set_shared(firsts + thread, value);
    block.set_shared(ends + thread, in_window(start + u64::from(n_rows)));
    // It may start long before the window; rows have 32 bits, and so has what is right of the difference.
    block.set_shared(shifts + thread, row.wrapping_sub(start.wrapping_sub(window.from) as u32));
    block.barrier();
    let (mut nth, upto) = (in_window(starts[tile]) + thread, in_window(starts[tile + 1]));
    while nth < upto {
        let owner = owners::in_shared(block, ends, n_threads, nth);
        let row = block.shared(shifts + owner).wrapping_add(nth);
        let inner = job.inner.get(row as usize).copied().unwrap_or(0);
        set(nth, block.shared(firsts + owner), inner);
        nth += n_threads;
    }
    block.barrier();
}
