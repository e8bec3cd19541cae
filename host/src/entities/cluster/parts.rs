//! The pairs of each component side by side, so that components can be taken apart one beside the other.

use crate::base::control::Control;
use crate::base::error::Result;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Components that a thread takes at a time: most are small.
const AT_ONCE: usize = 64;

/// Calls `step` with the pairs of each component: the smaller record left, sorted by records, no record with
/// itself, and of a repeated pair the highest score alone.
pub(super) fn for_each_component(
    components: &[u32],
    pairs: &[ScoredPair],
    control: &Control,
    step: impl Fn(&mut [ScoredPair]) + Sync,
) -> Result<()> {
    let in_order = |pair: &ScoredPair| {
        let ScoredPair { left, right, score } = *pair;
        ScoredPair { left: left.min(right), right: left.max(right), score }
    };
    let mut pairs: Vec<ScoredPair> =
        pairs.par_iter().filter(|pair| pair.left != pair.right).map(in_order).collect();
    let component = |pair: &ScoredPair| components[pair.left as usize];
    pairs.par_sort_unstable_by_key(|pair| (component(pair), pair.left, pair.right, Reverse(pair.score)));
    control.check()?;
    pairs.dedup_by_key(|pair| (pair.left, pair.right));
    let mut parts: Vec<&mut [ScoredPair]> = pairs.chunk_by_mut(|a, b| component(a) == component(b)).collect();
    parts.par_iter_mut().with_min_len(AT_ONCE).try_for_each(|part| {
        control.check()?;
        step(part);
        Ok(())
    })
}
