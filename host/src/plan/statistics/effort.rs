//! Effort: how many pairs statistics look at, and how much of each value.
//!
//! What a comparison takes grows with the values, for texts with the product of their lengths. So what statistics may cost
//! is given in *steps*, about a nanosecond each, and what that allows follows from the lengths: as many pairs as are wanted
//! of ordinary values, fewer where values are long or predicates many, and of very long values beginnings alone. A clock is
//! not asked: the same job always has the same plan.

use crate::encode::Encoded;
use crate::rules::measure::{By, CostsLike, Row};
use hyperblock_shared::columns::Head;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::{Predicate, Test};

/// How much a statistic may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Enough to order predicates by: some milliseconds.
    Quick,
    /// Enough to say about how many: some tens of milliseconds.
    Fair,
    /// Enough to tell people numbers.
    Thorough,
}

impl Effort {
    /// Draws from each stratum that are wanted.
    fn n_draws(self) -> usize {
        match self {
            Self::Quick => 256,
            Self::Fair => 2048,
            Self::Thorough => 16_384,
        }
    }

    /// Values of a domain that are put into buckets, if there are buckets of so many domains.
    pub(super) fn most_values(self, n_domains: usize) -> usize {
        match self {
            Self::Quick => ((1 << 14) / n_domains.max(1)).clamp(1 << 9, 1 << 11),
            Self::Fair => ((1 << 16) / n_domains.max(1)).clamp(1 << 11, 1 << 13),
            Self::Thorough => 1 << 15,
        }
    }

    /// Records of a table that are looked at, if so many of its columns are; of more, as many are drawn.
    pub(super) fn most_records(self, n_columns: usize) -> usize {
        match self {
            Self::Quick => ((1 << 16) / n_columns.max(1)).clamp(1 << 11, 1 << 13),
            Self::Fair => ((1 << 20) / n_columns.max(1)).clamp(1 << 14, 1 << 17),
            Self::Thorough => usize::MAX,
        }
    }

    /// Steps in all, for draws and once more for the sample of all pairs.
    fn n_steps(self) -> f64 {
        match self {
            Self::Quick => 5e6,
            Self::Fair => 2e8,
            Self::Thorough => 4e10,
        }
    }
}

/// Values of a column whose lengths are looked at.
const N_MEASURED: usize = 1 << 8;
/// Pairs in the sample of all pairs that are wanted, and at least.
const SAMPLE: usize = 1024;
const LEAST_SAMPLE: usize = 32;
/// Draws from a stratum at least.
const LEAST_DRAWS: usize = 8;
/// Strata of a similarity.
const N_STRATA: usize = 3;
/// Symbols or tokens of a value that are compared where all of it is too much; where that is too much as well, as few as
/// this.
const BEGINNING: u32 = 256;
const SHORTEST_BEGINNING: u32 = 16;
/// Steps for a pair whatever its values are, and if they need not be looked at; for a symbol of one text with 64 of the
/// other; and for a token of each of two sets.
const PAIR: f64 = 40.0;
const CODES: f64 = 40.0;
const BLOCK: f64 = 16.0;
const TOKEN: f64 = 8.0;

/// What is spent on what.
pub(super) struct Spending {
    /// By predicate: the draws from each of its strata.
    pub(super) n_draws: Vec<usize>,
    /// Pairs in the sample of all pairs.
    pub(super) n_sampled: usize,
    /// Draws from a stratum that a whole path is walked for.
    pub(super) n_walks: usize,
    /// How many symbols or tokens of a value are looked at: of symbols so many that they fill words.
    pub(super) longest: u32,
}

