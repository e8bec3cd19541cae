//! Tables that are in memory already: record batches, as other programs and languages hand them over.
//!
//! Columns have the kinds that their types declare, as in a file of Parquet or Arrow. All threads make text of them, each some
//! rows of a batch at a time.

use super::input::{Batches, Input};
use super::proposed::Proposed;
use super::{Keep, ReadOptions, Table, arrow};
use crate::base::control::Control;
use crate::base::error::Result;

impl Table {
    /// The table in memory, which may have no rows: the ids, and the columns that `wanted` names.
    pub(crate) fn of_batches(
        batches: &Batches,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        control.guard(|| {
            let proposed = Proposed::of(batches.name(), &options.id);
            let is_wanted = |name: &str| options.wants(wanted, name);
            let keep = Keep { id: &options.id, wanted: &is_wanted, proposed: &proposed };
            control.begin(batches.n_rows() as u64, "rows");
            let contents = arrow::memory(batches, &keep, control)?;
            Self::new(batches.name(), contents, options, wanted, control)
        })
    }

    /// The table at either place, of several that are compared: it may have no rows, if the others do.
    pub(crate) fn of_several(
        input: &Input,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        match input {
            Input::File(path) => Self::read_even_empty(path, options, wanted, control),
            Input::Memory(batches) => Self::of_batches(batches, options, wanted, control),
        }
    }

    /// The table at either place. One in memory may have no rows.
    pub(crate) fn of_input(
        input: &Input,
        options: &ReadOptions,
        wanted: &dyn Fn(&str) -> bool,
        control: &Control,
    ) -> Result<Self> {
        match input {
            Input::File(path) => Self::read(path, options, wanted, control),
            Input::Memory(batches) => Self::of_batches(batches, options, wanted, control),
        }
    }
}
