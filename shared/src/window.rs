//! The pairs of a scan, cut up: tasks for devices, intervals for thread blocks, stretches to take at a time.
//!
//! A scan compares two lists of items (records, or distinct values with the records that have them), ordered so that
//! what can match a range of one list is a range of the other. An *interval* is a run of left items, one for each
//! thread of a block, with the range of right items within their reach. It is done in *stretches* of right items, and
//! all stretches of all intervals are numbered through: a range of these numbers says which work it is, whoever does it.

use bytemuck::{Pod, Zeroable};

/// Items in an interval, and so threads in a block (the paper's n_t).
pub const INTERVAL: u32 = 256;
/// Intervals under way at once, and so blocks in a launch (the paper's n_w).
pub const WINDOW: u32 = 1024;
/// Items in a stretch: long enough that taking one costs nothing, short enough that the last ones end together.
pub const STRETCH: u32 = 512;

/// Work for one device: the pairs of a range of left records with a range of right ones.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Task {
    /// The first left record.
    pub left_from: u32,
    /// One past the last left record.
    pub left_upto: u32,
    /// The first right record.
    pub right_from: u32,
    /// One past the last right record.
    pub right_upto: u32,
    /// 1 if both sides are one table and only pairs with left < right count, else 0.
    pub half: u32,
}

impl Task {
    /// Whether the task takes in the pair.
    pub fn holds(&self, left: u32, right: u32) -> bool {
        self.half == 0 || left < right
    }

    /// The number of pairs.
    pub fn n_pairs(&self) -> u64 {
        let lefts = u64::from(self.left_upto - self.left_from);
        let rights = u64::from(self.right_upto - self.right_from);
        if self.half == 0 {
            return lefts * rights;
        }
        // A left record below the right range pairs with all of it; one inside with the rights after itself.
        let below = self.right_from.clamp(self.left_from, self.left_upto);
        let inside = below..self.left_upto.min(self.right_upto).max(below);
        let (n_below, n_inside) = (u64::from(below - self.left_from), u64::from(inside.end - inside.start));
        let after = |left: u32| u64::from(self.right_upto.saturating_sub(left));
        n_below * rights + (after(inside.start) + after(inside.end)).saturating_sub(1) * n_inside / 2
    }
}

/// A run of left items with the right items within their reach, both by their places in the lists.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Interval {
    /// The first left item.
    pub left_from: u32,
    /// One past the last left item.
    pub left_upto: u32,
    /// The first right item.
    pub right_from: u32,
    /// One past the last right item.
    pub right_upto: u32,
}

impl Interval {
    /// The number of stretches of `stretch` items.
    pub fn n_stretches(&self, stretch: u32) -> u32 {
        (self.right_upto - self.right_from).div_ceil(stretch)
    }

    /// What is left of the interval if only one of its stretches is done.
    pub fn part(&self, ix: u32, stretch: u32) -> Self {
        let right_from = self.right_from + ix * stretch;
        Self { right_from, right_upto: self.right_upto.min(right_from.saturating_add(stretch)), ..*self }
    }

    /// The number of pairs.
    pub fn n_pairs(&self) -> u64 {
        u64::from(self.left_upto - self.left_from) * u64::from(self.right_upto - self.right_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_counted(
            left_from in 0u32..20, lefts in 0u32..30, right_from in 0u32..20, rights in 0u32..30, half in 0u32..2,
        ) {
            let (left_upto, right_upto) = (left_from + lefts, right_from + rights);
            let task = Task { left_from, left_upto, right_from, right_upto, half };
            let pairs = (left_from..left_upto).flat_map(|l| (right_from..right_upto).map(move |r| (l, r)));
            prop_assert_eq!(task.n_pairs(), pairs.filter(|&(l, r)| task.holds(l, r)).count() as u64);
        }

        #[test]
        fn stretches_hold_each_pair_once(right_from in 0u32..9, rights in 0u32..40, stretch in 1u32..9) {
            let interval = Interval { left_from: 0, left_upto: 1, right_from, right_upto: right_from + rights };
            let parts = (0..interval.n_stretches(stretch)).map(|ix| interval.part(ix, stretch));
            let seen: std::vec::Vec<u32> = parts.flat_map(|part| part.right_from..part.right_upto).collect();
            prop_assert_eq!(seen, (right_from..right_from + rights).collect::<std::vec::Vec<_>>());
        }
    }
}
