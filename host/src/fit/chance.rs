//! Chance: how probable each level is where records do not match, which nearly no two records do.
//!
//! So u is what any two records look like. That two values are the same follows from how often each value comes up, to the
//! last pair. Other levels are counted in random pairs. Where a level is so rare that these say little, the engine counts it
//! in all pairs, by a join.

use super::{FitOptions, n_levels};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::random::Random;
use crate::entities::em::{Counted, sums};
use crate::entities::score::Scoring;
use crate::job::Prepared;
use crate::operators::Backend;
use crate::plan::cost::BackendKind;
use crate::plan::partition::Area;
use crate::rules::{Rule, ScoreAttribute};
use crate::tell::evaluate::{Interval, wilson};
use hyperblock_shared::score::level;
use std::collections::BTreeMap;

/// Random pairs that are looked at at once.
const AT_ONCE: usize = 1 << 20;
/// A level that fewer random pairs have is rare.
const RARE: f64 = 400.0;
/// Pairs that the engine is asked to find at most.
const MOST_FOUND: f64 = 5e7;
/// Two attributes go together if they agree so many times as often as each by itself would have it, and more than some few
/// pairs do.
const LIFT: f64 = 2.0;
const SOME: f64 = 10.0;
/// What is taken to have been seen where nothing was.
const HALF: f64 = 0.5;

/// How probable something is, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The probability; above 0.
    pub share: f64,
    /// Between these it lies 19 times of 20.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Pairs that were seen to have it; of matches those that are expected to.
    pub n_seen: f64,
    /// Whether all pairs were counted. Else a part of them, by chance.
    pub is_counted: bool,
}

impl Share {
    /// Of so many pairs so many have it.
    pub(super) fn new(n_seen: f64, n_pairs: f64, is_counted: bool) -> Self {
        let all = n_pairs.max(1.0);
        let share = (n_seen.max(HALF) / all).min(1.0);
        if is_counted {
            return Self { share, low: n_seen / all, high: share, n_seen, is_counted };
        }
        let Interval { low, high } = wilson(n_seen / all, all);
        Self { share, low: if n_seen == 0.0 { 0.0 } else { low }, high, n_seen, is_counted }
    }
}

/// What any two records look like.
pub(super) struct Chances {
    /// By attribute and level, the best first.
    pub(super) levels: Vec<Vec<Share>>,
    /// Random pairs that were looked at.
    pub(super) n_sampled: u64,
    /// All pairs.
    pub(super) n_pairs: u64,
    /// What random pairs look like.
    patterns: Vec<Counted>,
}

impl Chances {
    pub(super) fn new(
        job: &Prepared,
        scoring: &Scoring,
        device: &dyn Backend,
        control: &Control,
        options: FitOptions,
    ) -> Result<Self> {
        let n_pairs = job.n_pairs();
        let (patterns, n_sampled) = sample(job, scoring, device, control, options)?;
        let attributes = scoring.attributes();
        let weighted = patterns.iter().map(|&(pattern, n)| (pattern, n as f64));
        let seen = sums(weighted, &n_levels(scoring));
        let is_counted = n_sampled == n_pairs;
        let mut levels = Vec::with_capacity(attributes.len());
        for (nth, (attribute, seen)) in attributes.iter().zip(seen).enumerate() {
            let there: f64 = seen.iter().sum();
            let mut shares: Vec<Share> = seen.iter().map(|&n| Share::new(n, there, is_counted)).collect();
            if !is_counted && there > 0.0 {
                let all = there / n_sampled as f64 * n_pairs as f64;
                let known = Rare { job, device, control, attribute, seen: &seen, all };
                let exact = match job.tables_across() {
                    None => scoring.same_values(nth, job.second().is_none()),
                    Some(tables) => scoring.same_values_across(nth, &tables),
                };
                known.refine(exact, &mut shares)?;
            }
            levels.push(shares);
        }
        Ok(Self { levels, n_sampled, n_pairs, patterns })
    }

