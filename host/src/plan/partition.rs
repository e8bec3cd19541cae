//! Partition: the pairs of a job, as one area; an area, as blocks of records, or in halves.
//!
//! Candidates of an area are sorted before they are handed on, and an area is halved so that all candidates of the first
//! half come before those of the second: the output is sorted whatever was split.

use crate::plan::sweep::Block;

/// The pairs of a range of left records with a range of right ones.
pub use hyperblock_shared::window::Task as Area;

/// All pairs of a job; with `half`, of one table with itself, each pair once.
pub fn whole(n_left: u32, n_right: u32, half: bool) -> Area {
    Area { left_from: 0, left_upto: n_left, right_from: 0, right_upto: n_right, half: u32::from(half) }
}

/// The two halves of an area, in order, or `None` if it is a single pair: of its left records, or if there is one alone,
/// of its right ones.
pub fn halves(area: Area) -> Option<[Area; 2]> {
    let middle = area.left_from + (area.left_upto - area.left_from) / 2;
    if middle > area.left_from {
        return Some([Area { left_upto: middle, ..area }, Area { left_from: middle, ..area }]);
    }
    let middle = area.right_from + (area.right_upto - area.right_from) / 2;
    (middle > area.right_from)
        .then_some([Area { right_upto: middle, ..area }, Area { right_from: middle, ..area }])
}

/// An area as blocks: with `half`, what lies on the diagonal apart from what lies beside it.
pub fn blocks(area: &Area) -> Vec<Block> {
    let (left, right) = (area.left_from..area.left_upto, area.right_from..area.right_upto);
    if area.half == 0 {
        let block = Block { left, right, half: false };
        return if block.is_empty() { Vec::new() } else { vec![block] };
    }
    // Right records before the left ones have no partner; those after them pair with all.
    let diagonal = left.start.max(right.start)..left.end.min(right.end);
    let before = left.start..left.end.min(right.start);
    let after = right.start.max(left.end)..right.end;
    let blocks = [
        Block { left: before.clone(), right: right.start..diagonal.end.max(right.start), half: false },
        Block { left: diagonal.clone(), right: diagonal, half: true },
        Block { left, right: after, half: false },
    ];
    blocks.into_iter().filter(|block| !block.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn halves_hold_all_pairs(n_left in 0u32..50, n_right in 0u32..50, half: bool) {
            let n_right = if half { n_left } else { n_right };
            let (mut todo, mut n_pairs) = (vec![whole(n_left, n_right, half)], 0);
            while let Some(area) = todo.pop() {
                match halves(area) {
                    Some(parts) => todo.extend(parts),
                    None => n_pairs += area.n_pairs(),
                }
            }
            prop_assert_eq!(n_pairs, whole(n_left, n_right, half).n_pairs());
        }

        #[test]
        fn blocks_hold_each_pair_once(
            left_from in 0u32..12, lefts in 0u32..15, right_from in 0u32..12, rights in 0u32..15, half in 0u32..2,
        ) {
            let area = Area {
                left_from, left_upto: left_from + lefts, right_from, right_upto: right_from + rights, half,
            };
            let mut seen = BTreeSet::new();
            for block in blocks(&area) {
                for pair in block.left.clone().flat_map(|l| block.right.clone().map(move |r| (l, r))) {
                    if !block.half || pair.0 < pair.1 {
                        prop_assert!(seen.insert(pair));
                    }
                }
            }
            let all = (area.left_from..area.left_upto)
                .flat_map(|l| (area.right_from..area.right_upto).map(move |r| (l, r)))
                .filter(|&(l, r)| area.holds(l, r));
            prop_assert_eq!(seen, all.collect::<BTreeSet<_>>());
        }
    }
}
