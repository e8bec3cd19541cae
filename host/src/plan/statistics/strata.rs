//! Strata: all pairs on which a predicate can hold, in parts from which pairs can be drawn.
//!
//! To count the pairs that meet some condition among billions, draw from where they are. An equality says where: among
//! the records with equal values. A similarity says where many are: among equal values and among values that share a
//! bucket; the rest, drawn from everywhere, is one more part, so that no pair is left out and estimates lean to neither
//! side. A pair that several tables of buckets hold is weighed by their number (Karp and Luby, *Monte-Carlo algorithms
//! for enumeration and reliability problems*, FOCS 1983). Of large tables some records are drawn first, and the pairs are
//! those among them: shares of pairs are the same there, but for chance.

use super::Effort;
use super::buckets::Buckets;
use super::frequencies::Frequencies;
use super::minhash::{self, Keys};
use crate::base::gather::Gather;
use crate::base::random::Random;
use crate::encode::{CodeColumn, Encoded};
use crate::plan::sweep::drawn;
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::Test;
use rayon::prelude::*;
use std::sync::Arc;

/// A pair of records, and what share of its stratum's total one draw of it stands for.
pub(super) struct Drawn {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) weight: f64,
}

/// Where pairs are drawn from.
pub(super) enum Stratum {
    /// All pairs of the job.
    All,
    /// Pairs with equal values, or with numbers within reach: for each left code the right records that go with it.
    Ranges(Arc<Ranges>),
    /// Pairs with different values that share a bucket.
    Shared(Similar),
    /// Pairs with different values that share none.
    Elsewhere(Similar),
}

/// For each left code, a range of right codes.
pub(super) struct Ranges {
    operands: Operands,
    /// By place of a left code: the pairs up to and with it.
    pairs: Vec<u64>,
    /// By place of a left code: the first right record, in the order of codes, that goes with it.
    from: Vec<u64>,
    /// By place of a left code: how many do.
    len: Vec<u64>,
}

#[derive(Clone)]
pub(super) struct Similar {
    of: BucketsOf,
    operands: Operands,
    buckets: Arc<Buckets>,
}

/// The operands of a comparison.
#[derive(Clone)]
struct Operands {
    left: u32,
    right: u32,
    lefts: Arc<Frequencies>,
    rights: Arc<Frequencies>,
    /// Whether what holds of a pair also holds with left and right exchanged.
    symmetric: bool,
}

/// What strata are made of, made once.
pub(super) struct Population<'a> {
    pub(super) encoded: &'a Encoded,
    one_table: bool,
    effort: Effort,
    /// By table: the records that are looked at, if not all are.
    some: [Option<Vec<u32>>; 2],
    /// By operand.
    frequencies: Vec<Arc<Frequencies>>,
    /// By operands, left and right: the pairs with equal values.
    equals: HashMap<(u32, u32), Arc<Ranges>>,
    buckets: HashMap<BucketsOf, Arc<Buckets>>,
}

/// Whose buckets: those of texts or of sets, by their place, as two operands have them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BucketsOf {
    Texts(u32, u32, u32),
    Sets(u32, u32, u32),
}

impl BucketsOf {
    /// Where values that are alike by a measure are looked for, if it is a similarity.
    fn of(left: u32, right: u32, measure: Measure) -> Option<Self> {
        match measure {
            Measure::Equal | Measure::Within { .. } => None,
            Measure::Texts { texts, .. } => Some(Self::Texts(texts, left, right)),
            Measure::Sets { sets, .. } | Measure::Near { cells: sets, .. } => {
                Some(Self::Sets(sets, left, right))
            }
        }
    }

    fn operands(self) -> [u32; 2] {
        let (Self::Texts(_, left, right) | Self::Sets(_, left, right)) = self;
        [left, right]
    }

