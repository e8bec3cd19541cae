//! `substr` and `left`: characters from the front or the middle of a value.

use super::arguments::{Apply, Argument, Parameter, ParameterKind, Takes, WithArguments};
use super::{Does, Row, Transform};
use crate::base::error::Result;
use std::borrow::Cow;

/// `len` characters (all, if `None`) from the one at `from`, counted from 1. `left(x, n)` is one of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Substr {
    /// At least 1.
    pub from: u32,
    /// At least 1.
    pub len: Option<u32>,
}

pub(super) const SUBSTR: Row = Row {
    name: "substr",
    also: &[],
    gives_numbers: false,
    keeps_values: false,
    does: Does::Takes(Takes {
        form: "a column, a start and perhaps a length",
        parameters: &[
            Parameter { what: "the start of substr", kind: ParameterKind::Count },
            Parameter { what: "the length of substr", kind: ParameterKind::Count },
        ],
        needed: 1,
        make: |given| {
            // `substring(x for n)` has no start.
            let from = Argument::count(given, 0).unwrap_or(1);
            Ok(Transform::Substr(Substr { from, len: Argument::count(given, 1) }))
        },
    }),
};

/// A name of its own where people are told of all functions: so many know it.
pub(super) const SUBSTRING: Row = Row { name: "substring", ..SUBSTR };

pub(super) const LEFT: Row = Row {
    name: "left",
    also: &[],
    gives_numbers: false,
    keeps_values: false,
    does: Does::Takes(Takes {
        form: "a column and a length",
        parameters: &[Parameter { what: "the length of left", kind: ParameterKind::Count }],
        needed: 1,
        make: |given| Ok(Transform::Substr(Substr { from: 1, len: Argument::count(given, 0) })),
    }),
};

impl WithArguments for Substr {
    fn name(&self) -> &'static str {
        SUBSTR.name
    }

    fn arguments(&self) -> Vec<Argument> {
        [Some(self.from), self.len].into_iter().flatten().map(Argument::Count).collect()
    }

    fn ready(&self) -> Result<Apply> {
        let Self { from, len } = *self;
        Ok(Box::new(move |value| {
            let start = byte_of(value, from - 1);
            let end = len.map_or(value.len(), |len| byte_of(value, (from - 1).saturating_add(len)));
            Cow::Borrowed(&value[start..end])
        }))
    }
}

/// Where the character at `ix` starts, or the end.
fn byte_of(value: &str, ix: u32) -> usize {
    value.char_indices().nth(ix as usize).map_or(value.len(), |(byte, _)| byte)
}
