//! What a value is made of: one column, or columns and constants put together.

use super::Constant;
use crate::rules::Transform;
use std::ops::Range;

/// What is compared: a value of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Made {
    pub(in crate::rules) from: From,
    /// The innermost first.
    pub(in crate::rules) transforms: Vec<Transform>,
    /// The tables that its own transforms look values up in, and where they are named.
    pub(in crate::rules) files: Vec<(String, Range<usize>)>,
    /// All of it.
    pub(in crate::rules) span: Range<usize>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) enum From {
    Column(String),
    Constant(Constant),
    /// Parts, one after the other: those that are there, or, if not `skips_missing`, all of them or nothing.
    Joined {
        parts: Vec<Made>,
        skips_missing: bool,
    },
    /// The first that is there.
    Coalesce(Vec<Made>),
    /// The first, unless it is the second.
    NullIf(Box<[Made; 2]>),
    /// A latitude and a longitude.
    Point(Box<[Made; 2]>),
}

impl Made {
    pub(super) fn column(name: String, span: Range<usize>) -> Self {
        Self { from: From::Column(name), transforms: Vec::new(), files: Vec::new(), span }
    }

    /// The names of its columns, in the order in which they stand there.
    pub(in crate::rules) fn columns(&self) -> Vec<&str> {
        match &self.from {
            From::Column(name) => vec![name],
            _ => self.parts().iter().flat_map(Self::columns).collect(),
        }
    }

    /// All tables that values are looked up in, and where they are named.
    pub(in crate::rules) fn all_files(&self) -> Vec<(&str, Range<usize>)> {
        let own = self.files.iter().map(|(file, span)| (file.as_str(), span.clone()));
        self.parts().iter().flat_map(Self::all_files).chain(own).collect()
    }

    fn parts(&self) -> &[Self] {
        match &self.from {
            From::Column(_) | From::Constant(_) => &[],
            From::Joined { parts, .. } | From::Coalesce(parts) => parts,
            From::NullIf(parts) | From::Point(parts) => &parts[..],
        }
    }
}
