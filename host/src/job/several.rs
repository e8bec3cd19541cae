//! Jobs over several tables: which they are, what columns of theirs go by which names, and which of their pairs count.
//!
//! Two tables are linked as they are, each encoded by itself. More of them, or two within which pairs count too, are put together
//! (`read/table/united`), and what follows is as for one table; where pairs within a table do not count, a predicate of every
//! conjunction says so (`rules/across`).

use super::{Job, Prepared, RuleSource};
use crate::base::compared::Compared;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::Sides;
use crate::plan::partition::{Area, whole};
use crate::read::table::{IdSource, Input, ReadOptions, Schema, Table, check_each_once, names_of};
use crate::rules::{self, Predicate, Rule, RuleFile, lacking};
use crate::run::product::product;
use hyperblock_shared::layout::Candidate;
use std::ops::Range;

/// Which pairs of a job's tables are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// Those within one table.
    One,
    /// Those across two.
    Two,
    /// Those of several tables together: across them alone, or within them too.
    Several { across: bool },
}

/// What a job that was given columns calls itself in messages.
const MAP: &str = "--map";

impl Job {
    /// Pairs within and across several tables, which are taken as one: records are numbered by table, then by id.
    pub fn dedupe_all(tables: impl IntoIterator<Item = Input>, rules: RuleSource) -> Self {
        Self::of(tables.into_iter().collect(), Pairing::Several { across: false }, rules)
    }

    /// Pairs across several tables, each two of them once: the left record is of the earlier table.
    pub fn link_all(tables: impl IntoIterator<Item = Input>, rules: RuleSource) -> Self {
        Self::of(tables.into_iter().collect(), Pairing::Several { across: true }, rules)
    }

    /// With pairs within the tables too.
    pub fn within(self) -> Self {
        Self { pairing: Pairing::Several { across: false }, ..self }
    }

    /// With several tables called so, in the place of their files' names.
    pub fn names(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    /// With names that columns go by beside their own: each with the columns of which the first that a table has goes by it, unless
    /// one is named so. `shop.cost` is the column `cost` of the table `shop` alone. This comes before what the rules say of the
    /// name.
    pub fn columns(self, columns: Vec<(String, Vec<String>)>) -> Self {
        Self { columns, ..self }
    }

    /// The tables, with what they are called if there are several.
    pub(super) fn named(&self) -> Result<Vec<(String, &Input)>> {
        match self.pairing {
            Pairing::Several { across: true } if self.tables.len() < 2 => {
                let message =
                    "link takes two tables or more, and here is one; to find pairs within it, dedupe it";
                Err(Error::Job(message.into()))
            }
            Pairing::Several { .. } if self.tables.is_empty() => Err(Error::Job("there is no table".into())),
            Pairing::Several { .. } if self.cache.is_some() => Err(Error::Job(format!(
                "a cache keeps what is made of one table or of two, and here are {} together: leave the cache out",
                self.tables.len()
            ))),
            _ => {
                check_each_once(&self.tables)?;
                let names = if self.names.is_empty() { names_of(&self.tables) } else { self.own_names()? };
                Ok(names.into_iter().zip(&self.tables).collect())
            }
        }
    }

    /// The names that tables were given, which must tell them apart.
    fn own_names(&self) -> Result<Vec<String>> {
        let error = |message| Err(Error::Job(message));
        if self.names.len() != self.tables.len() {
            return error(format!("{} names for {} tables", self.names.len(), self.tables.len()));
        }
        match self.names.iter().enumerate().find(|(nth, name)| self.names[..*nth].contains(name)) {
            Some((_, name)) => error(format!("two tables are called `{name}`; give each a name of its own")),
            None => Ok(self.names.clone()),
        }
    }

    /// How to read each table: as the job says, and the rule file.
    pub(super) fn options(&self, file: &RuleFile) -> Result<Vec<ReadOptions>> {
        let called = self.called(file);
        let is_several = matches!(self.pairing, Pairing::Several { .. });
        let mut options: Vec<ReadOptions> = (0..self.tables.len())
            .map(|nth| if nth == 0 { &self.left_options } else { &self.right_options })
            .map(|options| ReadOptions { missing: file.missing(), ..options.clone() })
            .collect();
        if is_several || !called.is_empty() {
            // One that is given twice is a mistake where several are one, and may be meant where two are compared.
            let names = match self.pairing {
                Pairing::Several { .. } => self.named()?.into_iter().map(|(name, _)| name).collect(),
                Pairing::One | Pairing::Two if !self.names.is_empty() => self.own_names()?,
                Pairing::One | Pairing::Two => names_of(&self.tables),
            };
            for (options, name) in options.iter_mut().zip(&names) {
                options.columns = of_table(&called, name);
            }
        }
        if is_several {
            for options in &mut options {
                if let IdSource::Column(id) = &options.id {
                    options.id = IdSource::Preferred(id.clone());
                }
            }
        }
        Ok(options)
    }

    /// What columns go by which names: as the rule file says, and what the job says in its place or beside it.
    fn called(&self, file: &RuleFile) -> Vec<(String, Vec<String>)> {
        let is_new = |name: &str| !self.columns.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let of_file = file.called().iter().filter(|entry| is_new(&entry.name));
        let of_file = of_file.map(|entry| (entry.name.clone(), entry.columns.clone()));
        of_file.chain(self.columns.iter().cloned()).collect()
    }

    /// An error, if a name is given to columns that no table has.
    pub(super) fn check_called(&self, file: &RuleFile, schemas: &[&Schema]) -> Result<()> {
        let is_known = |name: &str| schemas.iter().any(|schema| schema.find(name).is_some());
        if let Some((name, columns)) = self.columns.iter().find(|(name, _)| !is_known(name)) {
            let (lacking, help) = (lacking(name, columns), having(schemas));
            return Err(Error::Job(format!("{MAP} {name}={}: {lacking}; {help}", columns.join(","))));
        }
        match file.called().iter().find(|entry| !is_known(&entry.name)) {
            Some(entry) => Err(file.unknown_columns(entry, having(schemas))),
            None => Ok(()),
        }
    }
}

/// What a table with this name has columns called: one that stands behind the name of a table and a dot counts for that table alone.
fn of_table(called: &[(String, Vec<String>)], table: &str) -> Vec<(String, Vec<String>)> {
    let own = |column: &String| {
        let behind = column.strip_prefix(table).and_then(|rest| rest.strip_prefix('.'));
        [Some(column.clone()), behind.map(str::to_owned)].into_iter().flatten().collect::<Vec<_>>()
    };
    called.iter().map(|(name, columns)| (name.clone(), columns.iter().flat_map(own).collect())).collect()
}

/// The columns that tables have.
fn having(schemas: &[&Schema]) -> String {
    let having = |schema: &&Schema| format!("{} has {}", schema.table, schema.names());
    schemas.iter().map(having).collect::<Vec<_>>().join("; ")
}

/// On which sides of a pair the records of tables may stand.
pub(super) fn sides(left: &Table, right: Option<&Table>) -> Sides {
    match (right, left.across()) {
        (Some(_), _) => Sides::Two,
        (None, None) => Sides::Either,
        (None, Some(_)) => {
            // Tables without records stand nowhere.
            let tables = || left.ids.tables().map(|(_, records)| records).filter(|it| !it.is_empty());
            let first = tables().next().map_or(0, |records| records.end);
            let last = tables().last().map_or(0, |records| records.start);
            Sides::Across([0..last, first..left.n_records()])
        }
    }
}

impl Prepared {
    /// The records of each table, where pairs of one table do not count.
    pub(crate) fn tables_across(&self) -> Option<Vec<Range<u32>>> {
        self.left.across().map(|_| self.left.ids.tables().map(|(_, records)| records).collect())
    }

