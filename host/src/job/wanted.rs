//! What is wanted of the tables: the columns that the rule file asks for, and how they are read.

use crate::read::table::ReadOptions;

/// What is wanted of the tables.
pub(crate) struct Wanted {
    /// The columns that the rule file asks for, by table, in lower case and sorted.
    pub(super) columns: [Vec<String>; 2],
    /// How each table is read: as the job says, and the rule file.
    pub(super) options: Vec<ReadOptions>,
    /// In how many passes they are read, if there is no memory for all of their text at once.
    pub(super) passes: Option<usize>,
}

/// Whether a column is one of those.
pub(super) fn is_wanted(wanted: &[String], name: &str) -> bool {
    wanted.binary_search(&name.to_ascii_lowercase()).is_ok()
}
