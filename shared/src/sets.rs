//! Similarities of sets A and B, all by what they have in common:
//!
//! | | |
//! |---|---|
//! | Jaccard | \|A ∩ B\| / \|A ∪ B\| (*Bulletin de la Société Vaudoise* 37, 1901) |
//! | Dice | 2 \|A ∩ B\| / (\|A\| + \|B\|) (*Ecology* 26, 1945) |
//! | cosine | \|A ∩ B\| / √(\|A\| \|B\|) (Ochiai, *Bulletin of the Japanese Society of Scientific Fisheries* 22, 1957) |
//! | overlap | \|A ∩ B\| / min(\|A\|, \|B\|) (Szymkiewicz, Simpson) |
//!
//! Sets are sets: a token that stands twice counts once. An empty set is a missing value and never gets here. Sets have
//! at most 2^24 tokens, as values have symbols.

use crate::predicate::ArchivedSetSimilarity;
use crate::threshold::ArchivedThreshold;

/// Whether the similarity of two sets, given as ascending token codes, reaches `threshold`.
#[inline]
pub fn reaches(
    a: &[u32],
    b: &[u32],
    similarity: &ArchivedSetSimilarity,
    threshold: &ArchivedThreshold,
) -> bool {
    possible(a.len() as u32, b.len() as u32, intersection(a, b), similarity, threshold)
}

/// Whether two sets, given as ascending token codes, have at least so many tokens in common.
#[inline]
pub fn share(a: &[u32], b: &[u32], least: u32) -> bool {
    intersection(a, b) >= least
}

/// Whether sets of these sizes reach `threshold` with so many tokens in common. More in common is never less alike, so
/// with the most that they can have in common this is a necessary condition.
#[inline]
pub fn possible(
    n_a: u32,
    n_b: u32,
    common: u32,
    similarity: &ArchivedSetSimilarity,
    threshold: &ArchivedThreshold,
) -> bool {
    let (n_a, n_b, common) = (u64::from(n_a), u64::from(n_b), u64::from(common));
    match similarity {
        ArchivedSetSimilarity::Jaccard => threshold.reached(common, n_a + n_b - common),
        ArchivedSetSimilarity::Dice => threshold.reached(2 * common, n_a + n_b),
        ArchivedSetSimilarity::Cosine => threshold.reached_squared(common * common, n_a * n_b),
        ArchivedSetSimilarity::Overlap => threshold.reached(common, n_a.min(n_b)),
    }
}

/// How many tokens two ascending lists have in common.
pub fn intersection(a: &[u32], b: &[u32]) -> u32 {
    let (mut ix_a, mut ix_b, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(ix_a), b.get(ix_b)) {
        ix_a += usize::from(x <= y);
        ix_b += usize::from(y <= x);
        common += u32::from(x == y);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{archived, at_least, decimals};
    use proptest::{collection::btree_set, prelude::*};
    use std::{collections::BTreeSet, vec::Vec};

    proptest! {
        #[test]
        fn agrees_with_the_definitions(
            a in btree_set(0u32..40, 1..30), b in btree_set(0u32..40, 1..30), threshold in decimals(), least in 0u32..12
        ) {
            let common = a.intersection(&b).count() as u64;
            let all = a.union(&b).count() as u64;
            let (n_a, n_b) = (a.len() as u64, b.len() as u64);
            let list = |set: BTreeSet<u32>| set.into_iter().collect::<Vec<_>>();
            let (a, b) = (list(a), list(b));
            let got = |similarity| archived(threshold, |t| reaches(&a, &b, &similarity, t));
            prop_assert_eq!(got(ArchivedSetSimilarity::Jaccard), at_least(common, all, threshold));
            prop_assert_eq!(got(ArchivedSetSimilarity::Dice), at_least(2 * common, n_a + n_b, threshold));
            prop_assert_eq!(got(ArchivedSetSimilarity::Overlap), at_least(common, n_a.min(n_b), threshold));
            // Squared, so that no root is needed: c² · scale² against digits² · |A| |B|.
            let (scale, digits) = (u128::from(threshold.scale), u128::from(threshold.digits));
            let is = u128::from(common * common) * scale * scale;
            let wanted = digits * digits * u128::from(n_a * n_b);
            prop_assert_eq!(got(ArchivedSetSimilarity::Cosine), is > wanted || (is == wanted && !threshold.strict));
            prop_assert_eq!(share(&a, &b, least), common >= u64::from(least));
        }
    }
}
