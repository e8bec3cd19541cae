//! Rounds without a table of tuples, as in the paper: what is joined is sorted, what is known is taken out, the rest is
//! merged with all.

use super::{Clock, Job, Operator};
use crate::base::error::Result;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::relation::{SortBuffers, n_join_tiles};
use crate::operators::closure::Piece;
use crate::operators::relations::bits_below;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceMeasure, DeviceProjection, DeviceRelations};

/// Of the bytes that are free, what sorting takes at most: one part of so many.
const SORT_PART: u64 = 3;
/// Bytes that a tuple takes while it is sorted and selected, about: twice itself, once more, and counts.
const BYTES_SORTED: u64 = 26;

/// What some sources reach, if it fits.
pub(super) fn closure(job: &Job<'_>) -> Result<Option<Piece>> {
    let gpu = job.gpu;
    let launches = gpu.relation_launches()?;
    let mut clock = Clock::new(gpu)?;
    let Some((index, free)) = job.index()? else { return Ok(None) };
    let inner = index.on_device(gpu, job.edges);
    let most_sorted = (free / SORT_PART / BYTES_SORTED).clamp(1, SortBuffers::MOST as u64) as usize;
    let free = free - free / SORT_PART;
    let mut n_all = job.of_sources.len();
    // All tuples, and those that were new in the last round.
    if 16 * n_all as u64 > free {
        return Ok(None);
    }
    let mut all = copy(job, job.firsts, job.of_sources.clone())?;
    let (mut new, mut n_new) = (copy(job, &all, 0..n_all)?, n_all);
    let (mut joined, mut buffers) = (gpu.room::<u64>(1)?, SortBuffers::new(gpu, 1)?);
    let total = gpu.room::<u64>(1)?;
    clock.end_phase("index")?;

    loop {
        job.control.check()?;
        let relations = DeviceRelations { outer: Slices(gpu).first(&new, n_new), inner };
        let tiles = gpu.room::<u64>(n_join_tiles(n_new as u64) as usize + 1)?;
        let starts = Slices(gpu).of(&tiles);
        clock.begin_round()?;
        let measure = DeviceMeasure { relations, tiles: starts.atomic() };
        launches.measure(measure, Slices(gpu).of(&total).cell(0))?;
        let mut n_joined = [0u64];
        gpu.download(&total, &mut n_joined)?;
        let [n_joined] = n_joined;
        let n_at_once = n_joined.min(most_sorted as u64) as usize;
        if joined.len() < n_at_once {
            let len = n_at_once.next_power_of_two().min(most_sorted);
            (joined, buffers) = (gpu.room(len)?, SortBuffers::new(gpu, len)?);
        }
        let mut parts: Vec<(CudaSlice<u64>, usize)> = Vec::new();
        let mut from = 0;
        while from < n_joined {
            let n = (n_joined - from).min(n_at_once as u64) as usize;
            let joined_at = Slices(gpu).first(&joined, n).to_write();
            launches.join(DeviceProjection { relations, starts, joined: joined_at, from })?;
            clock.end(Operator::Join)?;
            gpu.sort(&mut joined, n, &bits_below(job.n_nodes), &mut buffers)?;
            let known = Slices(gpu).first(&all, n_all);
            let (part, n_part) = gpu.select(Slices(gpu).first(&joined, n), known)?;
            clock.end(Operator::Deduplicate)?;
            // Both, what they become, and the new tuples once more when the round is done.
            if 8 * (2 * n_all + 4 * n_part) as u64 > free {
                return Ok(None);
            }
            if n_part > 0 {
                let (merged, n_merged) = gpu.merge(known, Slices(gpu).first(&part, n_part))?;
                clock.end(Operator::Union)?;
                (all, n_all) = (merged, n_merged);
                parts.push((part, n_part));
            }
            from += n as u64;
        }
        (new, n_new) = together(job, parts)?;
        clock.end(Operator::Clear)?;
        clock.end_round(n_joined, n_new as u64);
        if n_new == 0 {
            break;
        }
    }
    clock.end_phase("rounds")?;
    Ok(Some(job.piece(&all, n_all, clock)?))
}

/// A copy of some words.
fn copy(job: &Job<'_>, words: &CudaSlice<u64>, range: std::ops::Range<usize>) -> Result<CudaSlice<u64>> {
    let gpu = job.gpu;
    let mut copy = gpu.room::<u64>(range.len())?;
    if !range.is_empty() {
        let (from, mut to) = (words.slice(range.clone()), copy.slice_mut(..range.len()));
        gpu.stream.memcpy_dtod(&from, &mut to).map_err(gpu.failed("copying tuples"))?;
    }
    Ok(copy)
}

/// The tuples that were new in the parts of a round, and how many they are.
fn together(job: &Job<'_>, mut parts: Vec<(CudaSlice<u64>, usize)>) -> Result<(CudaSlice<u64>, usize)> {
    let gpu = job.gpu;
    match parts.pop() {
        Some(only) if parts.is_empty() => return Ok(only),
        Some(last) => parts.push(last),
        None => {}
    }
    let n_new = parts.iter().map(|(_, n)| n).sum();
    let mut new = gpu.room::<u64>(n_new)?;
    let mut start = 0;
    for (part, n) in &parts {
        let (from, mut to) = (part.slice(..*n), new.slice_mut(start..start + n));
        gpu.stream.memcpy_dtod(&from, &mut to).map_err(gpu.failed("copying tuples"))?;
        start += n;
    }
    Ok((new, n_new))
}
