//! CSV by all threads, each a part of the text.
//!
//! A part's first record starts behind its first newline, unless that one is within quotes. Whether it is, nobody can tell
//! who has not read all that comes before. So each thread guesses: it takes the newline to end a record and, if no records
//! come of that, to stand within quotes. A wrong guess nearly always ends at the next quote, which then stands within a
//! field. Afterwards the guesses are checked: a part must start where the one before it ends. One that does not is read
//! again.

use super::Source;
use super::records::{Layout, Read, Rows};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::base::timeline::Lane;
use crate::read::table::pieces::{Piece, joined};
use crate::read::table::source::{BEHIND, BLOCK, PARTS_PER_THREAD};
use arrow_array::LargeStringArray;
use rayon::prelude::*;
use std::ops::Range;

/// By column: its values, if it is kept. And how many rows there are.
pub(super) type Columns = (Vec<Option<LargeStringArray>>, usize);

/// The rows from `first` on, where the header ends, with the columns that are kept; nothing, if some of them are unusual.
pub(super) fn read(
    source: &Source,
    first: u64,
    layout: &Layout,
    control: &Control,
) -> Result<Option<Columns>> {
    if layout.is_ambiguous() {
        return Ok(None);
    }
    Parts { source, first, layout, control, block: BLOCK }.read()
}

struct Parts<'a> {
    source: &'a Source,
    first: u64,
    layout: &'a Layout,
    control: &'a Control,
    block: u64,
}

/// A part of the text, read.
struct Part<'a> {
    /// Records that start there are its own.
    range: Range<u64>,
    /// Where the first of them starts, and the last one ends.
    records: Option<Range<u64>>,
    rows: Rows<'a>,
}

/// Why a part is not read: an error, or nothing more than that its records are unusual.
type Left = Option<Error>;

impl<'a> Parts<'a> {
    fn read(&self) -> Result<Option<Columns>> {
        let parts =
            self.control.note(Lane::Read, "parse", || self.guessed().and_then(|parts| self.checked(parts)));
        let parts = match parts {
            Ok(parts) => parts,
            Err(None) => return Ok(None),
            Err(Some(error)) => return Err(error),
        };
        let n_rows = parts.iter().map(|part| part.rows.n_rows).sum();
        let mut columns: Vec<Vec<Piece>> = (0..self.layout.n_kept).map(|_| Vec::new()).collect();
        for part in parts {
            columns.iter_mut().zip(part.rows.columns).for_each(|(column, piece)| column.push(piece));
        }
        let columns = self.control.note(Lane::Read, "join", || joined(columns));
        Ok(columns.map(|columns| (self.layout.placed(columns), n_rows)))
    }

    /// All parts, as they are if every guess is right.
    fn guessed(&self) -> Result<Vec<Part<'a>>, Left> {
        let n_bytes = self.source.len().saturating_sub(self.first);
        let most = PARTS_PER_THREAD * threads::n_threads() as u64;
        let n_parts = n_bytes.div_ceil(self.block).clamp(1, most);
        let start =
            |ix: u64| self.first + (u128::from(n_bytes) * u128::from(ix) / u128::from(n_parts)) as u64;
        (0..n_parts).into_par_iter().map(|ix| self.guess(start(ix)..start(ix + 1))).collect()
    }

    fn guess(&self, range: Range<u64>) -> Result<Part<'a>, Left> {
        if range.start == self.first {
            return self.part(range.clone(), Some(range.start));
        }
        for is_quoted in [false, true] {
            let start = self.first_record(&range, is_quoted)?;
            match self.part(range.clone(), start) {
                Err(None) => {}
                read => return read,
            }
        }
        Err(None)
    }

    /// The parts, those of them read again that do not start where the one before ends.
    fn checked(&self, mut parts: Vec<Part<'a>>) -> Result<Vec<Part<'a>>, Left> {
        let mut end = self.first;
        for part in &mut parts {
            let start = (end < part.range.end).then_some(end);
            if part.records.as_ref().map(|records| records.start) != start {
                *part = self.part(part.range.clone(), start)?;
            }
            end = part.records.as_ref().map_or(end, |records| records.end);
        }
        Ok(parts)
    }

    /// Where the first record of a range starts, if its first newline is or is not within quotes.
    fn first_record(&self, range: &Range<u64>, is_quoted: bool) -> Result<Option<u64>, Left> {
        let mut buffer = Vec::new();
        // If a newline stands before a range, a record starts with it.
        let (mut at, end) = (range.start - 1, range.end - 1);
        // What quotes come before the newline says nothing: nobody knows which of them open a field.
        let (mut is_open, mut is_first) = (is_quoted, true);
        while at < end {
            self.control.check().map_err(Some)?;
            let bytes = self.bytes(at..(at + self.block).min(end), &mut buffer)?;
            for (ix, byte) in bytes.iter().enumerate() {
                match byte {
                    b'"' if !is_first => is_open = !is_open,
                    b'\n' if is_open => is_first = false,
                    b'\n' => return Ok(Some(at + ix as u64 + 1)),
                    _ => {}
                }
            }
            at += bytes.len() as u64;
        }
        Ok(None)
    }

    /// The records of a range, of which the first starts at `start`, if there are any.
    fn part(&self, range: Range<u64>, start: Option<u64>) -> Result<Part<'a>, Left> {
        let mut rows = Rows::new(self.layout);
        let Some(start) = start else { return Ok(Part { range, records: None, rows }) };
        let (mut at, mut behind, mut buffer) = (start, BEHIND.min(self.block), Vec::new());
        loop {
            self.control.check().map_err(Some)?;
            let len = self.source.len();
            let end = (at + self.block).min(range.end.max(at)).saturating_add(behind).min(len);
            let bytes = self.bytes(at..end, &mut buffer)?;
            let stop = range.end.saturating_sub(at) as usize;
            match rows.read(bytes, stop, end == len).ok_or(None)? {
                // A record that is longer than all that.
                Read::On(0) => behind = behind.saturating_mul(2),
                Read::On(n) => {
                    self.control.did(n as u64);
                    at += n as u64;
                }
                Read::Done(n) => {
                    self.control.did(n as u64);
                    return Ok(Part { range, records: Some(start..at + n as u64), rows });
                }
            }
        }
    }

    fn bytes<'b>(&'b self, range: Range<u64>, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], Left> {
        self.source.window(range, buffer).map_err(|error| Some(Error::io(self.source.path())(error)))
    }
}

#[cfg(test)]
mod tests;
