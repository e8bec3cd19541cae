//! A plan of units, as whoever does a part of it has it: read from its bytes, and bound to the records that are there.

use super::cover::Ready;
use super::decided::{BranchUnits, Decided};
use super::hash;
use super::schema::{narrowed, widened, without_rows};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::job::Bound;
use crate::read::table::{Batches, Ids, Table};
use crate::rules::{Predicate, RuleSet};

/// How a job is spread over units.
#[derive(Debug)]
pub struct UnitPlan {
    pub(super) decided: Decided,
}

impl UnitPlan {
    /// From bytes, which must be those of a plan of this very version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(Self { decided: Decided::from_bytes(bytes)? })
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.decided.to_bytes()
    }

    /// What there is to do, as JSON.
    pub fn told(&self) -> &str {
        &self.decided.told
    }

    /// How many units there are.
    pub fn n_units(&self) -> u64 {
        self.decided.packs.len() as u64
    }

    pub(super) fn n_tables(&self) -> usize {
        self.decided.columns.len()
    }

    pub(super) fn is_one_table(&self) -> bool {
        self.n_tables() == 1
    }

    /// The branch that a unit is of.
    pub(super) fn branch(&self, unit: u64) -> Result<&BranchUnits> {
        let branches = &self.decided.branches;
        let place = branches.partition_point(|branch| branch.units.end <= unit);
        let none = || Error::Job(format!("the plan has no unit {unit}: it has {}", self.n_units()));
        branches.get(place).filter(|branch| branch.units.contains(&unit)).ok_or_else(none)
    }

    /// The columns that are needed of a table's records.
    pub(super) fn narrowed(&self, table: usize, batches: &Batches) -> Result<Batches> {
        let no_table =
            || Error::Job(format!("the plan is of {} tables, and this is table {table}", self.n_tables()));
        narrowed(batches, self.decided.columns.get(table).ok_or_else(no_table)?)
    }

    /// Rules and tables, bound to each other. A table that is not there has no rows.
    pub(super) fn bound(&self, tables: Vec<Option<Batches>>, control: &Control) -> Result<Bound> {
        let carried = &self.decided.carried;
        let or_none = |(nth, table): (usize, Option<Batches>)| {
            let own = match table {
                Some(table) => table,
                None => without_rows(carried.name(nth), &self.decided.columns[nth])?,
            };
            widened(&own, self.decided.others.get(nth).map_or(&[], Vec::as_slice))
        };
        let tables = tables.into_iter().enumerate().map(or_none).collect::<Result<Vec<_>>>()?;
        carried.job(tables)?.read_some(control)?.bind()
    }

    /// The covers of all branches, over predicates that are bound to the same columns.
    pub(super) fn covers(&self, predicates: &[Predicate]) -> Result<Vec<Ready<'_>>> {
        let branches = self.decided.branches.iter();
        branches.map(|branch| Ready::new(&branch.cover, predicates, self.is_one_table())).collect()
    }
}

/// The predicates of rules, numbered as the plan has them.
pub(super) fn predicates(bound: &mut Bound) -> RuleSet {
    RuleSet::new(std::mem::take(&mut bound.rules))
}

/// The hash of a record's id.
pub(super) fn of_id(ids: &Ids, record: u32) -> u64 {
    match ids.integer(record) {
        Some(integer) => hash::mixed(0, integer.cast_unsigned()),
        None => hash::of_text(&ids.borrowed(record)),
    }
}

/// The same of all ids, by row.
pub(super) fn of_ids(table: &Table) -> Vec<u64> {
    let mut hashes = vec![0; table.n_records() as usize];
    (0..table.n_records()).for_each(|record| hashes[table.ids.row(record)] = of_id(&table.ids, record));
    hashes
}
