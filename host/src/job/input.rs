//! What a job is about: the rules and the tables, read, and bound to each other.

use super::Job;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::odd;
use crate::read::table::{Input, ReadOptions, Table};
use crate::rules::{self, AllPairs, Neighbourhood, Rule, RuleFile, Score, ScoreAttribute, Side};

/// What a job is about, as it was read.
pub(crate) struct Read {
    file: RuleFile,
    left: Table,
    right: Option<Table>,
    wanted: Wanted,
}

/// What is wanted of the tables.
pub(crate) struct Wanted {
    /// The columns that the rule file asks for, by table, in lower case and sorted.
    pub(super) columns: [Vec<String>; 2],
    /// In how many passes they are read, if there is no memory for all of their text at once.
    pub(super) passes: Option<usize>,
}

/// The same, with everything that the rule file says bound to the columns of the tables.
pub(crate) struct Bound {
    pub(crate) left: Table,
    pub(crate) right: Option<Table>,
    pub(crate) wanted: Wanted,
    pub(crate) rules: Vec<Rule>,
    pub(crate) neighbourhoods: Vec<Neighbourhood>,
    pub(crate) all: Option<AllPairs>,
    pub(crate) score: Option<Score>,
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
        let file = self.rules.parse()?;
        let of_sides = |sides: &[Side]| {
            let columns = file.columns().filter(|(side, _)| sides.contains(side));
            let mut wanted: Vec<String> = columns.map(|(_, column)| column.to_ascii_lowercase()).collect();
            wanted.sort_unstable();
            wanted.dedup();
            wanted
        };
        let columns = match &self.right {
            None => [of_sides(&[Side::Left, Side::Right]), Vec::new()],
            Some(_) => [of_sides(&[Side::Left]), of_sides(&[Side::Right])],
        };
        let wanted = Wanted { columns, passes: self.passes(control)? };
        let left = self.read_table(&self.left, &self.left_options, (&wanted, 0), control)?;
        let right = self.right.as_ref();
        let right = right.map(|right| self.read_table(right, &self.right_options, (&wanted, 1), control));
        let right = right.transpose()?;
        Ok(Read { file, left, right, wanted })
    }

    fn read_table(
        &self,
        input: &Input,
        options: &ReadOptions,
        (wanted, nth): (&Wanted, usize),
        control: &Control,
    ) -> Result<Table> {
        let (passes, wanted) = (wanted.passes, &wanted.columns[nth]);
        let mut read = || match (passes, input.file()) {
            (Some(n_passes), Some(path)) => Table::read_bare(path, options, wanted, n_passes, control),
            _ => Table::of_input(input, options, &|name| is_wanted(wanted, name), control),
        };
        match (&self.cache, input.file()) {
            (Some(cache), Some(path)) => cache.table(path, options, wanted, &mut read, control),
            _ => read(),
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
