//! The join of a branch: two lists of keys, and what is still to be decided for records that have the same one.

use crate::base::error::Result;
use crate::plan::ScanOptions;
use crate::plan::join::{JoinMethod, KeyColumn};
use crate::plan::path::KeyMethod;
use crate::plan::sweep::Sweep;
use hyperblock_shared::sweep::{Order, Settings};
use std::sync::Arc;

/// Records with a key that joins something.
#[derive(Clone, Debug, Default)]
pub struct KeyList {
    /// By place.
    pub keys: Vec<u32>,
    /// By place: the record.
    pub rows: Vec<u32>,
}

impl KeyList {
    /// As a join takes it.
    pub fn side(&self) -> KeyColumn<'_> {
        KeyColumn { keys: &self.keys, rows: Some(&self.rows) }
    }
}

/// A branch's join, ready for a backend.
#[derive(Clone, Debug)]
pub struct KeyJoin {
    /// The left list.
    pub left: Arc<KeyList>,
    /// The right list; the very same one if pairs are unordered.
    pub right: Arc<KeyList>,
    /// The branch, as a sweep has it. Its lead is one of the equalities, and it is decided.
    pub settings: Settings,
    /// What is done about keys that very many records have.
    pub method: JoinMethod,
    /// How records with the same key are found.
    pub found_by: KeyMethod,
    /// The equalities that make the key, by their places among the path's predicates.
    pub predicates: Vec<u32>,
    /// Whether the key is a value, under the lead: a similarity, which holds on equal values.
    pub is_same_value: bool,
    /// How many keys there are.
    pub n_keys: u32,
    /// How many pairs of records have the same one.
    pub n_pairs: u64,
}

impl KeyJoin {
    /// Which pairs of records count.
    pub fn order(&self) -> Order {
        self.settings.order
    }

    /// The same pairs as a sweep over records in the order of their keys.
    pub fn as_sweep(&self, options: &ScanOptions) -> Result<Sweep> {
        let lists = [&self.left, &self.right].map(|list| (&list.keys[..], &list.rows[..]));
        Sweep::by_code(lists, self.settings, options)
    }
}
