//! Transitive closure on CPU threads.

use super::KernelOnThreads;
use super::condensed::condensed;
use super::relation::semi_naive;
use hyperblock::operators::closure::{Condensed, LoadedGraph, Piece, Rounds, Wanted};
use hyperblock::read::edges::Graph;
use hyperblock::{Control, Result};
use std::borrow::Cow;
use std::ops::Range;

/// A graph, as it is.
pub(super) struct ThreadGraph<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) graph: &'a Graph,
}

impl LoadedGraph for ThreadGraph<'_> {
    fn edges(&self) -> Result<Cow<'_, [u64]>> {
        Ok(Cow::Borrowed(&self.graph.edges))
    }

    fn semi_naive(
        &self,
        sources: Range<u32>,
        rounds: Rounds,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        semi_naive(self.device, self.graph, sources, rounds, wanted, control)
    }

    fn condensed(
        &self,
        components: &Condensed,
        sources: Range<u32>,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        control.check()?;
        Ok(condensed(self.device, components, sources, wanted))
    }
}
