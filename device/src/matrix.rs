//! The closure of a matrix of bits: tiles of tiles, a pivot after the other.
//!
//! ```text
//! connect ─► (diagonal ─► cross ─► rest), for each pivot ─► firsts
//! ```
//!
//! Computes  firsts[row] = the first record that the row's record reaches
//! Layout    rows of bits, padded to whole pivots (`shared::matrix`): all rows of a matrix, or two bands of them, the pivot's first
//! Launch    1-D; `diagonal`: one block, `DIAGONAL_WORDS`; `cross`, `rest`: any number, `PANEL_WORDS`; others: none
//! Cost      for each pivot, the whole matrix once, and a word of shared memory for each bit of the pivot's columns
//! Next      the host looks records up
//! Twin      `host::cpu::matrix`
//!
//! What blocks do for one pivot does not overlap: nobody reads what another one writes, except for bits that stay as
//! they are.

use crate::block::Block;
use crate::primitives::lanes::warp_of_launch;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::matrix::{PIVOT, PIVOT_WORDS, TILE_WORDS, for_each_bit, place};

/// Rows that a block brings up to date with one tile of the pivot's rows.
const BLOCK_ROWS: u32 = 512;
/// Rows whose words in the pivot's columns a warp has at once.
const WARP_ROWS: u32 = WARP / PIVOT_WORDS;

/// A matrix, and where it is at.
pub struct Matrix<'a> {
    /// Its rows.
    pub words: &'a [AtomicU32],
    /// Words of a row.
    pub stride: u32,
    /// Rows that are here.
    pub n_rows: u32,
    /// The first of them that `cross` and `rest` bring up to date, beside the pivot's own.
    pub first: u32,
    /// The pivot's first row, among those that are here.
    pub pivot: u32,
    /// Its first column.
    pub column: u32,
}

impl Matrix<'_> {
    /// The first word of the pivot's columns.
    #[inline(always)]
    fn pivot_word(&self) -> u32 {
        self.column / u32::BITS
    }

    /// Whether a word is of the pivot's columns.
    #[inline(always)]
    fn is_pivot(&self, word: u32) -> bool {
        word.wrapping_sub(self.pivot_word()) < PIVOT_WORDS
    }

    #[inline(always)]
    fn word(&self, row: u32, word: u32) -> &AtomicU32 {
        &self.words[(u64::from(row) * u64::from(self.stride) + u64::from(word)) as usize]
    }
}

/// Sets the bits of pairs of rows, one in each half of a word, and each of the first rows' own.
#[inline(always)]
pub fn connect(block: &impl Block, matrix: &Matrix<'_>, pairs: &[u64], n_records: u32) {
    let set = |row: u32, column: u32| {
        let (word, bit) = place(matrix.stride, row, column);
        matrix.words[word as usize].fetch_or(bit, Relaxed);
    };
    let n_threads = block.n_threads() * block.n_blocks();
    let own = block.block_ix() * block.n_threads() + block.thread_ix();
    let mut row = own;
    while row < n_records {
        set(row, row);
        row += n_threads;
    }
    let mut ix = own as usize;
    while let Some(&pair) = pairs.get(ix) {
        let (left, right) = (pair as u32, (pair >> 32) as u32);
        set(left, right);
        set(right, left);
        ix += n_threads as usize;
    }
}

/// Closes the pivot's own tile, one of its records after the other. One block.
#[inline(always)]
pub fn diagonal(block: &impl Block, matrix: &Matrix<'_>) {
    for_each_own(block, PIVOT * PIVOT_WORDS, |ix| {
        let word = matrix.word(matrix.pivot + ix / PIVOT_WORDS, matrix.pivot_word() + ix % PIVOT_WORDS);
        block.set_shared(ix, word.load(Relaxed));
    });
    let mut via = 0;
    while via < PIVOT {
        block.barrier();
        // The row of `via` itself does not change, since its record reaches itself.
        for_each_own(block, PIVOT, |row| {
            let first = row * PIVOT_WORDS;
            if block.shared(first + via / u32::BITS) >> (via % u32::BITS) & 1 == 1 && row != via {
                let mut word = 0;
                while word < PIVOT_WORDS {
                    let both = block.shared(first + word) | block.shared(via * PIVOT_WORDS + word);
                    block.set_shared(first + word, both);
                    word += 1;
                }
            }
        });
        via += 1;
    }
    block.barrier();
    for_each_own(block, PIVOT * PIVOT_WORDS, |ix| {
        let word = matrix.word(matrix.pivot + ix / PIVOT_WORDS, matrix.pivot_word() + ix % PIVOT_WORDS);
        word.store(block.shared(ix), Relaxed);
    });
}

/// Brings the pivot's rows and its columns up to date with its own tile.
#[inline(always)]
pub fn cross(block: &impl Block, matrix: &Matrix<'_>) {
    let n_tiles = matrix.stride.div_ceil(TILE_WORDS);
    let n_units = n_tiles + (matrix.n_rows - matrix.first).div_ceil(BLOCK_ROWS);
    let mut unit = block.block_ix();
    while unit < n_units {
        if unit < n_tiles {
            stage_panel(block, matrix, unit);
            for_each_row(block, matrix.pivot, PIVOT, |row| via_panel(block, matrix, row, unit));
        } else {
            stage_diagonal(block, matrix);
            columns(block, matrix, matrix.first + (unit - n_tiles) * BLOCK_ROWS);
        }
        block.barrier();
        unit += block.n_blocks();
    }
}

