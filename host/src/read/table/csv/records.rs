//! The records of some CSV text, as long as they are as most are: rows of one length, quotes around whole fields.
//!
//! Four bytes mean something: the delimiter, the quote and the two line ends. They are looked for in 64 bytes at a time, and
//! all others are only ever copied. Whatever is not as it should be (a quote within a field, a row of another length, a
//! field that is too long, no UTF-8) is left to the reader for all CSV, which says what and where.

use super::MAX_FIELD;
use crate::read::table::pieces::Piece;
use std::ops::Range;

/// Bytes that are looked at together. Compilers make a few instructions of that.
const CHUNK: usize = 64;
/// Bytes in a word.
const WORD: usize = size_of::<u64>();

/// Where a table's fields go.
pub(super) struct Layout {
    /// By column of the table: which of those that are kept it is.
    places: Vec<Option<usize>>,
    pub(super) n_kept: usize,
    delimiter: u8,
}

impl Layout {
    pub(super) fn new(keeps: &[bool], delimiter: u8) -> Self {
        let mut n_kept = 0;
        let number = |keeps: &bool| {
            n_kept += usize::from(*keeps);
            keeps.then(|| n_kept - 1)
        };
        Self { places: keeps.iter().map(number).collect(), n_kept, delimiter }
    }

    /// Whether the delimiter means something else too. What then, the reader for all decides.
    pub(super) fn is_ambiguous(&self) -> bool {
        matches!(self.delimiter, b'"' | b'\n' | b'\r')
    }

    /// By column of the table, those that are kept.
    pub(super) fn placed<T>(&self, kept: Vec<T>) -> Vec<Option<T>> {
        let mut kept = kept.into_iter();
        self.places.iter().map(|place| place.and_then(|_| kept.next())).collect()
    }
}

/// The rows of some records.
pub(super) struct Rows<'a> {
    layout: &'a Layout,
    pub(super) columns: Vec<Piece>,
    pub(super) n_rows: usize,
}

/// How far some text was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// So many bytes are whole records; there may be more of them.
    On(usize),
    /// The last record that was wanted ends there.
    Done(usize),
}

/// The quotes of a field so far.
#[derive(Clone, Copy)]
enum Quotes {
    None,
    Open,
    /// The last one stands there. If another follows, both are one that does not end the field.
    Closed(usize),
}

impl<'a> Rows<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        Self { layout, columns: vec![Piece::default(); layout.n_kept], n_rows: 0 }
    }

    /// Adds the records that the text begins with: up to the first newline that ends one with its last byte, or a later
    /// one, at `stop`. The text may be cut off within a record unless it `is_last`. Nothing, if a record is unusual.
    pub(super) fn read(&mut self, bytes: &[u8], stop: usize, is_last: bool) -> Option<Read> {
        let read = self.records(bytes, stop, is_last)?;
        let (Read::On(n) | Read::Done(n)) = read;
        // Also of columns that nobody wants, as the reader for all does.
        std::str::from_utf8(&bytes[..n]).ok()?;
        Some(read)
    }

    fn records(&mut self, bytes: &[u8], stop: usize, is_last: bool) -> Option<Read> {
        let delimiter = self.layout.delimiter;
        // Where the record and the field start.
        let (mut record, mut start) = (0, 0);
        let (mut column, mut quotes, mut has_twins) = (0, Quotes::None, false);
        let mut base = 0;
        while base < bytes.len() {
            let chunk = Chunk::at(bytes, base, delimiter);
            let mut marks = chunk.marks(delimiter);
            while marks != 0 {
                let at = base + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let byte = bytes[at];
                if byte == b'"' {
                    quotes = match quotes {
                        Quotes::None if at == start => Quotes::Open,
                        Quotes::Open => Quotes::Closed(at),
                        Quotes::Closed(last) if last + 1 == at => {
                            has_twins = true;
                            Quotes::Open
                        }
                        _ => return None,
                    };
                    continue;
                }
                if matches!(quotes, Quotes::Open) {
                    continue;
                }
                let is_delimiter = byte == delimiter;
                // An empty line is no row.
                if is_delimiter || column > 0 || start < at {
                    self.field(column, bytes, start..at, quotes, has_twins)?;
                    (column, quotes, has_twins) = (column + 1, Quotes::None, false);
                }
                start = at + 1;
                if is_delimiter {
                    continue;
                }
                if column > 0 {
                    self.row(column)?;
                    column = 0;
                }
                record = start;
                if byte == b'\n' && start >= stop {
                    return Some(Read::Done(start));
                }
            }
            base += CHUNK;
        }
        if is_last {
            if column > 0 || start < bytes.len() {
                self.field(column, bytes, start..bytes.len(), quotes, has_twins)?;
                self.row(column + 1)?;
            }
            return Some(Read::Done(bytes.len()));
        }
        self.columns.iter_mut().for_each(|column| column.truncate(self.n_rows));
        // Without this, all that follows an open quote would be read to find the next.
        (bytes.len() - start <= 2 * MAX_FIELD).then_some(Read::On(record))
    }

    /// Adds the field in that range.
    #[inline(always)]
    fn field(
        &mut self,
        column: usize,
        bytes: &[u8],
        range: Range<usize>,
        quotes: Quotes,
        has_twins: bool,
    ) -> Option<()> {
        let value = match quotes {
            Quotes::None => range,
            Quotes::Closed(last) if last + 1 == range.end => range.start + 1..last,
            _ => return None,
        };
        if value.len() > MAX_FIELD {
            return None;
        }
        if let Some(place) = *self.layout.places.get(column)? {
            let piece = &mut self.columns[place];
            if has_twins { piece.push_unquoted(&bytes[value]) } else { piece.push_from(bytes, value) }
        }
        Some(())
    }

    fn row(&mut self, n_fields: usize) -> Option<()> {
        self.n_rows += 1;
        (n_fields == self.layout.places.len()).then_some(())
    }
}

