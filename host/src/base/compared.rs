//! How many pairs of records were compared: put beside each other, since keys are the same, lengths and numbers within reach,
//! or an index names both. All other pairs are ruled out unseen.
//!
//! Counting must cost nothing. So it is the very number where that is known anyway, and a bound where it is not: where a screen
//! leaves out what lengths already tell apart, where an index names a pair more than once, or where several access paths may
//! come by the same pair.

use std::ops::{Add, AddAssign};

/// So many pairs, or no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// No more than these.
    pub most: u64,
    /// Whether it is that very number.
    pub is_exact: bool,
}

impl Compared {
    /// Just so many.
    pub const fn exactly(n: u64) -> Self {
        Self { most: n, is_exact: true }
    }

    /// No more than so many.
    pub const fn at_most(n: u64) -> Self {
        Self { most: n, is_exact: n == 0 }
    }

    /// Of so many pairs in all: no more than these. With `is_exact` unset, some may have been counted twice.
    pub(crate) fn of(self, n_all: u64, is_exact: bool) -> Self {
        let most = self.most.min(n_all);
        if is_exact && self.is_exact && most == self.most { self } else { Self::at_most(most) }
    }
}

impl Default for Compared {
    fn default() -> Self {
        Self::exactly(0)
    }
}

/// Of pairs that have none in common, or else a bound.
impl Add for Compared {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let most = self.most.saturating_add(other.most);
        Self { most, is_exact: self.is_exact && other.is_exact }
    }
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_stays_one() {
        let (exact, bound) = (Compared::exactly(3), Compared::at_most(4));
        assert_eq!(exact + exact, Compared::exactly(6));
        assert_eq!(exact + bound, Compared::at_most(7));
        assert_eq!(exact + Compared::at_most(0), exact, "fewer than none there are not");
        assert_eq!(Compared::at_most(u64::MAX) + bound, Compared::at_most(u64::MAX));
    }

    #[test]
    fn no_more_than_there_are() {
        assert_eq!(Compared::exactly(3).of(5, true), Compared::exactly(3));
        assert_eq!(Compared::exactly(3).of(5, false), Compared::at_most(3));
        assert_eq!(Compared::exactly(7).of(5, true), Compared::at_most(5));
        assert_eq!(Compared::at_most(7).of(5, true), Compared::at_most(5));
        assert_eq!(Compared::default().of(5, false), Compared::exactly(0));
    }
}
