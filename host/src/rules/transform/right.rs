//! `right`: the last characters of a value.

use super::arguments::{Apply, Argument, Parameter, ParameterKind, Takes, WithArguments};
use super::{Does, Row, Transform};
use crate::base::error::Result;
use std::borrow::Cow;

/// The last so many characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Right {
    /// At least 1.
    pub len: u32,
}

pub(super) const RIGHT: Row = Row {
    name: "right",
    also: &[],
    gives_numbers: false,
    keeps_values: false,
    does: Does::Takes(Takes {
        form: "a column and a length",
        parameters: &[Parameter { what: "the length of right", kind: ParameterKind::Count }],
        needed: 1,
        make: |given| Ok(Transform::Right(Right { len: Argument::count(given, 0).unwrap_or(1) })),
    }),
};

impl WithArguments for Right {
    fn name(&self) -> &'static str {
        RIGHT.name
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Count(self.len)]
    }

    fn ready(&self) -> Result<Apply> {
        let last = self.len as usize - 1;
        Ok(Box::new(move |value| {
            let start = value.char_indices().nth_back(last).map_or(0, |(byte, _)| byte);
            Cow::Borrowed(&value[start..])
        }))
    }
}
