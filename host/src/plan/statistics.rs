//! Statistics: how many pairs a predicate lets through, and what pairs look like.
//!
//! The share sp(p) of pairs on which a predicate holds is exact for equalities, numeric differences and marks, which
//! follow from frequencies; for similarities it is estimated from buckets of alike values and a seeded sample
//! ([`strata`] says how). A sample of all pairs, with the outcome of every predicate on each, tells how predicates go
//! together. Where there are no more pairs than that, all of them are looked at, and every share is counted. What that may
//! cost is known beforehand ([`effort`]): of many predicates fewer pairs are drawn, and of long values beginnings are
//! compared ([`shortened`]). Nothing here decides anything about a pair: a plan made from poor
//! statistics is slow, never wrong.

mod buckets;
mod columns;
mod effort;
mod frequencies;
mod minhash;
mod shortened;
mod strata;

pub use columns::ColumnStatistics;
pub use effort::Effort;

use crate::base::error::{Error, Result};
use crate::base::random::Random;
use crate::encode::Encoded;
use effort::Spending;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::path::{Branch, Observer, Path, Walk};
use hyperblock_shared::predicate::{Predicate, Test};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;
use rkyv::util::AlignedVec;
use shortened::Shortened;
use strata::{Drawn, Population, Stratum};

/// Every plan of the same job sees the same sample.
const SEED: u64 = 0x6879_7065_7262_6c6b;

/// What is known of a job's predicates.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// By predicate: the share of pairs on which it holds.
    pub selectivity: Vec<f64>,
    /// By predicate: whether that share was counted, not estimated.
    pub counted: Vec<bool>,
    /// By predicate: a bit for each pair of a sample of all pairs, or of all where they are few, 64 a word.
    pub outcomes: Vec<Vec<u64>>,
    /// How many pairs that sample has.
    pub n_sampled: usize,
    /// The pairs of the job.
    pub n_pairs: f64,
}

/// The pairs of an encoding, ready to be asked.
pub struct Pairs<'a> {
    population: Population<'a>,
    /// What predicates are decided on.
    values: Shortened<'a>,
    archive: AlignedVec,
    scratch: Vec<u64>,
    spending: Spending,
}

impl<'a> Pairs<'a> {
    /// The pairs of an encoding of two tables, or of `one_table` with itself.
    pub fn new(encoded: &'a Encoded, one_table: bool, effort: Effort) -> Result<Self> {
        // Behind the predicates, their tests without negation.
        let tests = encoded.predicates.iter().map(|predicate| Predicate { negated: false, ..*predicate });
        let predicates: Vec<_> = encoded.predicates.iter().copied().chain(tests).collect();
        let path = Path { predicates: &predicates, steps: &[] };
        let archive = rkyv::to_bytes::<rkyv::rancor::Error>(&path)
            .map_err(|error| Error::Internal(format!("the predicates cannot be archived: {error}")))?;
        let scratch = vec![0; scratch_words(encoded.longest()) as usize];
        let spending = Spending::new(encoded, effort);
        Ok(Self {
            population: Population::new(encoded, one_table, effort.most_values()),
            values: Shortened::new(encoded, spending.longest),
            archive,
            scratch,
            spending,
        })
    }

    /// The statistics of all predicates.
    pub fn statistics(&mut self) -> Result<Statistics> {
        let Self { population, values, archive, scratch, spending } = self;
        // Checked once: with thousands of predicates that takes longer than a comparison.
        let mut asking = Asking { population, values, walk: walk(archive)?, scratch, spending };
        let n_pairs = asking.population.n_pairs();
        let n_predicates = asking.population.encoded.predicates.len();
        let (outcomes, n_sampled) = asking.outcomes();
        let selectivity = |ix: usize| match asking.are_few() && asking.values.are_whole() {
            true => {
                let n_holding: u32 = outcomes[ix].iter().map(|word: &u64| word.count_ones()).sum();
                (f64::from(n_holding) / n_pairs.max(1.0), true)
            }
            false => asking.selectivity(ix),
        };
        let all = (0..n_predicates).map(selectivity);
        let (selectivity, counted) = all.map(|(share, exact)| (share.clamp(0.0, 1.0), exact)).unzip();
        Ok(Statistics { selectivity, counted, outcomes, n_sampled, n_pairs })
    }