    /// What several tables are called, and how many records each has.
    pub(crate) fn tables(&self) -> Vec<(String, u32)> {
        let tables = self.left.ids.tables();
        tables.map(|(name, records)| (name.to_owned(), records.len() as u32)).collect()
    }

    /// The column that the ids of each table come from; none where they are row numbers.
    pub(super) fn id_columns(&self) -> Vec<Option<String>> {
        let tables = [Some(&self.left), self.second()].into_iter().flatten();
        tables.flat_map(|table| table.id_columns.iter().cloned()).collect()
    }

    /// Of the pairs of some records, or of all, those that do not count because both are of one table.
    pub(crate) fn n_within(&self, kept: Option<&[u32]>) -> u64 {
        let n = |records: Range<u32>| match kept {
            None => records.len() as u64,
            Some(kept) => {
                let place = |record: u32| kept.partition_point(|&other| other < record) as u64;
                place(records.end) - place(records.start)
            }
        };
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        self.tables_across().into_iter().flatten().map(|records| pairs(n(records))).sum()
    }

    /// How many pairs were compared, where so many were reported: rules look at those that do not count as well, and at some of
    /// those that neighbourhoods bring.
    pub(super) fn compared(&self, reported: Compared) -> Compared {
        let has_rules = !self.plan.rules.is_empty();
        let is_once = self.orders.is_empty() || !has_rules;
        let all_count = self.left.across().is_none() || !has_rules;
        let most = if self.orders.is_empty() && has_rules { self.n_decided() } else { self.n_pairs() };
        reported.of(most, is_once && all_count)
    }

    /// How many pairs the rules decide on: of several tables, as many as count.
    pub(crate) fn n_decided(&self) -> u64 {
        self.area().n_pairs() - self.n_within(self.selection.left.as_deref())
    }

    /// Hands on all pairs, if they are wanted and not too many.
    pub(crate) fn product(
        &self,
        control: &Control,
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<()> {
        match &self.all {
            None => Ok(()),
            Some(all) => {
                all.check(self.n_pairs())?;
                self.wholes().iter().try_for_each(|area| product(area, control, sink))
            }
        }
    }

    /// All pairs, as areas in order.
    pub(crate) fn wholes(&self) -> Vec<Area> {
        let n_records = self.left.n_records();
        match self.tables_across() {
            None => vec![whole(n_records, self.right().n_records(), self.second().is_none())],
            Some(tables) => tables.into_iter().map(|table| beside(table, n_records)).collect(),
        }
    }

    /// These rules, without pairs within a table where those do not count.
    pub(super) fn rules_across(&self, mut rules: Vec<Rule>) -> Vec<Rule> {
        if let Some(apart) = self.apart() {
            let conjunctions = rules.iter_mut().flat_map(|rule| &mut rule.conjunctions);
            conjunctions.filter(|it| !it.contains(&apart)).for_each(|it| it.push(apart.clone()));
        }
        rules
    }

    fn apart(&self) -> Option<Predicate> {
        self.left.across().map(|united| rules::apart(&self.left.schema, united.source))
    }
}

/// The pairs of a table's records with those of later tables.
fn beside(table: Range<u32>, n_records: u32) -> Area {
    Area {
        left_from: table.start,
        left_upto: table.end,
        right_from: table.end,
        right_upto: n_records,
        half: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_s_own_columns_stand_behind_its_name() {
        let called = [("price".to_owned(), vec!["shop.cost".to_owned(), "eur".to_owned()])];
        assert_eq!(of_table(&called, "shop")[0].1, ["shop.cost", "cost", "eur"]);
        assert_eq!(of_table(&called, "list")[0].1, ["shop.cost", "eur"]);
    }
}
