//! `split`: a text becomes a list of what stands between separators.

use super::arguments::{Apply, Argument, Parameter, ParameterKind, Takes, Unfit, WithArguments};
use super::{Does, Row, Transform};
use crate::base::error::Result;
use crate::base::list::list;
use std::borrow::Cow;

/// The parts of a text, without the white space at both ends of each; those of which nothing is left are none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Split {
    /// What stands between two of them: at least one character.
    pub separator: String,
}

pub(super) const SPLIT: Row = Row {
    name: "split",
    also: &["string_split", "str_split"],
    gives_numbers: false,
    keeps_values: false,
    does: Does::Takes(Takes {
        form: "a column and a separator",
        parameters: &[Parameter { what: "the separator of split", kind: ParameterKind::Text }],
        needed: 1,
        make: |given| match Argument::text(given, 0) {
            Some(separator) if !separator.is_empty() => {
                Ok(Transform::Split(Split { separator: separator.to_owned() }))
            }
            _ => Err(Unfit {
                place: 0,
                message: "the separator of split is empty".to_owned(),
                help: "write what stands between two elements: split(l.phones, ';')",
            }),
        },
    }),
};

impl WithArguments for Split {
    fn name(&self) -> &'static str {
        SPLIT.name
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Text(self.separator.clone())]
    }

    fn ready(&self) -> Result<Apply> {
        let separator = self.separator.clone();
        Ok(Box::new(move |value| Cow::Owned(list(value.split(&separator).map(str::trim).collect()))))
    }
}
