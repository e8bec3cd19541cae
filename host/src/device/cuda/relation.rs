//! Relational operators on a GPU, by the kernels of `device::relation`.
//!
//! Other parts of the backend sort and select what they have in device memory here; whoever has relations on the host
//! goes through [`CudaRelations`].

use super::columns::Slices;
use super::launch::{MERGE_TILE, RELATION_THREADS, RelationLaunches, SORT_TILE};
use super::{Cuda, driver};
use crate::base::error::{Error, Result};
use crate::operators::relations::{
    LoadFactor, Relations, RelationsOperator, TimedJoin, check_for_set, digits,
};
use cudarc::driver::{CudaSlice, DeviceRepr};
use hyperblock_shared::layout::{
    DeviceCompact, DeviceDeduplicate, DeviceIndex, DeviceIndexing, DeviceMark, DeviceMeasure,
    DeviceProjection, DeviceRelations, DeviceSet, DeviceSlice, WARP, n_sum_tiles,
};
use hyperblock_shared::relation::{DIGITS, SELECT_TILE, n_slots_for};
use std::ops::Range;

/// Tuples of a join that are written at once at most, where all of them go to the host: 256 MB.
const AT_ONCE: u64 = 1 << 25;

impl RelationsOperator for Cuda {
    fn relations(&self) -> Box<dyn Relations + '_> {
        Box::new(CudaRelations(self))
    }
}

impl Cuda {
    pub(super) fn relation_launches(&self) -> Result<RelationLaunches<'_>> {
        Ok(RelationLaunches { gpu: self, kernels: self.kernels.load_relation(&self.context, &self.name)? })
    }

    /// Room for so many elements, whatever is in it.
    pub(super) fn room<T: bytemuck::Pod + DeviceRepr>(&self, len: usize) -> Result<CudaSlice<T>> {
        let len = len.max(1);
        self.allocate(len * size_of::<T>(), || driver::room(&self.stream, len))
    }

    /// Sorts the first so many words by some of their bits, the least significant range first; those that agree in them
    /// stay as they stand. Then `words` may be what `buffers` had as spare before.
    pub(super) fn sort(
        &self,
        words: &mut CudaSlice<u64>,
        n_words: usize,
        bits: &[Range<u32>],
        buffers: &mut SortBuffers,
    ) -> Result<()> {
        if n_words > buffers.n_words {
            return Err(Error::Internal("more words than there is room to sort".into()));
        }
        let (launches, slices) = (self.relation_launches()?, Slices(self));
        let n_counts = n_words.div_ceil(SORT_TILE) * DIGITS as usize;
        let counts = slices.first(&buffers.counts, n_counts);
        let tiles = slices.first(&buffers.tiles, n_sum_tiles(n_counts as u64) as usize + 1);
        for digit in digits(bits) {
            let (from, to) = (slices.first(words, n_words), slices.first(&buffers.spare, n_words));
            launches.sort_pass(digit, from, to.to_write(), counts, tiles)?;
            std::mem::swap(words, &mut buffers.spare);
        }
        Ok(())
    }

    /// What is kept of sorted words: each once, without those among sorted others; and how many they are.
    pub(super) fn select(
        &self,
        words: DeviceSlice<u64>,
        others: DeviceSlice<u64>,
    ) -> Result<(CudaSlice<u64>, usize)> {
        let (launches, slices) = (self.relation_launches()?, Slices(self));
        let n_tiles = (words.len() as usize).div_ceil(SELECT_TILE as usize);
        let masks = self.room::<u32>(n_tiles * (SELECT_TILE / WARP) as usize)?;
        let (tiles, total) = (self.room::<u64>(n_tiles + 1)?, self.room::<u64>(1)?);
        let (masks_at, tiles_at) = (slices.of(&masks), slices.of(&tiles));
        let mark = DeviceMark { words, others, masks: masks_at.atomic(), tiles: tiles_at.atomic() };
        launches.mark(mark, slices.of(&total).cell(0))?;
        let mut n_kept = [0u64];
        self.download(&total, &mut n_kept)?;
        let kept = self.room::<u64>(n_kept[0] as usize)?;
        let kept_at = slices.of(&kept).to_write();
        launches.compact(DeviceCompact { words, masks: masks_at, starts: tiles_at, kept: kept_at })?;
        Ok((kept, n_kept[0] as usize))
    }

    /// Sorted words without repetitions, and how many they are.
    pub(super) fn unique(&self, words: &CudaSlice<u64>, n_words: usize) -> Result<(CudaSlice<u64>, usize)> {
        self.select(Slices(self).first(words, n_words), DeviceSlice::NOTHING)
    }

    /// Two sorted arrays as one, equal words once; and how many they are.
    pub(super) fn merge(
        &self,
        left: DeviceSlice<u64>,
        right: DeviceSlice<u64>,
    ) -> Result<(CudaSlice<u64>, usize)> {
        let (launches, slices) = (self.relation_launches()?, Slices(self));
        let n_words = (left.len() + right.len()) as usize;
        let n_tiles = n_words.div_ceil(MERGE_TILE);
        let (splits, tiles) = (self.room::<u64>(n_tiles + 1)?, self.room::<u64>(n_tiles + 1)?);
        let (merged, total) = (self.room::<u64>(n_words)?, self.room::<u64>(1)?);
        let parts = [slices.of(&splits), slices.of(&tiles)];
        launches.merge([left, right], parts, slices.of(&merged).to_write(), slices.of(&total).cell(0))?;
        let mut n_merged = [0u64];
        self.download(&total, &mut n_merged)?;
        Ok((merged, n_merged[0] as usize))
    }
}

