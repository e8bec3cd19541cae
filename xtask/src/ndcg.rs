//! NDCG: how good an order by predicted costs is (Järvelin and Kekäläinen, *Cumulated gain-based evaluation of IR
//! techniques*, TOIS 20(4), 2002).
//!
//! ```text
//! relevance of a predicate   n − (its place by measured cost, the cheapest at 0): from n down to 1
//! DCG of an order            Σ over places i = 1, 2, …  of  relevance at place i / log2(i + 1)
//! NDCG                       DCG of the predicted order / DCG of the measured order
//! ```
//!
//! Linear gain: the paper's own, and with relevances up to n the usual 2^relevance would see the first place alone.
//! 1 is a perfect order. The worst order is far from 0, and a random one is judged beside the others for comparison.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::fmt;

/// Groups that are judged, and predicates in each: about what a rule file has.
const N_GROUPS: usize = 200;
const GROUP: usize = 10;

/// The NDCG of the order by `predicted` costs, given the `measured` ones.
pub(crate) fn ndcg(predicted: &[f64], measured: &[f64]) -> f64 {
    let order = |costs: &[f64]| {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        order
    };
    let ideal = order(measured);
    let mut relevance = vec![0.0; measured.len()];
    for (place, &ix) in ideal.iter().enumerate() {
        relevance[ix] = (measured.len() - place) as f64;
    }
    let gain = |order: &[usize]| -> f64 {
        order.iter().enumerate().map(|(place, &ix)| relevance[ix] / (place as f64 + 2.0).log2()).sum()
    };
    if measured.is_empty() { 1.0 } else { gain(&order(predicted)) / gain(&ideal) }
}

/// How well costs order predicates.
#[derive(Clone)]
pub(crate) struct Judgement {
    /// All predicates at once.
    pub(crate) all: f64,
    /// The mean over random groups.
    pub(crate) mean: f64,
    /// The worst of those groups.
    pub(crate) worst: f64,
    /// The mean over the same groups in random order.
    pub(crate) random: f64,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, mean, worst, random } = self;
        write!(
            f,
            "{all:.4} over all; {N_GROUPS} groups of {GROUP}: mean {mean:.4}, worst {worst:.4} (random order {random:.4})"
        )
    }
}

/// Judges predicted costs over all predicates and over random groups.
pub(crate) fn judge(predicted: &[f64], measured: &[f64], seed: u64) -> Judgement {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut places: Vec<usize> = (0..measured.len()).collect();
    let (mut sum, mut worst, mut random) = (0.0, f64::INFINITY, 0.0);
    for _ in 0..N_GROUPS {
        let (group, _) = places.partial_shuffle(&mut rng, GROUP);
        let pick = |costs: &[f64]| group.iter().map(|&ix| costs[ix]).collect::<Vec<_>>();
        let measured = pick(measured);
        let score = ndcg(&pick(predicted), &measured);
        sum += score;
        worst = worst.min(score);
        random += ndcg(&measured.iter().map(|_| rng.random::<f64>()).collect::<Vec<_>>(), &measured);
    }
    let n = N_GROUPS as f64;
    Judgement { all: ndcg(predicted, measured), mean: sum / n, worst, random: random / n }
}

#[cfg(test)]
mod tests {
    use super::{judge, ndcg};

    fn close(got: f64, want: f64) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }

    #[test]
    fn by_hand() {
        let log3 = 3f64.log2();
        // Relevances 3, 2, 1 at discounts 1, log2 3 and 2.
        let ideal = 3.0 + 2.0 / log3 + 0.5;
        close(ndcg(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        close(ndcg(&[2.0, 1.0, 3.0], &[10.0, 20.0, 30.0]), (2.0 + 3.0 / log3 + 0.5) / ideal);
        close(ndcg(&[3.0, 2.0, 1.0], &[10.0, 20.0, 30.0]), (1.0 + 2.0 / log3 + 1.5) / ideal);
        close(ndcg(&[30.0, 10.0, 20.0], &[3.0, 1.0, 2.0]), 1.0);
        close(ndcg(&[5.0], &[7.0]), 1.0);
        close(ndcg(&[], &[]), 1.0);
        // 3 + 2 / 1.584963 + 1 / 2 = 4.761860; 2 + 3 / 1.584963 + 1 / 2 = 4.392789.
        assert!((ndcg(&[2.0, 1.0, 3.0], &[10.0, 20.0, 30.0]) - 0.922_494).abs() < 1e-6);
    }

    #[test]
    fn a_perfect_order_is_judged_perfect_and_a_reversed_one_is_not() {
        let measured: Vec<f64> = (0..50).map(f64::from).collect();
        let reversed: Vec<f64> = measured.iter().map(|cost| -cost).collect();
        let good = judge(&measured, &measured, 1);
        close(good.all, 1.0);
        close(good.mean, 1.0);
        close(good.worst, 1.0);
        assert!(good.random < 0.95);
        let bad = judge(&reversed, &measured, 1);
        assert!(bad.mean < good.random && bad.all < 0.8, "{bad}");
    }
}
