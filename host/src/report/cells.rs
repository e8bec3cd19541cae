//! Cells: how scores are told apart when pairs are counted.
//!
//! Each score falls into a cell: 1/64 of a bit, or 1/5000 of a mean; and one more cell begins at the threshold. Cells are counted while
//! candidates come, all of them, so whatever is said of a threshold where a cell begins is exact.

use crate::base::json::float;
use crate::entities::score::{Scoring, least_weight};
use crate::rules::ScoreMethod;
use hyperblock_shared::score::{ONE, weight};
use serde_json::Value;

/// Cells of a mean, and of a bit.
const CELLS_OF_MEAN: u32 = 5_000;
const CELLS_OF_BIT: i32 = 64;
/// What a bit is in units of weights.
pub(super) const BIT: i32 = 1_000_000;

/// Pairs of a kind, and what the truth says of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) n: u64,
    /// Those that match.
    pub(super) n_true: u64,
    /// How many pairs those stand for that match, and those that do not, in billionths.
    found: u128,
    wrong: u128,
}

impl Cell {
    /// One more, of which it is said whether it matches, and how many it stands for.
    pub(super) fn add(&mut self, verdict: Option<(bool, f64)>) {
        self.n += 1;
        let Some((is_match, weight)) = verdict else { return };
        let weight = (weight * 1e9).round() as u128;
        if is_match {
            self.n_true += 1;
            self.found += weight;
        } else {
            self.wrong += weight;
        }
    }

    pub(super) fn extend(&mut self, some: &Self) {
        self.n += some.n;
        self.n_true += some.n_true;
        self.found += some.found;
        self.wrong += some.wrong;
    }

    /// How many pairs those stand for that match.
    pub(super) fn found(&self) -> f64 {
        self.found as f64 / 1e9
    }

    pub(super) fn wrong(&self) -> f64 {
        self.wrong as f64 / 1e9
    }
}

/// How scores are told apart: each cell has two numbers, of which the second is of those that are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    are_weights: bool,
    enough: u32,
    threshold: u32,
}

impl Grid {
    pub(super) fn new(scoring: &Scoring) -> Self {
        let are_weights = scoring.method() == ScoreMethod::FellegiSunter;
        Self { are_weights, enough: scoring.enough(), threshold: scoring.threshold() }
    }

    /// Whether scores are weights, in bits.
    pub(super) fn are_weights(&self) -> bool {
        self.are_weights
    }

    /// The least score of those that are kept.
    pub(super) fn enough(&self) -> u32 {
        self.enough
    }

    pub(super) fn cell(&self, score: u32) -> i32 {
        2 * self.place(score) + i32::from(score >= self.enough)
    }

    pub(super) fn place(&self, score: u32) -> i32 {
        match self.are_weights {
            true => weight(score).div_euclid(BIT / CELLS_OF_BIT),
            false => (score / (ONE / CELLS_OF_MEAN)) as i32,
        }
    }

    /// A score as people read it: bits, or a mean.
    pub(super) fn told(&self, score: u32) -> f64 {
        match self.are_weights {
            true => f64::from(weight(score)) / f64::from(BIT),
            false => f64::from(score) / f64::from(ONE),
        }
    }

    pub(super) fn threshold(&self) -> f64 {
        match self.are_weights {
            true => f64::from(least_weight(self.threshold)) / f64::from(BIT),
            false => f64::from(self.threshold) / f64::from(ONE),
        }
    }

    /// Where a place begins.
    pub(super) fn begin(&self, place: i32) -> f64 {
        let cells = if self.are_weights { f64::from(CELLS_OF_BIT) } else { f64::from(CELLS_OF_MEAN) };
        f64::from(place) / cells
    }

    /// The least score that a cell may have.
    pub(super) fn least(&self, cell: i32) -> f64 {
        let begin = self.begin(cell.div_euclid(2));
        if cell.rem_euclid(2) == 1 { begin.max(self.threshold()) } else { begin }
    }
}

/// A share, to millionths.
pub(super) fn rounded(share: f64) -> Value {
    float((share * 1e6).round() / 1e6)
}