/// Some bytes, looked at together.
struct Chunk([u8; CHUNK]);

impl Chunk {
    /// Those from `base` on; behind the end of the text there are some that mean nothing.
    #[inline(always)]
    fn at(bytes: &[u8], base: usize, delimiter: u8) -> Self {
        let bytes = &bytes[base..];
        match bytes.first_chunk() {
            Some(chunk) => Self(*chunk),
            None => {
                let mut chunk = [if delimiter == b' ' { b'.' } else { b' ' }; CHUNK];
                chunk[..bytes.len()].copy_from_slice(bytes);
                Self(chunk)
            }
        }
    }

    /// The bytes that mean something, a bit each. Plain loops: what is left of iterators over arrays would be calls.
    #[inline(always)]
    fn marks(&self, delimiter: u8) -> u64 {
        let mut is_mark = [0; CHUNK];
        for (is_mark, &byte) in is_mark.iter_mut().zip(&self.0) {
            // No `||`, which would be a jump each.
            let is_line_end = (byte == b'\n') | (byte == b'\r');
            *is_mark = u8::from((byte == delimiter) | (byte == b'"') | is_line_end);
        }
        let mut marks = 0;
        for (ix, word) in is_mark.as_chunks::<WORD>().0.iter().enumerate() {
            // The product's highest byte holds the lowest bit of each of the word's.
            let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            marks |= bits << (ix * WORD);
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, stop: usize, is_last: bool) -> Option<(Read, usize)> {
        let layout = Layout::new(&[true, false], b',');
        let mut rows = Rows::new(&layout);
        rows.read(text.as_bytes(), stop, is_last).map(|read| (read, rows.n_rows))
    }

    #[test]
    fn text_that_is_cut_off() {
        for (text, is_last, wanted) in [
            ("a,b\nc", false, Some((Read::On(4), 1))),
            ("a,b\nc,\"d\ne", false, Some((Read::On(4), 1))),
            ("a,b\nc,\"d\"", false, Some((Read::On(4), 1))),
            ("a,b\r\nc,\"d\"", true, Some((Read::Done(10), 2))),
            ("a,b\nc,\"d", true, None),
            ("a,b\nc", true, None),
            ("a,b\n\"", false, Some((Read::On(4), 1))),
        ] {
            assert_eq!(rows(text, usize::MAX, is_last), wanted, "{text:?}");
        }
    }

    #[test]
    fn newlines_that_end_the_last_record() {
        let text = "a,b\r\n\"c\n\",d\ne,f\n";
        for (stop, end, n_rows) in [(0, 5, 1), (4, 5, 1), (5, 5, 1), (6, 12, 2), (12, 12, 2), (13, 16, 3)] {
            assert_eq!(rows(text, stop, false), Some((Read::Done(end), n_rows)), "{stop}");
        }
    }

    #[test]
    fn what_is_unusual_is_left() {
        for text in ["a\",b\n", "\"a\"b,c\n", "\"a\" ,b\n", " \"a\",b\n", "a,b,c\n", "a\n"] {
            assert_eq!(rows(text, usize::MAX, true), None, "{text:?}");
        }
    }
}
