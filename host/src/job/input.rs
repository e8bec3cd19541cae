//! What a job is about: the rules and the tables, read, and bound to each other.

use super::Job;
use super::again::Again;
use super::beside::Beside;
use super::several::Pairing;
use super::wanted::Wanted;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::odd;
use crate::read::sources;
use crate::read::table::{IdSource, Input, ReadOptions, Schema, Table, Words};
use crate::rules::{self, AllPairs, Neighbourhood, Rule, RuleFile, Score, ScoreAttribute, Side};
use crate::tell::output::SideColumn;
use std::path::PathBuf;

/// What a job is about, as it was read.
pub(crate) struct Read {
    file: RuleFile,
    left: Table,
    right: Option<Table>,
    wanted: Wanted,
    columns_beside: Vec<SideColumn>,
    again: Option<Again>,
    source: Option<String>,
}

/// A column, with its place in each table.
pub(crate) struct SourceColumns {
    pub(super) name: String,
    pub(super) places: Vec<usize>,
}

/// The same, with everything that the rule file says bound to the columns of the tables.
pub(crate) struct Bound {
    pub(crate) left: Table,
    pub(crate) right: Option<Table>,
    pub(crate) wanted: Wanted,
    /// The columns that are wanted beside ids.
    pub(super) columns_beside: Vec<SideColumn>,
    pub(super) again: Option<Again>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) neighbourhoods: Vec<Neighbourhood>,
    pub(crate) all: Option<AllPairs>,
    pub(crate) score: Option<Score>,
    /// The column with the sources of records, in each table.
    pub(crate) sources: Option<SourceColumns>,
    /// Tables that values are looked up in.
    pub(crate) lookups: Vec<PathBuf>,
    /// What counts as missing.
    pub(crate) missing: Words,
}

impl Job {
    /// Reads the rules, and of the tables what they ask for.
    pub(crate) fn read(&self, control: &Control) -> Result<Read> {
        let read = self.read_even_empty(control)?;
        Ok(Read {
            left: read.left.with_rows()?,
            right: read.right.map(Table::with_rows).transpose()?,
            ..read
        })
    }

    /// The same, where tables in memory may have no rows.
    pub(super) fn read_even_empty(&self, control: &Control) -> Result<Read> {
        let file = self.rule_file()?;
        file.read_tables(control)?;
        let of_sides = |sides: &[Side]| {
            let columns = file.columns().filter(|(side, _)| sides.contains(side)).map(|(_, column)| column);
            let columns = columns.chain(self.source.as_deref());
            let mut wanted: Vec<String> = columns.map(str::to_ascii_lowercase).collect();
            wanted.sort_unstable();
            wanted.dedup();
            wanted
        };
        let columns = match self.pairing {
            Pairing::One | Pairing::Several { .. } => [of_sides(&[Side::Left, Side::Right]), Vec::new()],
            Pairing::Two => [of_sides(&[Side::Left]), of_sides(&[Side::Right])],
        };
        let sides: [&[Side]; 2] = match self.pairing {
            Pairing::One | Pairing::Several { .. } => [&[Side::Left, Side::Right], &[]],
            Pairing::Two => [&[Side::Left], &[Side::Right]],
        };
        let (options, passes) = (self.options(&file)?, self.passes(control)?);
        let beside = if self.keeps_all(control)? { vec![Beside::All] } else { self.beside.clone() };
        let wanted = Wanted { columns, options, passes, beside, sides };
        let again = self.again(&wanted, control)?;
        let (left, right) = match self.pairing {
            Pairing::Several { across } => (self.read_several(across, &wanted, control)?, None),
            Pairing::One | Pairing::Two => {
                let mut tables = (0..self.tables.len()).map(|nth| self.read_table(nth, &wanted, control));
                let none = || Error::Internal("a job without a table".into());
                (tables.next().ok_or_else(none)??, tables.next().transpose()?)
            }
        };
        let schemas: Vec<&Schema> = [&left].into_iter().chain(&right).map(|table| &table.schema).collect();
        self.check_called(&file, &schemas)?;
        let columns_beside = self.columns_beside(&left, right.as_ref(), &wanted)?;
        Ok(Read { file, left, right, wanted, columns_beside, again, source: self.source.clone() })
    }