/// What a sort needs beside the words.
pub(super) struct SortBuffers {
    n_words: usize,
    spare: CudaSlice<u64>,
    counts: CudaSlice<u32>,
    tiles: CudaSlice<u32>,
}

impl SortBuffers {
    /// Words that may be sorted at once: places have 32 bits.
    pub(super) const MOST: usize = u32::MAX as usize - SORT_TILE;

    /// For at most so many words.
    pub(super) fn new(gpu: &Cuda, n_words: usize) -> Result<Self> {
        if n_words > Self::MOST {
            return Err(Error::Job(format!("{n_words} tuples are too many to sort at once")));
        }
        let n_counts = n_words.div_ceil(SORT_TILE) * DIGITS as usize;
        Ok(Self {
            n_words,
            spare: gpu.room(n_words)?,
            counts: gpu.room(n_counts)?,
            tiles: gpu.room(n_sum_tiles(n_counts as u64) as usize + 1)?,
        })
    }

    /// The bytes that they take.
    pub(super) fn n_bytes(n_words: u64) -> u64 {
        let n_counts = n_words.div_ceil(SORT_TILE as u64) * u64::from(DIGITS);
        8 * n_words + 4 * n_counts + 4 * (n_sum_tiles(n_counts) + 1)
    }
}

/// A sorted relation in device memory, indexed by its first column.
pub(super) struct Index {
    slots: CudaSlice<u64>,
    lens: CudaSlice<u32>,
}

impl Index {
    /// Of rows with at most so many keys.
    pub(super) fn new(gpu: &Cuda, rows: DeviceSlice<u64>, n_keys: u64, load: LoadFactor) -> Result<Self> {
        if rows.len() >= u64::from(u32::MAX) {
            return Err(Error::Job(format!("{} rows are too many to index", rows.len())));
        }
        let n_slots = n_slots_for(n_keys.min(rows.len()), load.percent()) as usize;
        let (mut slots, lens) = (gpu.room::<u64>(n_slots)?, gpu.room::<u32>(n_slots)?);
        gpu.fill_with_ones(&mut slots)?;
        let index = Self { slots, lens };
        let DeviceIndex { slots, lens, .. } = index.on_device(gpu, rows);
        let indexing = DeviceIndexing { rows, slots: slots.atomic(), lens: lens.atomic() };
        gpu.relation_launches()?.index(indexing)?;
        Ok(index)
    }

    /// As kernels see it, with the rows that it was made of.
    pub(super) fn on_device(&self, gpu: &Cuda, rows: DeviceSlice<u64>) -> DeviceIndex {
        DeviceIndex { rows, slots: Slices(gpu).of(&self.slots), lens: Slices(gpu).of(&self.lens) }
    }

    /// The bytes that it takes.
    pub(super) fn n_bytes(n_keys: u64, load: LoadFactor) -> u64 {
        12 * n_slots_for(n_keys, load.percent())
    }
}

/// Tiles of so many outer tuples of a join.
pub(super) fn n_join_tiles(n_outer: u64) -> u64 {
    n_outer.div_ceil(u64::from(RELATION_THREADS))
}

/// Operators on relations that are on the host.
pub(super) struct CudaRelations<'a>(pub(super) &'a Cuda);

impl CudaRelations<'_> {
    /// A copy of some words, as kernels see them.
    fn uploaded(&self, words: &[u64]) -> Result<(CudaSlice<u64>, DeviceSlice<u64>)> {
        let array = self.0.upload(words)?;
        let slice = Slices(self.0).first(&array, words.len());
        Ok((array, slice))
    }

    fn downloaded(&self, array: &CudaSlice<u64>, n_words: usize) -> Result<Vec<u64>> {
        let mut words = vec![0; n_words];
        if n_words > 0 {
            self.0.download(&array.slice(..n_words), &mut words)?;
        }
        Ok(words)
    }
}