    /// By step of a path: how many pairs will pass it. `prefixes` gives for each step the predicates that hold on every
    /// pair that passes it.
    pub fn passing(&mut self, path: Walk<'_>, prefixes: &[Vec<u32>]) -> Vec<f64> {
        if self.population.n_pairs() <= self.spending.n_walks as f64 {
            return self.counted(path, prefixes.len());
        }
        let encoded = self.population.encoded;
        let drives = |predicate: u32| {
            let predicate = encoded.predicates[predicate as usize];
            !predicate.negated && matches!(predicate.test, Test::Compare { .. })
        };
        let mut best: Vec<Option<Estimate>> = vec![None; prefixes.len()];
        // From everywhere first; then from where each predicate holds, for the steps behind it.
        let mut drivers: Vec<u32> =
            prefixes.iter().flatten().copied().filter(|&predicate| drives(predicate)).collect();
        drivers.sort_unstable();
        drivers.dedup();
        for driver in std::iter::once(None).chain(drivers.into_iter().map(Some)) {
            let strata = match driver {
                None => vec![Stratum::All],
                Some(driver) => self.population.strata(&encoded.predicates[driver as usize].test),
            };
            let estimates = self.walked(path, prefixes.len(), &strata, driver);
            for (ix, estimate) in estimates.into_iter().enumerate() {
                let behind = driver.is_none_or(|driver| prefixes[ix].contains(&driver));
                if behind && best[ix].is_none_or(|best| estimate.error() < best.error()) {
                    best[ix] = Some(estimate);
                }
            }
        }
        best.into_iter().map(|estimate| estimate.map_or(0.0, |estimate| estimate.pairs)).collect()
    }

    /// How many pairs pass each step, of so few that all are walked.
    fn counted(&mut self, path: Walk<'_>, n_steps: usize) -> Vec<f64> {
        let (mut counts, mut passed) = (vec![0.0; n_steps], Passed(Vec::new()));
        for Drawn { left, right, .. } in self.population.every() {
            passed.0.clear();
            path.witness(Branch::WHOLE, &self.values, left, right, self.scratch.as_mut_slice(), &mut passed);
            passed.0.iter().for_each(|&step| counts[step as usize] += 1.0);
        }
        counts
    }

    fn walked(
        &mut self,
        path: Walk<'_>,
        n_steps: usize,
        strata: &[Stratum],
        driver: Option<u32>,
    ) -> Vec<Estimate> {
        let mut estimates = vec![Estimate::default(); n_steps];
        let mut random = Random::new(SEED ^ 0xffff ^ u64::from(driver.unwrap_or(u32::MAX)));
        let n_draws = self.spending.n_walks;
        let mut passed = Passed(Vec::new());
        for stratum in strata {
            let mut sums = vec![(0.0, 0.0); n_steps];
            for _ in 0..n_draws {
                let Some(drawn) = self.population.draw(stratum, &mut random) else { continue };
                passed.0.clear();
                let scratch = self.scratch.as_mut_slice();
                path.witness(Branch::WHOLE, &self.values, drawn.left, drawn.right, scratch, &mut passed);
                for &step in &passed.0 {
                    let (sum, squares) = &mut sums[step as usize];
                    *sum += drawn.weight;
                    *squares += drawn.weight * drawn.weight;
                }
            }
            let (total, n) = (self.population.total(stratum), n_draws as f64);
            for (estimate, (sum, squares)) in estimates.iter_mut().zip(sums) {
                let mean = sum / n;
                estimate.pairs += total * mean;
                // A stratum in which nothing was met may still hold about as much as one draw stands for.
                let variance = if sum > 0.0 { squares / n - mean * mean } else { 1.0 / n };
                estimate.variance += total * total * variance / n;
            }
        }
        estimates
    }
}

/// The pairs of an encoding, being asked: what is looked at, and what that takes.
struct Asking<'a, 'b> {
    population: &'b mut Population<'a>,
    values: &'b Shortened<'a>,
    walk: Walk<'b>,
    scratch: &'b mut [u64],
    spending: &'b Spending,
}

