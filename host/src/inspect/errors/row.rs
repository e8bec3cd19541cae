//! An error, before it is put into words.

use crate::tell::errors::Cause;

/// A pair that is missed, or wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct ErrorRow {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) cause: Cause,
    /// The rule that is to be named, if one is: by its place among rules and neighbourhoods.
    pub(super) rule: Option<u32>,
    /// The conjunction that nearly held, if one is to be told of.
    pub(super) conjunction: Option<u32>,
    /// As the score is handed on.
    pub(super) score: u32,
}
