//! Packs: units that one task does, one after the other, so that tasks have as many records and as many pairs each.
//!
//! The largest units are dealt first, each to the pack with least: those that are more of all pairs than of all records by pairs,
//! and then the others by records.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a unit is expected to have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    /// Records, on both sides.
    pub(super) records: f64,
    /// Pairs that are together.
    pub(super) pairs: f64,
}

impl Load {
    pub(super) fn add(&mut self, other: Self) {
        self.records += other.records;
        self.pairs += other.pairs;
    }

    pub(super) fn sum<'a>(loads: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        loads.into_iter().for_each(|load| sum.add(*load));
        sum
    }
}

/// By unit: its pack, of so many.
pub(super) fn packs(loads: &[Load], n_packs: usize) -> Vec<u32> {
    let all = Load::sum(loads);
    let shares = |load: &Load| [load.pairs / all.pairs.max(1.0), load.records / all.records.max(1.0)];
    let (by_pairs, by_records): (Vec<usize>, Vec<usize>) = (0..loads.len()).partition(|&unit| {
        let [pairs, records] = shares(&loads[unit]);
        pairs > records
    });
    let mut packs = vec![0; loads.len()];
    let mut sums = vec![Load::default(); n_packs.max(1)];
    let mut deal = |mut units: Vec<usize>, size: fn(&Load) -> f64| {
        units.sort_by(|a, b| size(&loads[*b]).total_cmp(&size(&loads[*a])));
        // Sizes of at least 0 are ordered as their bits are.
        let mut least: BinaryHeap<Reverse<(u64, usize)>> =
            sums.iter().enumerate().map(|(pack, sum)| Reverse((size(sum).to_bits(), pack))).collect();
        for unit in units {
            let Some(Reverse((_, pack))) = least.pop() else { return };
            packs[unit] = pack as u32;
            sums[pack].add(loads[unit]);
            least.push(Reverse((size(&sums[pack]).to_bits(), pack)));
        }
    };
    deal(by_pairs, |load| load.pairs);
    deal(by_records, |load| load.records);
    packs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_are_even_in_both() {
        let heavy = (0..20).map(|nth| Load { records: 100.0, pairs: 5e5 + 1e4 * f64::from(nth) });
        let light = (0..40).map(|nth| Load { records: 300.0 + f64::from(nth), pairs: 900.0 });
        let loads: Vec<Load> = heavy.chain(light).collect();
        let packs = packs(&loads, 6);
        let of = |pack: u32| Load::sum((0..loads.len()).filter(|&it| packs[it] == pack).map(|it| &loads[it]));
        let all = Load::sum(&loads);
        for pack in 0..6 {
            let Load { records, pairs } = of(pack);
            assert!(records < 1.3 * all.records / 6.0 && records > 0.7 * all.records / 6.0, "{records}");
            assert!(pairs < 1.3 * all.pairs / 6.0 && pairs > 0.7 * all.pairs / 6.0, "{pairs}");
        }
    }

    #[test]
    fn fewer_units_than_packs() {
        assert_eq!(packs(&[], 3), Vec::<u32>::new());
        let mut two = packs(&[Load { records: 1.0, pairs: 1.0 }; 2], 5);
        two.sort_unstable();
        two.dedup();
        assert_eq!(two.len(), 2);
    }
}
