//! How many pairs of records an access puts beside each other, as far as its lists tell.

use super::{Access, KeyJoin, Unlisted};
use crate::base::compared::Compared;
use crate::plan::overlap::{BlockPair, OverlapJoin};
use crate::plan::partition::whole;
use crate::plan::sweep::{ItemList, Sweep};
use hyperblock_shared::overlap::{Overlap, Range32};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::sweep::Order;
use hyperblock_shared::window::Interval;
use std::ops::Range;

impl Access {
    /// The pairs of records that it puts beside each other.
    pub fn compared(&self) -> Compared {
        match self {
            Self::Sweep(sweep) => sweep.compared(),
            Self::Join(join) => join.compared(),
            Self::Overlap(join) => join.compared(),
        }
    }
}

impl Unlisted {
    /// The same, as far as it is known before anything is listed.
    pub fn compared(&self) -> Compared {
        let n = |range: &Range<u32>| range.len() as u32;
        Compared::at_most(whole(n(&self.block.left), n(&self.block.right), self.block.half).n_pairs())
    }
}

impl ItemList {
    /// Records of the items before this one.
    #[inline]
    fn n_before(&self, item: u32) -> u64 {
        self.starts.get(item as usize).map_or(item, |start| *start).into()
    }

    /// Records of some items.
    #[inline]
    fn n_records(&self, items: Range<u32>) -> u64 {
        self.n_before(items.end) - self.n_before(items.start)
    }
}

/// The pairs within so many records.
fn within(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

impl Sweep {
    /// The pairs of records behind the pairs of items that it screens.
    fn compared(&self) -> Compared {
        let n = self.intervals.iter().map(|interval| self.n_pairs_of_records(interval)).sum();
        // Lengths may tell runs of items apart, and of pairs that come both ways round one counts.
        let is_each_screened = !matches!(self.settings.screen, Screen::Signatures | Screen::WideSignatures);
        match is_each_screened && self.settings.order != Order::Ascending {
            true => Compared::exactly(n),
            false => Compared::at_most(n),
        }
    }

    fn n_pairs_of_records(&self, interval: &Interval) -> u64 {
        let Interval { left_from, left_upto, right_from, right_upto } = *interval;
        let (left, right) = (&self.left, &self.right);
        if self.settings.order != Order::Unordered || right_from >= left_upto {
            return left.n_records(left_from..left_upto) * right.n_records(right_from..right_upto);
        }
        // Of one list with itself: left items before the right ones meet all of these, others those from themselves on.
        let (from, upto) = (left_from.max(right_from), left_upto.min(right_upto));
        let own = left.n_records(from..upto);
        left.n_records(left_from..from) * left.n_records(right_from..right_upto)
            + within(own)
            + own * left.n_records(upto..right_upto)
    }
}

impl KeyJoin {
    /// The pairs of records with the same key.
    fn compared(&self) -> Compared {
        match self.order() {
            Order::Unordered | Order::AsTheyAre => Compared::exactly(self.n_pairs),
            Order::Ascending => Compared::at_most(self.n_pairs),
        }
    }
}

impl OverlapJoin {
    /// The pairs of records that may meet at all, whatever they have in common.
    fn compared(&self) -> Compared {
        let Sweep { left, right, .. } = &self.sweep;
        let pairs = self.groups.iter().map(|[lefts, rights]| match self.is_self() {
            true => within(left.n_records(lefts.clone())),
            false => left.n_records(lefts.clone()) * right.n_records(rights.clone()),
        });
        Compared::at_most(pairs.sum())
    }

    /// Pairs of records behind a probing value and those that it meets: all whose sizes go with its own, or, if an index names
    /// so many, these. Which of them have several records is not looked up: no more than there are to spare.
    pub fn n_pairs_of(&self, blocks: &BlockPair, overlap: &Overlap<'_>, probing: u32, n_named: u64) -> u64 {
        let (left, right) = (&self.sweep.left, &self.sweep.right);
        let (indexed, probes) = if blocks.is_left_indexed { (left, right) } else { (right, left) };
        let Range32 { from, upto } = overlap.reach(probing);
        let (from, upto) = (blocks.indexed.start + from, blocks.indexed.start + upto);
        let n_met = indexed.n_records(from..upto);
        let n_spare = n_met - u64::from(upto - from);
        let probing = blocks.probing.start + probing;
        probes.n_records(probing..probing + 1) * n_met.min(n_named.saturating_add(n_spare))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ScanOptions;
    use hyperblock_shared::sweep::Settings;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    /// Items of so many records each.
    fn list(sizes: &[u32], is_grouped: bool) -> Arc<ItemList> {
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let n = if is_grouped { starts[sizes.len()] } else { sizes.len() as u32 };
        let starts = if is_grouped { starts } else { Vec::new() };
        Arc::new(ItemList { starts, records: (0..n).collect(), ..ItemList::default() })
    }

    fn settings(order: Order) -> Settings {
        Settings {
            screen: Screen::Codes,
            order,
            lead: 0,
            lead_step: 0,
            from: 0,
            upto: 1,
            stretch: 32,
            policy: ScanOptions::default().policy,
            queue: true,
            is_decided: true,
        }
    }

    proptest! {
        /// As many as there are when each pair of items is gone through, as a scan does.
        #[test]
        fn pairs_behind_pairs_of_items(
            lefts in vec(1u32..4, 1..12), rights in vec(1u32..4, 1..12), is_grouped: bool, is_self: bool,
            interval in 1u32..5, reach in vec((0u32..12, 0u32..13), 12),
        ) {
            let left = list(&lefts, is_grouped);
            let right = if is_self { left.clone() } else { list(&rights, is_grouped) };
            let order = if is_self { Order::Unordered } else { Order::AsTheyAre };
            let mut intervals = Vec::new();
            for (nth, left_from) in (0..left.len()).step_by(interval as usize).enumerate() {
                let left_upto = left.len().min(left_from + interval);
                let (from, upto) = reach[nth];
                let right_from = if is_self { from.max(left_from) } else { from };
                let right_upto = upto.min(right.len());
                if right_from < right_upto {
                    intervals.push(Interval { left_from, left_upto, right_from, right_upto });
                }
            }
            let mut pairs = BTreeSet::new();
            for it in &intervals {
                for l in it.left_from..it.left_upto {
                    for r in it.right_from..it.right_upto {
                        for a in left.items().places(l) {
                            for b in right.items().places(r) {
                                if !is_self || (l <= r && a < b) {
                                    prop_assert!(pairs.insert((a, b)));
                                }
                            }
                        }
                    }
                }
            }
            let sweep = Sweep::new([left, right], intervals, settings(order), 32).unwrap();
            prop_assert_eq!(sweep.compared(), Compared::exactly(pairs.len() as u64));
        }
    }
}
