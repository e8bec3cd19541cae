//! Rounds with a set of all tuples: what is new is what the set did not have.

use super::{Clock, Job, Operator};
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::launch::RelationLaunches;
use crate::device::cuda::relation::{SortBuffers, n_join_tiles};
use crate::operators::closure::Piece;
use crate::operators::relations::{Taking, Turn, bits_below};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceCell, DeviceDeduplicate, DeviceFill, DeviceMeasure, DeviceProjection, DeviceRelations, DeviceSet,
    DeviceSlice,
};
use hyperblock_shared::relation::{most_filled, n_slots_for};

/// Tuples that a join makes at once at most: 256 MB.
const MOST_BUFFERED: u64 = 1 << 25;
/// Of the bytes that are free, what the buffer for them takes at most: one part of so many.
const BUFFER_PART: u64 = 8;
/// Tuples that the set may take at first, if there is memory for them: it is 16 MB then, and in the cache.
const FIRST_TUPLES: u64 = 1 << 20;

/// A set in device memory, and all of its tuples in the order they came in.
struct Set<'a> {
    gpu: &'a Cuda,
    launches: RelationLaunches<'a>,
    percent: u32,
    slots: CudaSlice<u64>,
    tuples: CudaSlice<u64>,
    /// How many tuples the join makes, and how many are in the set.
    counters: CudaSlice<u64>,
    /// All that, as kernels see it: rounds are short, and asking for addresses takes its time.
    at: DeviceSet,
    n_joined_at: DeviceCell<u64>,
    /// Bytes that there are for slots and tuples.
    free: u64,
}

/// What some sources reach, if it fits.
pub(super) fn closure(job: &Job<'_>) -> Result<Option<Piece>> {
    let gpu = job.gpu;
    let launches = gpu.relation_launches()?;
    let mut clock = Clock::new(gpu)?;
    let Some((index, free)) = job.index()? else { return Ok(None) };
    let inner = index.on_device(gpu, job.edges);
    let buffer = (free / BUFFER_PART / 8).clamp(1, MOST_BUFFERED);
    let joined = gpu.room::<u64>(buffer as usize)?;
    let joined_at = Slices(gpu).of(&joined);
    let Some(mut set) = Set::new(job, launches, free - 8 * buffer)? else { return Ok(None) };
    let mut tiles = gpu.room::<u64>(1)?;
    clock.end_phase("index")?;

    let n_edges = job.of_sources.len() as u64;
    let mut taking = Taking::new(set.slots.len() as u64, job.load, job.bound, buffer, n_edges);
    // The tuples that were new in the last round.
    let mut new = 0..n_edges;
    loop {
        job.control.check()?;
        let n_tiles = n_join_tiles(new.end - new.start) as usize;
        if tiles.len() <= n_tiles {
            tiles = gpu.room(2 * n_tiles + 1)?;
        }
        let starts = Slices(gpu).first(&tiles, n_tiles + 1);
        clock.begin_round()?;
        let relations = DeviceRelations { outer: set.part(&new), inner };
        launches.measure(DeviceMeasure { relations, tiles: starts.atomic() }, set.n_joined_at)?;
        taking.begin();
        let mut n_joined = 0;
        loop {
            match taking.step() {
                Turn::Nothing => break,
                Turn::Grow { n_slots } => {
                    let Some(n_slots) = set.grow(n_slots, taking.n_tuples())? else { return Ok(None) };
                    taking.grew(n_slots);
                    clock.end(Operator::Union)?;
                }
                Turn::Take { from, n } => {
                    let made = joined_at.first(n);
                    // The set has grown, perhaps, and its tuples are elsewhere.
                    let relations = DeviceRelations { outer: set.part(&new), inner };
                    launches.join(DeviceProjection { relations, starts, joined: made.to_write(), from })?;
                    clock.end(Operator::Join)?;
                    launches.deduplicate(set.deduplicate(made, from))?;
                    clock.end(Operator::Deduplicate)?;
                    let mut counted = [0; 2];
                    gpu.download(&set.counters, &mut counted)?;
                    n_joined = counted[0];
                    taking.took(n, n_joined, counted[1]);
                }
            }
        }
        new = new.end..taking.n_tuples();
        clock.end_round(n_joined, new.end - new.start);
        if new.is_empty() {
            break;
        }
    }
    clock.end_phase("rounds")?;

    // The sort has the memory of everything else.
    drop((index, joined, tiles));
    let n_tuples = taking.n_tuples() as usize;
    let Some(tuples) = set.sorted(job, n_tuples)? else { return Ok(None) };
    clock.end_phase("sort")?;
    Ok(Some(job.piece(&tuples, n_tuples, clock)?))
}

