//! A first rule file for tables that nobody has written rules for: it runs as it is, and says of each part why it is there.
//!
//! 1. The tables are read and profiled ([`crate::inspect::profile`]). What is written where nothing is known goes to `[missing]`.
//! 2. Columns get a role by what is in them: `role`. Ids and sources are not compared. Of two tables, columns that go together are
//!    found: `matching`, `compared`.
//! 3. Each column is measured by its role, and counts as many bits as it tells: `score`.
//! 4. Rules are thought of, `keys`, tried on a `sample`, and chosen within a budget of candidates: `choose`.
//! 5. All of it is written down: `text`, `sql`.
//!
//! Nothing is drawn at random: the same tables have the same draft.

mod choose;
mod compared;
mod keys;
mod matching;
mod role;
mod sample;
mod score;
mod sql;
mod text;

use crate::base::control::Control;
use crate::base::error::Result;
use crate::inspect::profile::Profile;
use crate::operators::Backend;
use crate::read::table::{Input, ReadOptions, Table, Words};
use choose::choose;
use compared::Columns;
use sample::Sample;
pub use score::METHOD;
use std::path::Path;
use text::{Missing, file, head};

/// Drafts the rule file for pairs within a table, or across two: each comes with how it is read. It says how it is run by its `name`.
/// Rules are tried on `device`.
pub fn draft(
    tables: &[(Input, ReadOptions)],
    name: &Path,
    device: &dyn Backend,
    control: &Control,
) -> Result<String> {
    control.guard(|| {
        let mut read = Vec::new();
        let mut profiles = Vec::new();
        for (input, options) in tables {
            let table = Table::of_input(input, options, &|_| true, control)?.with_rows()?;
            profiles.push(Profile::of(&table, control)?);
            read.push(table);
        }
        let options: Vec<ReadOptions> = tables.iter().map(|(_, options)| options.clone()).collect();
        let mut ids = Vec::new();
        for (table, options) in read.iter().zip(&options) {
            ids.push(table.id_column(&options.id)?);
        }
        for (profile, id) in profiles.iter_mut().zip(&ids) {
            if let Some(place) = id {
                profile.columns[*place].is_id = true;
            }
        }
        // Without the words for nothing, columns are others.
        let missing = Missing::of(&profiles);
        let words = Words::new(missing.words.clone(), missing.by_column.clone());
        for (table, profile) in read.iter_mut().zip(&mut profiles) {
            if table.take_out(&words, control) {
                let before = profile.columns.iter().position(|column| column.is_id);
                *profile = Profile::of(table, control)?;
                if let Some(place) = before {
                    profile.columns[place].is_id = true;
                }
            }
        }
        let columns = Columns::of(&read, &profiles, &ids)?;
        let head = head(&columns, &missing, &read);
        let sample = Sample::new(&read, &columns.compared, head.clone(), device, control)?;
        let chosen = choose(&read, &columns.compared, &sample, control)?;
        Ok(file(&read, name, &options, &columns, &head, &chosen))
    })
}
