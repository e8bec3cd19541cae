//! Columns in pieces: each thread writes the values of its rows, and all threads put the pieces together.
//!
//! A piece is its values' bytes, one after the other, and their lengths. That is all there is to a value while a file is
//! read: one of no bytes is missing, so that nobody keeps a bit for it, and the last values are easily taken back. Bytes
//! are copied once from here to the column, each to its place at once, by as many threads as there are pieces.

use super::MAX_FIELD;
use crate::base::gather::Gather;
use arrow_array::LargeStringArray;
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use rayon::prelude::*;
use std::ops::Range;

/// Rows whose missing values are found by one thread: a multiple of 8, since 8 share a byte.
const ROWS: usize = 1 << 16;

/// Bytes that are copied at once.
const SHORT: usize = 16;

const _: () = assert!(MAX_FIELD <= u32::MAX as usize, "lengths have 32 bits");

/// Some values of a column.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    lens: Vec<u32>,
}

impl Piece {
    /// Adds a value, which is missing if it is empty. It has at most [`MAX_FIELD`] bytes.
    #[inline]
    pub(super) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.lens.push(value.len() as u32);
    }

    /// Adds the value in that range of a text, where most values are short. So many bytes as are copied at once are also
    /// copied for fewer, if there are as many: that takes no call and no loop.
    #[inline(always)]
    pub(super) fn push_from(&mut self, text: &[u8], range: Range<usize>) {
        let len = range.len();
        match text[range.start..].first_chunk::<SHORT>() {
            Some(short) if len <= SHORT => {
                let end = self.bytes.len() + len;
                self.bytes.extend_from_slice(short);
                self.bytes.truncate(end);
            }
            _ => self.bytes.extend_from_slice(&text[range]),
        }
        self.lens.push(len as u32);
    }

    /// Adds a value with two quotes in it wherever one is meant.
    pub(super) fn push_unquoted(&mut self, value: &[u8]) {
        let n_before = self.bytes.len();
        let (mut rest, is_quote) = (value, |byte: &u8| *byte == b'"');
        while let Some(at) = rest.iter().position(is_quote) {
            self.bytes.extend_from_slice(&rest[..=at]);
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        self.bytes.extend_from_slice(rest);
        self.lens.push((self.bytes.len() - n_before) as u32);
    }

    /// Takes back all values but the first `n`.
    pub(super) fn truncate(&mut self, n: usize) {
        while self.lens.len() > n {
            let len = self.lens.pop().unwrap_or_default();
            self.bytes.truncate(self.bytes.len() - len as usize);
        }
    }

    /// Writes its values where they belong in the column: `ends` are those of its values, which start at `start`.
    fn write(&self, bytes: &mut [u8], ends: &mut [i64], start: usize) {
        bytes.copy_from_slice(&self.bytes);
        let mut end = start as i64;
        for (place, len) in ends.iter_mut().zip(&self.lens) {
            end += i64::from(*len);
            *place = end;
        }
    }
}

/// A column on its way: the bytes of its values, and where each starts, and the last ends.
struct Whole {
    bytes: Vec<u8>,
    offsets: Vec<i64>,
}

/// Every column's pieces, put together; none, if they are no UTF-8.
pub(super) fn joined(mut columns: Vec<Vec<Piece>>) -> Option<Vec<LargeStringArray>> {
    let whole = |pieces: &mut Vec<Piece>| {
        let n_rows: usize = pieces.iter().map(|piece| piece.lens.len()).sum();
        let n_bytes = pieces.iter().map(|piece| piece.bytes.len()).sum();
        // Zeros that nobody has written are no memory yet: whoever copies into them gets it. One piece is not copied.
        let bytes = match &mut pieces[..] {
            [piece] => std::mem::take(&mut piece.bytes),
            _ => vec![0; n_bytes],
        };
        Whole { bytes, offsets: vec![0; n_rows + 1] }
    };
    let mut wholes: Vec<Whole> = columns.iter_mut().map(whole).collect();
    let mut copies = Vec::new();
    for (pieces, whole) in columns.into_iter().zip(&mut wholes) {
        let (mut bytes, mut ends) = (&mut whole.bytes[..], &mut whole.offsets[1..]);
        let mut start = 0;
        for piece in pieces {
            let (own_bytes, other_bytes) = bytes.split_at_mut(piece.bytes.len());
            let (own_ends, other_ends) = ends.split_at_mut(piece.lens.len());
            (bytes, ends) = (other_bytes, other_ends);
            let own_start = start;
            start += own_bytes.len();
            copies.push((piece, own_bytes, own_ends, own_start));
        }
    }
    copies.into_par_iter().for_each(|(piece, bytes, ends, start)| piece.write(bytes, ends, start));
    wholes.into_par_iter().map(Whole::finish).gather().into_iter().collect()
}

impl Whole {
    fn finish(self) -> Option<LargeStringArray> {
        let n_rows = self.offsets.len() - 1;
        let mut present = vec![0u8; n_rows.div_ceil(8)];
        present.par_chunks_mut(ROWS / 8).enumerate().for_each(|(ix, present)| {
            let rows = &self.offsets[ix * ROWS..(ix * ROWS + ROWS).min(n_rows) + 1];
            for (row, ends) in rows.windows(2).enumerate() {
                present[row / 8] |= u8::from(ends[0] < ends[1]) << (row % 8);
            }
        });
        let nulls = NullBuffer::new(BooleanBuffer::new(present.into(), 0, n_rows));
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        LargeStringArray::try_new(OffsetBuffer::new(self.offsets.into()), self.bytes.into(), nulls).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn pieces_are_put_together() {
        let piece = |values: &[&str]| {
            let mut piece = Piece::default();
            values.iter().for_each(|value| piece.push(value.as_bytes()));
            piece
        };
        let first = vec![piece(&["a", "", "é"]), piece(&[]), piece(&["", "bcd"])];
        let columns = joined(vec![first, vec![], vec![piece(&["x"])]]).unwrap();
        let values: Vec<_> = columns[0].iter().collect();
        assert_eq!(values, [Some("a"), None, Some("é"), None, Some("bcd")]);
        assert_eq!((columns[1].len(), columns[2].null_count(), columns[2].value(0)), (0, 0, "x"));
        assert!(joined(vec![vec![Piece { bytes: vec![0xff], lens: vec![1] }]]).is_none());
    }

    #[test]
    fn missing_values_of_many_rows() {
        let mut piece = Piece::default();
        (0..ROWS + 3).for_each(|row| piece.push(if row % 3 == 0 { b"" } else { b"a" }));
        let column = joined(vec![vec![piece.clone(), piece]]).unwrap().remove(0);
        let wanted = |row: usize| (row % (ROWS + 3)).is_multiple_of(3);
        assert!((0..column.len()).all(|row| column.is_null(row) == wanted(row)));
    }

    #[test]
    fn values_are_taken_back() {
        let mut piece = Piece::default();
        for value in ["ab", "c\"\"d\"\"", "\"\"\"\""] {
            piece.push_unquoted(value.as_bytes());
        }
        assert_eq!((&piece.bytes[..], &piece.lens[..]), (&b"abc\"d\"\"\""[..], &[2, 4, 2][..]));
        piece.truncate(1);
        assert_eq!((&piece.bytes[..], &piece.lens[..]), (&b"ab"[..], &[2][..]));
        piece.truncate(3);
        assert_eq!(piece.lens.len(), 1);
    }
}