    /// Pairs of attributes that go together, those that do most first: a zip code lies in a city, so records that agree in
    /// the one agree in the other more often than by chance. Pairs that agree in much else may match, and say nothing here.
    pub(super) fn going_together(&self) -> Vec<(usize, usize)> {
        let n_attributes = self.levels.len();
        let pairs = (0..n_attributes).flat_map(|a| (a + 1..n_attributes).map(move |b| (a, b)));
        let lifts = pairs.map(|pair| (self.lift(pair), pair)).filter(|(lift, _)| *lift > LIFT);
        let mut lifts: Vec<(f64, (usize, usize))> = lifts.collect();
        lifts.sort_by(|one, other| other.0.total_cmp(&one.0));
        lifts.into_iter().map(|(_, pair)| pair).collect()
    }

    /// How many times as often two attributes agree together as each by itself would have it.
    fn lift(&self, (a, b): (usize, usize)) -> f64 {
        let (mut all, mut of_a, mut of_b, mut both) = (0.0, 0.0, 0.0, 0.0);
        for &(pattern, n) in &self.patterns {
            let of = |nth: usize| level(pattern, nth as u32) as usize;
            let others = (0..self.levels.len()).filter(|&nth| nth != a && nth != b && of(nth) > 0);
            let n_others = others.clone().count();
            let n_apart = others.filter(|&nth| of(nth) == self.levels[nth].len()).count();
            if of(a) > 0 && of(b) > 0 && 3 * n_apart >= 2 * n_others {
                let n = n as f64;
                all += n;
                of_a += if of(a) == 1 { n } else { 0.0 };
                of_b += if of(b) == 1 { n } else { 0.0 };
                both += if of(a) == 1 && of(b) == 1 { n } else { 0.0 };
            }
        }
        if both < SOME { 0.0 } else { both * all / (of_a * of_b) }
    }

    /// The probabilities alone.
    pub(super) fn u(&self) -> Vec<Vec<f64>> {
        let of = |levels: &Vec<Share>| {
            let sum: f64 = levels.iter().map(|level| level.share).sum();
            levels.iter().map(|level| level.share / sum.max(f64::MIN_POSITIVE)).collect()
        };
        self.levels.iter().map(of).collect()
    }
}

/// The levels of an attribute of which random pairs say too little.
struct Rare<'a> {
    job: &'a Prepared,
    device: &'a dyn Backend,
    control: &'a Control,
    attribute: &'a ScoreAttribute,
    /// Random pairs by level.
    seen: &'a [f64],
    /// All pairs of records that have the attribute, about.
    all: f64,
}

impl Rare<'_> {
    /// Puts what can be counted in the place of what was sampled. `exact` is how many pairs have the same value, and how
    /// many have values at all, if that is known.
    fn refine(&self, exact: Option<(u64, u64)>, shares: &mut [Share]) -> Result<()> {
        let there: f64 = self.seen.iter().sum();
        let (mut seen, mut n_above) = (0.0, 0.0);
        let n_levels = self.attribute.levels.len();
        for (level, (n_seen, share)) in self.seen[..n_levels].iter().zip(&mut *shares).enumerate() {
            seen += n_seen;
            let n = match exact.filter(|_| level == 0) {
                Some((n_same, n_there)) => n_same as f64 / n_there.max(1) as f64 * self.all,
                None if seen < RARE && seen / there * self.all <= MOST_FOUND && self.is_soon_found() => {
                    self.count(level)? as f64
                }
                // What is left is common enough for a sample.
                None => break,
            };
            *share = Share::new((n - n_above).max(0.0), self.all, true);
            n_above = n;
        }
        // All levels come to 1.
        if let Some((last, others)) = shares.split_last_mut() {
            let others: f64 = others.iter().map(|level| level.share).sum();
            last.share = (1.0 - others).max(HALF / self.all);
        }
        Ok(())
    }

    /// Whether the engine need not look at more pairs of records than it can in about a minute.
    fn is_soon_found(&self) -> bool {
        let most = match self.device.kind() {
            BackendKind::Cpu => 1e11,
            BackendKind::Cuda => 1e13,
        };
        self.job.n_pairs() as f64 <= most
    }

    /// How many pairs reach a level, or a better one.
    fn count(&self, level: usize) -> Result<u64> {
        let levels = self.attribute.levels[..=level].iter();
        let reaching = levels.map(|level| self.attribute.reaching(level)).collect::<Result<Vec<_>>>()?;
        let rule = |conjunctions| Rule { name: self.attribute.name.clone(), conjunctions };
        self.job.count(reaching.into_iter().map(rule).collect(), self.device, self.control)
    }
}

