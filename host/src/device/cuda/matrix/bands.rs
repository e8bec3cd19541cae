//! A matrix in the host's memory, closed band by band.
//!
//! ```text
//! for each band P:  P ─► device ─► its pivots, on its own rows ─► host
//!                   for each other band Q:  Q ─► device, beside P ─► P's pivots, on Q's rows ─► host
//! ```
//!
//! The double-tiled algorithm of *Duplicate detection on GPUs* (Forchhammer et al., BTW 2013). When P is done, its rows have all
//! that is reached by way of P, so a pivot of it brings a row of Q up to date at once.

use super::launches;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use crate::operators::components::{Components, Phases, Rows};
use cudarc::driver::CudaSlice;
use hyperblock_shared::matrix::{PIVOT, stride};
use std::ops::Range;
use std::time::Instant;

/// Of a hundred bytes that are free, those that bands take: the driver gives memory in large pieces.
const PERCENT: u64 = 90;

pub(super) struct Bands<'a> {
    gpu: &'a Cuda,
    rows: Rows,
    bands: Vec<Range<u32>>,
    labels: Vec<u32>,
}

impl<'a> Bands<'a> {
    pub(super) fn load(gpu: &'a Cuda, rows: Rows, free: u64) -> Result<Self> {
        let bands = rows.bands(free / 100 * PERCENT)?;
        rows.check_host()?;
        tracing::info!("the matrix of {} records is closed in {} bands", rows.n_rows(), bands.len());
        Ok(Self { gpu, rows, bands, labels: Vec::new() })
    }

    /// Two bands on the device.
    fn close(&self, words: &mut [u32], control: &Control) -> Result<()> {
        let gpu = self.gpu;
        let stride = stride(self.rows.n_rows());
        let n_rows = |band: &Range<u32>| band.end - band.start;
        let most = self.bands.iter().map(n_rows).max().unwrap_or_default();
        let mut two = gpu.room::<u32>(2 * most as usize * stride as usize)?;
        let of = |band: &Range<u32>| {
            let place = |row: u32| row as usize * stride as usize;
            place(band.start)..place(band.end)
        };
        for own in &self.bands {
            self.upload(&words[of(own)], &mut two, 0)?;
            let alone = launches(gpu, &two, u64::from(n_rows(own)), stride)?;
            for pivot in own.clone().step_by(PIVOT as usize) {
                control.check()?;
                alone.pivot(pivot - own.start, pivot)?;
            }
            gpu.download(&two.slice(..of(own).len()), &mut words[of(own)])?;
            for other in self.bands.iter().filter(|other| *other != own) {
                let at = of(own).len();
                self.upload(&words[of(other)], &mut two, at)?;
                let both = launches(gpu, &two, u64::from(n_rows(own) + n_rows(other)), stride)?;
                for pivot in own.clone().step_by(PIVOT as usize) {
                    control.check()?;
                    both.closed_pivot(pivot - own.start, pivot, n_rows(own))?;
                }
                gpu.download(&two.slice(at..at + of(other).len()), &mut words[of(other)])?;
            }
        }
        Ok(())
    }

    fn upload(&self, rows: &[u32], two: &mut CudaSlice<u32>, at: usize) -> Result<()> {
        let mut to = two.slice_mut(at..at + rows.len());
        self.gpu.stream.memcpy_htod(rows, &mut to).map_err(self.gpu.failed("copying a part of a matrix"))
    }
}

impl Components for Bands<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let start = Instant::now();
        let mut words = self.rows.matrix();
        let connected = Instant::now();
        self.close(&mut words, control)?;
        self.labels = self.rows.labels(&self.rows.firsts(&words));
        Ok(vec![("connect", connected - start), ("closure", connected.elapsed())])
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}
