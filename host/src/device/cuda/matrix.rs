//! The closure of a bit matrix on a GPU: the kernels of `device::matrix`, pivot by pivot. A matrix that does not fit into the
//! GPU's memory stays in the host's: see [`bands`].

mod bands;

use super::Cuda;
use super::clock::Clock;
use super::columns::Slices;
use super::launch::MatrixLaunches;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::components::{Components, Phases, Rows};
use bands::Bands;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceMatrix, DeviceSlice, ScoredPair};
use hyperblock_shared::matrix::{self, PIVOT, n_words, stride};

/// Brings a matrix to the device, or as much of it at a time as there is room for.
pub(super) fn load<'a>(
    gpu: &'a Cuda,
    n_records: u32,
    pairs: &[ScoredPair],
) -> Result<Box<dyn Components + 'a>> {
    let rows = Rows::new(n_records, pairs)?;
    let n_rows = rows.n_rows();
    let need = 4 * (n_words(n_rows) + u64::from(n_rows)) + 8 * rows.pairs.len() as u64;
    let free = gpu.free_bytes()?;
    match need <= free {
        true => Ok(Box::new(Whole::load(gpu, rows)?)),
        false => Ok(Box::new(Bands::load(gpu, rows, free)?)),
    }
}

/// A matrix in device memory.
struct Whole<'a> {
    gpu: &'a Cuda,
    rows: Rows,
    pairs: CudaSlice<u64>,
    words: CudaSlice<u32>,
    firsts: CudaSlice<u32>,
}

impl<'a> Whole<'a> {
    fn load(gpu: &'a Cuda, rows: Rows) -> Result<Self> {
        let n_rows = rows.n_rows();
        let pairs: Vec<u64> =
            rows.pairs.iter().map(|&(left, right)| u64::from(left) | u64::from(right) << 32).collect();
        let (words, firsts) =
            (gpu.zeros((n_words(n_rows) as usize).max(1))?, gpu.zeros((n_rows as usize).max(1))?);
        Ok(Self { gpu, pairs: gpu.upload(&pairs)?, words, firsts, rows })
    }
}

/// Launches over words of so many rows.
fn launches<'a>(
    gpu: &'a Cuda,
    words: &CudaSlice<u32>,
    n_rows: u64,
    stride: u32,
) -> Result<MatrixLaunches<'a>> {
    let matrix = DeviceMatrix {
        words: Slices(gpu).of(words).atomic(),
        pairs: DeviceSlice::NOTHING,
        firsts: DeviceSlice::NOTHING.atomic(),
        stride,
        n_rows: n_rows as u32,
        first: 0,
        pivot: 0,
        column: 0,
        padding: 0,
    };
    Ok(MatrixLaunches { gpu, kernels: gpu.kernels.load_cluster(&gpu.context, &gpu.name)?, matrix })
}

impl Components for Whole<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let gpu = self.gpu;
        let n_rows = self.rows.n_rows();
        let mut clock = Clock::new(gpu)?;
        gpu.clear(&mut self.words)?;
        let slice = Slices(gpu);
        let mut launches = launches(gpu, &self.words, matrix::n_rows(n_rows), stride(n_rows))?;
        launches.matrix.pairs = slice.first(&self.pairs, self.rows.pairs.len());
        launches.matrix.firsts = slice.first(&self.firsts, n_rows as usize).atomic();
        launches.connect()?;
        clock.end("connect")?;
        for pivot in (0..n_rows).step_by(PIVOT as usize) {
            control.check()?;
            launches.pivot(pivot, pivot)?;
        }
        launches.firsts()?;
        clock.end("closure")?;
        clock.phases()
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        let mut firsts = vec![0; self.rows.n_rows() as usize];
        if !firsts.is_empty() {
            self.gpu.download(&self.firsts.slice(..firsts.len()), &mut firsts)?;
        }
        Ok(self.rows.labels(&firsts))
    }
}
