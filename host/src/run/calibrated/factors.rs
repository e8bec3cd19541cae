//! Factors: how many times as long as the model expects what waits for the same takes here.
//!
//! The squares of the logarithms of taken over expected are to be least. Runs are few, and most of what a run takes is of one
//! or two kinds, so each logarithm is also drawn towards 0: what no run shows stays as it was.

use crate::plan::work::N_BOTTLENECKS;

/// A factor is at most this, and at least its inverse: a machine that is further off has other things to do just now.
pub(super) const MOST: f64 = 8.0;
/// How much a factor of e counts, beside a run that is e times off.
const DAMPING: f64 = 0.2;
/// One factor after the other is set right, so often. They settle within a few dozen.
const ROUNDS: usize = 100;

/// Some paths of a sample, timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The milliseconds that were expected, by bottleneck; not 0 in all.
    pub(super) expected: [f64; N_BOTTLENECKS],
    /// Those that it took; above 0.
    pub(super) took: f64,
}

/// By bottleneck: what rates are to be multiplied with.
pub(super) fn factors(runs: &[Run]) -> [f64; N_BOTTLENECKS] {
    let mut logs = [0.0f64; N_BOTTLENECKS];
    for ix in (0..ROUNDS).flat_map(|_| 0..N_BOTTLENECKS) {
        let (mut slope, mut curvature) = (-DAMPING * logs[ix], DAMPING);
        for Run { expected, took } in runs {
            let parts: [f64; N_BOTTLENECKS] = std::array::from_fn(|ix| expected[ix] * logs[ix].exp());
            let total: f64 = parts.iter().sum();
            let share = parts[ix] / total;
            slope += share * (took / total).ln();
            curvature += share * share;
        }
        logs[ix] = (logs[ix] + slope / curvature).clamp(-MOST.ln(), MOST.ln());
    }
    logs.map(f64::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: usize = 0;
    const HOST: usize = 1;
    const ARITHMETIC: usize = 3;

    fn run(parts: [(usize, f64); 3], took: f64) -> Run {
        let mut expected = [0.0; N_BOTTLENECKS];
        parts.into_iter().for_each(|(ix, milliseconds)| expected[ix] = milliseconds);
        Run { expected, took }
    }

    /// Runs of growing samples, on a machine that is so many times as slow.
    fn runs(slow: [f64; 3]) -> Vec<Run> {
        let sizes = [1.0, 4.0, 16.0, 64.0];
        let one = |n: f64| {
            let expected = [0.5, 0.1 * n, 0.02 * n * n];
            let took = expected.iter().zip(slow).map(|(expected, slow)| expected * slow).sum();
            run([(START, expected[0]), (HOST, expected[1]), (ARITHMETIC, expected[2])], took)
        };
        sizes.map(one).to_vec()
    }

    fn near(got: f64, want: f64) {
        assert!((got / want).ln().abs() < 0.25, "{got} is not near {want}");
    }

    #[test]
    fn what_is_slower_is_found() {
        let found = factors(&runs([1.0, 1.0, 4.0]));
        near(found[ARITHMETIC], 4.0);
        near(found[START], 1.0);
        let found = factors(&runs([0.5, 0.5, 0.5]));
        near(found[START], 0.5);
        near(found[ARITHMETIC], 0.5);
        // Nothing was read here and there, and so nothing is known of it.
        assert_eq!(found[4], 1.0);
    }

    #[test]
    fn factors_are_bounded() {
        for slow in [1e-9, 1e9] {
            let found = factors(&runs([slow; 3]));
            assert!(
                found.iter().all(|factor| (1.0 / MOST - 1e-9..=MOST + 1e-9).contains(factor)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn no_runs_change_nothing() {
        assert_eq!(factors(&[]), [1.0; N_BOTTLENECKS]);
    }
}
