//! An overlap join: values that have enough elements in common, through an index of rare ones or by their signatures.

use crate::base::sphere::RADIUS_KM;
use crate::encode::grid::Grid;
use crate::plan::work::{PerPair, Unit, Work};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::{Predicate, Test};
use rkyv::{Archive, Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// Values are joined by what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct OverlapPath {
    /// The predicate.
    pub lead: u32,
    /// What values have in common.
    pub elements: ElementKind,
    /// How pairs are found.
    pub method: OverlapMethod,
}

/// What values have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum ElementKind {
    /// Tokens of sets.
    Tokens,
    /// q-grams of texts, of so many symbols.
    Grams(u32),
    /// Cells of a grid of so many metres from south to north; none, if all of the sphere is one cell.
    Cells(Option<u32>),
}

/// How pairs of values are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum OverlapMethod {
    /// Through an index of the rarest elements of one side.
    Index,
    /// By going over the signatures of all pairs whose sizes go together.
    Dense,
}

/// How much an overlap join has to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OverlapCounts {
    /// Records of both lists, and values that they have.
    pub(crate) n_records: f64,
    pub(crate) n_values: f64,
    /// Pairs of values.
    pub(crate) n_pairs: f64,
    /// Pairs of blocks that it is done in.
    pub(crate) n_blocks: f64,
    /// Pairs of short values, which are swept beside it.
    pub(crate) n_swept: f64,
    /// Pairs of records that are decided.
    pub(crate) n_passed: f64,
    /// Of a value, on average: its elements, and those that are posted or looked up.
    pub(crate) elements: f64,
    pub(crate) postings: f64,
    /// Of a pair of values, on average: how often one is found, how often they are near enough for their signatures to be
    /// compared, and the elements that are compared after an index and after signatures.
    pub(crate) hits: f64,
    pub(crate) near: f64,
    pub(crate) compared: f64,
    pub(crate) compared_if_near: f64,
}

impl OverlapPath {
    /// What it takes, if deciding a pair of records takes that.
    pub(crate) fn work(method: OverlapMethod, counts: &OverlapCounts, (unit, per_pair): PerPair) -> Work {
        let OverlapCounts { n_records, n_values, n_pairs, n_blocks, n_swept, n_passed, .. } = *counts;
        let beside = Work::of([
            (Unit::Sweep, 1.0),
            (Unit::Screened, n_swept),
            (Unit::Listed, n_records),
            (Unit::Item, n_values),
            (Unit::Block, n_blocks),
            (Unit::Passed, n_passed),
            (unit, n_passed * per_pair),
        ]);
        beside + Self::finding(method, counts, n_pairs, n_values)
    }

    /// What the values of a group take, which are joined apart from all others: so many left and right.
    pub(crate) fn work_within(
        method: OverlapMethod,
        counts: &OverlapCounts,
        [left, right]: [f64; 2],
    ) -> Work {
        Work::of([(Unit::Group, 1.0)]) + Self::finding(method, counts, left * right, left + right)
    }

    /// What it takes to find the pairs among so many of so many values.
    fn finding(method: OverlapMethod, counts: &OverlapCounts, n_pairs: f64, n_values: f64) -> Work {
        let OverlapCounts { elements, postings, hits, near, compared, compared_if_near, .. } = *counts;
        let gathered = Work::of([(Unit::Element, elements * n_values)]);
        gathered
            + match method {
                OverlapMethod::Index => Work::of([
                    (Unit::Posting, postings * n_values),
                    (Unit::Hit, hits * n_pairs),
                    (Unit::Compared, compared * n_pairs),
                ]),
                OverlapMethod::Dense => {
                    Work::of([(Unit::Near, near * n_pairs), (Unit::Compared, compared_if_near * n_pairs)])
                }
            }
    }

    pub(super) fn describe(&self, predicate: &dyn Fn(u32) -> String) -> String {
        let Self { lead, elements, method } = self;
        format!("overlap join by {} of {elements} for {}", method.for_people(), predicate(*lead))
    }

    pub(super) fn json(&self, predicate: &dyn Fn(u32) -> String) -> Value {
        let Self { lead, elements, method } = self;
        json!({
            "type": "overlap join",
            "lead": predicate(*lead),
            "elements": elements.to_string(),
            "found_by": method.for_people(),
        })
    }
}

impl OverlapMethod {
    /// What pairs of values are found by.
    pub fn for_people(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Dense => "signatures",
        }
    }
}

impl ElementKind {
    /// Symbols of a q-gram, if it is one.
    pub fn grams(self) -> Option<u32> {
        match self {
            Self::Grams(q) => Some(q),
            Self::Tokens | Self::Cells(_) => None,
        }
    }

    /// What the values of a predicate's measure have in common: q-grams of so many symbols, if that is what they are.
    pub(crate) fn of(predicate: &Predicate, grams: Option<u32>) -> Self {
        match (predicate.test, grams) {
            (_, Some(q)) => Self::Grams(q),
            (Test::Compare { measure: Measure::Near { most, .. }, .. }, None) => {
                let metres = |height: f64| (height * RADIUS_KM * 1e3).round() as u32;
                Self::Cells(Grid::new(most, 0).height().map(metres))
            }
            (_, None) => Self::Tokens,
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tokens => f.write_str("tokens"),
            Self::Grams(1) => f.write_str("symbols"),
            Self::Grams(q) => write!(f, "{q}-grams"),
            Self::Cells(None) => f.write_str("the one cell of a grid"),
            Self::Cells(Some(metres @ ..100)) => write!(f, "cells of a grid of {metres} m"),
            Self::Cells(Some(metres)) => write!(f, "cells of a grid of {:.1} km", f64::from(metres) / 1e3),
        }
    }
}
