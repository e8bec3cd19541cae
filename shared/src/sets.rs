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
    least_common(a.len() as u32, b.len() as u32, similarity, threshold)
        .is_some_and(|least| share(a, b, least))
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

/// The least number of common tokens with which sets of these sizes reach `threshold`: the least that is
/// [`possible`]. `None` if all of the smaller set is not enough.
#[inline]
pub fn least_common(
    n_a: u32,
    n_b: u32,
    similarity: &ArchivedSetSimilarity,
    threshold: &ArchivedThreshold,
) -> Option<u32> {
    let most = n_a.min(n_b);
    let all = u64::from(n_a) + u64::from(n_b);
    let (digits, scale) = (u64::from(threshold.digits.to_native()), u64::from(threshold.scale.to_native()));
    let least = match similarity {
        // c / (all − c) >= digits / scale  <=>  c · (scale + digits) >= digits · all; below 2^55.
        ArchivedSetSimilarity::Jaccard => threshold.least(digits * all, scale + digits),
        ArchivedSetSimilarity::Dice => threshold.least(digits * all, 2 * scale),
        ArchivedSetSimilarity::Overlap => threshold.least(digits * u64::from(most), scale),
        ArchivedSetSimilarity::Cosine => {
            // By halves: a root is dearer.
            let (mut least, mut enough) = (0, most + 1);
            while least < enough {
                let common = least + (enough - least) / 2;
                let is_enough = possible(n_a, n_b, common, similarity, threshold);
                (least, enough) = if is_enough { (least, common) } else { (common + 1, enough) };
            }
            u64::from(least)
        }
    };
    (least <= u64::from(most)).then_some(least as u32)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{archived, at_least, decimals};
    use crate::threshold::Threshold;
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
            prop_assert_eq!(super::common(&a, &b), common as u32);
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

    const ALL: [ArchivedSetSimilarity; 4] = [
        ArchivedSetSimilarity::Jaccard,
        ArchivedSetSimilarity::Dice,
        ArchivedSetSimilarity::Cosine,
        ArchivedSetSimilarity::Overlap,
    ];

    proptest! {
        #[test]
        fn the_least_common_is_the_least_possible(n_a in 1u32..70, n_b in 1u32..70, threshold in decimals()) {
            for similarity in &ALL {
                archived(threshold, |t| {
                    let want = (0..=n_a.min(n_b)).find(|&common| possible(n_a, n_b, common, similarity, t));
                    prop_assert_eq!(least_common(n_a, n_b, similarity, t), want);
                    Ok(())
                })?;
            }
        }
    }

    #[test]
    fn large_sets_do_not_overflow() {
        const N: u32 = 1 << 24;
        for (digits, scale) in [(999, 1000), (999_999_999, 1_000_000_000)] {
            for similarity in &ALL {
                archived(Threshold { digits, scale, strict: false }, |t| {
                    let least = least_common(N, N, similarity, t).unwrap();
                    assert!(
                        possible(N, N, least, similarity, t) && !possible(N, N, least - 1, similarity, t)
                    );
                });
            }
        }
    }
}