impl Relations for CudaRelations<'_> {
    fn sort(&self, tuples: &[u64], bits: &[Range<u32>]) -> Result<Vec<u64>> {
        let mut words = self.0.upload(tuples)?;
        let mut buffers = SortBuffers::new(self.0, tuples.len())?;
        self.0.sort(&mut words, tuples.len(), bits, &mut buffers)?;
        self.downloaded(&words, tuples.len())
    }

    fn unique(&self, sorted: &[u64]) -> Result<Vec<u64>> {
        let words = self.0.upload(sorted)?;
        let (kept, n_kept) = self.0.unique(&words, sorted.len())?;
        self.downloaded(&kept, n_kept)
    }

    fn difference(&self, sorted: &[u64], others: &[u64]) -> Result<Vec<u64>> {
        let ((_words, words), (_others, others)) = (self.uploaded(sorted)?, self.uploaded(others)?);
        let (kept, n_kept) = self.0.select(words, others)?;
        self.downloaded(&kept, n_kept)
    }

    fn merge(&self, left: &[u64], right: &[u64]) -> Result<Vec<u64>> {
        let ((_left, left), (_right, right)) = (self.uploaded(left)?, self.uploaded(right)?);
        let (merged, n_merged) = self.0.merge(left, right)?;
        self.downloaded(&merged, n_merged)
    }

    fn distinct(&self, tuples: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        check_for_set(tuples)?;
        let (gpu, slices) = (self.0, Slices(self.0));
        let n_slots = n_slots_for(tuples.len() as u64, load.percent()) as usize;
        let (_words, words) = self.uploaded(tuples)?;
        let (mut slots, kept) = (gpu.room::<u64>(n_slots)?, gpu.room::<u64>(tuples.len())?);
        gpu.fill_with_ones(&mut slots)?;
        let (n_joined, n_tuples) = (gpu.upload(&[words.len()])?, gpu.upload(&[0u64])?);
        let set = DeviceSet {
            slots: slices.of(&slots).atomic(),
            tuples: slices.of(&kept).to_write(),
            n_tuples: slices.of(&n_tuples).cell(0),
        };
        let n_joined_at = slices.of(&n_joined).cell(0);
        let job = DeviceDeduplicate { joined: words, n_joined: n_joined_at, set, n_before: 0 };
        gpu.relation_launches()?.deduplicate(job)?;
        let mut n_kept = [0u64];
        gpu.download(&n_tuples, &mut n_kept)?;
        self.downloaded(&kept, n_kept[0] as usize)
    }

    fn join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        let mut joined = Vec::new();
        self.join_by(outer, inner, load, AT_ONCE, &mut |buffer, n| {
            joined.extend(self.downloaded(buffer, n)?);
            Ok(())
        })?;
        Ok(joined)
    }

    fn time_join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<TimedJoin> {
        self.join_by(outer, inner, load, u64::MAX, &mut |_, _| Ok(()))
    }
}

impl CudaRelations<'_> {
    /// Joins, and hands on what is made, so many tuples at a time at most; what that took on the device, and with it what was handed
    /// on.
    fn join_by(
        &self,
        outer: &[u64],
        inner: &[u64],
        load: LoadFactor,
        at_once: u64,
        take: &mut dyn FnMut(&CudaSlice<u64>, usize) -> Result<()>,
    ) -> Result<TimedJoin> {
        let (gpu, slices) = (self.0, Slices(self.0));
        let (launches, tiles) = (gpu.relation_launches()?, n_join_tiles(outer.len() as u64));
        let ((_outer, outer), (_inner, inner)) = (self.uploaded(outer)?, self.uploaded(inner)?);
        let start = gpu.mark()?;
        let index = Index::new(gpu, inner, inner.len(), load)?;
        let built = gpu.mark()?;
        let relations = DeviceRelations { outer, inner: index.on_device(gpu, inner) };
        let (tiles, total) = (gpu.room::<u64>(tiles as usize + 1)?, gpu.room::<u64>(1)?);
        let starts = slices.of(&tiles);
        launches.measure(DeviceMeasure { relations, tiles: starts.atomic() }, slices.of(&total).cell(0))?;
        let mut n_joined = [0u64];
        gpu.download(&total, &mut n_joined)?;
        let [n_joined] = n_joined;
        let most = n_joined.min(at_once).min(gpu.free_bytes()? / 16).max(1);
        let buffer = gpu.room::<u64>(most as usize)?;
        let mut from = 0;
        while from < n_joined {
            let n = most.min(n_joined - from);
            let joined = slices.of(&buffer).to_write();
            launches.join(DeviceProjection { relations, starts, joined, from })?;
            take(&buffer, n as usize)?;
            from += n;
        }
        let end = gpu.mark()?;
        Ok(TimedJoin { n_joined, build: gpu.between(&start, &built)?, join: gpu.between(&built, &end)? })
    }
}
