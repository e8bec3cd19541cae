//! The text of some records once more, when the job has run: it was let go of, or never held.
//!
//! What tables there are is known; of those that lie in files, or in memory, the columns are read again. What came through a pipe
//! cannot be, so its text stays.

use super::several::Pairing;
use super::wanted::Wanted;
use super::{Job, Prepared};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::read::table::{IdSource, Input, ReadOptions, Table};
use std::ops::Range;

/// Bytes of memory that reading a table again takes for each byte of its text, at most.
pub(super) const PER_BYTE: u64 = 3;
/// Bytes of all tables' text that stays in memory for a report; of larger ones the records that it shows are read again.
const MOST_KEPT: u64 = 1 << 30;

/// How the tables are read again, the left one first; or all of several that are one.
#[derive(Debug)]
pub(crate) struct Again(Vec<OneTable>);

#[derive(Debug)]
struct OneTable {
    input: Input,
    options: ReadOptions,
    /// The columns that the rule file asks for, in lower case and sorted.
    wanted: Vec<String>,
    /// Whether all columns are looked at.
    is_whole: bool,
    /// The file as it was before it was read.
    stamp: Option<Stamp>,
    /// Whether its text stays.
    stays: bool,
}

impl OneTable {
    /// Whether a column is looked at: the rule file asks for it, unless all are.
    fn is_wanted(&self, name: &str) -> bool {
        self.is_whole || self.wanted.binary_search(&name.to_ascii_lowercase()).is_ok()
    }

    /// Whether it is there still.
    fn is_kept(&self) -> bool {
        self.stamp.is_some() || self.input.file().is_none()
    }
}

impl Job {
    /// Whether the text of all columns stays: all are looked at, and a table cannot be read twice, or need not be.
    pub(super) fn keeps_all(&self, control: &Control) -> Result<bool> {
        let mut files = self.tables.iter().filter_map(Input::file);
        let is_kept = |path: &std::path::Path| Ok(Stamp::of(path)?.is_some());
        Ok((self.is_looked_at_whole || self.is_reported)
            && (self.stays(control)?
                || !files.try_fold(true, |all, path| Ok::<_, Error>(all && is_kept(path)?))?))
    }

    /// Whether the text stays for a report: there is room for it, so that tables are read once.
    fn stays(&self, control: &Control) -> Result<bool> {
        if !self.is_reported || self.cache.is_some() || control.budget().is_limited() {
            return Ok(false);
        }
        let bytes = self.tables.iter().filter_map(Input::file).map(Table::n_bytes_of_text);
        Ok(bytes.sum::<Result<u64>>()? <= MOST_KEPT)
    }

    /// How to read the tables again, if somebody will look at records when the job has run.
    pub(super) fn again(&self, wanted: &Wanted, control: &Control) -> Result<Option<Again>> {
        if !self.is_looked_at {
            return Ok(None);
        }
        let stays = self.stays(control)?;
        let one = |(nth, input): (usize, &Input)| {
            let columns = match self.pairing {
                Pairing::One | Pairing::Several { .. } => &wanted.columns[0],
                Pairing::Two => &wanted.columns[nth],
            };
            let stamp = input.file().map_or(Ok(None), Stamp::of)?;
            let (input, options, wanted) = (input.clone(), wanted.options[nth].clone(), columns.clone());
            Ok(OneTable { input, options, wanted, is_whole: self.is_looked_at_whole, stamp, stays })
        };
        self.tables.iter().enumerate().map(one).collect::<Result<_>>().map(|tables| Some(Again(tables)))
    }
}

impl Again {
    /// Whether a table has to keep its text: one by itself, or all as one.
    fn needs_text(&self, mut tables: Range<usize>) -> bool {
        tables.any(|nth| self.0.get(nth).is_some_and(|table| table.stays || !table.is_kept()))
    }
}

impl Prepared {
    /// Frees the text of the tables, but for ids and values beside them, and for what somebody will look at and cannot read twice.
    /// Whoever only runs the job needs no more than what was encoded of it.
    pub fn keep_ids(&mut self) {
        let needs_text = |tables| self.again.as_ref().is_some_and(|again| again.needs_text(tables));
        let n_lefts = self.left.ids.tables().len().max(1);
        if !needs_text(0..n_lefts) {
            self.left.keep_ids();
        }
        if !needs_text(n_lefts..n_lefts + 1) {
            self.right.iter_mut().for_each(Table::keep_ids);
        }
    }

    /// The text of these records of each table, of all columns that the rule file asks for, or of all but the ids. Records are numbered anew, in the order
    /// given.
    pub(crate) fn text_of(&self, records: [&[u32]; 2], control: &Control) -> Result<(Table, Option<Table>)> {
        self.text(records, false, control)
    }

    /// The same of all columns: those that the rule file asks for, and all others.
    pub(crate) fn whole_text_of(
        &self,
        records: [&[u32]; 2],
        control: &Control,
    ) -> Result<(Table, Option<Table>)> {
        self.text(records, true, control)
    }

    fn text(
        &self,
        [left, right]: [&[u32]; 2],
        is_whole: bool,
        control: &Control,
    ) -> Result<(Table, Option<Table>)> {
        let again = self.again.as_ref();
        let again =
            again.ok_or_else(|| Error::Internal("the tables are not to be looked at again".into()))?;
        let columns = |table: &Table, all: &[OneTable], asked: &OneTable| -> Vec<usize> {
            let ids: Vec<&IdSource> = all.iter().map(|asked| &asked.options.id).collect();
            let all_own = || table.own_columns(&ids);
            if asked.is_whole && !is_whole {
                let source = table.source_column();
                return all_own().into_iter().filter(|column| Some(*column) != source).collect();
            }
            let own = if is_whole { all_own() } else { Vec::new() };
            let columns = table.schema.columns.iter().enumerate();
            let made = table.across().map(|united| united.source);
            let is_asked =
                |nth: usize, name: &str| made == Some(nth) || own.contains(&nth) || asked.is_wanted(name);
            columns.filter(|(nth, column)| is_asked(*nth, &column.name)).map(|(nth, _)| nth).collect()
        };
        let of = |table: &Table, tables: Range<usize>, records: &[u32]| {
            let lost = || Error::Internal("a table that was not read".into());
            let asked = again.0.get(tables).ok_or_else(lost)?;
            let first = asked.first().ok_or_else(lost)?;
            let columns = columns(table, asked, first);
            if table.has_text(&columns) {
                return table.picked(table, records, &columns);
            }
            // Of several, one is held at a time.
            let n_bytes = asked.iter().filter_map(|asked| asked.input.file()).map(Table::n_bytes_of_text);
            let n_bytes = n_bytes.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
            let _held = control.budget().hold(PER_BYTE * n_bytes, "the records that errors are about")?;
            let from: Vec<_> =
                asked.iter().map(|asked| (&asked.input, &asked.options, asked.stamp.as_ref())).collect();
            match from[..] {
                [from] if table.ids.tables().len() == 0 => table.text_of(records, &columns, from, control),
                _ => table.text_of_several(records, &columns, &from, control),
            }
        };
        let n_lefts = self.left.ids.tables().len().max(1);
        let left = of(&self.left, 0..n_lefts, left)?;
        let right = self.right.as_ref().map(|table| of(table, n_lefts..n_lefts + 1, right)).transpose()?;
        Ok((left, right))
    }
}
