//! Statistics: how many pairs a predicate lets through, and what pairs look like.
//!
//! The share sp(p) of pairs on which a predicate holds is exact for equalities, numeric differences and marks, which
//! follow from frequencies, as far as all records are looked at; for similarities it is estimated from buckets of alike values and a seeded sample
//! ([`strata`] says how). A sample of all pairs, with the outcome of every predicate on each, tells how predicates go
//! together. Where there are no more pairs than that, all of them are looked at, and every share is counted. What that may
//! cost is known beforehand ([`effort`]): of many predicates fewer pairs are drawn, of large tables some records are looked
//! at, and of long values beginnings are compared ([`shortened`]). Nothing here decides anything about a pair: a plan made from poor
//! statistics is slow, never wrong.

mod buckets;
mod columns;
mod effort;
mod evenness;
mod frequencies;
mod minhash;
mod passing;
mod shortened;
mod strata;

pub use columns::ColumnStatistics;
pub use effort::Effort;
pub use evenness::BUCKETS;
pub use passing::Passing;

use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::random::Random;
use crate::encode::Encoded;
use effort::Spending;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::path::{Path, Walk};
use hyperblock_shared::predicate::{Predicate, Test};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;
use rkyv::util::AlignedVec;
use shortened::Shortened;
use strata::{Population, Stratum};

/// Every plan of the same job sees the same sample.
const SEED: u64 = 0x6879_7065_7262_6c6b;

/// Words of marks that are counted; of more, every n-th.
const MARKED: usize = 1 << 12;

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

/// Where the shares of pairs come from on which predicates hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectivitySource {
    /// Counted, or estimated from where predicates hold.
    #[default]
    Sampled,
    /// From the evenness of so many buckets of values.
    Evenness {
        /// At least one.
        buckets: u32,
    },
}

impl Statistics {
    /// With shares from elsewhere.
    pub fn from_source(mut self, encoded: &Encoded, source: SelectivitySource) -> Self {
        if let SelectivitySource::Evenness { buckets } = source {
            let shares: Vec<Option<f64>> = (0..encoded.predicates.len())
                .into_par_iter()
                .map(|ix| evenness::selectivity(encoded, ix, buckets.max(1)))
                .gather();
            for (ix, share) in shares.into_iter().enumerate() {
                if let Some(share) = share {
                    (self.selectivity[ix], self.counted[ix]) = (share.clamp(0.0, 1.0), false);
                }
            }
        }
        self
    }
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
            population: Population::new(encoded, one_table, effort),
            values: Shortened::new(encoded, spending.longest),
            archive,
            scratch,
            spending,
        })
    }

    /// The statistics of all predicates.
    pub fn statistics(&mut self) -> Result<Statistics> {
        let Self { population, values, archive, scratch, spending } = self;
        let are_few = population.n_pairs() <= spending.n_sampled as f64;
        // Where all pairs are looked at, no strata are needed.
        let are_counted = are_few && values.are_whole();
        if !are_counted {
            population.prepare();
        }
        // Checked once: with thousands of predicates that takes longer than a comparison.
        let asking = Asking { population, values, walk: walk(archive)?, n_words: scratch.len(), spending };
        let n_pairs = asking.population.all_pairs();
        let (outcomes, n_sampled) = asking.outcomes(are_few);
        let selectivity = |scratch: &mut Vec<u64>, ix: usize| match are_counted {
            true => {
                let n_holding: u32 = outcomes[ix].iter().map(|word: &u64| word.count_ones()).sum();
                (f64::from(n_holding) / n_pairs.max(1.0), true)
            }
            false => asking.selectivity(ix, scratch),
        };
        let n_predicates = asking.population.encoded.predicates.len();
        let scratch = || vec![0; asking.n_words];
        let all: Vec<(f64, bool)> = (0..n_predicates).into_par_iter().map_init(scratch, selectivity).gather();
        let all = all.into_iter();
        let (selectivity, counted) = all.map(|(share, exact)| (share.clamp(0.0, 1.0), exact)).unzip();
        Ok(Statistics { selectivity, counted, outcomes, n_sampled, n_pairs })
    }
}

