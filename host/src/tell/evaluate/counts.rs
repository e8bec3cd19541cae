//! Decided pairs, counted: how many match, how many do not, and what they weigh.
//!
//! A pair that was chosen for labelling with a probability of p stands for 1/p pairs (Horvitz and Thompson, *A generalization
//! of sampling without replacement from a finite universe*, 1952). Weights are billionths and sums of them integers: the same
//! in whatever order pairs come.

use super::interval::{Estimate, Interval, Intervals};
use super::{Agreement, Matches, NONE, Truth};
use rayon::prelude::*;

/// Pairs that a thread looks up at a time.
const AT_ONCE: usize = 1 << 14;

/// What a pair weighs that stands for itself alone.
pub(super) const ONE: u64 = 1_000_000_000;

/// Pairs of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) n: u64,
    /// What they weigh, in billionths,
    pub(super) weight: u128,
    /// and the squares of that, in billionths too;
    squares: u128,
    /// the fourth powers, in millionths, as far as there is room for them.
    fourth: u128,
}

/// What fourth powers are counted in: there is room for some of pairs that stand for a hundred million others.
const MILLION: u128 = 1_000_000;

impl Sum {
    /// So many pairs that stand for themselves alone.
    pub(super) fn of(n: u64) -> Self {
        let weight = u128::from(n) * u128::from(ONE);
        Self { n, weight, squares: weight, fourth: u128::from(n) * MILLION }
    }

    pub(super) fn add(&mut self, weight: u64) {
        self.n += 1;
        self.weight += u128::from(weight);
        let square = u128::from(weight) * u128::from(weight) / u128::from(ONE);
        self.squares += square;
        let thousandths = square / MILLION;
        self.fourth = self.fourth.saturating_add(thousandths.saturating_mul(thousandths));
    }

    fn and(self, other: Self) -> Self {
        Self {
            n: self.n + other.n,
            weight: self.weight + other.weight,
            squares: self.squares + other.squares,
            fourth: self.fourth.saturating_add(other.fourth),
        }
    }

    /// Those that are left when some of them are taken away.
    fn without(self, some: Self) -> Self {
        Self {
            n: self.n.saturating_sub(some.n),
            weight: self.weight.saturating_sub(some.weight),
            squares: self.squares.saturating_sub(some.squares),
            fourth: self.fourth.saturating_sub(some.fourth),
        }
    }

    /// How many pairs they stand for, and the sums of the squares, and of the fourth powers, of what each of them stands for.
    fn plain(self) -> [f64; 3] {
        [plain(self.weight), plain(self.squares), self.fourth as f64 / MILLION as f64]
    }
}

/// A number that is in billionths.
pub(super) fn plain(billionths: u128) -> f64 {
    billionths as f64 / ONE as f64
}

/// Decided pairs that an entity has a part in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    /// Those that match.
    pub(super) found: u64,
    /// Those that do not: the weights of the entities at their other ends, in billionths.
    pub(super) wrong: u128,
}

/// Pairs so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Decided or not.
    pub(super) n_pairs: u64,
    /// Those that match.
    pub(super) found: Sum,
    /// Those that do not.
    pub(super) wrong: Sum,
    /// The same by entity, where records are labelled, and not all.
    pub(super) met: Vec<Met>,
}

impl Counts {
    /// Pairs that are decided.
    pub(super) fn n_decided(&self) -> u64 {
        self.found.n + self.wrong.n
    }

    /// Says of all pairs that were not found to match that they do not.
    pub(super) fn all_others_are_wrong(&mut self) {
        self.found = Sum::of(self.found.n);
        self.wrong = Sum::of(self.n_pairs.saturating_sub(self.found.n));
    }

    /// Those that are left when some of them are taken away.
    pub(super) fn without(mut self, some: &Self) -> Self {
        self.n_pairs = self.n_pairs.saturating_sub(some.n_pairs);
        self.found = self.found.without(some.found);
        self.wrong = self.wrong.without(some.wrong);
        for (met, some) in self.met.iter_mut().zip(&some.met) {
            met.found = met.found.saturating_sub(some.found);
            met.wrong = met.wrong.saturating_sub(some.wrong);
        }
        self
    }

    /// Those of them that match.
    pub(crate) fn n_found(&self) -> u64 {
        self.found.n
    }
}

/// What decided pairs stand for.
struct Weights {
    found: f64,
    wrong: f64,
    to_find: f64,
}

