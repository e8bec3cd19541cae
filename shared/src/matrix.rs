//! Reachability as a matrix of bits, and its closure tile by tile.
//!
//! Bit c of row r says that record c can be reached from record r. Warshall's algorithm (*A theorem on Boolean matrices*,
//! J. ACM 1962) goes through all records k: whoever reaches k reaches what k reaches, too. By tiles, as Floyd and Warshall's
//! on GPUs (Katz and Kider, *All-pairs shortest-paths for large graphs on the GPU*, 2008) and as in *Duplicate detection on
//! GPUs* (Forchhammer et al., BTW 2013), so many k at a time are a *pivot*: first the tile where its rows and columns cross
//! is closed (the diagonal), then its rows and its columns are brought up to date by that tile (the cross), then all other
//! tiles by those two (the rest). Tiles are tiles of tiles: a word is 32 columns, a pivot 8 words, a tile of the rest 32
//! words, which is a word for each lane of a warp.
//!
//! A matrix that does not fit into a device's memory stays in the host's, and is tiled twice, as in the latter paper: rows are
//! cut into *bands* of whole pivots. One band after the other is closed by its own pivots; then each other band is brought up to
//! date by it, two of them in the device's memory at a time.
//!
//! The matrix is symmetric and every record reaches itself. Rows and columns are padded to whole pivots.

use crate::layout::WARP;

/// Rows of a pivot.
pub const PIVOT: u32 = 256;
/// Words that its columns take in a row.
pub const PIVOT_WORDS: u32 = PIVOT / u32::BITS;
/// Words of a row that a tile has.
pub const TILE_WORDS: u32 = WARP;

/// Words of shared memory for the diagonal.
pub const DIAGONAL_WORDS: u32 = PIVOT * PIVOT_WORDS;
/// Words of shared memory for a pivot's rows, as wide as a tile.
pub const PANEL_WORDS: u32 = PIVOT * TILE_WORDS;

/// Rows for so many records.
pub const fn n_rows(n_records: u32) -> u64 {
    (n_records as u64).next_multiple_of(PIVOT as u64)
}

/// Words of a row for so many records.
pub const fn stride(n_records: u32) -> u32 {
    (n_rows(n_records) / u32::BITS as u64) as u32
}

/// Words of the whole matrix.
pub const fn n_words(n_records: u32) -> u64 {
    n_rows(n_records) * stride(n_records) as u64
}

/// Where a bit is: which word, and which bit of it.
#[inline(always)]
pub fn place(stride: u32, row: u32, column: u32) -> (u64, u32) {
    (u64::from(row) * u64::from(stride) + u64::from(column / u32::BITS), 1 << (column % u32::BITS))
}

/// Calls `step` with the place of each bit that is set, from the lowest on.
#[inline(always)]
pub fn for_each_bit(word: u32, mut step: impl FnMut(u32)) {
    let mut left = word;
    while left != 0 {
        step(left.trailing_zeros());
        left &= left - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{for_each_bit, n_words, place, stride};
    use std::vec::Vec;

    #[test]
    fn rows_are_padded() {
        assert_eq!([0, 1, 256, 257].map(stride), [0, 8, 8, 16]);
        assert_eq!([0, 1, 257].map(n_words), [0, 2048, 8192]);
        // 160,000,000 records would take 3.2 TB.
        assert_eq!(n_words(160_000_000), 160_000_000 / 32 * 160_000_000);
    }

    #[test]
    fn bits_have_places() {
        assert_eq!(place(16, 3, 70), (50, 64));
        let mut bits = Vec::new();
        for_each_bit(0x8000_0011, |bit| bits.push(bit));
        assert_eq!(bits, [0, 4, 31]);
    }
}