/// Brings all other tiles up to date with the pivot's rows and columns.
#[inline(always)]
pub fn rest(block: &impl Block, matrix: &Matrix<'_>) {
    let n_tiles = matrix.stride.div_ceil(TILE_WORDS);
    let n_units = n_tiles * (matrix.n_rows - matrix.first).div_ceil(BLOCK_ROWS);
    let mut unit = block.block_ix();
    while unit < n_units {
        let (rows, tile) = (matrix.first + unit / n_tiles * BLOCK_ROWS, unit % n_tiles);
        stage_panel(block, matrix, tile);
        for_each_row(block, rows, BLOCK_ROWS.min(matrix.n_rows - rows), |row| {
            // The pivot's rows are up to date.
            if row.wrapping_sub(matrix.pivot) >= PIVOT {
                via_panel(block, matrix, row, tile);
            }
        });
        block.barrier();
        unit += block.n_blocks();
    }
}

/// The first bit of each of the first rows.
#[inline(always)]
pub fn firsts(block: &impl Block, matrix: &Matrix<'_>, firsts: &[AtomicU32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let mut row = warp;
    while let Some(first) = firsts.get(row as usize) {
        let mut word_ix = 0;
        let mut found = 0;
        while found == 0 && word_ix < matrix.stride {
            let own_ix = word_ix + block.lane();
            let own = if own_ix < matrix.stride { matrix.word(row, own_ix).load(Relaxed) } else { 0 };
            found = block.ballot(own != 0);
            let lane = found.trailing_zeros() % WARP;
            let word = block.broadcast(own, lane);
            if found != 0 && block.lane() == 0 {
                first.store((word_ix + lane) * u32::BITS + word.trailing_zeros(), Relaxed);
            }
            word_ix += WARP;
        }
        row += n_warps;
    }
}

/// Brings a tile of the pivot's rows to shared memory: word `lane` of row `row` at `row * TILE_WORDS + lane`.
#[inline(always)]
fn stage_panel(block: &impl Block, matrix: &Matrix<'_>, tile: u32) {
    for_each_own(block, PIVOT * TILE_WORDS, |ix| {
        let word = tile * TILE_WORDS + ix % TILE_WORDS;
        let value = match word < matrix.stride {
            true => matrix.word(matrix.pivot + ix / TILE_WORDS, word).load(Relaxed),
            false => 0,
        };
        block.set_shared(ix, value);
    });
    block.barrier();
}

/// Brings the pivot's own tile to shared memory.
#[inline(always)]
fn stage_diagonal(block: &impl Block, matrix: &Matrix<'_>) {
    for_each_own(block, PIVOT * PIVOT_WORDS, |ix| {
        let word = matrix.word(matrix.pivot + ix / PIVOT_WORDS, matrix.pivot_word() + ix % PIVOT_WORDS);
        block.set_shared(ix, word.load(Relaxed));
    });
    block.barrier();
}

/// Adds what the records of the pivot that a row reaches do reach, within a tile that is staged. A warp does a row; words of
/// the pivot's own columns, which say what it reaches, are left to [`columns`].
#[inline(always)]
fn via_panel(block: &impl Block, matrix: &Matrix<'_>, row: u32, tile: u32) {
    let lane = block.lane();
    let via = match lane < PIVOT_WORDS {
        true => matrix.word(row, matrix.pivot_word() + lane).load(Relaxed),
        false => 0,
    };
    if block.ballot(via != 0) == 0 {
        return;
    }
    let word = tile * TILE_WORDS + lane;
    let is_own = word < matrix.stride && !matrix.is_pivot(word);
    let before = if is_own { matrix.word(row, word).load(Relaxed) } else { 0 };
    let mut after = before;
    let mut nth = 0;
    while nth < PIVOT_WORDS {
        for_each_bit(block.broadcast(via, nth), |bit| {
            after |= block.shared((nth * u32::BITS + bit) * TILE_WORDS + lane);
        });
        nth += 1;
    }
    if is_own && after != before {
        matrix.word(row, word).store(after, Relaxed);
    }
}

/// Brings the pivot's columns of some rows up to date with its own tile, which is staged. A warp does some rows at once,
/// a lane a word.
#[inline(always)]
fn columns(block: &impl Block, matrix: &Matrix<'_>, first: u32) {
    let n_rows = BLOCK_ROWS.min(matrix.n_rows - first);
    for_each_row(block, first / WARP_ROWS, n_rows / WARP_ROWS, |rows| {
        let row = rows * WARP_ROWS + block.lane() / PIVOT_WORDS;
        let word = matrix.word(row, matrix.pivot_word() + block.lane() % PIVOT_WORDS);
        let before = word.load(Relaxed);
        let mut after = before;
        let mut nth = 0;
        while nth < PIVOT_WORDS {
            let via = block.broadcast(before, block.lane() / PIVOT_WORDS * PIVOT_WORDS + nth);
            for_each_bit(via, |bit| {
                let row_of_pivot = nth * u32::BITS + bit;
                after |= block.shared(row_of_pivot * PIVOT_WORDS + block.lane() % PIVOT_WORDS);
            });
            block.warp_barrier();
            nth += 1;
        }
        // The pivot's own tile stays as it is.
        if after != before {
            word.store(after, Relaxed);
        }
    });
}

/// Each of so many rows from `first` on, by one of the block's warps.
#[inline(always)]
fn for_each_row(block: &impl Block, first: u32, n_rows: u32, mut step: impl FnMut(u32)) {
    let mut nth = block.warp_ix();
    while nth < n_rows {
        step(first + nth);
        nth += block.n_threads() / WARP;
    }
}

/// Each of so many places, by one of the block's threads.
#[inline(always)]
fn for_each_own(block: &impl Block, n: u32, mut step: impl FnMut(u32)) {
    let mut ix = block.thread_ix();
    while ix < n {
        step(ix);
        ix += block.n_threads();
    }
}
