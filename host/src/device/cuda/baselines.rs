//! Joins of others on a GPU, by the kernels of `device::baselines`, and a closure: to be compared with.
//!
//! The joins are of 'CPU and GPU Hash Joins on Skewed Data' (2025). What is asked of them is what is asked of the engine's
//! join, of two sides: as there, everything is allocated when a join is loaded, and a loaded one can be run over and over.

mod closure;
mod gbase;
mod gsh;
mod gssjoin;

pub use closure::{MemoryKind, PaperClosure, PaperTimes};

use super::Cuda;
use super::columns::Slices;
use super::launch::BaselineLaunches;
use crate::base::error::{Error, Result};
use crate::operators::join::{Join, Output};
use crate::plan::join::KeyColumn;
use cudarc::driver::CudaSlice;
use gbase::CudaGbase;
use gsh::CudaGsh;
use hyperblock_shared::baselines::NO_PAIR;
use hyperblock_shared::layout::DevicePairs;
use strum::Display;

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum GpuBaseline {
    /// The join of Sioulas, Chrysogelos, Karpathiotakis, Appuswamy and Ailamaki (2019): two passes into lists of buckets, chained
    /// tables; long lists are cut.
    Gbase,
    /// The paper's own: the keys that come up most in large partitions are found there, and joined apart.
    Gsh {
        /// So many keys of each large partition; 3 in the paper.
        top: u32,
    },
}

impl Cuda {
    /// Brings two columns of keys to the device, ready to be joined by a baseline. The method that a run is asked for is not
    /// looked at: a baseline is one.
    pub fn load_baseline<'a>(
        &'a self,
        baseline: GpuBaseline,
        left: KeyColumn<'_>,
        right: Option<KeyColumn<'_>>,
    ) -> Result<Box<dyn Join + 'a>> {
        let right =
            right.ok_or_else(|| Error::Job("a baseline joins two sides, not one with itself".into()))?;
        Ok(match baseline {
            GpuBaseline::Gbase => Box::new(CudaGbase::load(self, [left, right])?),
            GpuBaseline::Gsh { top } => Box::new(CudaGsh::load(self, [left, right], top)?),
        })
    }

    fn baseline_launches(&self) -> Result<BaselineLaunches<'_>> {
        Ok(BaselineLaunches { gpu: self, kernels: self.kernels.load_baselines(&self.context, &self.name)? })
    }
}

/// Rows that a table in shared memory holds: with rows and slots, three of them share a multiprocessor of an A100 or later.
const TABLE_ROWS: u32 = 1 << 12;
/// Bits of its slots.
const SLOT_BITS: u32 = 12;
/// Places of the buffer for pairs that a warp takes at once.
const PIECE: u32 = 512;

/// Where pairs go. Warps have pieces of it; what is left of their last ones is no pair.
struct PairBuffer {
    pairs: CudaSlice<u64>,
    n_pairs: CudaSlice<u64>,
    n_taken: CudaSlice<u64>,
    /// What is added to what is asked for, so that as many pairs fit.
    n_spare: usize,
    /// Whether the last run wrote pairs.
    sees_pairs: bool,
}

impl PairBuffer {
    fn new(launches: &BaselineLaunches<'_>) -> Result<Self> {
        let gpu = launches.gpu;
        Ok(Self {
            pairs: gpu.zeros(1)?,
            n_pairs: gpu.zeros(1)?,
            n_taken: gpu.zeros(1)?,
            n_spare: launches.kernels.most_warps() as usize * PIECE as usize,
            sees_pairs: false,
        })
    }

    /// Gets ready for a run; whether that is to write pairs.
    fn begin(&mut self, gpu: &Cuda, output: Output) -> Result<bool> {
        if let Output::Pairs { capacity } = output {
            let n_places = capacity.saturating_add(self.n_spare);
            if n_places >= (u32::MAX - PIECE) as usize {
                return Err(Error::Job("too many pairs for the buffer of a baseline".into()));
            }
            if self.pairs.len() != n_places {
                self.pairs = gpu.zeros(1)?;
                self.pairs = gpu.zeros(n_places)?;
            }
        }
        for counter in [&mut self.n_pairs, &mut self.n_taken] {
            gpu.stream.memset_zeros(counter).map_err(gpu.failed("clearing memory"))?;
        }
        self.sees_pairs = output != Output::Count;
        Ok(self.sees_pairs)
    }

    /// As kernels see it.
    fn on_device(&self, gpu: &Cuda) -> DevicePairs {
        let slice = Slices(gpu);
        DevicePairs {
            n_pairs: slice.of(&self.n_pairs).cell(0),
            n_taken: slice.of(&self.n_taken).cell(0),
            pairs: slice.of(&self.pairs).to_write(),
            piece: PIECE,
            padding: 0,
        }
    }

    /// How many pairs a run found. Waits for it.
    fn n_pairs(&self, gpu: &Cuda) -> Result<u64> {
        let mut n_pairs = [0];
        gpu.download(&self.n_pairs, &mut n_pairs)?;
        Ok(n_pairs[0])
    }

    /// The pairs of the last run.
    fn pairs(&self, gpu: &Cuda) -> Result<Vec<(u32, u32)>> {
        if !self.sees_pairs {
            return Ok(Vec::new());
        }
        let mut n_taken = [0];
        gpu.download(&self.n_taken, &mut n_taken)?;
        let mut words = vec![0u64; self.pairs.len().min(n_taken[0] as usize)];
        if !words.is_empty() {
            gpu.download(&self.pairs.slice(..words.len()), &mut words)?;
        }
        let pairs = words.into_iter().map(|word| (word as u32, (word >> 32) as u32));
        Ok(pairs.filter(|pair| *pair != NO_PAIR).collect())
    }
}
