//! A block of rows as bytes: how many, then their numbers, packed, and a checksum.
//!
//! Keys ascend, so of the first two numbers of a row only what they differ by from the row before is written. The bytes of
//! equal weight of a column stand together, since most of the high ones are zero.

use crate::base::sealed::{sealed, unsealed};
use hyperblock_shared::layout::{Candidate, ScoredPair};
use std::io;

/// Rows of a block at most.
pub(super) const BLOCK: usize = 1 << 16;

/// Blocks are written while others wait: packing them must not take longer than that.
const LEVEL: i32 = 1;

/// Numbers of a row that make its key.
const IN_KEY: usize = 2;

/// Bytes of a number.
const NUMBER: usize = 4;

/// Some numbers, of which the first two are the key.
pub trait Row: Copy + Send + Sync {
    /// The numbers: an array.
    type Numbers: AsRef<[u32]> + AsMut<[u32]> + Default;

    /// The row as numbers.
    fn numbers(&self) -> Self::Numbers;

    /// The row that has these numbers.
    fn of(numbers: Self::Numbers) -> Self;
}

impl Row for Candidate {
    type Numbers = [u32; 3];

    fn numbers(&self) -> [u32; 3] {
        [self.left, self.right, self.rule]
    }

    fn of([left, right, rule]: [u32; 3]) -> Self {
        Self { left, right, rule }
    }
}

impl Row for ScoredPair {
    type Numbers = [u32; 3];

    fn numbers(&self) -> [u32; 3] {
        [self.left, self.right, self.score]
    }

    fn of([left, right, score]: [u32; 3]) -> Self {
        Self { left, right, score }
    }
}

/// A pair beside something that it is of.
impl Row for (u32, ScoredPair) {
    type Numbers = [u32; 4];

    fn numbers(&self) -> [u32; 4] {
        let (of, ScoredPair { left, right, score }) = *self;
        [of, left, right, score]
    }

    fn of([of, left, right, score]: [u32; 4]) -> Self {
        (of, ScoredPair { left, right, score })
    }
}

/// What rows are sorted by.
pub(super) fn key<R: Row>(row: &R) -> u64 {
    match row.numbers().as_ref() {
        [first, second, ..] => u64::from(*first) << 32 | u64::from(*second),
        _ => 0,
    }
}

/// Rows as bytes.
pub fn packed<R: Row>(rows: &[R]) -> io::Result<Vec<u8>> {
    let n = rows.len();
    let n_columns = R::Numbers::default().as_ref().len();
    let mut columns = vec![0; NUMBER * n_columns * n];
    let mut before = [0u32; IN_KEY];
    for (ix, row) in rows.iter().enumerate() {
        for (nth, &number) in row.numbers().as_ref().iter().enumerate() {
            let number = match before.get_mut(nth) {
                Some(before) => number.wrapping_sub(std::mem::replace(before, number)),
                None => number,
            };
            for (weight, byte) in number.to_le_bytes().into_iter().enumerate() {
                columns[(NUMBER * nth + weight) * n + ix] = byte;
            }
        }
    }
    let mut bytes = (n as u32).to_le_bytes().to_vec();
    bytes.extend(zstd::bulk::compress(&columns, LEVEL)?);
    Ok(sealed(&bytes))
}

/// The rows, if the bytes are those of some.
pub fn unpacked<R: Row>(bytes: &[u8]) -> Option<Vec<R>> {
    let (n, columns) = unsealed(bytes)?.split_first_chunk::<NUMBER>()?;
    // As much memory as a block may need, whatever the number says.
    let n = Some(u32::from_le_bytes(*n) as usize).filter(|n| *n <= BLOCK)?;
    let n_columns = R::Numbers::default().as_ref().len();
    let n_bytes = NUMBER * n_columns * n;
    let columns = zstd::bulk::decompress(columns, n_bytes).ok().filter(|columns| columns.len() == n_bytes)?;
    let mut before = [0u32; IN_KEY];
    let mut row = |ix: usize| {
        let mut numbers = R::Numbers::default();
        for (nth, number) in numbers.as_mut().iter_mut().enumerate() {
            *number =
                u32::from_le_bytes(std::array::from_fn(|weight| columns[(NUMBER * nth + weight) * n + ix]));
            if let Some(before) = before.get_mut(nth) {
                *before = before.wrapping_add(*number);
                *number = *before;
            }
        }
        R::of(numbers)
    };
    Some((0..n).map(&mut row).collect())
}
