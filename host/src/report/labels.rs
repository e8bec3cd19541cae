//! Which pairs are worth labelling, and how probable it was that they were chosen.
//!
//! Candidates are divided by score into bands, which lie around the threshold and are narrow near it; where there are no scores, by
//! rule. Bands follow from the threshold alone. From each so many are drawn that the whole is worth most: the more, the more
//! candidates it has (by the root of their number) and the nearer it is to the threshold, where nobody knows beforehand what a pair
//! is. Within a band all are equally probable, n of N: that stands beside each pair, so that whoever counts labels can let each pair
//! stand for N / n (Horvitz and Thompson, *A generalization of sampling without replacement from a finite universe*, 1952).

use super::cells::BIT;
use super::strata::Strata;
use crate::entities::score::{Scoring, least_weight};
use crate::rules::ScoreMethod;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::{ONE, rank};
use std::cmp::Reverse;
use std::ops::Range;

/// How far from the threshold bands begin: thousandths of bits, or of a mean.
const BITS: [i32; 9] = [1_000, 2_000, 3_500, 5_000, 7_000, 10_000, 14_000, 20_000, 30_000];
const MEANS: [i64; 8] = [10, 25, 50, 100, 150, 200, 300, 450];

/// Bands of scores: where each but the first begins.
#[derive(Clone, Debug)]
pub(super) struct Bands {
    begins: Vec<u32>,
    /// The band that begins at the threshold.
    first_kept: usize,
}

impl Bands {
    pub(super) fn new(scoring: &Scoring) -> Self {
        let threshold = scoring.threshold();
        let mut begins: Vec<u32> = match scoring.method() {
            ScoreMethod::FellegiSunter => {
                let own = least_weight(threshold);
                let at = |bits: i32| rank(own.saturating_add(bits.saturating_mul(BIT / 1_000)));
                BITS.iter().flat_map(|&bits| [at(-bits), at(bits)]).chain([rank(own)]).collect()
            }
            ScoreMethod::WeightedMean => {
                let at = |thousandths: i64| i64::from(threshold) + thousandths * i64::from(ONE / 1_000);
                let all = MEANS.iter().flat_map(|&thousandths| [at(-thousandths), at(thousandths)]);
                let all = all.filter(|begin| (1..=i64::from(ONE)).contains(begin));
                all.map(|begin| begin as u32).chain([threshold]).collect()
            }
        };
        begins.sort_unstable();
        begins.dedup();
        let first_kept = begins.partition_point(|begin| *begin < scoring.enough()) + 1;
        Self { begins, first_kept }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.begins.len() + 1
    }

    /// The band of a score.
    pub(super) fn of(&self, score: u32) -> usize {
        self.begins.partition_point(|begin| *begin <= score)
    }

    /// How much more a pair of a band is worth for being near the threshold.
    fn worth(&self, band: usize) -> f64 {
        let away = if band >= self.first_kept { band - self.first_kept } else { self.first_kept - 1 - band };
        1.0 / (1.0 + away as f64 / 3.0)
    }
}

/// A pair that is to be labelled, and how probable it was that it would be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) pair: Candidate,
    pub(super) chance: f64,
}

/// So many pairs to be labelled, if there are.
pub(super) fn labels(strata: &Strata, bands: Option<&Bands>, n: usize) -> Vec<Label> {
    if n == 0 {
        return Vec::new();
    }
    let mut labels = Vec::new();
    let groups = groups(strata.counts(), n);
    let counts: Vec<u64> = groups.iter().map(|group| strata.counts()[group.clone()].iter().sum()).collect();
    let worth = |group: &Range<usize>| {
        let of = |stratum: usize| bands.map_or(1.0, |bands| bands.worth(stratum));
        group.clone().map(of).fold(0.0, f64::max)
    };
    let worths: Vec<f64> = groups.iter().map(worth).collect();
    for ((group, n_drawn), n_all) in groups.into_iter().zip(allocated(n, &counts, &worths)).zip(&counts) {
        let drawn = strata.lowest(group);
        let chance = n_drawn as f64 / *n_all as f64;
        labels.extend(drawn.into_iter().take(n_drawn).map(|drawn| Label { pair: drawn.pair, chance }));
    }
    labels.sort_unstable_by_key(|label| (label.pair.left, label.pair.right));
    labels
}