/// The patterns of random pairs, or of all pairs if these are fewer; and how many pairs that is.
fn sample(
    job: &Prepared,
    scoring: &Scoring,
    device: &dyn Backend,
    control: &Control,
    options: FitOptions,
) -> Result<(Vec<Counted>, u64)> {
    let n_pairs = job.n_pairs();
    let takes_all = n_pairs <= options.sample;
    let n_sampled = if takes_all { n_pairs } else { options.sample.max(1) };
    if n_pairs == 0 {
        return Ok((Vec::new(), 0));
    }
    let areas = job.wholes();
    let mut random = Random::new(options.seed);
    let mut drawn = || drawn(&areas, n_pairs, &mut random);
    let mut all = areas.iter().flat_map(|area| {
        (area.left_from..area.left_upto).flat_map(move |left| {
            let first = if area.half == 1 { left + 1 } else { area.right_from };
            (first..area.right_upto).map(move |right| [left, right])
        })
    });
    let (mut patterns, mut left) = (BTreeMap::new(), n_sampled);
    let mut scores = scoring.load_patterns(device)?;
    while left > 0 {
        control.check()?;
        let n = left.min(AT_ONCE as u64) as usize;
        let pairs: Vec<[u32; 2]> = match takes_all {
            true => all.by_ref().take(n).collect(),
            false => (0..n).map(|_| drawn()).collect(),
        };
        super::count(scores.patterns(&pairs, control)?, &mut patterns);
        left -= n as u64;
    }
    Ok((patterns.into_iter().collect(), n_sampled))
}

/// A random pair of areas that have so many.
fn drawn(areas: &[Area], n_pairs: u64, random: &mut Random) -> [u32; 2] {
    let mut area = areas[0];
    if areas.len() > 1 {
        let mut nth = random.below(n_pairs);
        for other in areas {
            area = *other;
            match nth.checked_sub(area.n_pairs()) {
                None => break,
                Some(rest) => nth = rest,
            }
        }
    }
    let mut record = |from: u32, upto: u32| from + random.below(u64::from(upto - from)) as u32;
    loop {
        let (left, right) =
            (record(area.left_from, area.left_upto), record(area.right_from, area.right_upto));
        match area.half {
            0 => return [left, right],
            _ if left != right => return [left.min(right), left.max(right)],
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pair of different tables is drawn as often as any other.
    #[test]
    fn pairs_are_drawn_across_tables() {
        let area = |left: std::ops::Range<u32>, right: std::ops::Range<u32>| Area {
            left_from: left.start,
            left_upto: left.end,
            right_from: right.start,
            right_upto: right.end,
            half: 0,
        };
        let areas = [area(0..1, 1..6), area(1..4, 4..6), area(4..6, 6..6)];
        let (mut seen, mut random) = (BTreeMap::new(), Random::new(1));
        for _ in 0..11_000 {
            *seen.entry(drawn(&areas, 11, &mut random)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 11);
        assert!(seen.values().all(|n| (800..1200).contains(n)), "{seen:?}");
        assert!(seen.keys().all(|[left, right]| areas.iter().any(|area| area.holds(*left, *right))));
    }

    #[test]
    fn intervals_hold_the_share() {
        let Share { share, low, high, .. } = Share::new(50.0, 1000.0, false);
        assert!(low < share && share < high && low > 0.03 && high < 0.07);
        let none = Share::new(0.0, 1000.0, false);
        assert!(none.share > 0.0 && none.low == 0.0 && none.high > 0.001 && none.high < 0.01);
        let counted = Share::new(7.0, 10.0, true);
        assert_eq!((counted.low, counted.share, counted.high), (0.7, 0.7, 0.7));
    }
}
