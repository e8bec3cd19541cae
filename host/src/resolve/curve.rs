//! The curve of a run: its pairs at one threshold after the other.

use super::PreparedResolve;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::entities::cluster::cluster;
use crate::entities::score::probability;
use crate::operators::Backend;
use crate::tell::curve::{Bin, Curve, Point};
use crate::tell::evaluate::Truth;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::score::{ONE, weight};
use std::cmp::Reverse;

/// Where ranges of probabilities end, in billionths: the more finely, the nearer to 1.
const ENDS: [u32; 15] = [
    100_000_000,
    200_000_000,
    300_000_000,
    400_000_000,
    500_000_000,
    600_000_000,
    700_000_000,
    800_000_000,
    900_000_000,
    950_000_000,
    990_000_000,
    999_000_000,
    999_900_000,
    999_990_000,
    ONE,
];

/// The thresholds: hundredths, and near 1 thousandths and ten thousandths.
fn thresholds() -> Vec<u32> {
    let hundredths = (0..99).map(|nth| nth * (ONE / 100));
    let thousandths = (990..999).map(|nth| nth * (ONE / 1_000));
    let finer = (9_990..=10_000).map(|nth| nth * (ONE / 10_000));
    hundredths.chain(thousandths).chain(finer).collect()
}

impl PreparedResolve {
    /// What all scored pairs come to, at each threshold.
    pub(super) fn curve(
        &self,
        truth: &Truth,
        pairs: &[ScoredPair],
        device: &dyn Backend,
        control: &Control,
    ) -> Result<Curve> {
        let records = self.records();
        let first_right = records.first_right.unwrap_or(0);
        let reached = |score: u32| if records.are_weights { probability(weight(score)) } else { score };
        let mut pairs: Vec<(u32, ScoredPair)> =
            pairs.iter().map(|pair| (reached(pair.score), *pair)).collect();
        pairs.sort_by_key(|(reached, _)| Reverse(*reached));
        let mut bins = Vec::new();
        let mut from = 0;
        for to in ENDS {
            bins.push(Bin { from, to, ..Bin::default() });
            from = to;
        }
        for (reached, pair) in &pairs {
            let (left, right) = (pair.left, pair.right - first_right);
            let Some(is_right) = truth.verdict(left, right) else { continue };
            let nth = ENDS.partition_point(|end| end <= reached).min(ENDS.len() - 1);
            bins[nth].add(*reached, is_right, truth.weight(left, right));
        }
        let mut points: Vec<Point> = Vec::new();
        let all: Vec<ScoredPair> = pairs.iter().map(|(_, pair)| *pair).collect();
        for threshold in thresholds() {
            control.check()?;
            let n = pairs.partition_point(|(reached, _)| *reached >= threshold);
            // Where no pair is lost nothing changes.
            let point = match points.last().filter(|before| before.n_pairs == n as u64) {
                Some(before) => Point { threshold, ..*before },
                None => {
                    let kept = &all[..n];
                    let entities = cluster(device, records, kept, self.method, control)?;
                    let ends = kept.iter().map(|pair| (pair.left, pair.right - first_right));
                    Point {
                        threshold,
                        n_pairs: n as u64,
                        pairs: truth.of_pairs(ends),
                        entities: truth.of_entities(&entities).pairwise,
                    }
                }
            };
            points.push(point);
        }
        Ok(Curve { points, bins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_rise_to_one() {
        let all = thresholds();
        assert!(all.is_sorted_by(|a, b| a < b) && all[0] == 0 && all.last() == Some(&ONE));
        assert!(all.contains(&950_000_000) && ENDS.is_sorted());
    }
}