impl Asking<'_, '_> {
    /// Whether there are no more pairs than would be drawn.
    fn are_few(&self) -> bool {
        self.population.n_pairs() <= self.spending.n_sampled as f64
    }

    /// The share of pairs on which a predicate holds, and whether it was counted.
    fn selectivity(&mut self, ix: usize) -> (f64, bool) {
        let n_pairs = self.population.n_pairs();
        let encoded = self.population.encoded;
        let predicate = encoded.predicates[ix];
        if n_pairs == 0.0 {
            return (0.0, true);
        }
        let marked = |marks: u32, n_records: u32| {
            let bits = &encoded.marks[marks as usize].bits;
            let n_marked: u32 = bits.iter().map(|word| word.count_ones()).sum();
            (f64::from(n_marked) / f64::from(n_records), true)
        };
        let (left, right, measure) = match predicate.test {
            Test::Left { marks } => return marked(marks, encoded.n_left),
            Test::Right { marks } => return marked(marks, encoded.n_right),
            Test::Compare { left, right, measure } => (left, right, measure),
        };
        let strata = self.population.strata(&predicate.test);
        let (share, exact) = match (measure, strata.as_slice()) {
            (Measure::Equal | Measure::Within { .. }, [Stratum::Ranges(ranges)]) => {
                (self.population.count(ranges) / n_pairs, true)
            }
            _ => (self.estimate(&strata, ix) / n_pairs, false),
        };
        (if predicate.negated { self.population.present(left, right) - share } else { share }, exact)
    }

    /// The number of pairs on which the test of a predicate, not its negation, succeeds.
    fn estimate(&mut self, strata: &[Stratum], ix: usize) -> f64 {
        let test = (self.population.encoded.predicates.len() + ix) as u32;
        let mut random = Random::new(SEED ^ ix as u64);
        let n_draws = self.spending.n_draws[ix];
        let mut pairs = 0.0;
        for stratum in strata {
            let mut sum = 0.0;
            for _ in 0..n_draws {
                let Some(drawn) = self.population.draw(stratum, &mut random) else { continue };
                if self.values.holds(self.walk, test, drawn.left, drawn.right, self.scratch) {
                    sum += drawn.weight;
                }
            }
            pairs += self.population.total(stratum) * sum / n_draws as f64;
        }
        pairs
    }

    /// The outcome of every predicate on a sample of all pairs.
    fn outcomes(&mut self) -> (Vec<Vec<u64>>, usize) {
        let mut random = Random::new(SEED);
        let draw = |_| self.population.draw(&Stratum::All, &mut random);
        let sample: Vec<_> = match self.are_few() {
            true => self.population.every().collect(),
            false => (0..self.spending.n_sampled).filter_map(draw).collect(),
        };
        let encoded = self.population.encoded;
        let mut outcomes = vec![vec![0; sample.len().div_ceil(64)]; encoded.predicates.len()];
        let (values, walk) = (self.values, self.walk);
        let scratch = || vec![0; self.scratch.len()];
        outcomes.par_iter_mut().enumerate().for_each_init(scratch, |scratch, (predicate, bits)| {
            for (place, drawn) in sample.iter().enumerate() {
                let holds = values.holds(walk, predicate as u32, drawn.left, drawn.right, scratch);
                bits[place / 64] |= u64::from(holds) << (place % 64);
            }
        });
        (outcomes, sample.len())
    }
}

/// A number of pairs, and how far off it may be.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    pairs: f64,
    variance: f64,
}

impl Estimate {
    /// Relative to the number itself, so that something found beats nothing found.
    fn error(&self) -> f64 {
        self.variance.sqrt() / self.pairs.max(1e-9)
    }
}

/// Notes the steps that a pair passes.
struct Passed(Vec<u32>);

impl Observer for Passed {
    fn tested(&mut self, step: u32, holds: bool, _: bool) {
        if holds {
            self.0.push(step);
        }
    }

    fn reached(&mut self, step: u32) {
        self.0.push(step);
    }
}

fn walk(archive: &AlignedVec) -> Result<Walk<'_>> {
    rkyv::access::<rkyv::Archived<Path<'_>>, rkyv::rancor::Error>(archive)
        .map(|path| path.walk())
        .map_err(|error| Error::Internal(format!("the predicates' archive is damaged: {error}")))
}
