//! Evaluation: candidates against the truth, and entities against it.
//!
//! ```text
//! pairs (id_a, id_b)             all that match: no other pair does
//! entities (id, entity_id)       who is who: pairs of records that are named are decided
//! labels (id_a, id_b, label)     what is known of some pairs: these are decided
//! ```
//!
//! Of several tables that are one it may say which table each id is of (`source_a` and `source_b`, or `source`); where pairs within
//! a table do not count, they are no pairs here either ([`across`]).
//!
//! Truth that decides only a part of the pairs is measured against by that part alone: what no label decides is neither right
//! nor wrong. What the part says of the whole has an interval then ([`interval`]).

mod across;
mod agreement;
mod counts;
mod entities;
mod file;
mod interval;
mod labels;
mod several;
#[cfg(test)]
mod tests;
mod told;

pub use agreement::Agreement;
pub use entities::EntityQuality;
pub use interval::{Interval, Intervals};

pub(crate) use counts::Counts;
pub(crate) use interval::wilson;
pub(crate) use told::{Beside, Told, cell, percent};

use counts::{ONE, Sum, plain};
use entities::Size;
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::layout::Candidate;

/// Which pairs are really the same thing, as far as that is known.
#[derive(Debug)]
pub struct Truth {
    matches: Matches,
    /// Decided pairs that match.
    to_find: Sum,
    coverage: Coverage,
    /// Candidates so far.
    counts: Counts,
    n_left: u32,
    /// Right records, if there are two tables.
    n_right: Option<u32>,
    /// Where several tables are one, and pairs are of different ones alone: where the records of each end.
    ends: Vec<u32>,
}

#[derive(Debug)]
enum Matches {
    /// From a file of `id_a, id_b`.
    Pairs(HashSet<(u32, u32)>),
    /// From a file of `id, entity_id`.
    Entities(Named),
    /// From a file of `id_a, id_b, label`: the pairs that are decided.
    Labels(HashMap<(u32, u32), Label>),
}

/// What is known of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    is_match: bool,
    /// How many pairs it stands for, in billionths.
    weight: u64,
}

/// The entity of each left and each right record; of one table both are the same.
#[derive(Debug)]
struct Named {
    left: Vec<u32>,
    right: Vec<u32>,
    of: Vec<Known>,
}

/// An entity.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Its records that are named.
    size: Size,
    /// How many entities it stands for, in billionths.
    weight: u64,
}

impl Named {
    fn ends(&self, left: u32, right: u32) -> (u32, u32) {
        let of = |entities: &[u32], record: u32| entities.get(record as usize).copied().unwrap_or(NONE);
        (of(&self.left, left), of(&self.right, right))
    }
}

/// No entity: the truth does not name the record.
const NONE: u32 = u32::MAX;

/// What labels cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Pairs that are decided.
    pub n_decided: u64,
    /// Records that are named, if only in a pair that is decided.
    pub n_named: u64,
    /// All records.
    pub n_records: u64,
    /// Rows of the truth that name an id which is in no table; they count for nothing.
    pub n_unknown: u64,
    /// Whether all pairs are decided, because the truth is about all records.
    pub is_complete: bool,
}

/// How good the candidates are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Decided pairs that match.
    pub n_matches: u64,
    /// Candidates that match.
    pub n_found: u64,
    /// Found matches among all matches.
    pub recall: f64,
    /// Found matches among all candidates that are decided.
    pub precision: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Rows of the truth that name an id which is in no table; they count for nothing.
    pub n_unknown: u64,
    /// Candidates, and those of them that are decided.
    pub n_candidates: u64,
    /// See `n_candidates`.
    pub n_decided: u64,
    /// What the truth covers.
    pub coverage: Coverage,
    /// Where the measures lie, if the truth covers a part.
    pub intervals: Option<Intervals>,
}

impl Truth {
    /// What it says of a left and a right record: whether they match, or nothing.
    pub fn verdict(&self, left: u32, right: u32) -> Option<bool> {
        if !self.is_apart(left, right) {
            return None;
        }
        match &self.matches {
            Matches::Pairs(pairs) => Some(pairs.contains(&self.in_order((left, right)))),
            Matches::Entities(named) => match named.ends(left, right) {
                (NONE, _) | (_, NONE) => None,
                (left, right) => Some(left == right),
            },
            Matches::Labels(labels) => labels.get(&self.in_order((left, right))).map(|label| label.is_match),
        }
    }

