//! Connected components on a GPU: pairs as they are, and the kernels of `device::components`, one after the
//! other.
//!
//! Parents of all records are in device memory, and as many of the pairs as have room beside them. Others are
//! copied there when it is their turn, in chunks: what was hooked stays hooked. The host does not wait in
//! between.

use super::Cuda;
use super::clock::Clock;
use super::columns::Slices;
use super::launch::ForestLaunches;
use super::matrix;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::components::{Components, ComponentsOperator, Phases, check_pairs};
use cudarc::driver::CudaSlice;
use hyperblock_shared::components::shares;
use hyperblock_shared::layout::{DeviceForest, LANE_PAIRS, LANE_QUADS, ScoredPair};

/// Pairs of a chunk at most: places of their words are then below 2^32.
const MOST_PAIRS: u64 = 1 << 30;
/// Words of a pair.
const PAIR_WORDS: usize = 3;

impl ComponentsOperator for Cuda {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        Ok(Box::new(CudaComponents::load(self, n_records, pairs)?))
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        matrix::load(self, n_records, pairs)
    }
}

struct CudaComponents<'a> {
    gpu: &'a Cuda,
    pairs: &'a [ScoredPair],
    /// Pairs of a chunk.
    capacity: usize,
    /// Room for a chunk, and what fills up the last lane: zeros, which are pairs of a record with itself.
    chunk: CudaSlice<u32>,
    parents: CudaSlice<u32>,
    n_records: u32,
    members: CudaSlice<u32>,
    giant: CudaSlice<u32>,
}

impl<'a> CudaComponents<'a> {
    fn load(gpu: &'a Cuda, n_records: u32, pairs: &'a [ScoredPair]) -> Result<Self> {
        check_pairs(n_records, pairs)?;
        let n_records_up = (n_records as usize).max(1);
        let n_member_words = n_records_up.div_ceil(u32::BITS as usize);
        let own_bytes = 4 * (n_records_up + n_member_words) as u64;
        let free = gpu.free_bytes()?;
        let lane_bytes = (LANE_PAIRS as usize * size_of::<ScoredPair>()) as u64;
        // A little is left for others.
        let n_lanes = (free.saturating_sub(own_bytes) / lane_bytes * 15).div_ceil(16);
        if n_lanes == 0 {
            let need = own_bytes + lane_bytes;
            return Err(Error::DeviceMemory { device: gpu.name.clone(), need, free });
        }
        let capacity = (n_lanes * u64::from(LANE_PAIRS)).min(MOST_PAIRS).min(pairs.len() as u64) as usize;
        let mut loaded = Self {
            gpu,
            pairs,
            capacity,
            chunk: gpu.zeros(capacity.next_multiple_of(LANE_PAIRS as usize).max(4) * PAIR_WORDS)?,
            parents: gpu.zeros(n_records_up)?,
            n_records,
            members: gpu.zeros(n_member_words)?,
            giant: gpu.zeros(1)?,
        };
        if loaded.n_chunks() == 1 {
            loaded.copy(pairs)?;
        }
        Ok(loaded)
    }

    fn n_chunks(&self) -> usize {
        self.pairs.len().div_ceil(self.capacity.max(1))
    }

    /// Brings a chunk to the device. What a longer one left behind it there are pairs that are hooked
    /// already.
    fn copy(&mut self, pairs: &[ScoredPair]) -> Result<()> {
        let words: &[u32] = bytemuck::cast_slice(pairs);
        let (gpu, chunk) = (self.gpu, &mut self.chunk);
        gpu.transfer(|| {
            let copied = gpu.stream.memcpy_htod(words, &mut chunk.slice_mut(..words.len()));
            copied.map_err(gpu.failed("copying pairs to the device"))
        })
    }

    fn forest(&self, n_pairs: usize) -> DeviceForest {
        let slice = Slices(self.gpu);
        let n_quads = n_pairs.div_ceil(LANE_PAIRS as usize) * LANE_QUADS as usize;
        DeviceForest {
            pairs: slice.of(&self.chunk).of().first(n_quads as u64),
            parents: slice.first(&self.parents, self.n_records as usize).atomic(),
            members: slice.of(&self.members).atomic(),
            giant: slice.of(&self.giant).cell(0),
            first: 0,
            step: 1,
        }
    }
}

impl Components for CudaComponents<'_> {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let gpu = self.gpu;
        let kernels = gpu.kernels.load_cluster(&gpu.context, &gpu.name)?;
        let is_there = self.n_chunks() <= 1;
        let mut clock = Clock::new(gpu)?;
        gpu.fill_with_ones(&mut self.giant)?;
        ForestLaunches { gpu, kernels, forest: self.forest(0) }.begin()?;
        clock.end("begin")?;
        let pairs = self.pairs;
        let mut n_left = pairs.len();
        for chunk in pairs.chunks(self.capacity.max(1)) {
            control.check()?;
            if !is_there {
                self.copy(chunk)?;
                clock.end("copy")?;
            }
            let launches = ForestLaunches { gpu, kernels, forest: self.forest(chunk.len()) };
            n_left -= chunk.len();
            let mut shares = shares(chunk.len() as u64, self.n_records).peekable();
            while let Some(share) = shares.next() {
                launches.hook(share)?;
                clock.end("hook")?;
                launches.compress()?;
                clock.end("compress")?;
                if n_left > 0 || shares.peek().is_some() {
                    launches.mark()?;
                    clock.end("mark")?;
                }
            }
        }
        clock.phases()
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        let mut labels = vec![0; self.n_records as usize];
        if !labels.is_empty() {
            self.gpu.download(&self.parents.slice(..labels.len()), &mut labels)?;
        }
        Ok(labels)
    }
}
