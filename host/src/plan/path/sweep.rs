//! A sweep: items in the order of a lead, each with those within its reach, through a screen.

use crate::plan::work::{PerPair, Unit, Work};
use rkyv::{Archive, Deserialize, Serialize};
use serde_json::{Value, json};

/// Items are swept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct SweepPath {
    /// The predicate that orders and screens them, if there is one.
    pub lead: Option<u32>,
}

/// How much a sweep has to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepCounts {
    /// Records of both lists, and items that they are.
    pub(crate) n_records: f64,
    pub(crate) n_items: f64,
    /// Pairs of items that are screened.
    pub(crate) n_screened: f64,
    /// Pairs of records or of items that are verified.
    pub(crate) n_verified: f64,
}

impl SweepPath {
    /// What it takes, if verifying a pair takes that.
    pub(crate) fn work(counts: &SweepCounts, per_pair: PerPair) -> Work {
        Work::of([(Unit::Sweep, 1.0)]) + Self::work_within(counts, per_pair)
    }

    /// The same as a part of a sweep that is begun anyhow.
    pub(crate) fn work_within(counts: &SweepCounts, (unit, per_pair): PerPair) -> Work {
        let SweepCounts { n_records, n_items, n_screened, n_verified } = *counts;
        Work::of([
            (Unit::Listed, n_records),
            (Unit::Item, n_items),
            (Unit::Screened, n_screened),
            (Unit::Passed, n_verified),
            (unit, n_verified * per_pair),
        ])
    }

    pub(super) fn describe(&self, predicate: &dyn Fn(u32) -> String) -> String {
        match self.lead {
            None => "sweep without a lead".into(),
            Some(lead) => format!("sweep led by {}", predicate(lead)),
        }
    }

    pub(super) fn json(&self, predicate: &dyn Fn(u32) -> String) -> Value {
        json!({ "type": "sweep", "lead": self.lead.map(predicate) })
    }
}
