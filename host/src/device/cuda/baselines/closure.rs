//! The closure of 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023), Algorithm 1, in any kind of memory.
//!
//! A round joins all that the last one made, whether it was known or not; sorts it, and merges it with all. What a round needs it
//! allocates, and frees. The engine's own closure joins what is new alone. The kernels are the same, but for a join that is not
//! fused with the projection after it.

mod memory;

pub use memory::MemoryKind;

use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::launch::{BaselineLaunches, MERGE_TILE, RelationLaunches, SORT_TILE};
use crate::device::cuda::relation::n_join_tiles;
use crate::operators::relations::{LoadFactor, bits_below, digits};
use crate::read::edges::Graph;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceCompact, DeviceIndex, DeviceIndexing, DeviceMark, DeviceMeasure, DeviceProject, DeviceProjection,
    DeviceRelations, DeviceSlice, DeviceWideJoin, WARP, n_sum_tiles,
};
use hyperblock_shared::relation::{DIGITS, SELECT_TILE, n_slots_for};
use memory::{Array, Arrays, HostEdges};
use std::time::{Duration, Instant};

/// How a closure is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperClosure {
    /// Whether the join writes what is projected, and nothing else.
    pub is_fused: bool,
    /// Where edges, tuples and all between are.
    pub memory: MemoryKind,
    /// How full the table of edges may be.
    pub load: LoadFactor,
}

/// What that took. Host memory for edges is there before.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaperTimes {
    /// How many tuples the closure has.
    pub n_tuples: u64,
    /// Rounds, with the last one, which finds nothing new.
    pub n_rounds: u32,
    /// The most bytes that arrays on the device took at once.
    pub most_bytes: u64,
    /// From edges on the host to tuples there, which somebody has read.
    pub total: Duration,
    /// Of that, joins with their projections, on the device.
    pub joins: Duration,
    /// And until edges were on the device, and from when tuples were there.
    pub copies: Duration,
}

impl Cuda {
    /// Finds the closure of a graph as the paper does; somebody reads its tuples where they come to.
    pub fn close_as_in_paper(
        &self,
        graph: &Graph,
        closure: PaperClosure,
        read: &mut dyn FnMut(&[u64]),
    ) -> Result<PaperTimes> {
        let arrays = Arrays::new(self, closure.memory)?;
        let edges = HostEdges::new(&arrays, &graph.edges)?;
        self.synchronize()?;
        let start = Instant::now();
        let edges = edges.on_device(&arrays)?;
        self.synchronize()?;
        let copied = start.elapsed();
        let rounds = Rounds {
            gpu: self,
            relation: self.relation_launches()?,
            baseline: self.baseline_launches()?,
            arrays: &arrays,
            total: self.zeros(1)?,
        };
        let mut times = PaperTimes::default();
        let (tuples, n_tuples) = rounds.run(graph, &edges, closure, &mut times)?;
        drop(edges);
        self.synchronize()?;
        let found = Instant::now();
        tuples.read(&arrays, n_tuples, read)?;
        times.copies = copied + found.elapsed();
        times.total = start.elapsed();
        (times.n_tuples, times.most_bytes) = (n_tuples as u64, arrays.most_bytes());
        Ok(times)
    }
}

/// What rounds are done with.
struct Rounds<'a> {
    gpu: &'a Cuda,
    relation: RelationLaunches<'a>,
    baseline: BaselineLaunches<'a>,
    arrays: &'a Arrays<'a>,
    /// A number that kernels leave.
    total: CudaSlice<u64>,
}

/// Words in device memory, sorted, and how many they are.
type Sorted<'a> = (Array<'a, u64>, usize);

impl<'a> Rounds<'a> {
    fn run(
        &self,
        graph: &Graph,
        edges: &Array<'a, u64>,
        closure: PaperClosure,
        times: &mut PaperTimes,
    ) -> Result<Sorted<'a>> {
        let n_edges = graph.edges.len();
        let rows = edges.first(n_edges);
        let n_keys = u64::from(graph.n_nodes).min(rows.len());
        let n_slots = n_slots_for(n_keys, closure.load.percent()) as usize;
        let (mut slots, lens) = (self.arrays.room::<u64>(n_slots)?, self.arrays.room::<u32>(n_slots)?);
        slots.fill_with_ones(self.gpu)?;
        let inner = DeviceIndex { rows, slots: slots.all(), lens: lens.all() };
        let indexing = DeviceIndexing { rows, slots: inner.slots.atomic(), lens: inner.lens.atomic() };
        self.relation.index(indexing)?;

