//! Operands: what rules compare of a record.
//!
//! An operand is a small tree. At its leaves are columns and constants; its branches put parts together, choose one of them,
//! or take a value away; and at each place transforms may follow. Most operands are one column under transforms, and pay for
//! nothing else. The columns are named in one list, so that whoever reads tables need not know the tree.

use super::{Domain, Transform};
use crate::base::list;
use std::sync::Arc;

/// What a rule compares of a record: what is made of some of its columns, under the transforms that are applied before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// What it is made of, each once: at least one.
    pub columns: Arc<[Column]>,
    /// How.
    pub source: Source,
    /// In the order they are applied, the innermost first.
    pub transforms: Vec<Transform>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// Its place in the table's schema.
    pub place: usize,
    /// Its name, for people.
    pub name: String,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A column, by its place among those of the operand.
    Column(usize),
    /// A column of lists, likewise.
    List(usize),
    /// A text; or a number or a date, as written.
    Constant(String, Domain),
    /// Parts, one after the other. Nothing of them is a missing value.
    Joined {
        /// At least one.
        parts: Vec<Part>,
        /// Whether a part that is missing is left out, as SQL's `concat` does; else all is missing then, as by `||`.
        skips_missing: bool,
    },
    /// The first part that is there: `coalesce`.
    Coalesce(Vec<Part>),
    /// A value, unless it is another one: `nullif`.
    NullIf {
        /// The value, and the other one.
        parts: Box<[Part; 2]>,
        /// What equal means.
        domain: Domain,
    },
    /// A latitude and a longitude, in degrees.
    Point(Box<[Part; 2]>),
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Where it comes from.
    pub source: Source,
    /// In the order they are applied.
    pub transforms: Vec<Transform>,
}

impl Operand {
    /// A column under transforms.
    pub fn column(column: Column, transforms: Vec<Transform>) -> Self {
        Self { columns: Arc::new([column]), source: Source::Column(0), transforms }
    }

    /// Whether it is a column, if only of what transforms make of it.
    pub(crate) fn is_one_column(&self) -> bool {
        matches!(self.source, Source::Column(_) | Source::List(_))
    }

    /// Whether its values are lists.
    pub(crate) fn is_list(&self) -> bool {
        are_lists(&self.source, &self.transforms)
    }

    /// Whether it is there whatever the record is: a constant stands in for what is missing.
    pub(super) fn is_always_there(&self) -> bool {
        are_always_there(&self.source, &self.transforms)
    }

    /// A value of it, for people.
    pub(crate) fn shown(&self, value: String) -> String {
        if self.is_list() { list::shown(&value) } else { value }
    }

    /// Whether both are the same but for their last transforms.
    pub(super) fn is_made_alike(&self, other: &Self) -> bool {
        self.columns == other.columns && self.source == other.source
    }

    /// The columns whose values it may be as they are.
    pub(crate) fn bare_columns(&self) -> Vec<&Column> {
        let mut places = Vec::new();
        if self.transforms.is_empty() {
            self.source.bare(&mut places);
        }
        places.into_iter().filter_map(|place| self.columns.get(place)).collect()
    }
}

impl Part {
    /// Whether its values are lists.
    pub(crate) fn is_list(&self) -> bool {
        are_lists(&self.source, &self.transforms)
    }

    /// Whether it is the same whatever the record.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self.source, Source::Constant(..))
    }
}

/// Whether something comes from there of every record, and transforms leave something of it.
fn are_always_there(source: &Source, transforms: &[Transform]) -> bool {
    let is_there = |part: &Part| are_always_there(&part.source, &part.transforms);
    let comes = match source {
        Source::Constant(text, _) => !text.is_empty(),
        Source::Coalesce(parts) | Source::Joined { parts, skips_missing: true } => parts.iter().any(is_there),
        Source::Joined { parts, skips_missing: false } => parts.iter().all(is_there),
        Source::Column(_) | Source::List(_) | Source::NullIf { .. } | Source::Point(_) => false,
    };
    comes && transforms.iter().all(Transform::keeps_values)
}

/// Whether lists come from there, or transforms make them.
fn are_lists(source: &Source, transforms: &[Transform]) -> bool {
    source.is_list() || transforms.iter().any(Transform::gives_lists)
}

impl Source {
    /// Whether it gives lists.
    pub(crate) fn is_list(&self) -> bool {
        match self {
            Self::List(_) => true,
            Self::Coalesce(parts) => parts.iter().any(Part::is_list),
            Self::NullIf { parts, .. } => parts[0].is_list(),
            Self::Point(parts) => parts.iter().any(Part::is_list),
            Self::Column(_) | Self::Constant(..) | Self::Joined { .. } => false,
        }
    }

    fn bare(&self, places: &mut Vec<usize>) {
        let mut of = |part: &Part| {
            if part.transforms.is_empty() {
                part.source.bare(places);
            }
        };
        match self {
            Self::Column(place) => places.push(*place),
            Self::Coalesce(parts) => parts.iter().for_each(of),
            Self::NullIf { parts, .. } => of(&parts[0]),
            // Whoever makes places tells of those that are none.
            Self::List(_) | Self::Constant(..) | Self::Joined { .. } | Self::Point(_) => {}
        }
    }
}
