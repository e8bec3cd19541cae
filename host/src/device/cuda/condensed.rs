//! Transitive closure on a GPU, over the components that the host has found: rows of bits in device memory,
//! and the kernels of `device::closure`, one after the other.
//!
//! ```text
//!   own ─► rows ─► count ─► sum ─► the host sums up sources ─► write, as many at a time as there is room for
//! ```

use super::Cuda;
use super::columns::Slices;
use super::launch::{ClosureKernels, ClosureLaunches};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::closure::{Condensed, Levels, MOST_TUPLES, Piece, Wanted};
use cudarc::driver::{CudaEvent, CudaSlice};
use hyperblock_shared::layout::{
    COLUMN_SOURCES, ClosureSizes, DeviceClosure, DeviceSlice, DeviceSliceMut, GROUP_SOURCES, Target, WARP,
};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Targets of a part, at least and at most: enough to have the places of sources loaded for, and few, so that
/// there is a part for every warp.
const PARTS: Range<u32> = 256..4096;

/// What some sources reach; none, if their rows do not fit, or what they reach.
pub(super) fn condensed(
    gpu: &Cuda,
    condensed: &Condensed,
    sources: Range<u32>,
    wanted: Wanted,
    control: &Control,
) -> Result<Option<Piece>> {
    let start = Instant::now();
    let kernels = gpu.kernels.load_closure(&gpu.context, &gpu.name)?;
    let sizes = sizes(&sources, condensed.components.len() as u32, kernels.n_warps());
    let (need, free) = (n_bytes(condensed, &sizes), gpu.free_bytes()?);
    if need > free / 2 {
        return Ok(None);
    }
    // Of what is left, some is for what else the driver needs.
    let most_tuples = (free - need) / 10 * 9 / size_of::<u64>() as u64;
    let mut on_device = OnDevice::new(gpu, kernels, condensed, sizes)?;
    let levels = start.elapsed();
    let marks = on_device.count()?;
    let totals = on_device.totals()?;
    control.check()?;
    let mut starts = Vec::with_capacity(totals.len());
    let mut n_tuples = 0;
    for total in totals {
        starts.push(n_tuples);
        n_tuples += u64::from(total);
    }
    let mut phases = vec![("levels", levels)];
    for (phase, [from, to]) in ["rows", "count"].into_iter().zip([[0, 1], [1, 2]]) {
        phases.push((phase, gpu.between(&marks[from], &marks[to])?));
    }
    if wanted.tuples && n_tuples > MOST_TUPLES {
        return Ok(None);
    }
    let start = Instant::now();
    let Some((tuples, copying)) =
        on_device.tuples(&starts, n_tuples.min(most_tuples), n_tuples, wanted, control)?
    else {
        return Ok(None);
    };
    phases.push(("write", start.elapsed() - copying));
    if wanted.tuples {
        phases.push(("copy", copying));
    }
    Ok(Some(Piece { n_tuples, tuples, iterations: Vec::new(), phases }))
}

fn sizes(sources: &Range<u32>, n_nodes: u32, n_warps: u32) -> ClosureSizes {
    let n_sources = sources.end - sources.start;
    let n_groups = n_sources.div_ceil(GROUP_SOURCES);
    // Two for every warp, so that none waits for long.
    let n_parts = (2 * n_warps).div_ceil(n_groups.max(1));
    let part = n_nodes.div_ceil(n_parts.max(1)).next_multiple_of(WARP).clamp(PARTS.start, PARTS.end);
    ClosureSizes {
        first_source: sources.start,
        n_sources,
        row_words: n_sources.next_multiple_of(COLUMN_SOURCES) / WARP,
        part,
        n_parts: n_nodes.div_ceil(part),
        first_group: 0,
        end_group: n_groups,
        padding: 0,
    }
}

/// Bytes of everything but tuples.
fn n_bytes(condensed: &Condensed, sizes: &ClosureSizes) -> u64 {
    let (n_components, n_sources) = (u64::from(condensed.n_components()), u64::from(sizes.n_sources));
    let rows = n_components * u64::from(sizes.row_words);
    let graph = condensed.successors.len() as u64 + 2 * n_components + condensed.components.len() as u64;
    4 * (rows + graph + n_sources * u64::from(sizes.n_parts) + 3 * n_sources)
}

/// A piece in device memory.
struct OnDevice<'a> {
    gpu: &'a Cuda,
    kernels: &'a ClosureKernels,
    sizes: ClosureSizes,
    levels: CudaSlice<u32>,
    predecessor_starts: CudaSlice<u32>,
    predecessors: CudaSlice<u32>,
    targets: CudaSlice<u32>,
    rows: CudaSlice<u32>,
    counts: CudaSlice<u32>,
    totals: CudaSlice<u32>,
}

/// Where the tuples of sources begin, and room for some of them.
struct Room {
    starts: CudaSlice<u64>,
    tuples: CudaSlice<u64>,
}