/// Strata that have candidates, each by itself; where they are more than can be drawn from, neighbours with the fewest together.
fn groups(counts: &[u64], most: usize) -> Vec<Range<usize>> {
    let there = (0..counts.len()).filter(|&stratum| counts[stratum] > 0);
    let mut groups: Vec<Range<usize>> = there.map(|stratum| stratum..stratum + 1).collect();
    let sum = |group: &Range<usize>| counts[group.clone()].iter().sum::<u64>();
    while groups.len() > most.max(1) {
        let place = (1..groups.len()).min_by_key(|&ix| sum(&groups[ix - 1]) + sum(&groups[ix])).unwrap_or(1);
        let second = groups.remove(place);
        groups[place - 1].end = second.end;
    }
    groups
}

/// How many are drawn from strata with so many candidates: at least one of each, and as many as there are at most.
fn allocated(n: usize, counts: &[u64], worths: &[f64]) -> Vec<usize> {
    let mut drawn: Vec<usize> = counts.iter().map(|n| usize::from(*n > 0)).collect();
    let wanted: Vec<f64> = counts.iter().zip(worths).map(|(n, worth)| (*n as f64).sqrt() * worth).collect();
    let mut left = n.saturating_sub(drawn.iter().sum());
    while left > 0 {
        let open: Vec<usize> = (0..counts.len()).filter(|&ix| (drawn[ix] as u64) < counts[ix]).collect();
        let sum: f64 = open.iter().map(|&ix| wanted[ix]).sum();
        let mut given = 0;
        for &ix in &open {
            let share = (left as f64 * wanted[ix] / sum).floor() as usize;
            let more = share.min((counts[ix] - drawn[ix] as u64) as usize);
            drawn[ix] += more;
            given += more;
        }
        left -= given;
        if given == 0 {
            // What is less than one for all of them goes to those that lack most.
            let mut last = open;
            last.sort_by_key(|&ix| (Reverse((wanted[ix] / drawn[ix] as f64 * 1e6) as u64), ix));
            last.into_iter().take(left).for_each(|ix| drawn[ix] += 1);
            break;
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::sample::Drawn;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_many_are_drawn_as_are_asked_for(
            counts in prop::collection::vec(0u64..400, 1..20), n in 1usize..300
        ) {
            let groups = groups(&counts, n);
            prop_assert!(groups.len() <= n);
            let sums: Vec<u64> = groups.iter().map(|group| counts[group.clone()].iter().sum()).collect();
            prop_assert_eq!(sums.iter().sum::<u64>(), counts.iter().sum::<u64>());
            let drawn = allocated(n, &sums, &vec![1.0; sums.len()]);
            let all: u64 = sums.iter().sum();
            prop_assert_eq!(drawn.iter().sum::<usize>() as u64, all.min(n as u64));
            prop_assert!(drawn.iter().zip(&sums).all(|(drawn, n)| *drawn > 0 && *drawn as u64 <= *n));
        }
    }

    #[test]
    fn what_is_drawn_stands_for_all() {
        let mut strata = Strata::new(3, 40);
        for left in 0..1000u32 {
            let stratum = if left < 5 { 0 } else { 2 };
            strata.count(stratum, 1);
            strata.offer(stratum, Drawn::new(7, Candidate { left, right: left + 1, rule: 0 }));
        }
        let labels = labels(&strata, None, 40);
        assert_eq!(labels.len(), 40);
        let stands_for: f64 = labels.iter().map(|label| 1.0 / label.chance).sum();
        assert!((stands_for - 1000.0).abs() < 1e-6, "{stands_for}");
        assert!(labels.iter().any(|label| label.pair.left < 5));
    }
}
