//! A CPU without memory: jobs are loaded in pieces, as on a device that cannot hold them.

use hyperblock::Result;
use hyperblock::backend::{Backend, BackendKind, PairScores, Scan};
use hyperblock::closure::{Graph, LoadedGraph};
use hyperblock::cluster::{Components, Scored};
use hyperblock::cpu;
use hyperblock::encode::Encoded;
use hyperblock::join::{Join, Side};
use hyperblock::neighbours::{Neighbours, Orders};
use hyperblock::plan::Program;
use hyperblock::relation::Relations;
use hyperblock_shared::score::Attribute;

/// A CPU that pretends to have so many bytes for columns.
#[derive(Clone, Copy, Debug)]
pub struct SmallCpu(pub u64);

impl Backend for SmallCpu {
    fn name(&self) -> String {
        format!("the CPU with {} bytes", self.0)
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn memory_for_columns(&self) -> Result<u64> {
        Ok(self.0)
    }

    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        assert!(encoded.n_bytes() <= self.0 || encoded.n_left + encoded.n_right <= 2, "it was to fit");
        cpu::load(encoded, program)
    }

    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [Scored],
    ) -> Result<Box<dyn Components + 'a>> {
        cpu::load_components(n_records, pairs)
    }

    fn load_matrix<'a>(&'a self, n_records: u32, pairs: &'a [Scored]) -> Result<Box<dyn Components + 'a>> {
        cpu::load_matrix(n_records, pairs)
    }

    fn load_join<'a>(&'a self, left: Side<'a>, right: Option<Side<'a>>) -> Result<Box<dyn Join + 'a>> {
        cpu::load_join(left, right)
    }

    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        Ok(cpu::load_neighbours(orders))
    }

    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>> {
        assert!(encoded.n_bytes() <= self.0, "it was to fit");
        Ok(cpu::load_scores(encoded, attributes))
    }

    fn relations(&self) -> Box<dyn Relations + '_> {
        cpu::relations()
    }

    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        cpu::load_graph(graph)
    }
}
