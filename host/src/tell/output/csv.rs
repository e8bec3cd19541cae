//! CSV: lines that threads make, one after the other.
//!
//! Quoted is what the csv crate quotes, and byte for byte as it does. Its own writer takes texts alone, and most of what a line
//! of integers costs is to look up the texts of ids: they are written from numbers here.

use super::Rows;
use super::steps::{Encode, Sink};
use arrow_schema::ArrowError;
use std::io::Write;

/// What makes lines.
pub(super) struct Csv {
    delimiter: u8,
}

impl Csv {
    /// A file with its header.
    pub(super) fn start(delimiter: u8, mut file: Sink, rows: &impl Rows) -> Result<(Self, Sink), ArrowError> {
        let mut header = Lines::new(delimiter);
        header.record(rows.schema().fields().iter().map(|field| field.name()));
        file.write_all(&header.bytes)?;
        Ok((Self { delimiter }, file))
    }
}

impl Encode for Csv {
    const ROWS: usize = 1 << 13;
    type Part = Vec<u8>;
    type Room = Vec<u8>;
    type File = Sink;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R, room: Vec<u8>) -> Result<Vec<u8>, ArrowError> {
        let mut lines = Lines { bytes: room, delimiter: self.delimiter };
        lines.bytes.reserve(rows.len() * USUAL);
        kind.write_all_csv(rows, &mut lines);
        Ok(lines.bytes)
    }

    fn append(file: &mut Sink, mut lines: Vec<u8>) -> Result<Vec<u8>, ArrowError> {
        file.write_all(&lines)?;
        lines.clear();
        Ok(lines)
    }

    fn finish(mut file: Sink) -> Result<(), ArrowError> {
        Ok(file.flush()?)
    }
}

/// Bytes of a line of two ids and a rule, about.
const USUAL: usize = 24;

/// Lines of CSV.
#[derive(Debug)]
pub struct Lines {
    pub(super) bytes: Vec<u8>,
    delimiter: u8,
}

impl Lines {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { bytes: Vec::new(), delimiter }
    }

    /// Appends a line of texts, two or more: a single one that is empty would be no line to a reader.
    pub fn record<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>) {
        texts.into_iter().for_each(|text| self.text(text.as_ref()));
        self.end();
    }

    /// Appends a field.
    pub fn text(&mut self, text: &str) {
        let needs_quotes = |byte: u8| byte == self.delimiter || matches!(byte, b'"' | b'\r' | b'\n');
        if text.bytes().any(needs_quotes) {
            self.bytes.push(b'"');
            for (nth, part) in text.split('"').enumerate() {
                if nth > 0 {
                    self.bytes.extend_from_slice(b"\"\"");
                }
                self.bytes.extend_from_slice(part.as_bytes());
            }
            self.bytes.push(b'"');
        } else {
            self.bytes.extend_from_slice(text.as_bytes());
        }
        self.bytes.push(self.delimiter);
    }

    /// Appends a field.
    pub fn integer(&mut self, integer: i64) {
        self.short(&Short::integer(integer));
    }

    /// Appends a field.
    #[inline]
    pub(super) fn short(&mut self, field: &Short) {
        // All bytes are copied, and those that are not of it taken back: that takes no call and no loop.
        let end = self.bytes.len() + usize::from(field.len);
        self.bytes.extend_from_slice(&field.bytes);
        self.bytes.truncate(end);
        self.bytes.push(self.delimiter);
    }

    /// Ends the line, in the place of the delimiter after its last field.
    pub fn end(&mut self) {
        self.bytes.pop();
        self.bytes.push(b'\n');
    }
}

/// A field of so few bytes that they are copied at once, and that needs no quotes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Short {
    bytes: [u8; Self::MOST],
    len: u8,
}

/// All numbers of two digits, one after the other.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] = b'0' + (number / 10) as u8;
        pairs[2 * number + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

impl Short {
    /// Its bytes, at most: there is room for any integer.
    const MOST: usize = 24;

    /// An integer as one writes it.
    #[inline]
    pub(super) fn integer(integer: i64) -> Self {
        let mut bytes = [0; Self::MOST];
        let mut rest = integer.unsigned_abs();
        let is_negative = integer < 0;
        let len = rest.checked_ilog10().unwrap_or(0) as usize + 1 + usize::from(is_negative);
        let mut end = len;
        while rest >= 10 {
            let pair = 2 * (rest % 100) as usize;
            (bytes[end - 2], bytes[end - 1]) = (PAIRS[pair], PAIRS[pair + 1]);
            (rest, end) = (rest / 100, end - 2);
        }
        // Of an odd number of digits the first stands alone; a zero does, too.
        if end > usize::from(is_negative) {
            bytes[end - 1] = b'0' + rest as u8;
        }
        if is_negative {
            bytes[0] = b'-';
        }
        Self { bytes, len: len as u8 }
    }

    /// A text, if it is as short as that and needs no quotes, whatever separates fields.
    pub(super) fn text(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        let is_plain = |byte: u8| !matches!(byte, b'"' | b'\r' | b'\n' | b',' | b'\t');
        text.bytes().all(is_plain).then_some(Self { bytes, len: text.len() as u8 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn integers_are_written_as_others_do(number in any::<i64>(), shift in 0u32..64) {
            for number in [number >> shift, i64::MIN, i64::MAX, 0, 9, 10, -10, 99, 100] {
                let mut lines = Lines::new(b',');
                lines.integer(number);
                prop_assert_eq!(String::from_utf8(lines.bytes).unwrap(), format!("{number},"));
            }
        }

        #[test]
        fn short_texts_are_written_as_all_are(text in "[a-z,\"\t\n é]{0,26}") {
            let Some(short) = Short::text(&text) else { return Ok(()) };
            for delimiter in [b',', b'\t'] {
                let (mut lines, mut wanted) = (Lines::new(delimiter), Lines::new(delimiter));
                lines.short(&short);
                wanted.text(&text);
                prop_assert_eq!(lines.bytes, wanted.bytes);
            }
        }
    }

    #[test]
    fn what_is_long_or_needs_quotes_is_not_short() {
        assert!(Short::text(&"x".repeat(24)).is_some() && Short::text(&"x".repeat(25)).is_none());
        assert!(Short::text("").is_some() && Short::text("a,b").is_none());
    }
}
