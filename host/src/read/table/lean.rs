//! Tables of which there is no memory to hold all text: their columns are read some at a time.

use super::unpacked::Packing;
use super::{Bare, IdSource, ReadOptions, Table};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::base::stdin::is_stdin;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// How many times as large packed tables may be as their files.
const UNPACKED: u64 = 5;

impl Table {
    /// About how many bytes of text a table has; of what is no file nothing is known.
    pub(crate) fn n_bytes_of_text(path: &Path) -> Result<u64> {
        if is_stdin(path) {
            return Ok(0);
        }
        let file = fs::metadata(path).map_err(Error::io(path))?;
        if !file.is_file() {
            return Ok(0);
        }
        let mut first = [0; Packing::HEAD];
        let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok();
        let is_packed = is_read && (Packing::of(&first).is_some() || first == *b"PAR1");
        Ok(file.len() * if is_packed { UNPACKED } else { 1 })
    }

    /// What is known of the table at `path` without its text: columns, with the kinds of those that are wanted, and ids. The text
    /// is read for that in so many passes.
    pub(crate) fn read_bare(
        path: &Path,
        options: &ReadOptions,
        wanted: &[String],
        n_passes: usize,
        control: &Control,
    ) -> Result<Self> {
        let no_file = || Error::table(path, "this is no file, and cannot be read twice");
        let stamp = Stamp::of(path)?.ok_or_else(no_file)?;
        let mut bare = Self::read(path, options, &|_| false, control)?;
        let mut odds = Vec::new();
        let per_pass = wanted.len().div_ceil(n_passes.max(1)).max(1);
        for names in wanted.chunks(per_pass) {
            let is_wanted = |name: &str| names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
            let columns = bare.schema.columns.iter().enumerate();
            let columns: Vec<usize> =
                columns.filter(|(_, column)| is_wanted(&column.name)).map(|(ix, _)| ix).collect();
            let part = bare.part_of_text(&columns, &stamp, options, control)?;
            for &column in &columns {
                bare.schema.columns[column] = part.schema.columns[column].clone();
                odds.push((column, part.odd(column)?));
            }
        }
        bare.bare = Some(Bare { stamp, odds });
        Ok(bare)
    }

    /// Reads the text of these columns, if they are there.
    pub(crate) fn fill(&mut self, columns: &[usize], options: &ReadOptions, control: &Control) -> Result<()> {
        let Some(Bare { stamp, .. }) = &self.bare else { return Ok(()) };
        let mut part = self.part_of_text(columns, stamp, options, control)?;
        for &column in columns {
            if let Some(values) = part.values.get_mut(column) {
                self.values[column] = values.take();
            }
        }
        Ok(())
    }

    /// Does something with the values of a column, which are read for that if they are not there.
    pub(crate) fn with_values<T>(
        &mut self,
        column: usize,
        options: &ReadOptions,
        control: &Control,
        work: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        self.fill(&[column], options, control)?;
        let done = work(self);
        if self.bare.is_some() {
            self.keep_ids();
        }
        done
    }

    /// Reads the text of these columns for good, if no more than columns and ids is known.
    pub(crate) fn complete(
        &mut self,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<()> {
        let Some(Bare { stamp, .. }) = &self.bare else { return Ok(()) };
        let columns = self.schema.columns.iter().enumerate().filter(|(_, column)| wanted(&column.name));
        let columns: Vec<usize> = columns.map(|(ix, _)| ix).collect();
        self.values = self.part_of_text(&columns, stamp, options, control)?.values;
        self.bare = None;
        Ok(())
    }

    pub(super) fn names_of(&self, columns: &[usize]) -> Vec<&str> {
        let columns = columns.iter().filter_map(|&column| self.schema.columns.get(column));
        columns.map(|column| column.name.as_str()).collect()
    }

    /// The text of some columns of a file that is as it was, with row numbers as ids: those that there are stay.
    pub(super) fn part_of_text(
        &self,
        columns: &[usize],
        stamp: &Stamp,
        options: &ReadOptions,
        control: &Control,
    ) -> Result<Self> {
        let names = self.names_of(columns);
        let options = ReadOptions { id: IdSource::RowNumbers, ..options.clone() };
        let part = Self::read(&self.path, &options, &|name| names.contains(&name), control)?;
        if part.n_records() != self.n_records() || Stamp::of(&self.path)?.as_ref() != Some(stamp) {
            let message = "the table was changed while it was read; run the job again";
            return Err(Error::table(&self.path, message));
        }
        Ok(part)
    }
}