impl<'a> Set<'a> {
    /// With the edges of the sources in it.
    fn new(job: &Job<'a>, launches: RelationLaunches<'a>, free: u64) -> Result<Option<Self>> {
        let (gpu, percent) = (job.gpu, job.load.percent());
        let edges = job.edges_of_sources();
        let least = n_slots_for(edges.len(), percent);
        let mut n_slots = n_slots_for((4 * edges.len()).max(FIRST_TUPLES).min(job.bound), percent);
        while n_slots > least && n_bytes(n_slots, percent) > free {
            n_slots /= 2;
        }
        if n_bytes(n_slots, percent) > free {
            return Ok(None);
        }
        let mut slots = gpu.room::<u64>(n_slots as usize)?;
        gpu.fill_with_ones(&mut slots)?;
        let tuples = gpu.room::<u64>(most_filled(n_slots, percent) as usize)?;
        let counters = gpu.upload(&[edges.len(), 0])?;
        let [n_joined_at, n_tuples_at] = [0, 1].map(|nth| Slices(gpu).of(&counters).cell(nth));
        let at = on_device(gpu, &slots, &tuples, n_tuples_at);
        let set = Self { gpu, launches, percent, slots, tuples, counters, at, n_joined_at, free };
        launches.deduplicate(set.deduplicate(edges, 0))?;
        Ok(Some(set))
    }

    /// Some of the tuples.
    fn part(&self, range: &std::ops::Range<u64>) -> DeviceSlice<u64> {
        self.at.tuples.to_read().part(range.clone())
    }

    /// What is to be put into it: a part of what was joined, from some number on.
    fn deduplicate(&self, joined: DeviceSlice<u64>, n_before: u64) -> DeviceDeduplicate {
        DeviceDeduplicate { joined, n_joined: self.n_joined_at, set: self.at, n_before }
    }

    /// Makes room for more tuples: so many slots, or half as many if they do not fit; how many, if some do.
    fn grow(&mut self, n_slots: u64, n_tuples: u64) -> Result<Option<u64>> {
        let (gpu, free) = (self.gpu, self.free);
        let larger = [n_slots, n_slots / 2].into_iter().find(|&n| n_bytes(n, self.percent) <= free);
        let Some(n_slots) = larger.filter(|&n| n > self.slots.len() as u64) else { return Ok(None) };
        // Tuples are put into the new slots from their list: the old ones make room first.
        self.slots = gpu.room(1)?;
        let mut tuples = gpu.room::<u64>(most_filled(n_slots, self.percent) as usize)?;
        let n = n_tuples as usize;
        if n > 0 {
            let (from, mut to) = (self.tuples.slice(..n), tuples.slice_mut(..n));
            gpu.stream.memcpy_dtod(&from, &mut to).map_err(gpu.failed("copying tuples"))?;
        }
        self.tuples = tuples;
        self.slots = gpu.room(n_slots as usize)?;
        gpu.fill_with_ones(&mut self.slots)?;
        self.at = on_device(gpu, &self.slots, &self.tuples, self.at.n_tuples);
        self.launches.fill(DeviceFill { tuples: self.part(&(0..n_tuples)), slots: self.at.slots })?;
        Ok(Some(n_slots))
    }

    /// The tuples in ascending order, if there is memory to sort them.
    fn sorted(self, job: &Job<'_>, n_tuples: usize) -> Result<Option<CudaSlice<u64>>> {
        let Self { gpu, slots, mut tuples, .. } = self;
        drop(slots);
        let n_held = 8 * tuples.len() as u64;
        if n_held + SortBuffers::n_bytes(n_tuples as u64) > job.free || n_tuples > SortBuffers::MOST {
            return Ok(None);
        }
        let mut buffers = SortBuffers::new(gpu, n_tuples)?;
        gpu.sort(&mut tuples, n_tuples, &bits_below(job.n_nodes), &mut buffers)?;
        Ok(Some(tuples))
    }
}

fn on_device(
    gpu: &Cuda,
    slots: &CudaSlice<u64>,
    tuples: &CudaSlice<u64>,
    n_tuples: DeviceCell<u64>,
) -> DeviceSet {
    let slices = Slices(gpu);
    DeviceSet { slots: slices.of(slots).atomic(), tuples: slices.of(tuples).to_write(), n_tuples }
}

/// The bytes of so many slots, and of the tuples that may be in them.
fn n_bytes(n_slots: u64, percent: u32) -> u64 {
    8 * (n_slots + most_filled(n_slots, percent))
}
