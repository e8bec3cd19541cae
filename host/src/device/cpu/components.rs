//! Connected components on the CPU: all threads hook pairs into one forest.

use super::Cpu;
use super::matrix::CpuMatrix;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::components::{Components, ComponentsOperator, Forest, Phases, check_pairs};
use hyperblock_shared::layout::ScoredPair;
use std::time::Instant;

impl ComponentsOperator for Cpu {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(CpuComponents::load(n_records, pairs)?))
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(CpuMatrix::load(n_records, pairs)?))
    }
}

struct CpuComponents<'a> {
    n_records: u32,
    pairs: &'a [ScoredPair],
    labels: Vec<u32>,
}

impl<'a> CpuComponents<'a> {
    fn load(n_records: u32, pairs: &'a [ScoredPair]) -> Result<Self> {
        check_pairs(n_records, pairs)?;
        Ok(Self { n_records, pairs, labels: Vec::new() })
    }
}

impl Components for CpuComponents<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let start = Instant::now();
        let forest = Forest::new(self.n_records);
        forest.hook(self.pairs, |pair| [pair.left, pair.right], control)?;
        let hooked = Instant::now();
        self.labels = forest.labels();
        Ok(vec![("hook", hooked - start), ("compress", hooked.elapsed())])
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}
