//! That records of one source stayed apart, for people and for programs.

use crate::read::sources::Sources;
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;

/// That records of one source stayed apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The column that says where records are from.
    pub column: String,
    /// Pairs that were not followed because of it: those of one source, and those that would have brought two records of one
    /// source into an entity.
    pub n_refused: u64,
}

impl Apart {
    /// By these sources.
    pub fn new(sources: &Sources, n_refused: u64) -> Self {
        Self { column: sources.column().to_owned(), n_refused }
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "column": self.column, "pairs_not_followed": self.n_refused })
    }
}

/// Goes on from what a method does.
impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, n_refused } = self;
        write!(f, "; no two records of one `{column}`: {} pairs not followed", HumanCount(*n_refused))
    }
}
