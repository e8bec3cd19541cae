//! Candidates: how many pairs a branch is expected to find, whatever path finds them.
//!
//! Each is written, brought back and sorted, and where few values have many records that is most of what a job does. It is the
//! same for all paths of a branch, so it has no say in which is chosen, only in what that is expected to take.

use super::access::Chosen;
use super::layout::{Layout, PlannedStep};
use super::work::{Rates, Unit, Work};
use crate::plan::statistics::Statistics;
use std::ops::Range;

/// Pairs of a sample on which a rule holds that are enough to count; of fewer, predicates are taken to be independent.
const ENOUGH: u32 = 8;

/// Adds to all paths what is done with the candidates among so many pairs.
pub(super) fn add(
    chosen: &mut [Chosen],
    layout: &Layout,
    statistics: &Statistics,
    n_pairs: f64,
    rates: &Rates,
) {
    for Chosen { steps, alternatives } in chosen {
        let work = Work::of([(Unit::Candidate, n_pairs * share(layout, steps, statistics))]);
        for alternative in alternatives {
            alternative.work += work;
            alternative.milliseconds = rates.milliseconds(&alternative.work);
        }
    }
}

/// The share of pairs on which some rule of a branch holds, as if no two of its rules held on the same.
fn share(layout: &Layout, branch: &Range<u32>, statistics: &Statistics) -> f64 {
    let (mut sum, mut last) = (0.0, None::<&[u32]>);
    for ix in branch.start as usize..branch.end as usize {
        let (PlannedStep::Witness { .. }, prefix) = (layout.steps[ix], layout.prefixes[ix].as_slice()) else {
            continue;
        };
        // What hangs on a witness holds on none but its pairs.
        if last.is_none_or(|last| !prefix.starts_with(last)) {
            sum += of_all(prefix, statistics);
            last = Some(prefix);
        }
    }
    sum.min(1.0)
}

/// The share of pairs on which all of some predicates hold.
fn of_all(predicates: &[u32], statistics: &Statistics) -> f64 {
    let Statistics { selectivity, outcomes, n_sampled, .. } = statistics;
    let shares = || predicates.iter().map(|&ix| selectivity[ix as usize]);
    let product: f64 = shares().product();
    let [first, others @ ..] = predicates else { return product };
    if others.is_empty() {
        return product;
    }
    let words = outcomes[*first as usize].iter().enumerate();
    let together = words.map(|(place, word)| {
        others.iter().fold(*word, |all, &ix| all & outcomes[ix as usize][place]).count_ones()
    });
    let n_together: u32 = together.sum();
    if n_together < ENOUGH { product } else { f64::from(n_together) / *n_sampled as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::path::FORGOTTEN;

    fn statistics(selectivity: &[f64], outcomes: &[u64]) -> Statistics {
        Statistics {
            selectivity: selectivity.to_vec(),
            counted: vec![true; selectivity.len()],
            outcomes: outcomes.iter().map(|&word| vec![word]).collect(),
            n_sampled: 64,
            n_pairs: 1e6,
        }
    }

    #[test]
    fn predicates_that_go_together_are_counted_together() {
        let rare = statistics(&[0.5, 0.1], &[0b1111, 0b1100]);
        assert_eq!(of_all(&[0], &rare), 0.5);
        assert_eq!(of_all(&[0, 1], &rare), 0.5 * 0.1);
        let often = statistics(&[0.25, 0.25], &[0xffff, 0xffff]);
        assert_eq!(of_all(&[0, 1], &often), 0.25);
        assert_eq!(of_all(&[], &often), 1.0);
    }

    #[test]
    fn what_hangs_on_a_witness_adds_nothing() {
        let test = |predicate| PlannedStep::Test { predicate, otherwise: 9, bit: FORGOTTEN };
        let witness = |rule| PlannedStep::Witness { rule, then: 9 };
        let layout = Layout {
            steps: vec![test(0), witness(1), test(1), witness(0), test(2), witness(2)],
            prefixes: vec![vec![0], vec![0], vec![0, 1], vec![0, 1], vec![2], vec![2]],
        };
        let statistics = statistics(&[0.1, 0.2, 0.3], &[0, 0, 0]);
        assert_eq!(share(&layout, &(0..4), &statistics), 0.1);
        assert_eq!(share(&layout, &(0..6), &statistics), 0.1 + 0.3);
        assert_eq!(share(&layout, &(2..4), &statistics), 0.1 * 0.2);
    }
}
