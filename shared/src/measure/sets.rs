//! Measures of two sets A and B of tokens: what each of them must say.
//!
//! All go by what the sets have in common. Sets are sets: a token that stands twice counts once. An empty set is a missing
//! value and never gets as far as a measure. Sets have at most 2^24 tokens, as values have symbols.

use super::Goal;
use crate::billionths::billionths;
use crate::threshold::ArchivedThreshold;

/// A measure of two sets, by how many tokens they have and how many in common. More in common is never less alike. It is
/// symmetric.
pub trait SetMeasure: Copy {
    /// How alike sets are, as a fraction of numbers below 2^32: never less than they are.
    fn fraction(self, n_a: u32, n_b: u32, common: u32) -> (u64, u64);

    /// The least number of common tokens with which sets reach a threshold, if there is one: [`Self::possible`], solved
    /// for them. It may be more than either set has.
    fn least_common(self, n_a: u32, n_b: u32, threshold: &ArchivedThreshold) -> u64;

    /// Whether sets may reach a goal with so many tokens in common; of a threshold, whether they do.
    #[inline]
    fn possible<G: Goal>(self, n_a: u32, n_b: u32, common: u32, goal: G) -> bool {
        let (numerator, denominator) = self.fraction(n_a, n_b, common);
        goal.reached(numerator, denominator)
    }

    /// The similarity in billionths.
    #[inline]
    fn billionths(self, n_a: u32, n_b: u32, common: u32) -> u32 {
        let (numerator, denominator) = self.fraction(n_a, n_b, common);
        billionths(numerator, denominator)
    }

    /// Whether the fraction's denominator is to be the root of the sizes' product.
    fn is_over_root(self) -> bool {
        false
    }
}

/// Whether two sets, given as ascending token codes, have at least so many tokens in common. Stops when they have, and
/// when so many of one set's tokens are not in the other that too few are left.
#[inline]
pub fn share(a: &[u32], b: &[u32], least: u32) -> bool {
    let least = least as usize;
    let (Some(most_a), Some(most_b)) = (a.len().checked_sub(least), b.len().checked_sub(least)) else {
        return false;
    };
    let (mut ix_a, mut ix_b, mut common) = (0, 0, 0);
    while common < least {
        let (Some(x), Some(y)) = (a.get(ix_a), b.get(ix_b)) else {
            return false;
        };
        ix_a += usize::from(x <= y);
        ix_b += usize::from(y <= x);
        common += usize::from(x == y);
        if ix_a - common > most_a || ix_b - common > most_b {
            return false;
        }
    }
    true
}

/// How many tokens two sets, given as ascending token codes, have in common.
#[inline]
pub fn common(a: &[u32], b: &[u32]) -> u32 {
    let (mut ix_a, mut ix_b, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(ix_a), b.get(ix_b)) {
        ix_a += usize::from(x <= y);
        ix_b += usize::from(y <= x);
        common += u32::from(x == y);
    }
    common
}
