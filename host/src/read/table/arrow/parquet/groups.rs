//! The row groups of a Parquet file, by all threads: each reads one column of one group at a time.
//!
//! Groups say how many rows they have, so that all know which rows are theirs.

use super::super::guard::Reading;
use super::super::texts::Texts;
use super::super::{Columns, Kept};
use crate::base::control::Control;
use crate::base::gather::Gather;
use crate::read::table::source::Source;
use crate::read::table::unpacked::Unpacked;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are decoded at a time.
const BATCH: usize = 1 << 13;

pub(super) struct Groups<'a> {
    pub(super) reading: Reading<'a>,
    pub(super) source: &'a Source,
    pub(super) metadata: &'a ArrowReaderMetadata,
    pub(super) columns: &'a Columns,
    pub(super) control: &'a Control,
}

impl Groups<'_> {
    /// The texts of each column that is kept, group by group, and how many rows there are. Nothing, if anything is wrong.
    pub(super) fn read(&self, unpacked: &Unpacked) -> Option<(Vec<Vec<Texts>>, usize)> {
        let mut n_rows = 0usize;
        let mut groups = Vec::new();
        for group in self.metadata.metadata().row_groups() {
            let start = n_rows;
            n_rows = n_rows.checked_add(usize::try_from(group.num_rows()).ok()?)?;
            groups.push(start..n_rows);
        }
        let kept = &self.columns.kept;
        // Who keeps nothing counts the rows all the same.
        if kept.is_empty() || n_rows >= u32::MAX as usize {
            return None;
        }
        let read = |ix: usize| {
            let (column, group) = (ix / groups.len(), ix % groups.len());
            self.texts(&kept[column], group, &groups[group], unpacked.shared())
        };
        let texts = (0..kept.len() * groups.len()).into_par_iter().map(read).gather();
        let texts: Option<Vec<Texts>> = texts.into_iter().collect();
        let mut texts = texts?.into_iter();
        unpacked.allow(0).ok()?;
        Some((kept.iter().map(|_| texts.by_ref().take(groups.len()).collect()).collect(), n_rows))
    }

    fn texts(
        &self,
        column: &Kept,
        group: usize,
        rows: &Range<usize>,
        mut unpacked: Unpacked,
    ) -> Option<Texts> {
        let mut texts = self.columns.texts(column, rows.start);
        let path = self.reading.path;
        let decoded = self.reading.guard(String::new, || {
            let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column.ix]);
            let metadata = self.metadata.clone();
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.source.clone(), metadata);
            let builder = builder.with_projection(mask).with_row_groups(vec![group]).with_batch_size(BATCH);
            for batch in builder.build().map_err(|error| error.to_string())? {
                let said = |error: crate::base::error::Error| error.to_string();
                self.control.check().map_err(said)?;
                let batch = batch.map_err(|error| error.to_string())?;
                unpacked.add(size_of::<i64>() as u64 * batch.num_rows() as u64).map_err(said)?;
                texts.append(path, batch.column(0), &mut unpacked).map_err(said)?;
            }
            Ok::<_, String>(())
        });
        decoded.ok().filter(|()| texts.n_rows() == rows.end).map(|()| texts)
    }
}

#[cfg(test)]
mod tests;
