//! A join by a key: records on which all equalities of a branch hold, by a hash join or by a sweep in the order of keys.

use super::overlap::OverlapMethod;
use crate::plan::work::{PerPair, Unit, Work};
use crate::plan::{AccessChoice, JoinChoice, ScanOptions};
use rkyv::{Archive, Deserialize, Serialize};
use serde_json::{Value, json};

/// Records are joined by equalities.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct KeyPath {
    /// The equalities.
    pub equalities: Vec<u32>,
    /// How records with the same key are found.
    pub method: KeyMethod,
    /// What heavy keys are screened by, if they are.
    pub inner: Option<Inner>,
}

/// How records with the same key are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub enum KeyMethod {
    /// By a hash join.
    Hash,
    /// By a sweep over records in the order of their keys.
    Sweep,
}

/// Rows that are swept sooner than they are partitioned.
const FEW_ROWS: usize = 1 << 14;
/// Pairs for each row, above which some keys must have very many: one block of threads would join them.
const PAIRS_PER_ROW: u64 = 64;

impl KeyMethod {
    /// For records with the same value, of which so many rows have so many pairs: that is known only once they are listed.
    pub(crate) fn of_same(n_rows: usize, n_pairs: u64, options: &ScanOptions) -> Self {
        let is_forced = matches!(options.join, JoinChoice::Skew | JoinChoice::Plain);
        let is_swept = n_rows < FEW_ROWS || n_pairs > PAIRS_PER_ROW * n_rows as u64;
        let is_pinned = options.access == AccessChoice::Sweep;
        if is_pinned || is_swept && !is_forced { Self::Sweep } else { Self::Hash }
    }
}

/// What heavy keys are swept by, or joined by what values have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub struct Inner {
    /// The predicate.
    pub lead: u32,
    /// How pairs are found, if it does not sweep: by tokens.
    pub overlap: Option<OverlapMethod>,
}

/// What a key's pairs come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyPairs {
    /// Records of both sides with a key.
    pub(crate) n_records: f64,
    /// Pairs of light keys, and of the one of them that has most.
    pub(crate) n_pairs: f64,
    pub(crate) most: f64,
    /// Records with heavy keys, those keys, and what is done with them.
    pub(crate) n_heavy: f64,
    pub(crate) n_heavy_keys: f64,
    pub(crate) heavy: Work,
}

impl KeyPath {
    /// What it takes: keys are numbered, and their pairs are joined or swept.
    pub(crate) fn work(method: KeyMethod, pairs: &KeyPairs, (unit, per_pair): PerPair) -> Work {
        let KeyPairs { n_records, n_pairs, most, n_heavy, heavy, .. } = *pairs;
        let n_light = n_records - n_heavy;
        let found = match method {
            KeyMethod::Hash => Work::of([
                (Unit::Join, 1.0),
                (Unit::Joined, n_light),
                (Unit::Paired, n_pairs),
                (Unit::Heaviest, most),
            ]),
            KeyMethod::Sweep => {
                Work::of([(Unit::Sweep, 1.0), (Unit::Listed, n_light), (Unit::Item, n_light)])
            }
        };
        let decided =
            Work::of([(Unit::Keyed, n_records), (Unit::Passed, n_pairs), (unit, n_pairs * per_pair)]);
        found + decided + heavy
    }

    pub(super) fn describe(&self, predicate: &dyn Fn(u32) -> String) -> String {
        let Self { equalities, method, inner } = self;
        let on = equalities.iter().map(|&ix| predicate(ix)).collect::<Vec<_>>().join(" AND ");
        let how = match method {
            KeyMethod::Hash => "hash join on",
            KeyMethod::Sweep => "sweep by key of",
        };
        let heavy = inner.iter().map(|Inner { lead, overlap }| match overlap {
            None => format!(", heavy keys swept by {}", predicate(*lead)),
            Some(method) => format!(", heavy keys joined by {} of {}", method.for_people(), predicate(*lead)),
        });
        format!("{how} {on}{}", heavy.collect::<String>())
    }

    pub(super) fn json(&self, predicate: &dyn Fn(u32) -> String) -> Value {
        let Self { equalities, method, inner } = self;
        let inner = inner.as_ref().map(|Inner { lead, overlap }| {
            json!({ "lead": predicate(*lead), "found_by": overlap.map_or("sweep", OverlapMethod::for_people) })
        });
        json!({
            "type": match method {
                KeyMethod::Hash => "hash join",
                KeyMethod::Sweep => "sweep by key",
            },
            "on": equalities.iter().map(|&ix| predicate(ix)).collect::<Vec<_>>(),
            "heavy_keys": inner,
        })
    }
}
