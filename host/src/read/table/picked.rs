//! The text of some records alone: from what is there, or read again where it was let go of.

use super::{IdSource, Ids, Input, ReadOptions, Table};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{Array, LargeStringArray};

/// Where a table is to be read again, how, and as what it was left.
pub(crate) type Again<'a> = (&'a Input, &'a ReadOptions, Option<&'a Stamp>);

impl Table {
    /// Whether the text of these columns is there.
    pub(crate) fn has_text(&self, columns: &[usize]) -> bool {
        columns.iter().all(|&column| self.values[column].is_some())
    }

    /// The text of these records alone, in the order given, numbered and named by that order, where it is there no more: the columns
    /// are read again, of a file that must be as it was.
    pub(crate) fn text_of(
        &self,
        records: &[u32],
        columns: &[usize],
        again: Again<'_>,
        control: &Control,
    ) -> Result<Self> {
        let read = match again {
            (Input::File(_), options, Some(stamp)) => self.part_of_text(columns, stamp, options, control)?,
            (Input::File(_), _, None) => return Err(no_file(self)),
            (Input::Memory(batches), options, _) => {
                let names = self.names_of(columns);
                let options = ReadOptions { id: IdSource::RowNumbers, ..options.clone() };
                Self::of_batches(batches, &options, &|name| names.contains(&name), control)?
            }
        };
        self.picked(&read, records, columns)
    }

    /// The same of several tables that are one: they are read one after the other, and of each only those of these records that are
    /// its own are kept. Records are in order.
    pub(crate) fn text_of_several(
        &self,
        records: &[u32],
        columns: &[usize],
        again: &[Again<'_>],
        control: &Control,
    ) -> Result<Self> {
        let names = self.names_of(columns);
        let source = self.united.as_ref().map(|united| united.source);
        let mut texts: Vec<LargeStringBuilder> = columns.iter().map(|_| LargeStringBuilder::new()).collect();
        for ((table, all), again) in self.ids.tables().zip(again) {
            let place = |record: u32| records.partition_point(|&other| other < record);
            let own = &records[place(all.start)..place(all.end)];
            if own.is_empty() {
                continue;
            }
            let read = read_again(*again, &|name| names.contains(&name), all.len(), control)?;
            for ((text, column), name) in texts.iter_mut().zip(columns).zip(&names) {
                if Some(*column) == source {
                    own.iter().for_each(|_| text.append_value(table));
                    continue;
                }
                let values = read.schema.find(name).map(|column| read.values(column)).transpose()?;
                for &record in own {
                    let (_, row) = self.place(self.ids.row(record));
                    let value = values.filter(|values| values.is_valid(row));
                    text.append_option(value.map(|values| values.value(row)));
                }
            }
        }
        let mut values = vec![None; self.values.len()];
        for (column, mut text) in columns.iter().zip(texts) {
            values[*column] = Some(text.finish());
        }
        Ok(self.with_text(values, records.len()))
    }

    /// Records whose text stands in the same rows of a table.
    pub(crate) fn picked(&self, from: &Self, records: &[u32], columns: &[usize]) -> Result<Self> {
        let mut values = vec![None; self.values.len()];
        for &column in columns {
            let all = from.values(column)?;
            let texts = records.iter().map(|&record| {
                let row = self.ids.row(record);
                all.is_valid(row).then(|| all.value(row))
            });
            values[column] = Some(texts.collect());
        }
        Ok(self.with_text(values, records.len()))
    }

    /// A table with the same columns, and records that go by their numbers.
    fn with_text(&self, values: Vec<Option<LargeStringArray>>, n_records: usize) -> Self {
        let (path, schema) = (self.path.clone(), self.schema.clone());
        let (ids, called) = (Ids::rows(n_records), self.called.clone());
        Self {
            path,
            schema,
            values,
            ids,
            id_columns: vec![None],
            bare: None,
            origin: None,
            united: None,
            called,
        }
    }
}

/// One of several tables, as it was.
fn read_again(
    (input, options, stamp): Again<'_>,
    wanted: &dyn Fn(&str) -> bool,
    n_records: usize,
    control: &Control,
) -> Result<Table> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..options.clone() };
    let table = Table::of_several(input, &options, wanted, control)?;
    if let Some(path) = input.file() {
        let stamp = stamp.ok_or_else(|| no_file(&table))?;
        if table.n_records() as usize != n_records || Stamp::of(path)?.as_ref() != Some(stamp) {
            let message = "the table was changed while it was read; run the job again";
            return Err(Error::table(path, message));
        }
    }
    Ok(table)
}

fn no_file(table: &Table) -> Error {
    Error::table(&table.path, "this is no file, and cannot be read twice")
}
