//! `--previous` and `--changes`: ids of entities that survive.

use clap::Args;
use std::path::{Path, PathBuf};

/// Ids of entities that survive.
#[derive(Args, Debug)]
pub(crate) struct IdArgs {
    /// The entities as they were, such as an earlier output: an id stays with the entity that has most of its records
    ///
    /// The file has id and entity_id, and of two tables the table.
    #[arg(long, value_name = "FILE")]
    pub(super) previous: Option<PathBuf>,
    /// Where it goes what became of those ids: .csv, .tsv, .parquet or .arrow
    ///
    /// change, old_id, new_id and how many records; ids that are unchanged are left out.
    #[arg(long, value_name = "FILE", requires = "previous")]
    pub(super) changes: Option<PathBuf>,
}

impl IdArgs {
    /// What is read, with what people call it.
    pub(super) fn reads(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.previous.iter().map(|previous| ("the file of previous entities", previous.as_path()))
    }
}
