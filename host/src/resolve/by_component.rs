//! Pairs that do not fit into memory, dealt by component: as many components at a time as fit.
//!
//! The pairs are read twice: to count those of each component, and to write them once more, beside the component that they are
//! in. Then those of some components that follow each other are a range of keys.

use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::spill::{Spill, ranges_between};
use crate::entities::cluster::{Batches, in_order};
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;

/// Of what is left of a budget, the share for pairs, in hundredths.
const SHARE: u64 = 80;

/// Pairs by component.
pub(super) struct ByComponent<'a> {
    pairs: Spill<(u32, ScoredPair)>,
    /// The first component of each batch.
    firsts: Vec<u32>,
    control: &'a Control,
    _held: Reserved<'a>,
}

impl<'a> ByComponent<'a> {
    /// Deals pairs by component, reading about `range` of them at a time.
    pub(super) fn new(
        pairs: Spill<ScoredPair>,
        components: &[u32],
        range: usize,
        bytes_per_pair: u64,
        control: &'a Control,
    ) -> Result<Self> {
        let component = |pair: &ScoredPair| components[pair.left as usize];
        let mut counts = vec![0u32; components.len()];
        let ranges = pairs.ranges(range);
        for keys in &ranges {
            control.check()?;
            for pair in &pairs.range(*keys)? {
                let count = &mut counts[component(pair) as usize];
                *count = count.saturating_add(1);
            }
        }
        let mut by_component = Spill::new(control.budget().folder(), range)?;
        for keys in ranges {
            control.check()?;
            let some = pairs.range(keys)?;
            let is_pair = |pair: &&ScoredPair| pair.left != pair.right;
            let mut rows: Vec<(u32, ScoredPair)> =
                some.par_iter().filter(is_pair).map(|pair| (component(pair), in_order(pair))).collect();
            drop(some);
            rows.par_sort_unstable_by_key(|(component, pair)| (*component, pair.left));
            by_component.add(&rows)?;
        }
        drop(pairs);
        let largest = counts.iter().max().copied().unwrap_or(0) as usize;
        let budget = control.budget();
        let (mut most, mut held) =
            budget.grant(SHARE, bytes_per_pair, usize::MAX, "the pairs of some components")?;
        if largest > most {
            drop(held);
            let n_bytes = bytes_per_pair.saturating_mul(largest as u64);
            (most, held) = (largest, budget.reserve(n_bytes, "the pairs of the largest component")?);
        }
        Ok(Self { pairs: by_component, firsts: batches(&counts, most), control, _held: held })
    }
}

/// Where batches begin that have no more than `most`, of components that have so many each.
fn batches(counts: &[u32], most: usize) -> Vec<u32> {
    let (mut firsts, mut sum) = (Vec::new(), usize::MAX);
    for (component, count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
        let count = *count as usize;
        if sum.saturating_add(count) > most {
            firsts.push(component);
            sum = 0;
        }
        sum += count;
    }
    firsts
}

impl Batches for ByComponent<'_> {
    fn for_each(&self, take: &mut dyn FnMut(Vec<ScoredPair>) -> Result<()>) -> Result<()> {
        let firsts: Vec<u64> = self.firsts.iter().map(|first| u64::from(*first) << 32).collect();
        ranges_between(&firsts).into_iter().try_for_each(|keys| {
            self.control.check()?;
            take(self.pairs.range(keys)?.into_iter().map(|(_, pair)| pair).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_stay_whole() {
        assert!(batches(&[], 5).is_empty());
        assert_eq!(batches(&[0, 3, 0, 2, 1, 0, 9, 1], 5), [1, 4, 6, 7]);
        assert_eq!(batches(&[1, 1, 1], 100), [0]);
        assert_eq!(batches(&[7, 7], 1), [0, 1]);
    }
}