    /// The keys of a value, or `None` for a set without tokens.
    fn keys(self, encoded: &Encoded, code: u32) -> Option<Keys> {
        match self {
            Self::Texts(ix, ..) => Some(minhash::of_text(&encoded.texts(ix), code)),
            Self::Sets(ix, ..) => {
                let sets = encoded.sets(ix);
                (sets.heads[code as usize].len > 0).then(|| minhash::of_set(&sets, code))
            }
        }
    }
}

impl Similar {
    /// In how many tables two values share a bucket.
    fn n_shared(&self, encoded: &Encoded, left: u32, right: u32) -> usize {
        let keys = |code| self.buckets.keys(code).copied().or_else(|| self.of.keys(encoded, code));
        match (keys(left), keys(right)) {
            (Some(left), Some(right)) => {
                left.iter().zip(right).filter(|(left, right)| **left == *right).count()
            }
            _ => 0,
        }
    }
}

impl<'a> Population<'a> {
    pub(super) fn new(encoded: &'a Encoded, one_table: bool, effort: Effort) -> Self {
        let most = effort.most_records(encoded.codes.len());
        let some = [encoded.n_left as usize, encoded.n_right as usize]
            .map(|n_records| (n_records > most).then(|| drawn(n_records, most)));
        let (frequencies, equals, buckets) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { encoded, one_table, effort, some, frequencies, equals, buckets }
    }

    /// Makes what strata are made of, once.
    pub(super) fn prepare(&mut self) {
        let (encoded, some) = (self.encoded, &self.some);
        if self.frequencies.len() == encoded.codes.len() {
            return;
        }
        let frequencies = |(operand, column): (usize, &CodeColumn)| match &some[column.table] {
            None => Arc::new(Frequencies::of(encoded, operand as u32)),
            Some(some) => Arc::new(Frequencies::of_some(encoded, operand as u32, some)),
        };
        self.frequencies = encoded.codes.par_iter().enumerate().map(frequencies).gather();
        let (mut equals, mut buckets) = (HashSet::new(), HashSet::new());
        for predicate in &encoded.predicates {
            if let Test::Compare { left, right, measure } = predicate.test {
                equals.insert((left, right));
                buckets.extend(BucketsOf::of(left, right, measure));
            }
        }
        let equals: Vec<(u32, u32)> = equals.into_iter().collect();
        let of_equals = |&(left, right): &(u32, u32)| {
            ((left, right), Arc::new(Ranges::of_equals(self.operands(left, right, true))))
        };
        let equals: HashMap<_, _> = equals.par_iter().map(of_equals).gather().into_iter().collect();
        let buckets: Vec<BucketsOf> = buckets.into_iter().collect();
        let most_values = self.effort.most_values(buckets.len());
        let of_values = |&of: &BucketsOf| {
            let [left, right] = of.operands().map(|operand| &*self.frequencies[operand as usize]);
            (of, Arc::new(Buckets::new(left, right, most_values, |code| of.keys(encoded, code))))
        };
        let buckets: HashMap<_, _> = buckets.par_iter().map(of_values).gather().into_iter().collect();
        (self.equals, self.buckets) = (equals, buckets);
    }

    /// Whether all records are looked at.
    pub(super) fn is_whole(&self) -> bool {
        self.some.iter().all(Option::is_none)
    }

    /// The pairs of the records that are looked at.
    pub(super) fn n_pairs(&self) -> f64 {
        let n =
            |side: usize, all: u32| self.some[side].as_ref().map_or(f64::from(all), |some| some.len() as f64);
        self.pairs_of([n(0, self.encoded.n_left), n(1, self.encoded.n_right)])
    }

    /// The pairs of the job.
    pub(super) fn all_pairs(&self) -> f64 {
        self.pairs_of([self.encoded.n_left, self.encoded.n_right].map(f64::from))
    }

    fn pairs_of(&self, [left, right]: [f64; 2]) -> f64 {
        if self.one_table { left * (right - 1.0).max(0.0) / 2.0 } else { left * right }
    }

