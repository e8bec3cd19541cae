//! Transitive closure on a GPU.

use super::Cuda;
use super::condensed::condensed;
use super::semi_naive::semi_naive;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::closure::{ClosureOperator, Condensed, LoadedGraph, Piece, Rounds, Wanted};
use crate::read::edges::Graph;
use cudarc::driver::CudaSlice;
use std::borrow::Cow;
use std::ops::Range;

impl ClosureOperator for Cuda {
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        Ok(Box::new(CudaGraph::load(self, graph)?))
    }
}

/// A graph's edges in device memory.
struct CudaGraph<'a> {
    gpu: &'a Cuda,
    graph: &'a Graph,
    edges: CudaSlice<u64>,
    n_edges: usize,
}

impl<'a> CudaGraph<'a> {
    fn load(gpu: &'a Cuda, graph: &'a Graph) -> Result<Self> {
        Ok(Self { gpu, graph, edges: gpu.upload(&graph.edges)?, n_edges: graph.edges.len() })
    }
}

impl LoadedGraph for CudaGraph<'_> {
    fn edges(&self) -> Result<Cow<'_, [u64]>> {
        let mut edges = vec![0; self.n_edges];
        if self.n_edges > 0 {
            self.gpu.download(&self.edges.slice(..self.n_edges), &mut edges)?;
        }
        Ok(Cow::Owned(edges))
    }

    fn semi_naive(
        &self,
        sources: Range<u32>,
        rounds: Rounds,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        semi_naive(self.gpu, self.graph, &self.edges, sources, rounds, wanted, control)
    }

    fn condensed(
        &self,
        components: &Condensed,
        sources: Range<u32>,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<Piece>> {
        condensed(self.gpu, components, sources, wanted, control)
    }
}
