//! How a job is done, and what it is to keep beside: each option by itself.

use super::{Guards, Job};
use crate::plan::cost::CostSource;
use crate::plan::statistics::SelectivitySource;
use crate::plan::{ScanOptions, Variant};
use crate::read::table::{Cache, ReadOptions};

impl Job {
    /// How to read the left table, and the right one. Of several the first, and all others; a column of ids is then that of each
    /// table that has it.
    pub fn read_options(self, left: ReadOptions, right: ReadOptions) -> Self {
        Self { left_options: left, right_options: right, ..self }
    }

    /// With other sizes of intervals and windows.
    #[doc(hidden)]
    pub fn scan_options(self, scan: ScanOptions) -> Self {
        Self { scan, ..self }
    }

    /// With parts of the engine switched off.
    #[doc(hidden)]
    pub fn variants(self, variants: Vec<Variant>) -> Self {
        Self { variants, ..self }
    }

    /// Where the planner takes the cost of predicates and paths from.
    #[doc(hidden)]
    pub fn cost(self, cost: CostSource) -> Self {
        Self { cost, ..self }
    }

    /// Where the planner takes the shares of pairs from on which predicates hold.
    #[doc(hidden)]
    pub fn selectivity(self, selectivity: SelectivitySource) -> Self {
        Self { selectivity, ..self }
    }

    /// With bounds for what it may find.
    pub fn guards(self, guards: Guards) -> Self {
        Self { guards, ..self }
    }

    /// With what is read and encoded kept there for the next job over the same tables, or taken from there.
    pub fn cache(self, cache: Option<Cache>) -> Self {
        Self { cache, ..self }
    }

    /// With the sources of records, which a column says.
    pub(crate) fn source(self, column: &str) -> Self {
        Self { source: Some(column.to_owned()), ..self }
    }

    /// To be looked at, not run: a file of costs may then be of another kind of device, and the plan is what that would run.
    pub fn only_planned(self) -> Self {
        Self { is_only_planned: true, ..self }
    }

    /// With records that somebody will look at when it has run: then the text of what cannot be read twice stays in memory.
    pub fn looked_at(self) -> Self {
        Self { is_looked_at: true, ..self }
    }

    /// The same, with all columns of those records.
    #[doc(hidden)]
    pub fn looked_at_whole(self) -> Self {
        Self { is_looked_at: true, is_looked_at_whole: true, ..self }
    }

    /// With records of which a report shows all columns, whatever else is looked at.
    #[doc(hidden)]
    pub fn reported(self) -> Self {
        Self { is_looked_at: true, is_reported: true, ..self }
    }
}
