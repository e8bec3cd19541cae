//! What of a job goes along where parts of it are done elsewhere: its rules as text, what they look values up in, and how tables are
//! read. And which jobs cannot be taken apart so.

use super::input::Read;
use super::several::Pairing;
use super::{Job, RuleSource};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::{Batches, IdSource, Input, ReadOptions};
use crate::rules::Listed;
use rkyv::{Archive, Deserialize, Serialize};

/// A job without its tables.
#[derive(Clone, Debug, Archive, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The text of the rule file.
    rules: String,
    /// By table: what messages call it, and the column with its ids.
    tables: Vec<(String, String)>,
    /// Names that columns go by.
    columns: Vec<(String, Vec<String>)>,
    names: Vec<String>,
    /// What is in tables that values are looked up in.
    listed: Listed,
}

impl Job {
    /// What goes along of a job whose tables, once they were read, had these columns of ids.
    pub(crate) fn carried(&self, ids: Vec<String>) -> Result<Carried> {
        let rules = match &self.rules {
            RuleSource::Text(text) => text.clone(),
            RuleSource::File(path) => std::fs::read_to_string(path).map_err(Error::io(path))?,
        };
        let names = self.tables.iter().map(|table| table.path().display().to_string());
        Ok(Carried {
            rules,
            tables: names.zip(ids).collect(),
            columns: self.columns.clone(),
            names: self.names.clone(),
            listed: self.rule_file()?.listed()?,
        })
    }

    /// Why the job cannot be done in parts, each of which sees some records, if it cannot.
    pub(crate) fn check_apart(&self) -> Result<()> {
        let refuse =
            |because: &str| Err(Error::Job(format!("this job cannot be spread over units: {because}")));
        if let Pairing::Several { .. } = self.pairing {
            return refuse(
                "several tables are numbered through, one behind the other; put them into one table first",
            );
        }
        if self.guards.most_in_block.is_some() {
            return refuse("how large a block is only the whole table tells; leave max_block out");
        }
        if self.guards.most_pairs.is_some() {
            return refuse(
                "no unit knows how many pairs others find; leave max_pairs out, and count what comes",
            );
        }
        Ok(())
    }

    /// Its tables, which are in memory.
    pub(crate) fn in_memory(&self) -> Result<Vec<Batches>> {
        let batches = |table: &Input| match table {
            Input::Memory(batches) => Ok(batches.clone()),
            Input::File(path) => Err(Error::table(path, "a sample is a table in memory, and this is a file")),
        };
        self.tables.iter().map(batches).collect()
    }

    /// Reads rules and tables, of which any may have no rows.
    pub(crate) fn read_some(&self, control: &Control) -> Result<Read> {
        self.read_even_empty(control)
    }
}

impl Carried {
    /// The job over some records of its tables.
    pub(crate) fn job(&self, tables: Vec<Batches>) -> Result<Job> {
        let mut tables = tables.into_iter().map(Input::from);
        let none = || Error::Internal("a job without a table".into());
        let (left, right) = (tables.next().ok_or_else(none)?, tables.next());
        let options = |nth: usize| ReadOptions {
            id: self.tables.get(nth).map_or(IdSource::Usual, |(_, id)| IdSource::Column(id.clone())),
            ..ReadOptions::default()
        };
        let job = Job::over(left, right, RuleSource::Text(self.rules.clone()));
        let job = job.read_options(options(0), options(1));
        let job = job.columns(self.columns.clone()).names(self.names.clone());
        Ok(Job { listed: Some(self.listed.clone()), ..job })
    }

    /// What a table is called.
    pub(crate) fn name(&self, table: usize) -> &str {
        self.tables.get(table).map_or("", |(name, _)| name)
    }
}
