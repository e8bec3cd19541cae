//! Arrow: files, of which Feather version 2 is one, and streams.
//!
//! A file or stream is a row of messages: some metadata, then a body that holds buffers, each perhaps packed. Before any of
//! it is decoded, all lengths are looked at: the decoder asks for as much memory as a packed buffer says it needs, and
//! whoever asks for too much is ended.

use super::guard::Reading;
use super::{Columns, gather};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::read::table::source::Source;
use crate::read::table::unpacked::Unpacked;
use crate::read::table::{Contents, Keep};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileReaderBuilder, StreamReader, read_footer_length};
use arrow_ipc::{CompressionType, Message, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::Schema;
use std::fmt::Display;
use std::io::BufReader;

/// What stands before a message: a mark, and the length of its metadata.
const MARK: [u8; 4] = [0xff; 4];
/// What stands before a packed buffer: its length when it is unpacked, or that it is not packed.
const NOT_PACKED: i64 = -1;
/// What a byte of lz4 can become at most.
const MOST_OF_LZ4: u64 = 255;

type Checked<T> = std::result::Result<T, String>;

pub(in crate::read::table) fn read_file(
    source: &Source,
    keep: &Keep<'_>,
    unpacked: Unpacked,
    control: &Control,
) -> Result<Contents> {
    let reading = Reading { path: source.path(), format: "Arrow file" };
    let checks = Checks { source, unpacked: &unpacked };
    let schema = reading.guard(|| "in its footer".into(), || checks.file())?;
    let columns = Columns::of(&reading, &schema, keep)?;
    let kept = columns.kept.iter().map(|column| column.ix).collect();
    let batches = reading.guard(
        || "in its dictionaries".into(),
        || FileReaderBuilder::new().with_projection(kept).build(source.reader(0)),
    )?;
    gather(&reading, columns, batches, unpacked, control)
}

pub(in crate::read::table) fn read_stream(
    source: &Source,
    keep: &Keep<'_>,
    unpacked: Unpacked,
    control: &Control,
) -> Result<Contents> {
    let reading = Reading { path: source.path(), format: "Arrow stream" };
    let checks = Checks { source, unpacked: &unpacked };
    let schema = reading.guard(|| "in its messages".into(), || checks.stream())?;
    let columns = Columns::of(&reading, &schema, keep)?;
    let kept = columns.kept.iter().map(|column| column.ix).collect();
    let batches = reading.guard(
        || "in its schema".into(),
        || StreamReader::try_new(BufReader::new(source.reader(0)), Some(kept)),
    )?;
    gather(&reading, columns, batches, unpacked, control)
}

/// Looks at all lengths.
struct Checks<'a> {
    source: &'a Source,
    unpacked: &'a Unpacked,
}

impl Checks<'_> {
    /// The schema of a file whose blocks all lie in it.
    fn file(&self) -> Checked<Schema> {
        const TRAILER: u64 = 10;
        let end = self.source.len().checked_sub(TRAILER).ok_or("it is cut off")?;
        let mut trailer = [0; TRAILER as usize];
        self.source.fill(&mut trailer, end).map_err(shown)?;
        let n_footer = read_footer_length(trailer).map_err(shown)? as u64;
        let start = end.checked_sub(n_footer).ok_or("its footer is longer than the file")?;
        let footer = self.source.bytes(start, n_footer).map_err(shown)?;
        let footer = root_as_footer(&footer).map_err(shown)?;
        let blocks =
            footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
        for block in blocks {
            let at = u64::try_from(block.offset()).map_err(shown)?;
            let n_metadata = u64::try_from(block.metaDataLength()).map_err(shown)?;
            let metadata = self.source.bytes(at, n_metadata).map_err(shown)?;
            let start = if metadata.starts_with(&MARK) { 8 } else { 4 };
            let message = metadata.get(start..).ok_or("a message without metadata")?;
            let message = root_as_message(message).map_err(shown)?;
            let n_body = u64::try_from(block.bodyLength()).map_err(shown)?;
            self.message(&message, at.saturating_add(n_metadata), n_body)?;
        }
        try_fb_to_schema(footer.schema().ok_or("it has no schema")?).map_err(shown)
    }

    /// The schema of a stream whose messages are all there.
    fn stream(&self) -> Checked<Schema> {
        let (mut at, mut schema) = (0, None);
        while at < self.source.len() {
            let mut word = [0; 4];
            self.source.fill(&mut word, at).map_err(shown)?;
            at += 4;
            if word == MARK {
                self.source.fill(&mut word, at).map_err(shown)?;
                at += 4;
            }
            let n_metadata = u64::try_from(i32::from_le_bytes(word)).map_err(shown)?;
            if n_metadata == 0 {
                break;
            }
            let metadata = self.source.bytes(at, n_metadata).map_err(shown)?;
            let message = root_as_message(&metadata).map_err(shown)?;
            at += n_metadata;
            let n_body = u64::try_from(message.bodyLength()).map_err(shown)?;
            self.message(&message, at, n_body)?;
            at += n_body;
            if let (None, Some(first)) = (&schema, message.header_as_schema()) {
                schema = Some(try_fb_to_schema(first).map_err(shown)?);
            }
        }
        schema.ok_or_else(|| "it has no schema".into())
    }

    /// A message whose body lies in the file, and its buffers in the body.
    fn message(&self, message: &Message<'_>, body: u64, n_body: u64) -> Checked<()> {
        if body.checked_add(n_body).is_none_or(|end| end > self.source.len()) {
            return Err(format!(
                "a message of {n_body} bytes at {body} of a file that has {}",
                self.source.len()
            ));
        }
        let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        match message.header_as_record_batch().or(dictionary) {
            Some(batch) => self.batch(&batch, body, n_body),
            None => Ok(()),
        }
    }

    fn batch(&self, batch: &RecordBatch<'_>, body: u64, n_body: u64) -> Checked<()> {
        let mut n_unpacked = 0u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let (at, len) = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
            let (at, len) = (at.map_err(shown)?, len.map_err(shown)?);
            if at.checked_add(len).is_none_or(|end| end > n_body) {
                return Err(format!("a buffer of {len} bytes at {at} of a message that has {n_body}"));
            }
            let Some(packing) = batch.compression().filter(|_| len > 0) else { continue };
            let mut prefix = [0; 8];
            let n_packed = len.checked_sub(8).ok_or("a packed buffer without a length")?;
            self.source.fill(&mut prefix, body + at).map_err(shown)?;
            let said = i64::from_le_bytes(prefix);
            if said == NOT_PACKED {
                continue;
            }
            let said = u64::try_from(said).map_err(shown)?;
            if packing.codec() == CompressionType::LZ4_FRAME && said > n_packed.saturating_mul(MOST_OF_LZ4) {
                return Err(format!("a buffer of {n_packed} bytes that says it unpacks to {said}"));
            }
            n_unpacked = n_unpacked.saturating_add(said);
            self.unpacked.allow(n_unpacked).map_err(shown)?;
        }
        Ok(())
    }
}

fn shown(error: impl Display) -> String {
    error.to_string()
}