/// The pairs of an encoding, being asked: what is looked at, and what that takes.
struct Asking<'a, 'b> {
    population: &'b Population<'a>,
    values: &'b Shortened<'a>,
    walk: Walk<'b>,
    /// What a thread needs as scratch.
    n_words: usize,
    spending: &'b Spending,
}

impl Asking<'_, '_> {
    /// The share of pairs on which a predicate holds, and whether it was counted.
    fn selectivity(&self, ix: usize, scratch: &mut [u64]) -> (f64, bool) {
        let n_pairs = self.population.n_pairs();
        let encoded = self.population.encoded;
        let predicate = encoded.predicates[ix];
        if n_pairs == 0.0 {
            return (0.0, true);
        }
        let marked = |marks: u32, n_records: u32| {
            let bits = &encoded.marks[marks as usize].bits;
            let step = bits.len().div_ceil(MARKED).max(1);
            let seen = || bits.iter().step_by(step);
            let n_marked: u32 = seen().map(|word| word.count_ones()).sum();
            // Behind the last record there are no ones.
            let n_seen = if step == 1 { n_records as usize } else { 32 * seen().count() };
            (f64::from(n_marked) / n_seen.max(1) as f64, step == 1)
        };
        let (left, right, measure) = match predicate.test {
            Test::Left { marks } => return marked(marks, encoded.n_left),
            Test::Right { marks } => return marked(marks, encoded.n_right),
            Test::Compare { left, right, measure } => (left, right, measure),
        };
        let strata = self.population.strata(&predicate.test);
        let (share, exact) = match (measure, strata.as_slice()) {
            (Measure::Equal | Measure::Within { .. }, [Stratum::Ranges(ranges)]) => {
                (self.population.count(ranges) / n_pairs, self.population.is_whole())
            }
            _ => (self.estimate(&strata, ix, scratch) / n_pairs, false),
        };
        (if predicate.negated { self.population.present(left, right) - share } else { share }, exact)
    }

    /// The number of pairs on which the test of a predicate, not its negation, succeeds.
    fn estimate(&self, strata: &[Stratum], ix: usize, scratch: &mut [u64]) -> f64 {
        let test = (self.population.encoded.predicates.len() + ix) as u32;
        let mut random = Random::new(SEED ^ ix as u64);
        let n_draws = self.spending.n_draws[ix];
        let mut pairs = 0.0;
        for stratum in strata {
            let mut sum = 0.0;
            for _ in 0..n_draws {
                let Some(drawn) = self.population.draw(stratum, &mut random) else { continue };
                if self.values.holds(self.walk, test, drawn.left, drawn.right, scratch) {
                    sum += drawn.weight;
                }
            }
            pairs += self.population.total(stratum) * sum / n_draws as f64;
        }
        pairs
    }

    /// The outcome of every predicate on a sample of all pairs, or on all where they are few.
    fn outcomes(&self, are_few: bool) -> (Vec<Vec<u64>>, usize) {
        let mut random = Random::new(SEED);
        let draw = |_| self.population.draw(&Stratum::All, &mut random);
        let sample: Vec<_> = match are_few {
            true => self.population.every().collect(),
            false => (0..self.spending.n_sampled).filter_map(draw).collect(),
        };
        let encoded = self.population.encoded;
        let mut outcomes = vec![vec![0; sample.len().div_ceil(64)]; encoded.predicates.len()];
        let (values, walk) = (self.values, self.walk);
        let scratch = || vec![0; self.n_words];
        outcomes.par_iter_mut().enumerate().for_each_init(scratch, |scratch, (predicate, bits)| {
            for (place, drawn) in sample.iter().enumerate() {
                let holds = values.holds(walk, predicate as u32, drawn.left, drawn.right, scratch);
                bits[place / 64] |= u64::from(holds) << (place % 64);
            }
        });
        (outcomes, sample.len())
    }
}

fn walk(archive: &AlignedVec) -> Result<Walk<'_>> {
    rkyv::access::<rkyv::Archived<Path<'_>>, rkyv::rancor::Error>(archive)
        .map(|path| path.walk())
        .map_err(|error| Error::Internal(format!("the predicates' archive is damaged: {error}")))
}
