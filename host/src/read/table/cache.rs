//! The cache: what was read of a table, and made of it, in files of a folder, so that the next job need not do that again.
//!
//! ```text
//! folder ─┬─ *.table     what is known of a table without its text: columns, kinds, ids
//!         └─ *.columns   what some rules need of one table or two, encoded (`encode/kept.rs`)
//! ```
//!
//! A file is found by a name that is made of what it is for: tables, options, columns. It says in its header which program made it,
//! and of which files, as they were ([`Stamp`]). Where anything of that is different, or the file is not what was written, it is
//! made anew. A table that was changed within a moment, without its size, looks the same: whoever fears that has the content
//! compared too, by checksums. Without a table's file there is nothing: a job that reads from a pipe reads it.

use super::ids::Named;
use super::{Bare, ColumnSchema, Ids, Kind, Odd, ReadOptions, Schema, Table};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::base::store::{Array, Damaged, Reader, Writer};
use arrow_array::LargeStringArray;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use rayon::prelude::*;
use rkyv::{Archive, Deserialize, Serialize};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Which program writes such files, and what they look like; the number is raised whenever that changes, or what encoding does.
pub(crate) const MADE_BY: &str = concat!("hyperblock ", env!("CARGO_PKG_VERSION"), ", layout 1");

/// Bytes of a table that have a checksum.
const BLOCK: u64 = 8 << 20;

/// A folder for what was read and encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Where files are.
    pub folder: PathBuf,
    /// Whether the content of tables is compared too.
    pub verifies: bool,
}

/// Which file a table was read from.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub(crate) stamp: Stamp,
    /// How it was read.
    options: String,
    /// The checksum of its content's checksums.
    content: u32,
}

impl Origin {
    /// What tells a table from others, whatever is in it now.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.stamp.path, self.options)
    }
}

/// What a file of a table begins with.
#[derive(Archive, Serialize, Deserialize)]
struct Header {
    made_by: String,
    origin: Origin,
    /// The columns that were asked for, so that their kinds are known.
    wanted: Vec<String>,
    /// Of the content, by block.
    checksums: Vec<u32>,
    /// Names, kinds, and why they are text.
    columns: Vec<(String, u8, Option<String>)>,
    odds: Vec<(u32, Option<Odd>)>,
    /// By record, unless records stand in order.
    rows: Option<Array>,
    n_records: u32,
    ids: StoredIds,
}

#[derive(Archive, Serialize, Deserialize)]
enum StoredIds {
    Rows,
    Integers(Array),
    Texts { offsets: Array, bytes: Array },
}

const KINDS: [Kind; 5] = [Kind::Text, Kind::Integer, Kind::Float, Kind::Date, Kind::List];

impl Cache {
    /// The table at `path` without its text, if it is known; else it is read, and kept.
    pub(crate) fn table(
        &self,
        path: &Path,
        options: &ReadOptions,
        wanted: &[String],
        read: &mut dyn FnMut() -> Result<Table>,
        control: &Control,
    ) -> Result<Table> {
        let Some(stamp) = Stamp::of(path)? else {
            tracing::warn!("{}: this is no file, so nothing of it is kept", path.display());
            return read();
        };
        let mut options_text = format!("{:?} {:?}", options.delimiter, options.id);
        if !options.columns.is_empty() {
            options_text += &format!(" {:?}", options.columns);
        }
        if !options.missing.is_empty() {
            options_text += &format!(" {:?}", options.missing);
        }
        let id = &options.id;
        let options = options_text;
        let file = self.path(&format!("{} {options} {wanted:?}", stamp.path), "table");
        match self.known(&file, path, &stamp, &options, wanted, control) {
            Ok(Some(mut table)) => {
                table.id_columns = vec![id.named(&table.schema)];
                return Ok(table);
            }
            Ok(None) => {}
            Err(damaged) => self.tell(&file, &damaged),
        }
        let mut table = read()?;
        let kept = self.keep(&file, &mut table, &stamp, options, wanted, control);
        match kept {
            Err(error @ Error::Io { .. }) => self.goes_on(&error),
            kept => kept?,
        }
        Ok(table)
    }

    /// Says that something cannot be kept, which is no reason to stop.
    pub(crate) fn goes_on(&self, error: &Error) {
        tracing::warn!("{error}; the job goes on, and nothing of this is kept");
    }

