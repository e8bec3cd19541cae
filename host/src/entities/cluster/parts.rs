//! The pairs of each component side by side, so that components can be taken apart one beside the other.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::read::sources::Sources;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Components that a thread takes at a time: most are small.
const AT_ONCE: usize = 64;

/// Pairs, as many at a time as fit into memory: all of a component come at once, the smaller record left, and no record with
/// itself.
pub(crate) trait Batches: Sync {
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

/// From the most alike on, then by records.
pub(super) fn by_score(pairs: &mut [ScoredPair]) {
    pairs.sort_unstable_by_key(|pair| (Reverse(pair.score), pair.left, pair.right));
}

/// Pairs, and the components that they make.
pub(super) struct Parts<'a> {
    pub(super) components: &'a [u32],
    pub(super) pairs: &'a dyn Batches,
    /// Where records are from, if those of one source are to stay apart. Then no pair of one source is handed on.
    pub(super) sources: Option<&'a Sources>,
    /// Pairs that are not followed because of that.
    pub(super) n_refused: &'a AtomicU64,
    pub(super) control: &'a Control,
}

impl Parts<'_> {
    /// Calls `step` with the pairs of each component: sorted by records, and of a repeated pair the highest score alone.
    pub(super) fn for_each(&self, step: impl Fn(&mut [ScoredPair]) + Sync) -> Result<()> {
        self.for_each_of(None, step)
    }

    /// The same for some components alone: those that are marked, by their names.
    pub(super) fn for_each_of(
        &self,
        marked: Option<&[bool]>,
        step: impl Fn(&mut [ScoredPair]) + Sync,
    ) -> Result<()> {
        let Self { components, pairs, control, .. } = *self;
        let component = |pair: &ScoredPair| components[pair.left as usize];
        pairs.for_each(&mut |mut pairs| {
            if let Some(marked) = marked {
                pairs.retain(|pair| marked[component(pair) as usize]);
            }
            pairs.par_sort_unstable_by_key(|pair| {
                (component(pair), pair.left, pair.right, Reverse(pair.score))
            });
            control.check()?;
            pairs.dedup_by_key(|pair| (pair.left, pair.right));
            if let Some(sources) = self.sources {
                let n_before = pairs.len();
                pairs.retain(|pair| !sources.are_one(pair.left, pair.right));
                self.refuse(n_before - pairs.len());
            }
            let mut parts: Vec<&mut [ScoredPair]> =
                pairs.chunk_by_mut(|a, b| component(a) == component(b)).collect();
            parts.par_iter_mut().with_min_len(AT_ONCE).try_for_each(|part| {
                control.check()?;
                step(part);
                Ok(())
            })
        })
    }

    /// Takes note of pairs that are not followed because of their sources.
    pub(super) fn refuse(&self, n_pairs: usize) {
        self.n_refused.fetch_add(n_pairs as u64, Relaxed);
    }
}
