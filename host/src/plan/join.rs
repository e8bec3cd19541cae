//! What an equi-join is given: columns of keys, and what to do about heavy ones.

use crate::base::names::expected;
use strum::{Display, EnumString, VariantNames};

/// A column of keys. [`hyperblock_shared::join::MISSING`] joins nothing.
#[derive(Clone, Copy, Debug)]
pub struct KeyColumn<'a> {
    /// By place.
    pub keys: &'a [u32],
    /// By place: the number of the row. If there are none, the place is the number.
    pub rows: Option<&'a [u32]>,
}

/// What is done about heavy keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum JoinMethod {
    /// They are found, and joined apart.
    #[default]
    Skew,
    /// Nothing: all keys are alike.
    Plain,
}
