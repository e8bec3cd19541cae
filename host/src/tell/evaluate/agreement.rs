//! Precision, recall, and their mean.

/// Precision and recall of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// What is right among what is said. No number where no label decides anything of it.
    pub precision: f64,
    /// What is said among what is right. No number where nothing is labelled as right.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl Agreement {
    pub(in crate::tell) fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        Self { precision, recall, f1: if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum } }
    }
}
