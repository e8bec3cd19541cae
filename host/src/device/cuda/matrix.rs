//! The closure of a bit matrix on a GPU: the kernels of `device::matrix`, pivot by pivot.

use super::Cuda;
use super::clock::Clock;
use super::columns::Slices;
use super::launch::MatrixLaunches;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::components::{Components, Phases, Rows, too_large};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceMatrix, ScoredPair};
use hyperblock_shared::matrix::{PIVOT, n_words, stride};

pub(super) struct CudaMatrix<'a> {
    gpu: &'a Cuda,
    rows: Rows,
    pairs: CudaSlice<u64>,
    words: CudaSlice<u32>,
    firsts: CudaSlice<u32>,
}

impl<'a> CudaMatrix<'a> {
    pub(super) fn load(gpu: &'a Cuda, n_records: u32, pairs: &[ScoredPair]) -> Result<Self> {
        let rows = Rows::new(n_records, pairs)?;
        let n_rows = rows.n_rows();
        let pairs: Vec<u64> =
            rows.pairs.iter().map(|&(left, right)| u64::from(left) | u64::from(right) << 32).collect();
        let need = 4 * (n_words(n_rows) + u64::from(n_rows)) + 8 * pairs.len() as u64;
        let free = gpu.free_bytes()?;
        if need > free {
            return Err(too_large(n_rows, need, free));
        }
        let (words, firsts) =
            (gpu.zeros((n_words(n_rows) as usize).max(1))?, gpu.zeros((n_rows as usize).max(1))?);
        Ok(Self { gpu, pairs: gpu.upload(&pairs)?, words, firsts, rows })
    }
}

impl Components for CudaMatrix<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let gpu = self.gpu;
        let n_rows = self.rows.n_rows();
        let mut clock = Clock::new(gpu)?;
        gpu.clear(&mut self.words)?;
        let slice = Slices(gpu);
        let matrix = DeviceMatrix {
            words: slice.of(&self.words).atomic(),
            pairs: slice.first(&self.pairs, self.rows.pairs.len()),
            firsts: slice.first(&self.firsts, n_rows as usize).atomic(),
            stride: stride(n_rows),
            pivot: 0,
        };
        let kernels = gpu.kernels.load_cluster(&gpu.context, &gpu.name)?;
        let launches = MatrixLaunches { gpu, kernels, matrix };
        launches.connect()?;
        clock.end("connect")?;
        for pivot in (0..n_rows).step_by(PIVOT as usize) {
            control.check()?;
            launches.pivot(pivot)?;
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