    fn operands(&self, left: u32, right: u32, is_mutual: bool) -> Operands {
        let [lefts, rights] = [left, right].map(|operand| self.frequencies[operand as usize].clone());
        Operands { left, right, lefts, rights, symmetric: left == right && is_mutual }
    }

    /// The strata that together hold every pair on which a test can succeed.
    pub(super) fn strata(&self, test: &Test) -> Vec<Stratum> {
        let Test::Compare { left, right, measure } = *test else { return vec![Stratum::All] };
        if let Measure::Within { reaches } = measure {
            let operands = self.operands(left, right, false);
            return vec![Stratum::Ranges(Arc::new(Ranges::of_reaches(
                operands,
                self.encoded.reaches(reaches),
            )))];
        }
        let equals = Stratum::Ranges(self.equals[&(left, right)].clone());
        let Some(of) = BucketsOf::of(left, right, measure) else { return vec![equals] };
        let operands = self.operands(left, right, true);
        let similar = Similar { of, buckets: self.buckets[&of].clone(), operands };
        vec![equals, Stratum::Shared(similar.clone()), Stratum::Elsewhere(similar)]
    }

    /// The total that the weights of a stratum's draws are shares of.
    pub(super) fn total(&self, stratum: &Stratum) -> f64 {
        match stratum {
            Stratum::All => self.n_pairs(),
            Stratum::Ranges(ranges) => ranges.n_pairs() as f64,
            Stratum::Shared(similar) => similar.buckets.n_pairs(),
            Stratum::Elsewhere(similar) => {
                let Operands { lefts, rights, .. } = &similar.operands;
                lefts.n_present() as f64 * rights.n_present() as f64
            }
        }
    }

    /// Every pair of the job.
    pub(super) fn every(&self) -> impl Iterator<Item = Drawn> {
        let (n_left, n_right, one_table) = (self.encoded.n_left, self.encoded.n_right, self.one_table);
        let rights = move |left: u32| if one_table { left + 1..n_right } else { 0..n_right };
        (0..n_left).flat_map(move |left| rights(left).map(move |right| Drawn { left, right, weight: 1.0 }))
    }

    /// Draws a pair. `None` if this draw gave no pair of the job: then it counts as one without weight.
    pub(super) fn draw(&self, stratum: &Stratum, random: &mut Random) -> Option<Drawn> {
        match stratum {
            // No rule may be about any record.
            _ if self.n_pairs() == 0.0 => None,
            Stratum::All => {
                let left = random.below(self.encoded.n_left.into()) as u32;
                if !self.one_table {
                    let right = random.below(self.encoded.n_right.into()) as u32;
                    return Some(Drawn { left, right, weight: 1.0 });
                }
                // One of the other records.
                let right =
                    random.below(u64::from(self.encoded.n_right.checked_sub(1).filter(|&n| n > 0)?)) as u32;
                let right = right + u32::from(right >= left);
                Some(Drawn { left: left.min(right), right: left.max(right), weight: 1.0 })
            }
            Stratum::Ranges(ranges) => {
                let (left, right) = ranges.draw(random)?;
                self.oriented(left, right, 1.0, &ranges.operands)
            }
            Stratum::Shared(similar) => {
                let (l, r) = similar.buckets.draw(random)?;
                let n_shared = similar.n_shared(self.encoded, l, r);
                if l == r || n_shared == 0 {
                    return None;
                }
                let Operands { lefts, rights, .. } = &similar.operands;
                let (left, right) = (lefts.draw(l, random), rights.draw(r, random));
                self.oriented(left, right, 1.0 / n_shared as f64, &similar.operands)
            }
            Stratum::Elsewhere(similar) => {
                let Operands { left, right, lefts, rights, .. } = &similar.operands;
                if lefts.n_present() == 0 || rights.n_present() == 0 {
                    return None;
                }
                let l = lefts.record(random.below(lefts.n_present()));
                let r = rights.record(random.below(rights.n_present()));
                let (code_l, code_r) =
                    (self.encoded.codes(*left)[l as usize], self.encoded.codes(*right)[r as usize]);
                if code_l == code_r || similar.n_shared(self.encoded, code_l, code_r) > 0 {
                    return None;
                }
                self.oriented(l, r, 1.0, &similar.operands)
            }
        }
    }

