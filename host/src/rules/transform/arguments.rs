//! What a transform takes after the value: how it is asked for, what was given, and what was wrong with it.

use super::{Transform, quoted};
use crate::base::error::Result;
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// A transform that takes arguments. Its file has all of it: its row, how it is made, printed and applied.
pub(crate) trait WithArguments {
    /// The name of its function.
    fn name(&self) -> &'static str;

    /// What its function takes after the value, so that the row's `make` gives the same transform.
    fn arguments(&self) -> Vec<Argument>;

    /// The function itself.
    fn ready(&self) -> Result<Apply>;
}

/// A transform, ready to be applied to many values.
pub(crate) type Apply = Box<dyn Fn(&str) -> Cow<'_, str> + Send + Sync>;

/// The function of a transform that takes arguments.
pub(crate) struct Takes {
    /// For people who gave it something else.
    pub(crate) form: &'static str,
    /// What stands after the value.
    pub(crate) parameters: &'static [Parameter],
    /// How many of them must be there.
    pub(crate) needed: usize,
    /// The transform with these arguments, of which there are as many as parameters, each of its kind.
    pub(crate) make: fn(&[Option<Argument>]) -> std::result::Result<Transform, Unfit>,
}

/// One argument of a function.
pub(crate) struct Parameter {
    /// For people: `the length of left`.
    pub(crate) what: &'static str,
    pub(crate) kind: ParameterKind,
}

pub(crate) enum ParameterKind {
    /// A whole number from 1 up.
    Count,
    Text,
}

/// What was given for a [`Parameter`].
pub(crate) enum Argument {
    Count(u32),
    Text(String),
}

impl Argument {
    /// The number given at `place`, if any.
    pub(super) fn count(given: &[Option<Self>], place: usize) -> Option<u32> {
        match given.get(place) {
            Some(Some(Self::Count(count))) => Some(*count),
            _ => None,
        }
    }

    /// The text given at `place`, if any.
    pub(super) fn text(given: &[Option<Self>], place: usize) -> Option<&str> {
        match given.get(place) {
            Some(Some(Self::Text(text))) => Some(text),
            _ => None,
        }
    }
}

impl Display for Argument {
    /// As SQL.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Text(text) => f.write_str(&quoted(text)),
        }
    }
}

/// An argument of the right kind that a transform cannot take.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// Which parameter.
    pub(crate) place: usize,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}
