//! All that is wrong with a job, and not only what is found first: with its rules, its tables, and both together.

use super::input::Read;
use super::{Job, RuleSource};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::read::table::{IdSource, Input, ReadOptions, Table};
use crate::rules::{self, RuleFile};
use std::fs;

impl Job {
    /// Complaints about rules and tables, in this order: those beside the first one, if tables can be read once more.
    pub(crate) fn complaints(&self, first: Error, control: &Control) -> Result<Vec<Error>> {
        let mut files = self.tables.iter().filter_map(Input::file);
        if files.any(|path| matches!(Stamp::of(path), Ok(None))) {
            return Ok(vec![first]);
        }
        let mut all = self.rules.complaints();
        let are_parsed = all.is_empty();
        for (nth, input) in self.tables.iter().enumerate() {
            let options = if nth == 0 { &self.left_options } else { &self.right_options };
            // Of several tables that are one, not all need a column of ids of that name.
            let is_alone = self.n_tables() == 1 || self.is_of_two_tables();
            let id = if is_alone { options.id.clone() } else { IdSource::Usual };
            let options = ReadOptions { id, ..options.clone() };
            match Table::of_several(input, &options, &|_| false, control) {
                Err(error) if error.is_of_input() => all.push(error),
                read => drop(read?),
            }
        }
        if are_parsed && all.is_empty() {
            all = match self.read(control) {
                Err(error) if error.is_of_input() => vec![error],
                read => read?.complaints()?,
            };
        }
        Ok(if all.is_empty() { vec![first] } else { all })
    }
}

impl RuleSource {
    /// What is wrong with the rules by themselves.
    fn complaints(&self) -> Vec<Error> {
        let Err(first) = self.parse() else { return Vec::new() };
        let all = match self {
            Self::File(path) => fs::read_to_string(path).map(|text| RuleFile::complaints(path, &text)),
            Self::Text(text) => Ok(RuleFile::complaints("rules".as_ref(), text)),
        };
        // What cannot be read has one thing wrong.
        all.ok().filter(|all| !all.is_empty()).unwrap_or_else(|| vec![first])
    }
}

impl Read {
    fn complaints(&self) -> Result<Vec<Error>> {
        let (file, left, right) = self.parts();
        let is_turned = right.is_none() && left.across().is_none();
        let right = right.map_or(&left.schema, |right| &right.schema);
        rules::complaints(file, &left.schema, right, is_turned)
    }
}

impl Error {
    /// Whether it is about what was handed in, and not about the machine or the program.
    pub(crate) fn is_of_input(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Table { .. } | Self::Rule(_) | Self::Job(_))
    }
}