    /// An ordered pair as one of the job. Of one table, each unordered pair counts once: what is symmetric was drawn either
    /// way round, else only the way round counts that the job has it.
    fn oriented(&self, left: u32, right: u32, weight: f64, operands: &Operands) -> Option<Drawn> {
        if !self.one_table {
            return Some(Drawn { left, right, weight });
        }
        match left.cmp(&right) {
            std::cmp::Ordering::Equal => None,
            _ if operands.symmetric => {
                Some(Drawn { left: left.min(right), right: left.max(right), weight: weight / 2.0 })
            }
            std::cmp::Ordering::Less => Some(Drawn { left, right, weight }),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// The share of the job's pairs in which both values are there.
    pub(super) fn present(&self, left: u32, right: u32) -> f64 {
        let share = |operand: u32| {
            let of = &self.frequencies[operand as usize];
            of.n_present() as f64 / of.n_records().max(1) as f64
        };
        share(left) * share(right)
    }

    /// The pairs of a stratum of ranges, exactly, but for the way round of pairs of two columns of one table.
    pub(super) fn count(&self, ranges: &Ranges) -> f64 {
        let all = ranges.n_pairs() as f64;
        if !self.one_table {
            return all;
        }
        let Operands { left, right, ref lefts, .. } = ranges.operands;
        let [left, right] = [left, right].map(|operand| self.encoded.codes(operand));
        let with_itself = |&&record: &&u32| {
            let (l, r) = (left[record as usize], right[record as usize]);
            r != MISSING && ranges.holds(l, r)
        };
        let with_itself = lefts.records().iter().filter(with_itself).count();
        (all - with_itself as f64) / 2.0
    }
}

impl Ranges {
    fn of_equals(operands: Operands) -> Self {
        Self::new(operands, |code| code..code + 1)
    }

    fn of_reaches(operands: Operands, reaches: &[hyperblock_shared::columns::Reach]) -> Self {
        Self::new(operands, |code| {
            let reach = reaches[code as usize];
            reach.from..reach.upto
        })
    }

    fn new(operands: Operands, range: impl Fn(u32) -> std::ops::Range<u32>) -> Self {
        let Operands { lefts, rights, .. } = &operands;
        let (mut pairs, mut from, mut len, mut sum) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for place in 0..lefts.n_places() {
            let range = range(lefts.code(place));
            let (start, end) = (rights.before(range.start), rights.before(range.end));
            sum += lefts.count_at(place) * (end - start);
            pairs.push(sum);
            from.push(start);
            len.push(end - start);
        }
        Self { operands, pairs, from, len }
    }

    fn n_pairs(&self) -> u64 {
        self.pairs.last().copied().unwrap_or(0)
    }

    fn draw(&self, random: &mut Random) -> Option<(u32, u32)> {
        let place = random.below(Some(self.n_pairs()).filter(|&n| n > 0)?);
        let code = self.pairs.partition_point(|&pairs| pairs <= place);
        let Operands { lefts, rights, .. } = &self.operands;
        let right = rights.record(self.from[code] + random.below(self.len[code]));
        Some((lefts.draw(lefts.code(code), random), right))
    }

    /// Whether two codes go together, of which each has a place.
    fn holds(&self, left: u32, right: u32) -> bool {
        let Operands { lefts, rights, .. } = &self.operands;
        // By the records' places: a code stands for the records from `before(code)` on.
        let (place, left) = (rights.before(right), lefts.place(left));
        let from = self.from[left];
        place >= from && place < from + self.len[left]
    }
}
