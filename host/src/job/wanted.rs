//! What is wanted of the tables: the columns that the rule file asks for, those that are wanted beside ids, and how they are read.

use super::beside::Beside;
use crate::read::table::{IdSource, ReadOptions};
use crate::rules::Side;

/// What is wanted of the tables.
pub(crate) struct Wanted {
    /// The columns that the rule file asks for, by table, in lower case and sorted.
    pub(super) columns: [Vec<String>; 2],
    /// How each table is read: as the job says, and the rule file.
    pub(super) options: Vec<ReadOptions>,
    /// In how many passes they are read, if there is no memory for all of their text at once.
    pub(super) passes: Option<usize>,
    /// The columns that are wanted beside ids, and the sides of each table.
    pub(super) beside: Vec<Beside>,
    pub(super) sides: [&'static [Side]; 2],
}

impl Wanted {
    /// Whether a column is read where all that is wanted of a table is read at once.
    pub(super) fn reads(&self, table: usize, name: &str) -> bool {
        let beside = || self.beside.iter().any(|beside| beside.wants(self.sides[table], name));
        is_wanted(&self.columns[table], name) || beside()
    }

    /// Where the ids of a table come from; of several that are one, those of all of them.
    pub(super) fn ids(&self, table: usize) -> Vec<&IdSource> {
        let is_one = self.sides[1].is_empty();
        let own = self.options.iter().enumerate().filter(|(nth, _)| is_one || *nth == table);
        own.map(|(_, options)| &options.id).collect()
    }
}

/// Whether a column is one of those.
pub(super) fn is_wanted(wanted: &[String], name: &str) -> bool {
    wanted.binary_search(&name.to_ascii_lowercase()).is_ok()
}
