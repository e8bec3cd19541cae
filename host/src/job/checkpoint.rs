//! Which job it is: what the runs that a checkpoint keeps depend on.

use super::Prepared;
use crate::base::error::{Error, Result};
use crate::base::stamp::Stamp;
use crate::operators::Backend;
use crate::plan::PortablePlan;
use crate::read::table::Words;
use crc32fast::hash;
use std::fmt::Write;
use std::path::Path;

impl Prepared {
    /// Names the job: files, rules, plan, costs, sizes, places and program. Whatever else has the same name is cut into the same
    /// tasks, and they come to the same runs.
    #[doc(hidden)]
    pub fn identity(&self, device: &dyn Backend) -> Result<String> {
        let mut name = format!("hyperblock {}\n{}\n", env!("CARGO_PKG_VERSION"), device.name());
        let mut add = |what: &str, said: &dyn std::fmt::Debug| {
            let _ = writeln!(name, "{what} {said:?}");
        };
        for table in [Some(&self.left), self.second()].into_iter().flatten() {
            for path in table.files() {
                add("table", &of_file(path)?);
            }
            add("ids", &(table.n_records(), table.ids.text(0)));
            // Rules name columns, and these say which of a table's own they are.
            add("columns", &table.called);
        }
        if !self.tables().is_empty() {
            add("together", &(self.tables(), self.left.across().is_some()));
        }
        for rule in &self.plan.rules {
            add("rule", &rule.to_string());
            // What is looked up is told by its content.
            if !self.lookups.is_empty() {
                add("of", &rule.conjunctions);
            }
        }
        if self.missing != Words::default() {
            add("missing", &self.missing);
        }
        let plan = PortablePlan::of(&self.plan).to_bytes()?;
        add("plan", &(hash(&plan), plan.len()));
        add("options", &self.plan.program().options());
        add("costs", &(self.plan.rates, &self.plan.costs));
        add("guards", &(self.guards, &self.left_out));
        add("records", &(self.encoded.n_left, self.encoded.n_right, self.names_rules));
        Ok(name)
    }
}

/// The stamp of a table's file.
fn of_file(path: &Path) -> Result<Stamp> {
    let no_file = "a job over a table that is no file cannot be resumed; write the table to a file first";
    if !path.exists() {
        return Err(Error::table(path, no_file));
    }
    Stamp::of(path)?.ok_or_else(|| Error::table(path, no_file))
}
