//! Rates that say best what paths took: the squares of the logarithms of expected over taken are least.
//!
//! Rates are positive, so their logarithms are what moves, down the slope. What no job has much of stays near where it
//! began.

use super::Timed;
use hyperblock::plan::work::{N_UNITS, Work};

const STEPS: usize = 20_000;
const RATE: f64 = 0.02;
/// How much a rate that is e times what it was counts, beside a path that is e times off.
const INERTIA: f64 = 0.02;

/// Fits rates, in nanoseconds, that begin at `first`.
pub(crate) fn fit(timed: &[&Timed], first: [f64; N_UNITS]) -> [f64; N_UNITS] {
    let mut moved = [0.0; N_UNITS];
    let (mut mean, mut square) = ([0.0; N_UNITS], [0.0; N_UNITS]);
    for step in 1..=STEPS {
        let rates: [f64; N_UNITS] = std::array::from_fn(|ix| first[ix] * f64::exp(moved[ix]));
        let mut slope = moved.map(|moved| 2.0 * INERTIA * moved);
        for one in timed {
            let expected = expected(&one.work, &rates);
            let error = (expected / one.took).ln();
            for ix in 0..N_UNITS {
                slope[ix] += 2.0 * error * one.work.0[ix] * rates[ix] / 1e6 / expected;
            }
        }
        // Adam (Kingma and Ba, ICLR 2015), with a step that shrinks.
        let size = RATE * (1.0 - step as f64 / (STEPS + 1) as f64);
        for ix in 0..N_UNITS {
            mean[ix] = 0.9 * mean[ix] + 0.1 * slope[ix];
            square[ix] = 0.999 * square[ix] + 0.001 * slope[ix] * slope[ix];
            let (mean, square) = (
                mean[ix] / (1.0 - 0.9f64.powi(step as i32)),
                square[ix] / (1.0 - 0.999f64.powi(step as i32)),
            );
            moved[ix] -= size * mean / (square.sqrt() + 1e-9);
        }
    }
    std::array::from_fn(|ix| first[ix] * f64::exp(moved[ix]))
}

/// The milliseconds of work that one thread has to do.
pub(crate) fn expected(work: &Work, rates: &[f64; N_UNITS]) -> f64 {
    (work.0.iter().zip(rates).map(|(n, rate)| n * rate).sum::<f64>() / 1e6).max(1e-6)
}
