//! What a job is about: the rules and the tables, read, and bound to each other.

use super::Job;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::odd;
use crate::read::table::{ReadOptions, Table};
use crate::rules::{self, AllPairs, Neighbourhood, Rule, RuleFile, Score, ScoreAttribute, Side};
use std::path::Path;

/// What a job is about, as it was read.
pub(crate) struct Read {
    file: RuleFile,
    left: Table,
    right: Option<Table>,
    wanted: [Vec<String>; 2],
}

/// The same, with everything that the rule file says bound to the columns of the tables.
pub(crate) struct Bound {
    pub(crate) left: Table,
    pub(crate) right: Option<Table>,
    /// The columns that it asks for, by table.
    pub(crate) wanted: [Vec<String>; 2],
    pub(crate) rules: Vec<Rule>,
    pub(crate) neighbourhoods: Vec<Neighbourhood>,
    pub(crate) all: Option<AllPairs>,
    pub(crate) score: Option<Score>,
}

impl Job {
    /// Reads the rules, and of the tables what they ask for.
    pub(crate) fn read(&self, control: &Control) -> Result<Read> {
        let file = RuleFile::read(&self.rules)?;
        let wanted = |sides: &[Side]| {
            let columns = file.columns().filter(|(side, _)| sides.contains(side));
            let mut wanted: Vec<String> = columns.map(|(_, column)| column.to_ascii_lowercase()).collect();
            wanted.sort_unstable();
            wanted.dedup();
            wanted
        };
        let wanted = match &self.right {
            None => [wanted(&[Side::Left, Side::Right]), Vec::new()],
            Some(_) => [wanted(&[Side::Left]), wanted(&[Side::Right])],
        };
        let left = self.read_table(&self.left, &self.left_options, &wanted[0], control)?;
        let right = self.right.as_ref();
        let right = right.map(|right| self.read_table(right, &self.right_options, &wanted[1], control));
        let right = right.transpose()?;
        Ok(Read { file, left, right, wanted })
    }

    fn read_table(
        &self,
        path: &Path,
        options: &ReadOptions,
        wanted: &[String],
        control: &Control,
    ) -> Result<Table> {
        let is_lean = self.is_lean(control)?;
        let mut read = || match is_lean {
            true => Table::read_bare(path, options, wanted, self.n_passes(control)?, control),
            false => Table::read(path, options, &|name| is_wanted(wanted, name), control),
        };
        match &self.cache {
            None => read(),
            Some(cache) => cache.table(path, options, wanted, &mut read, control),
        }
    }
}

/// Whether a column is one of those.
pub(super) fn is_wanted(wanted: &[String], name: &str) -> bool {
    wanted.binary_search(&name.to_ascii_lowercase()).is_ok()
}

impl Read {
    /// Finds the columns that rules, neighbourhoods and the score are about.
    pub(crate) fn bind(self) -> Result<Bound> {
        let Self { file, left, right, wanted } = self;
        let right_schema = right.as_ref().map_or(&left.schema, |right| &right.schema);
        let rules = rules::bind(&file, &left.schema, right_schema, right.is_none())?;
        let neighbourhoods = rules::bind_neighbourhoods(&file, &left.schema, right_schema, right.is_none())?;
        let score = rules::bind_score(&file, &left.schema, right_schema, right.is_none())?;
        let all = file.all_pairs().cloned();
        Ok(Bound { left, right, wanted, rules, neighbourhoods, all, score })
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