    /// What it covers.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// All decided pairs that match, in order.
    pub fn matching_pairs(&self) -> Vec<[u32; 2]> {
        let mut all = match &self.matches {
            Matches::Pairs(pairs) => {
                let pairs = pairs.iter().filter(|(left, right)| self.is_apart(*left, *right));
                pairs.map(|&(left, right)| [left, right]).collect()
            }
            Matches::Labels(labels) => {
                let matching = labels.iter().filter(|(_, label)| label.is_match);
                matching.map(|(&(left, right), _)| [left, right]).collect()
            }
            Matches::Entities(Named { left, right, .. }) => {
                let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
                for (record, &entity) in (0..).zip(right).filter(|(_, entity)| **entity != NONE) {
                    members.entry(entity).or_default().push(record);
                }
                let is_one_table = self.n_right.is_none();
                let mut all = Vec::new();
                for (record, entity) in (0..).zip(left) {
                    let others = members.get(entity).map(Vec::as_slice).unwrap_or_default();
                    let others = others.iter().filter(|other| !is_one_table || record < **other);
                    let others = others.filter(|other| self.is_apart(record, **other));
                    all.extend(others.map(|&other| [record, other]));
                }
                all
            }
        };
        all.sort_unstable();
        all
    }

    /// Which share of all pairs matches. Labels of pairs do not say that: nobody labels pairs as they come.
    pub(crate) fn share_of_matches(&self) -> Option<f64> {
        let share = |matching: f64, all: f64| if all == 0.0 { 0.0 } else { matching / all };
        match &self.matches {
            Matches::Labels(_) => None,
            Matches::Entities(named) if !self.is_complete() => {
                let is_one_table = self.n_right.is_none();
                let matching =
                    |known: &Known| plain(known.weight.into()) * known.size.n_pairs(is_one_table) as f64;
                let matching = named.of.iter().map(matching).sum::<f64>();
                Some(share(matching, matching + self.between(&named.of, &named.left)))
            }
            _ => Some(share(self.to_find.n as f64, self.coverage.n_decided as f64)),
        }
    }

    /// How many they are.
    pub(crate) fn n_matches(&self) -> u64 {
        self.to_find.n
    }

    /// Takes note of candidates.
    pub fn count(&mut self, candidates: &[Candidate]) {
        let mut counts = std::mem::take(&mut self.counts);
        self.add(&mut counts, candidates, |candidate| (candidate.left, candidate.right));
        self.counts = counts;
    }

    /// How good the candidates are that were counted.
    pub fn quality(&self) -> Quality {
        let Agreement { precision, recall, f1 } = self.agreement(&self.counts);
        Quality {
            n_matches: self.to_find.n,
            n_found: self.counts.n_found(),
            recall,
            precision,
            f1,
            n_unknown: self.coverage.n_unknown,
            n_candidates: self.counts.n_pairs,
            n_decided: self.counts.n_decided(),
            coverage: self.coverage,
            intervals: self.intervals(&self.counts),
        }
    }

    /// How many pairs one stands for that is decided.
    pub(crate) fn weight(&self, left: u32, right: u32) -> f64 {
        let weight = match &self.matches {
            Matches::Pairs(_) => ONE,
            Matches::Labels(labels) => {
                labels.get(&self.in_order((left, right))).map_or(ONE, |label| label.weight)
            }
            Matches::Entities(named) => {
                let (left, right) = named.ends(left, right);
                let weight =
                    |entity: u32| named.of.get(entity as usize).map_or(1.0, |it| plain(it.weight.into()));
                return if left == right { weight(left) } else { weight(left) * weight(right) };
            }
        };
        plain(weight.into())
    }

    fn is_complete(&self) -> bool {
        self.coverage.is_complete
    }

    /// A pair as it is known: of one table, either way round is the same.
    fn in_order(&self, (left, right): (u32, u32)) -> (u32, u32) {
        if self.n_right.is_none() { (left.min(right), left.max(right)) } else { (left, right) }
    }
}