        // Edges are sorted, and each is there once.
        let (mut all, mut n_all) = (edges.copied(self.arrays, n_edges)?, n_edges);
        let (mut last, mut n_last) = (edges.copied(self.arrays, n_edges)?, n_edges);
        loop {
            times.n_rounds += 1;
            let relations = DeviceRelations { outer: last.first(n_last), inner };
            let start = self.gpu.mark()?;
            let (joined, n_joined) = self.join(relations, closure.is_fused)?;
            times.joins += self.gpu.between(&start, &self.gpu.mark()?)?;
            let (joined, n_joined) = self.distinct(joined, n_joined, graph.n_nodes)?;
            (last, n_last) = (joined, n_joined);
            let n_before = n_all;
            (all, n_all) = self.union(all.first(n_all), last.first(n_last))?;
            if n_all == n_before {
                return Ok((all, n_all));
            }
        }
    }

    /// What a kernel left. Waits for it.
    fn left(&self) -> Result<usize> {
        let mut total = [0u64];
        self.gpu.download(&self.total, &mut total)?;
        Ok(total[0] as usize)
    }

    fn join(&self, relations: DeviceRelations, is_fused: bool) -> Result<Sorted<'a>> {
        let total = Slices(self.gpu).of(&self.total).cell(0);
        let tiles = self.arrays.room::<u64>(n_join_tiles(relations.outer.len()) as usize + 1)?;
        self.relation.measure(DeviceMeasure { relations, tiles: tiles.all().atomic() }, total)?;
        let (n_joined, starts, from) = (self.left()?, tiles.all(), 0);
        if is_fused {
            let joined = self.arrays.room(n_joined)?;
            let into = joined.first(n_joined).to_write();
            self.relation.join(DeviceProjection { relations, starts, joined: into, from })?;
            return Ok((joined, n_joined));
        }
        let column = || self.arrays.room::<u32>(n_joined);
        let columns = [column()?, column()?, column()?];
        let [firsts, seconds, thirds] = columns.each_ref().map(|column| column.first(n_joined).atomic());
        let columns_at = [firsts, seconds, thirds];
        self.baseline.wide_join(DeviceWideJoin { relations, starts, columns: columns_at, from })?;
        let joined = self.arrays.room(n_joined)?;
        let projected = joined.first(n_joined).to_write();
        self.baseline.project(DeviceProject { columns: [firsts, thirds], projected })?;
        drop(columns);
        Ok((joined, n_joined))
    }

    /// Sorts words, and drops those that are there before.
    fn distinct(&self, mut words: Array<'a, u64>, n: usize, n_nodes: u32) -> Result<Sorted<'a>> {
        if n > (u32::MAX as usize).saturating_sub(SORT_TILE) {
            return Err(Error::Job(format!("{n} tuples are too many to sort at once")));
        }
        let n_counts = n.div_ceil(SORT_TILE) * DIGITS as usize;
        let (mut spare, counts) = (self.arrays.room::<u64>(n)?, self.arrays.room::<u32>(n_counts)?);
        let sums = self.arrays.room::<u32>(n_sum_tiles(n_counts as u64) as usize + 1)?;
        for digit in digits(&bits_below(n_nodes)) {
            let (from, to) = (words.first(n), spare.first(n).to_write());
            self.relation.sort_pass(digit, from, to, counts.first(n_counts), sums.all())?;
            std::mem::swap(&mut words, &mut spare);
        }
        let n_tiles = n.div_ceil(SELECT_TILE as usize);
        let masks = self.arrays.room::<u32>(n_tiles * (SELECT_TILE / WARP) as usize)?;
        let tiles = self.arrays.room::<u64>(n_tiles + 1)?;
        let (words, starts) = (words.first(n), tiles.first(n_tiles + 1));
        let mark = DeviceMark {
            words,
            others: DeviceSlice::NOTHING,
            masks: masks.all().atomic(),
            tiles: starts.atomic(),
        };
        self.relation.mark(mark, Slices(self.gpu).of(&self.total).cell(0))?;
        let n_kept = self.left()?;
        let kept = self.arrays.room(n_kept)?;
        let into = kept.first(n_kept).to_write();
        self.relation.compact(DeviceCompact { words, masks: masks.all(), starts, kept: into })?;
        Ok((kept, n_kept))
    }

    fn union(&self, left: DeviceSlice<u64>, right: DeviceSlice<u64>) -> Result<Sorted<'a>> {
        let n = (left.len() + right.len()) as usize;
        let n_tiles = n.div_ceil(MERGE_TILE);
        let (splits, tiles) = (self.arrays.room(n_tiles + 1)?, self.arrays.room(n_tiles + 1)?);
        let merged = self.arrays.room(n)?;
        let (parts, into) = ([splits.all(), tiles.all()], merged.first(n).to_write());
        self.relation.merge([left, right], parts, into, Slices(self.gpu).of(&self.total).cell(0))?;
        Ok((merged, self.left()?))
    }
}
