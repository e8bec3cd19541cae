//! A CPU without memory: jobs are loaded in pieces, as on a device that cannot hold them.

use hyperblock::Result;
use hyperblock::device::always_there;
use hyperblock::encode::Encoded;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureOperator, LoadedGraph};
use hyperblock::operators::components::{Components, ComponentsOperator};
use hyperblock::operators::join::{Join, JoinOperator};
use hyperblock::operators::neighbours::{Neighbours, NeighboursOperator, Orders};
use hyperblock::operators::relations::{Relations, RelationsOperator};
use hyperblock::operators::scan::{Scan, ScanOperator};
use hyperblock::operators::scores::{PairScores, ScoresOperator, Tests};
use hyperblock::plan::Program;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::join::KeyColumn;
use hyperblock::read::edges::Graph;
use hyperblock_shared::layout::ScoredPair;

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
}

impl ScanOperator for SmallCpu {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        assert!(encoded.n_bytes() <= self.0 || encoded.n_left + encoded.n_right <= 2, "it was to fit");
        always_there().load(encoded, program)
    }
}

impl ComponentsOperator for SmallCpu {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        always_there().load_components(n_records, pairs)
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        always_there().load_matrix(n_records, pairs)
    }
}

impl JoinOperator for SmallCpu {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        always_there().load_join(left, right)
    }
}

impl NeighboursOperator for SmallCpu {
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        always_there().load_neighbours(orders)
    }
}

impl ScoresOperator for SmallCpu {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        assert!(encoded.n_bytes() <= self.0, "it was to fit");
        always_there().load_scores(encoded, tests)
    }
}

impl RelationsOperator for SmallCpu {
    fn relations(&self) -> Box<dyn Relations + '_> {
        always_there().relations()
    }
}

impl ClosureOperator for SmallCpu {
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        always_there().load_graph(graph)
    }
}