impl Truth {
    /// Takes note of some more pairs, each of which comes once.
    pub(crate) fn add<P: Sync>(
        &self,
        counts: &mut Counts,
        pairs: &[P],
        ends: impl Fn(&P) -> (u32, u32) + Sync,
    ) {
        let n_pairs = pairs.len() as u64;
        counts.n_pairs += n_pairs;
        match &self.matches {
            Matches::Labels(labels) => {
                let of = |some: &[P]| {
                    let mut sums = [Sum::default(); 2];
                    for label in some.iter().filter_map(|pair| labels.get(&self.in_order(ends(pair)))) {
                        sums[usize::from(label.is_match)].add(label.weight);
                    }
                    sums
                };
                let none = || [Sum::default(); 2];
                let both = |a: [Sum; 2], b: [Sum; 2]| [a[0].and(b[0]), a[1].and(b[1])];
                let [wrong, found] = pairs.par_chunks(AT_ONCE).map(of).reduce(none, both);
                counts.wrong = counts.wrong.and(wrong);
                counts.found = counts.found.and(found);
            }
            Matches::Entities(named) if !self.is_complete() => {
                counts.met.resize(named.of.len(), Met::default());
                for (left, right) in pairs.iter().map(ends) {
                    let (left, right) = named.ends(left, right);
                    match (left, right) {
                        (NONE, _) | (_, NONE) => {}
                        (left, right) if left == right => {
                            counts.found.n += 1;
                            counts.met[left as usize].found += 1;
                        }
                        (left, right) => {
                            counts.wrong.n += 1;
                            let weight = |entity: u32| u128::from(named.of[entity as usize].weight);
                            counts.met[left as usize].wrong += weight(right);
                            counts.met[right as usize].wrong += weight(left);
                        }
                    }
                }
            }
            _ => {
                let is_match = |pair: &&P| {
                    let (left, right) = ends(pair);
                    self.verdict(left, right) == Some(true)
                };
                let of = |some: &[P]| some.iter().filter(is_match).count() as u64;
                let n_found = pairs.par_chunks(AT_ONCE).map(of).sum();
                counts.found = counts.found.and(Sum::of(n_found));
                counts.wrong = counts.wrong.and(Sum::of(n_pairs - n_found));
            }
        }
    }

    /// How good pairs are. Of nothing, all truth says that it is worth nothing; what a part of it cannot say is no number.
    pub(crate) fn agreement(&self, counts: &Counts) -> Agreement {
        let Weights { found, wrong, to_find } = self.weights(counts);
        let of_nothing = if self.is_complete() { 0.0 } else { f64::NAN };
        let share = |of: f64| if of == 0.0 { of_nothing } else { found / of };
        Agreement::new(share(found + wrong), share(to_find))
    }

    /// Between which numbers the measures lie 19 times of 20. With all of the truth nothing is left to estimate.
    pub(super) fn intervals(&self, counts: &Counts) -> Option<Intervals> {
        let [precision, recall, both] = match &self.matches {
            _ if self.is_complete() => return None,
            Matches::Entities(_) => self.by_entity(counts),
            _ => {
                let (found, wrong) = (counts.found, counts.wrong);
                let missed = self.to_find.without(found);
                let of = |others: Sum| {
                    let n = found.n + others.n;
                    Estimate::of_pairs(found.plain(), others.plain(), n)
                };
                [of(wrong), of(missed), of(wrong.and(missed))]
            }
        };
        let both = both.filter(|_| precision.is_some() && recall.is_some());
        let interval = |estimate: Option<Estimate>| estimate.map(Estimate::interval);
        // F1 is 2s / (1 + s), where s is the share of what is found among all that was said or is right.
        let f1 = |share: f64| 2.0 * share / (1.0 + share);
        let both = interval(both).map(|Interval { low, high }| Interval { low: f1(low), high: f1(high) });
        Some(Intervals { precision: interval(precision), recall: interval(recall), f1: both })
    }

    /// How many pairs those stand for that match and are to be found.
    pub(crate) fn n_to_find(&self) -> f64 {
        self.weights(&Counts::default()).to_find
    }

    fn weights(&self, counts: &Counts) -> Weights {
        match &self.matches {
            Matches::Entities(named) if !self.is_complete() => {
                let mut sums = Weights { found: 0.0, wrong: 0.0, to_find: 0.0 };
                for [found, missed, wrong] in self.units(named, counts) {
                    sums.found += found;
                    sums.to_find += found + missed;
                    // Each has two ends.
                    sums.wrong += wrong / 2.0;
                }
                sums
            }
            _ => {
                let [found, wrong, to_find] =
                    [counts.found, counts.wrong, self.to_find].map(|sum| plain(sum.weight));
                Weights { found, wrong, to_find }
            }
        }
    }

    /// Precision, recall, and the share of what is found among all that was said or is right, by a jackknife over entities.
    fn by_entity(&self, counts: &Counts) -> [Option<Estimate>; 3] {
        let Matches::Entities(named) = &self.matches else { return [None; 3] };
        let (found, wrong) = (counts.found.n, counts.wrong.n);
        let missed = self.to_find.n.saturating_sub(found);
        let of = |with_missed: f64, with_wrong: f64, n: u64| {
            let units = self.units(named, counts);
            let units = units.map(|[found, missed, wrong]| {
                let (missed, wrong) = (missed * with_missed, wrong * with_wrong);
                // What goes if the entity goes, and what of it is its own.
                [found, missed + wrong, missed + wrong / 2.0]
            });
            Estimate::of_units(&units.collect::<Vec<_>>(), n)
        };
        [of(0.0, 1.0, found + wrong), of(1.0, 0.0, found + missed), of(1.0, 1.0, found + missed + wrong)]
    }

    /// By entity what its pairs stand for: those that are found, those that are missed, and those that are wrong, at its end.
    fn units<'a>(
        &self,
        named: &'a super::Named,
        counts: &'a Counts,
    ) -> impl Iterator<Item = [f64; 3]> + use<'a> {
        let is_one_table = self.n_right.is_none();
        named.of.iter().enumerate().map(move |(nth, entity)| {
            let Met { found, wrong } = counts.met.get(nth).copied().unwrap_or_default();
            let weight = plain(entity.weight.into());
            let missed = entity.size.n_pairs(is_one_table).saturating_sub(found);
            [weight * found as f64, weight * missed as f64, weight * plain(wrong)]
        })
    }
}