impl Spending {
    pub(super) fn new(encoded: &Encoded, effort: Effort) -> Self {
        let lengths = Lengths::of(encoded);
        let costs = |most: u32| -> Vec<f64> {
            encoded.predicates.iter().map(|predicate| lengths.steps(predicate, most)).collect()
        };
        let sum = |costs: &[f64], n: usize| n as f64 * costs.iter().sum::<f64>();
        let n_steps = effort.n_steps();
        // Beginnings of a fair length first; then as few pairs as must be; then shorter beginnings.
        let mut most = lengths.longest.next_multiple_of(SHORTEST_BEGINNING);
        let shorter = |most: u32| (most / 2).next_multiple_of(SHORTEST_BEGINNING);
        while most > BEGINNING && sum(&costs(most), N_STRATA * effort.n_draws()) > n_steps {
            most = shorter(most);
        }
        while most > SHORTEST_BEGINNING && sum(&costs(most), LEAST_SAMPLE) > n_steps {
            most = shorter(most);
        }
        let costs = costs(most);
        let affordable = |steps: f64, cost: f64| (steps / cost.max(1.0)) as usize;
        let whole = costs.iter().sum::<f64>();
        Self {
            n_draws: draws(&costs, n_steps, effort.n_draws()),
            n_sampled: affordable(n_steps, whole).clamp(LEAST_SAMPLE, SAMPLE),
            // Each predicate may be what its pairs are drawn by.
            n_walks: affordable(n_steps, whole * (N_STRATA * costs.len()).max(1) as f64)
                .clamp(LEAST_DRAWS, effort.n_draws()),
            longest: most,
        }
    }
}

/// By predicate: how often to draw from each stratum. What the cheap ones leave goes to the others.
fn draws(costs: &[f64], mut n_steps: f64, wanted: usize) -> Vec<usize> {
    let mut by_cost: Vec<usize> = (0..costs.len()).collect();
    by_cost.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    let mut draws = vec![0; costs.len()];
    for (done, ix) in by_cost.into_iter().enumerate() {
        let a_draw = N_STRATA as f64 * costs[ix];
        let share = n_steps / (costs.len() - done) as f64;
        draws[ix] = ((share / a_draw) as usize).clamp(LEAST_DRAWS, wanted);
        n_steps = (n_steps - draws[ix] as f64 * a_draw).max(0.0);
    }
    draws
}

/// The mean lengths of the values of each column, and the longest of all.
struct Lengths {
    longest: u32,
    texts: Vec<f64>,
    sets: Vec<f64>,
}

impl Lengths {
    fn of(encoded: &Encoded) -> Self {
        let mean = |heads: &[Head]| {
            let seen = || heads.iter().step_by(heads.len().div_ceil(N_MEASURED).max(1));
            seen().map(|head| f64::from(head.len)).sum::<f64>() / seen().count().max(1) as f64
        };
        let texts = encoded.texts.iter().map(|texts| texts.longest);
        Self {
            longest: texts.chain(encoded.sets.iter().map(|sets| sets.longest)).max().unwrap_or(0),
            texts: encoded.texts.iter().map(|texts| mean(&texts.heads)).collect(),
            sets: encoded.sets.iter().map(|sets| mean(&sets.heads)).collect(),
        }
    }

    /// Steps to decide a predicate on a pair, if no more than so many symbols or tokens of a value are looked at.
    fn steps(&self, predicate: &Predicate, most: u32) -> f64 {
        let Test::Compare { measure, .. } = predicate.test else { return CODES };
        match measure {
            Measure::Equal | Measure::Within { .. } | Measure::Near { .. } => CODES,
            Measure::Sets { sets, .. } => PAIR + TOKEN * self.sets[sets as usize].min(f64::from(most)),
            Measure::Texts { texts, by, .. } => {
                let len = self.texts[texts as usize].min(f64::from(most));
                let is_linear =
                    Row::of(By::Texts(by)).is_some_and(|row| row.costs_like == CostsLike::Hamming);
                PAIR + if is_linear { len } else { BLOCK * len * (len / 64.0).ceil() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_cheap_ones_leave_goes_to_the_others() {
        assert_eq!(draws(&[10.0, 10.0], 1e6, 256), [256, 256]);
        assert_eq!(draws(&[1e3, 10.0], 306_000.0, 100), [100, 100]);
        assert_eq!(draws(&[1e9, 10.0], 1e6, 256), [LEAST_DRAWS, 256]);
    }
}
