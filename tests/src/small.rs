//! A CPU without memory: jobs are loaded in pieces, as on a device that cannot hold them.

use hyperblock::Result;
use hyperblock::backend::{Backend, BackendKind, Scan};
use hyperblock::cpu;
use hyperblock::encode::Encoded;
use hyperblock::join::{Join, Side};
use hyperblock::plan::Program;

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

    fn load_join<'a>(&'a self, left: Side<'a>, right: Option<Side<'a>>) -> Result<Box<dyn Join + 'a>> {
        cpu::load_join(left, right)
    }
}
