//! Jaccard similarity of sets: |A ∩ B| / |A ∪ B| (Jaccard, *Bulletin de la Société Vaudoise* 37, 1901).
//!
//! Sets are sets: a token that stands twice counts once. An empty set is a missing value and never gets here.

use crate::threshold::ArchivedThreshold;

/// Whether the Jaccard similarity of two sets, given as ascending token codes, reaches `threshold`.
#[inline]
pub fn reaches(a: &[u32], b: &[u32], threshold: &ArchivedThreshold) -> bool {
    let (n_a, n_b) = (a.len() as u64, b.len() as u64);
    // The smaller set inside the larger is the best that can be; at most 2^24 tokens a set.
    if !threshold.reached(n_a.min(n_b), n_a.max(n_b)) {
        return false;
    }
    let common = intersection(a, b);
    threshold.reached(common, n_a + n_b - common)
}

fn intersection(a: &[u32], b: &[u32]) -> u64 {
    let (mut ix_a, mut ix_b, mut common) = (0, 0, 0u32);
    while let (Some(x), Some(y)) = (a.get(ix_a), b.get(ix_b)) {
        ix_a += usize::from(x <= y);
        ix_b += usize::from(y <= x);
        common += u32::from(x == y);
    }
    u64::from(common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{archived, at_least, decimals};
    use proptest::{collection::btree_set, prelude::*};
    use std::{collections::BTreeSet, vec::Vec};

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            a in btree_set(0u32..40, 1..30), b in btree_set(0u32..40, 1..30), threshold in decimals()
        ) {
            let common = a.intersection(&b).count() as u64;
            let all = a.union(&b).count() as u64;
            let list = |set: BTreeSet<u32>| set.into_iter().collect::<Vec<_>>();
            let (a, b) = (list(a), list(b));
            prop_assert_eq!(archived(threshold, |t| reaches(&a, &b, t)), at_least(common, all, threshold));
        }
    }
}