    /// Says that a file is not what was written.
    pub(crate) fn tell(&self, file: &Path, Damaged(how): &Damaged) {
        tracing::warn!("{}: {how}; it is made anew", file.display());
    }

    /// The file for something.
    pub(crate) fn path(&self, what: &str, extension: &str) -> PathBuf {
        // Where two have the same name, their headers say who they are.
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        self.folder.join(format!("{:016x}.{extension}", hasher.finish()))
    }

    fn known(
        &self,
        file: &Path,
        path: &Path,
        stamp: &Stamp,
        options: &str,
        wanted: &[String],
        control: &Control,
    ) -> Result<Option<Table>, Damaged> {
        let Some((reader, header)) = Reader::open(file)? else { return Ok(None) };
        let header: Header = parsed(&header)?;
        let is_same = header.made_by == MADE_BY
            && header.origin.stamp == *stamp
            && header.origin.options == options
            && header.wanted == wanted;
        if !is_same {
            return Ok(None);
        }
        if self.verifies {
            let found = checksums(Path::new(&stamp.path), stamp.len, control);
            if found.map_err(|error| Damaged(error.to_string()))? != header.checksums {
                return Err(Damaged("the table's content is not what it was made of".into()));
            }
        }
        table(header, path, &reader, control).map(Some)
    }

    /// Keeps what is known of a table, unless it was changed meanwhile.
    fn keep(
        &self,
        file: &Path,
        table: &mut Table,
        stamp: &Stamp,
        options: String,
        wanted: &[String],
        control: &Control,
    ) -> Result<()> {
        let Some(mut writer) = Writer::create(file)? else { return Ok(()) };
        let checksums = checksums(Path::new(&stamp.path), stamp.len, control)?;
        if Stamp::of(&table.path)?.as_ref() != Some(stamp) {
            return Ok(());
        }
        let content = crc32fast::hash(bytemuck::cast_slice(&checksums));
        let origin = Origin { stamp: stamp.clone(), options, content };
        let kind = |kind: Kind| KINDS.iter().position(|other| *other == kind).unwrap_or(0) as u8;
        let columns = table.schema.columns.iter();
        let columns = columns.map(|it| (it.name.clone(), kind(it.kind), it.why_text.clone())).collect();
        let known = table.bare.iter().flat_map(|bare| bare.odds.iter().map(|(column, _)| *column));
        let read = (0..table.values.len()).filter(|&column| table.values[column].is_some());
        let odds = known.chain(read).map(|column| Ok((column as u32, table.odd(column)?)));
        let odds = odds.collect::<Result<_>>()?;
        let Ids { rows, named } = &table.ids;
        let are_in_order = rows.par_iter().enumerate().all(|(record, row)| *row as usize == record);
        let header = Header {
            made_by: MADE_BY.to_owned(),
            origin: origin.clone(),
            wanted: wanted.to_vec(),
            checksums,
            columns,
            odds,
            rows: (!are_in_order).then(|| writer.array(rows, control)).transpose()?,
            n_records: rows.len() as u32,
            ids: match named {
                Named::Rows => StoredIds::Rows,
                Named::Integers(integers) => StoredIds::Integers(writer.array(integers, control)?),
                Named::Texts(texts) => StoredIds::Texts {
                    offsets: writer.array(texts.value_offsets(), control)?,
                    bytes: writer.array(texts.value_data(), control)?,
                },
                // Such a table is made of others, and none of a file.
                Named::Several(_) => return Ok(()),
            },
        };
        writer.finish(&bytes(&header)?)?;
        table.origin = Some(origin);
        Ok(())
    }
}

/// A header as bytes.
pub(crate) fn bytes<T>(header: &T) -> Result<Vec<u8>>
where
    T: for<'a> Serialize<
        rkyv::api::high::HighSerializer<
            rkyv::util::AlignedVec,
            rkyv::ser::allocator::ArenaHandle<'a>,
            rkyv::rancor::Error,
        >,
    >,
{
    let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(header);
    bytes.map(|bytes| bytes.to_vec()).map_err(|error| Error::Internal(format!("a header: {error}")))
}

