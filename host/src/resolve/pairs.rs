//! The pairs that are kept, on their way to entities.
//!
//! ```text
//! no budget       all are held in memory, and clustered on the device
//! a budget        a forest grows as they come: connected components need nothing else
//!                 └─ methods that look into components, and sources that stay apart: pairs are held, then spilled, then dealt by component
//! ```
//!
//! What looks at all of them again and again, a curve or a matrix of bits, needs them in memory. If they do not fit, they are
//! counted to the end, so that it can be said how much they need.

use super::by_component::ByComponent;
use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::spill::Spill;
use crate::base::timeline::Lane;
use crate::entities::cluster::{ClusterMethod, Clustered, Records, cluster, cluster_within, clustered};
use crate::entities::score::Kept;
use crate::operators::Backend;
use crate::operators::components::Forest;
use hyperblock_shared::layout::ScoredPair;

/// Of what is left of a budget, the share for pairs while candidates are found, in hundredths; and where all must be held.
const SHARE: u64 = 20;
const LARGE_SHARE: u64 = 40;

/// What a pair takes in a list that grows.
const HELD: u64 = 24;

/// What it takes where a matrix of bits is made of it, which is small beside the matrix.
const IN_MATRIX: u64 = 64;

/// What it takes where pairs are sorted by score, and clustered at each threshold.
const IN_CURVE: u64 = 64;

/// Pairs so far.
pub(super) struct Pairs<'a> {
    method: ClusterMethod,
    records: Records<'a>,
    control: &'a Control,
    with_curve: bool,
    /// What they connect, if that is to be known before they are clustered.
    forest: Option<Forest>,
    held: Vec<ScoredPair>,
    /// How many may be held.
    most: usize,
    spill: Option<Spill<ScoredPair>>,
    n: u64,
    granted: Option<Reserved<'a>>,
}

impl<'a> Pairs<'a> {
    /// None yet.
    pub(super) fn new(
        method: ClusterMethod,
        records: Records<'a>,
        with_curve: bool,
        control: &'a Control,
    ) -> Result<Self> {
        let budget = control.budget();
        let must_fit = with_curve || method == ClusterMethod::TiledFw;
        let forest = (budget.is_limited() && !must_fit).then(|| Forest::new(records.n));
        let (most, granted) = match (budget.is_limited(), must_fit || records.reads_scores(method)) {
            (false, _) => (usize::MAX, None),
            (true, false) => (0, None),
            (true, true) => {
                let share = if must_fit { LARGE_SHARE } else { SHARE };
                let (most, granted) = budget.grant(share, HELD, usize::MAX, "pairs")?;
                (most, Some(granted))
            }
        };
        let (held, spill) = (Vec::new(), None);
        Ok(Self { method, records, control, with_curve, forest, held, most, spill, n: 0, granted })
    }

    /// Some more, after those before.
    pub(super) fn add(&mut self, kept: &[Kept]) -> Result<()> {
        let first_right = self.records.first_right.unwrap_or(0);
        self.n += kept.len() as u64;
        if let Some(forest) = &self.forest {
            forest.hook(kept, |(pair, _)| [pair.left, first_right + pair.right], self.control)?;
        }
        if self.most == 0 {
            return Ok(());
        }
        for some in kept.chunks(self.most) {
            if self.held.len() + some.len() > self.most {
                if self.forest.is_none() {
                    // They do not fit, and are only counted.
                    self.held = Vec::new();
                    self.most = 0;
                    return Ok(());
                }
                self.spill()?;
            }
            self.held.extend(some.iter().map(|(pair, score)| ScoredPair {
                left: pair.left,
                right: first_right + pair.right,
                score: *score,
            }));
        }
        Ok(())
    }

    /// Has what is held go to a file.
    fn spill(&mut self) -> Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::new(self.control.budget().folder(), self.most)?),
        };
        self.control.note(Lane::Scan, "spill", || spill.add(&self.held))?;
        self.held.clear();
        Ok(())
    }

    /// All of them, and the memory that a curve takes.
    pub(super) fn all(&mut self) -> Result<(&[ScoredPair], Reserved<'a>)> {
        let n_bytes = self.n.saturating_mul(IN_CURVE + self.bytes_per_pair());
        let held = self.whole(n_bytes, "all pairs with their scores, for a curve")?;
        Ok((&self.held, held))
    }

    /// Leaves some out.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&ScoredPair) -> bool) {
        self.held.retain(is_kept);
        self.n = self.held.len() as u64;
    }

    /// Memory for all, if all are held.
    fn whole(&mut self, n_bytes: u64, what: &'static str) -> Result<Reserved<'a>> {
        self.granted = None;
        let budget = self.control.budget();
        if self.n > self.held.len() as u64 {
            Err(budget.lacks(n_bytes, what))
        } else {
            budget.reserve(n_bytes, what)
        }
    }

    fn bytes_per_pair(&self) -> u64 {
        self.method.bytes_per_pair(self.records.sources.is_some())
    }

    /// The entity of each record; and what the pairs connect, if that is wanted.
    pub(super) fn cluster(
        mut self,
        device: &dyn Backend,
        with_components: bool,
    ) -> Result<(Clustered, Option<Vec<u32>>)> {
        let bytes_per_pair = self.bytes_per_pair();
        let Some(forest) = self.forest.take() else { return self.cluster_held(device, with_components) };
        let Self { method, records, control, .. } = self;
        let components = forest.labels();
        let all = with_components.then(|| components.clone());
        let whole = |entities| Clustered { entities, n_refused: 0 };
        if !records.reads_scores(method) {
            return Ok((whole(components), all));
        }
        self.granted = None;
        let n_bytes = self.n.saturating_mul(bytes_per_pair);
        let entities = if self.spill.is_none() && n_bytes <= control.budget().room() {
            let _held = control.budget().reserve(n_bytes, "pairs")?;
            cluster_within(device, records, components, &&self.held[..], method, control)?
        } else {
            self.spill()?;
            drop(std::mem::take(&mut self.held));
            let Some(spill) = self.spill.take() else { return Ok((whole(components), all)) };
            let batches = ByComponent::new(spill, &components, self.most, bytes_per_pair, control)?;
            cluster_within(device, records, components, &batches, method, control)?
        };
        Ok((entities, all))
    }

    /// The same where all are held.
    fn cluster_held(
        mut self,
        device: &dyn Backend,
        with_components: bool,
    ) -> Result<(Clustered, Option<Vec<u32>>)> {
        let Self { method, records, control, .. } = self;
        let _held = match control.budget().is_limited() && !self.with_curve {
            true => Some(self.whole(self.n.saturating_mul(IN_MATRIX), "all pairs, for a matrix")?),
            false => None,
        };
        let connected = Records { sources: None, ..records };
        let components = match with_components {
            true => Some(cluster(device, connected, &self.held, ClusterMethod::Components, control)?),
            false => None,
        };
        Ok((clustered(device, records, &self.held, method, control)?, components))
    }
}