impl<'a> OnDevice<'a> {
    fn new(
        gpu: &'a Cuda,
        kernels: &'a ClosureKernels,
        condensed: &Condensed,
        sizes: ClosureSizes,
    ) -> Result<Self> {
        let Levels { starts, predecessor_starts, predecessors, places } = condensed.levels();
        let target = |(&place, &component): (&u32, &u32)| {
            Target { place, is_apart: !condensed.is_cyclic[component as usize] }.word()
        };
        let targets: Vec<u32> = places.iter().zip(&condensed.components).map(target).collect();
        let n_counts = sizes.n_sources as usize * sizes.n_parts as usize;
        Ok(Self {
            gpu,
            kernels,
            sizes,
            levels: gpu.upload(&starts)?,
            predecessor_starts: gpu.upload(&predecessor_starts)?,
            predecessors: gpu.upload(&predecessors)?,
            targets: gpu.upload(&targets)?,
            rows: gpu.zeros(condensed.n_components() as usize * sizes.row_words as usize)?,
            counts: gpu.room(n_counts)?,
            totals: gpu.room(sizes.n_sources as usize)?,
        })
    }

    /// Makes the rows and counts what sources reach; when that begins, when rows are made, and when all is
    /// counted.
    fn count(&mut self) -> Result<[CudaEvent; 3]> {
        let launches = self.launches(None, 0, self.sizes);
        let begin = self.gpu.mark()?;
        launches.rows()?;
        let made = self.gpu.mark()?;
        launches.count()?;
        Ok([begin, made, self.gpu.mark()?])
    }

    /// By source: how many nodes it reaches.
    fn totals(&self) -> Result<Vec<u32>> {
        let mut totals = vec![0; self.sizes.n_sources as usize];
        self.gpu.download(&self.totals, &mut totals)?;
        Ok(totals)
    }

    /// Writes all tuples, as many groups of sources at a time as there is room for (`fitting` tuples), and
    /// brings them here if they are wanted; and how long that took. None, if there is no room for a group.
    fn tuples(
        &self,
        starts: &[u64],
        fitting: u64,
        n_tuples: u64,
        wanted: Wanted,
        control: &Control,
    ) -> Result<Option<(Vec<u64>, Duration)>> {
        let gpu = self.gpu;
        let start_of = |group: u32| {
            let source = group as usize * GROUP_SOURCES as usize;
            starts.get(source).copied().unwrap_or(n_tuples)
        };
        let n_groups = self.sizes.n_groups();
        if (0..n_groups).any(|group| start_of(group + 1) - start_of(group) > fitting) {
            return Ok(None);
        }
        let room = Room { starts: gpu.upload(starts)?, tuples: gpu.room(fitting.max(1) as usize)? };
        let mut all = vec![0; if wanted.tuples { n_tuples as usize } else { 0 }];
        let (mut first, mut copying) = (0, Duration::ZERO);
        while first < n_groups {
            control.check()?;
            let from = start_of(first);
            let fits = |group: &u32| start_of(group + 1) - from <= fitting;
            let end = (first..n_groups).take_while(fits).last().map_or(first, |group| group + 1);
            let sizes = ClosureSizes { first_group: first, end_group: end, ..self.sizes };
            self.launches(Some(&room), from, sizes).write()?;
            gpu.synchronize()?;
            let n = (start_of(end) - from) as usize;
            if wanted.tuples && n > 0 {
                let start = Instant::now();
                let to = all.get_mut(from as usize..from as usize + n);
                let to = to.ok_or_else(|| Error::Internal("sources reach more than was counted".into()))?;
                gpu.download(&room.tuples.slice(..n), to)?;
                copying += start.elapsed();
            }
            first = end;
        }
        Ok(Some((all, copying)))
    }

    fn launches(&self, room: Option<&Room>, first_tuple: u64, sizes: ClosureSizes) -> ClosureLaunches<'a> {
        let slice = Slices(self.gpu);
        let closure = DeviceClosure {
            levels: slice.of(&self.levels),
            predecessor_starts: slice.of(&self.predecessor_starts),
            predecessors: slice.of(&self.predecessors),
            targets: slice.of(&self.targets),
            rows: slice.of(&self.rows).atomic(),
            counts: slice.of(&self.counts).atomic(),
            totals: slice.of(&self.totals).atomic(),
            starts: room.map_or(DeviceSlice::NOTHING, |room| slice.of(&room.starts)),
            tuples: room.map_or(DeviceSliceMut::NOTHING, |room| slice.of(&room.tuples).to_write()),
            first_tuple,
            sizes,
        };
        ClosureLaunches { gpu: self.gpu, kernels: self.kernels, closure }
    }
}

#[cfg(test)]
mod tests {
    use super::{PARTS, sizes};

    #[test]
    fn parts_cover_the_targets_and_give_every_warp_some() {
        for n_nodes in [1, 31, 255, 10_876, 174_956, 5_000_000] {
            for n_sources in [1, 256, 257, n_nodes] {
                let sizes = sizes(&(0..n_sources), n_nodes, 4224);
                assert!(sizes.n_parts * sizes.part >= n_nodes);
                assert!((sizes.n_parts - 1) * sizes.part < n_nodes);
                assert!(sizes.part.is_multiple_of(32) && sizes.part >= PARTS.start);
                assert!(sizes.row_words * 32 >= n_sources && sizes.row_words.is_multiple_of(32));
            }
        }
        let road = sizes(&(0..174_956), 174_956, 4224);
        assert_eq!((road.part, road.n_parts, road.end_group), (4096, 43, 684));
        let small = sizes(&(0..10_876), 10_876, 4224);
        assert_eq!((small.part, small.n_parts), (256, 43));
    }
}