    pub(super) fn rule_file(&self) -> Result<RuleFile> {
        let file = self.rules.parse()?;
        Ok(match &self.listed {
            Some(listed) => file.with_listed(listed.clone()),
            None => file,
        })
    }

    fn read_table(&self, nth: usize, wanted: &Wanted, control: &Control) -> Result<Table> {
        let (input, options) = (&self.tables[nth], &wanted.options[nth]);
        let columns = &wanted.columns[nth];
        let mut read = || match (wanted.passes, input.file()) {
            (Some(n_passes), Some(path)) => Table::read_bare(path, options, columns, n_passes, control),
            _ => Table::of_input(input, options, &|name| wanted.reads(nth, name), control),
        };
        match (&self.cache, input.file()) {
            (Some(cache), Some(path)) => cache.table(path, options, columns, &mut read, control),
            _ => read(),
        }
    }

    /// Several tables, put together.
    fn read_several(&self, across: bool, wanted: &Wanted, control: &Control) -> Result<Table> {
        let is_wanted = |name: &str| wanted.reads(0, name);
        let read = |((name, input), options): ((String, &Input), &ReadOptions)| {
            Ok((name, Table::of_several(input, options, &is_wanted, control)?))
        };
        let tables = self.named()?.into_iter().zip(&wanted.options).map(read);
        let tables: Vec<(String, Table)> = tables.collect::<Result<_>>()?;
        for options in &wanted.options {
            if let IdSource::Preferred(id) = &options.id
                && tables.iter().all(|(_, table)| table.schema.find(id).is_none())
            {
                return Err(Error::Job(format!("none of the tables has a column `{id}` for the ids")));
            }
        }
        Table::united(tables, across, &is_wanted, control)
    }
}

impl Read {
    /// The rules, and the tables.
    pub(super) fn parts(&self) -> (&RuleFile, &Table, Option<&Table>) {
        (&self.file, &self.left, self.right.as_ref())
    }

    /// Finds the columns that rules, neighbourhoods and the score are about.
    pub(crate) fn bind(self) -> Result<Bound> {
        let Self { file, left, right, wanted, columns_beside, again, source } = self;
        let right_schema = right.as_ref().map_or(&left.schema, |right| &right.schema);
        // Within a table a rule counts either way round.
        let is_turned = right.is_none() && left.across().is_none();
        let rules = match left.across() {
            None => rules::bind(&file, &left.schema, right_schema, is_turned)?,
            Some(united) => rules::bind_across(&file, &left.schema, united.source)?,
        };
        let neighbourhoods = rules::bind_neighbourhoods(&file, &left.schema, right_schema, right.is_none())?;
        let score = rules::bind_score(&file, &left.schema, right_schema, is_turned)?;
        let all = file.all_pairs().cloned();
        let tables: Vec<&Table> = [Some(&left), right.as_ref()].into_iter().flatten().collect();
        let sources =
            source.map(|name| Ok(SourceColumns { places: sources::columns(&name, &tables)?, name }));
        let sources = sources.transpose()?;
        let (lookups, missing) = (file.tables(), file.missing());
        Ok(Bound {
            left,
            right,
            wanted,
            columns_beside,
            again,
            rules,
            neighbourhoods,
            all,
            score,
            sources,
            lookups,
            missing,
        })
    }
}

impl Bound {
    /// Warns of values that count as missing although something is written there: all records are looked at.
    pub(crate) fn warn(&self) -> Result<()> {
        let of_rules = self.rules.iter().flat_map(|rule| rule.conjunctions.iter().flatten());
        let attributes = self.score.iter().flat_map(|score| &score.attributes);
        let predicates = of_rules.chain(attributes.flat_map(ScoreAttribute::predicates));
        let keys = self.neighbourhoods.iter().flat_map(|near| {
            [Side::Left, Side::Right].into_iter().zip(&near.keys).map(|(side, key)| (side, key, near.domain))
        });
        let compared = predicates.flat_map(odd::compared).chain(keys);
        odd::warn(&self.left, self.right.as_ref().unwrap_or(&self.left), compared)
    }
}