/// The header that bytes are, if they are one.
pub(crate) fn parsed<T>(bytes: &[u8]) -> Result<T, Damaged>
where
    T: Archive,
    T::Archived: for<'a> rkyv::bytecheck::CheckBytes<rkyv::api::high::HighValidator<'a, rkyv::rancor::Error>>
        + Deserialize<T, rkyv::api::high::HighDeserializer<rkyv::rancor::Error>>,
{
    let mut aligned = rkyv::util::AlignedVec::<16>::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    rkyv::from_bytes::<T, rkyv::rancor::Error>(&aligned).map_err(|_| Damaged("its header is none".into()))
}

/// The table that a header tells of, without its text.
fn table(header: Header, path: &Path, reader: &Reader, control: &Control) -> Result<Table, Damaged> {
    let Header { origin, columns, odds, rows, n_records, ids, .. } = header;
    let wrong = || Damaged("its ids do not fit its records".into());
    let rows: Vec<u32> = match rows {
        None => (0..n_records).collect(),
        Some(rows) => reader.array(&rows, control)?,
    };
    let are_within = rows.par_iter().all(|row| *row < n_records);
    let named = match ids {
        StoredIds::Rows => Named::Rows,
        StoredIds::Integers(integers) => Named::Integers(reader.array(&integers, control)?),
        StoredIds::Texts { offsets, bytes } => {
            let offsets: Vec<i64> = reader.array(&offsets, control)?;
            let are_offsets =
                offsets.first() == Some(&0) && offsets.par_windows(2).all(|two| two[0] <= two[1]);
            let bytes = Buffer::from_vec(reader.array::<u8>(&bytes, control)?);
            let offsets =
                are_offsets.then(|| OffsetBuffer::new(ScalarBuffer::from(offsets))).ok_or_else(wrong)?;
            Named::Texts(LargeStringArray::try_new(offsets, bytes, None).map_err(|_| wrong())?)
        }
    };
    let n_named = match &named {
        Named::Rows => rows.len(),
        Named::Integers(integers) => integers.len(),
        Named::Texts(texts) => arrow_array::Array::len(texts),
        Named::Several(_) => return Err(wrong()),
    };
    if !are_within || [rows.len(), n_named] != [n_records as usize; 2] || n_records == 0 {
        return Err(wrong());
    }
    let column = |(name, kind, why_text): (String, u8, Option<String>)| {
        let kind = KINDS.get(kind as usize).copied().ok_or_else(wrong)?;
        Ok(ColumnSchema { name, kind, why_text })
    };
    let columns: Vec<ColumnSchema> = columns.into_iter().map(column).collect::<Result<_, Damaged>>()?;
    let schema = Schema { table: path.display().to_string(), columns };
    let values = vec![None; schema.columns.len()];
    let is_odd = |(column, odd): &(u32, Option<Odd>)| {
        let is_there = |odd: &Odd| odd.n > 0 && odd.n <= n_records as usize && odd.row < n_records as usize;
        (*column as usize) < schema.columns.len() && odd.as_ref().is_none_or(is_there)
    };
    if !odds.iter().all(is_odd) {
        return Err(Damaged("its odd values are none of its records'".into()));
    }
    let odds = odds.into_iter().map(|(column, odd)| (column as usize, odd)).collect();
    let (path, ids) = (path.to_owned(), Ids { rows, named });
    Ok(Table {
        path,
        schema,
        values,
        ids,
        // How it was read says it.
        id_columns: Vec::new(),
        bare: Some(Bare { stamp: origin.stamp.clone(), odds }),
        origin: Some(origin),
        united: None,
        // Its options say it, and they are part of where it is from.
        called: Vec::new(),
    })
}

/// Of a file's content, by block; all threads read it.
fn checksums(path: &Path, len: u64, control: &Control) -> Result<Vec<u32>> {
    let file = File::open(path).map_err(Error::io(path))?;
    let checksum = |nth: u64| {
        control.check()?;
        let mut block = vec![0; (len - nth * BLOCK).min(BLOCK) as usize];
        file.read_exact_at(&mut block, nth * BLOCK).map_err(Error::io(path))?;
        Ok(crc32fast::hash(&block))
    };
    (0..len.div_ceil(BLOCK)).into_par_iter().map(checksum).collect()
}
