//! Columns that are ready before all are: whoever needs them elsewhere may take them there meanwhile.
//!
//! An array is shared, so that it stays where it is for as long as somebody knows it by its address.

use hyperblock_shared::columns::{Head, Point};
use std::sync::Arc;

/// An array that nobody changes any more.
#[derive(Clone, Debug)]
pub enum Ready {
    /// Codes, or tokens.
    Halves(Arc<Vec<u32>>),
    /// Packed symbols.
    Words(Arc<Vec<u64>>),
    /// The heads of values.
    Heads(Arc<Vec<Head>>),
    /// Points by code.
    Points(Arc<Vec<Point>>),
}

impl Ready {
    /// Whether nobody else has it: those whom it was made for have made another one of it.
    pub fn is_last(&self) -> bool {
        1 == match self {
            Self::Halves(array) => Arc::strong_count(array),
            Self::Words(array) => Arc::strong_count(array),
            Self::Heads(array) => Arc::strong_count(array),
            Self::Points(array) => Arc::strong_count(array),
        }
    }
}

/// Takes columns that are ready.
pub type TakeReady<'a> = &'a (dyn Fn(Ready) + Sync);
