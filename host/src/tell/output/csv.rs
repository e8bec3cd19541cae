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
    type File = Sink;

    fn encode<R: Rows>(&self, rows: &[R::Row], kind: &R) -> Result<Vec<u8>, ArrowError> {
        let mut lines = Lines::new(self.delimiter);
        rows.iter().for_each(|row| kind.write_csv(row, &mut lines));
        Ok(lines.bytes)
    }

    fn append(file: &mut Sink, lines: Vec<u8>) -> Result<(), ArrowError> {
        Ok(file.write_all(&lines)?)
    }

    fn finish(mut file: Sink) -> Result<(), ArrowError> {
        Ok(file.flush()?)
    }
}

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
        self.bytes.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
        self.bytes.push(self.delimiter);
    }

    /// Ends the line, in the place of the delimiter after its last field.
    pub fn end(&mut self) {
        self.bytes.pop();
        self.bytes.push(b'\n');
    }
}
