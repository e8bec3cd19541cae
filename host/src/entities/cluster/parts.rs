//! The pairs of each component side by side, so that components can be taken apart one beside the other.

use crate::base::control::Control;
use crate::base::error::Result;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Components that a thread takes at a time: most are small.
const AT_ONCE: usize = 64;

/// Pairs, as many at a time as fit into memory: all of a component come at once, the smaller record left, and no record with
/// itself.
pub(crate) trait Batches {
    /// Hands on all of them, in any order.
    fn for_each(&self, take: &mut dyn FnMut(Vec<ScoredPair>) -> Result<()>) -> Result<()>;
}

/// All at once.
impl Batches for &[ScoredPair] {
    fn for_each(&self, take: &mut dyn FnMut(Vec<ScoredPair>) -> Result<()>) -> Result<()> {
        let pairs = self.par_iter().filter(|pair| pair.left != pair.right);
        take(pairs.map(in_order).collect())
    }
}

/// The pair with the smaller record left.
pub(crate) fn in_order(pair: &ScoredPair) -> ScoredPair {
    let ScoredPair { left, right, score } = *pair;
    ScoredPair { left: left.min(right), right: left.max(right), score }
}

/// Calls `step` with the pairs of each component: sorted by records, and of a repeated pair the highest score alone.
pub(super) fn for_each_component(
    components: &[u32],
    pairs: &dyn Batches,
    control: &Control,
    step: impl Fn(&mut [ScoredPair]) + Sync,
) -> Result<()> {
    let component = |pair: &ScoredPair| components[pair.left as usize];
    pairs.for_each(&mut |mut pairs| {
        pairs.par_sort_unstable_by_key(|pair| (component(pair), pair.left, pair.right, Reverse(pair.score)));
        control.check()?;
        pairs.dedup_by_key(|pair| (pair.left, pair.right));
        let mut parts: Vec<&mut [ScoredPair]> =
            pairs.chunk_by_mut(|a, b| component(a) == component(b)).collect();
        parts.par_iter_mut().with_min_len(AT_ONCE).try_for_each(|part| {
            control.check()?;
            step(part);
            Ok(())
        })
    })
}
