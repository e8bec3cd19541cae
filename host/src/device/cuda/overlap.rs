//! Overlap joins on a GPU: two blocks of values in device memory, their index, and the kernels of `device::overlap`.
//!
//! ```text
//!   blocks ─► gathered, copied ─┬─► index ─► groups of elements ─┬─► pairs of items ─► decided
//!                               └──────────────────────► values ─┘
//! ```
//!
//! Values are made where the columns are ([`elements`]), or the host has gathered them: tokens are on the device already, and
//! of q-grams only a block's own are copied then, so it fits however many there are. All kernels run one after the other
//! without the host in between, which then looks at the counters: if there was no room for all pairs, or there were too many
//! hits to wait for, nothing was decided. Then room is made, or it is done in parts.

mod elements;
mod gathered;
mod grams;
mod probing;

pub(super) use elements::{DeviceElements, Listed};

use super::Cuda;
use super::columns::{Slices, Upload};
use super::launch::OverlapLaunches;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::plan::overlap::{BlockJoin, BlockTables, Lens};
use crate::plan::path::OverlapMethod;
use cudarc::driver::CudaSlice;
use gathered::Gathered;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceOverlap, DeviceSlice, DeviceSliceMut, DeviceValues, MOST_HITS, OVERLAP_COUNTERS,
    OverlapCounters,
};
use hyperblock_shared::overlap::OverlapSide;
use probing::{Probing, n_tiles};

/// Pairs of items that there is room for at first: 32 MB.
const FIRST_PAIRS: usize = 1 << 22;
/// How many times as large the next buffer is.
const GROWTH: usize = 8;
/// Parts that what has too many pairs or hits is done in, at least.
const FEWEST_PARTS: u64 = 2;

/// Room for pairs of items, and the counters of what finds them.
pub(super) struct PairBuffer {
    words: CudaSlice<u64>,
    /// More than this only if nothing else helps.
    most: usize,
    counters: CudaSlice<u64>,
}

impl PairBuffer {
    pub(super) fn new(gpu: &Cuda) -> Result<Self> {
        let most = (gpu.free_bytes()? / 4 / size_of::<u64>() as u64).min(1 << 31) as usize;
        Self::with_capacity(gpu, FIRST_PAIRS.min(most.max(1)), most)
    }

    fn with_capacity(gpu: &Cuda, n_pairs: usize, most: usize) -> Result<Self> {
        Ok(Self { words: gpu.zeros(n_pairs)?, most, counters: gpu.zeros(OVERLAP_COUNTERS)? })
    }

    /// Makes room for more pairs, if it may; or if it must, for `least` at any rate.
    fn grow(&mut self, gpu: &Cuda, least: Option<usize>) -> Result<bool> {
        let larger = (self.words.len() * GROWTH).min(self.most).max(least.unwrap_or(0));
        if larger <= self.words.len() {
            return Ok(false);
        }
        self.words = gpu.zeros(1)?;
        self.words = gpu.zeros(larger)?;
        Ok(true)
    }

    /// The pairs, as `listed` sees them: the words, and the counters.
    pub(super) fn on_device(&self, gpu: &Cuda) -> (DeviceSlice<u64>, DeviceAtomics<u64>) {
        (Slices(gpu).of(&self.words), Slices(gpu).of(&self.counters).atomic())
    }

    /// The pairs themselves, so many.
    fn download(&self, gpu: &Cuda, n_pairs: usize) -> Result<Vec<(u32, u32)>> {
        let mut words = vec![0u64; n_pairs];
        if n_pairs > 0 {
            gpu.download(&self.words.slice(..n_pairs), &mut words)?;
        }
        Ok(words.into_iter().map(|word| (word as u32, (word >> 32) as u32)).collect())
    }
}

/// What becomes of pairs.
pub(super) trait Consumer {
    /// Launches what is to be done with them before the host knows how many they are. Where there was no room for all of
    /// them it is to do nothing.
    fn launch(&mut self, pairs: &PairBuffer) -> Result<()>;
    /// Pairs were found, so many of them; whether more are of use.
    fn seen(&mut self, pairs: &PairBuffer, n_pairs: usize) -> Result<bool>;
}

/// Two blocks in device memory, indexed unless they are joined without.
pub(super) struct CudaOverlap<'a> {
    gpu: &'a Cuda,
    /// Without what probes and what is found.
    on_device: DeviceOverlap,
    probing: Probing,
    n_indexed: usize,
    _values: (Upload<'a>, Vec<CudaSlice<u64>>),
    _slots: CudaSlice<u32>,
    _slot_tiles: CudaSlice<u32>,
    _postings: CudaSlice<u64>,
}

/// The values of two blocks in device memory, without their tables.
pub(super) struct BlockValues<'a> {
    /// What is indexed, and what probes; of one block with itself, the same twice.
    sides: [DeviceValues; 2],
    upload: Upload<'a>,
    /// Arrays that were not uploaded.
    held: Vec<CudaSlice<u64>>,
}

impl<'a> BlockValues<'a> {
    /// Those that the host has gathered. All elements may be `there`, and must outlive what is loaded.
    pub(super) fn gathered(
        gpu: &'a Cuda,
        join: &BlockJoin<'_>,
        there: Option<DeviceSlice<u32>>,
    ) -> Result<Self> {
        let overlap = join.borrow();
        let mut upload = Upload::new(gpu);
        let indexed = Gathered::new(&overlap.indexed, there).upload(&mut upload)?;
        let probing = match join.tables.blocks.is_self {
            true => indexed,
            false => Gathered::new(&overlap.probing, there).upload(&mut upload)?,
        };
        Ok(Self { sides: [indexed, probing], upload, held: Vec::new() })
    }
}

impl<'a> CudaOverlap<'a> {
    /// Brings the tables of two blocks to the device, and makes their index if there is to be one.
    pub(super) fn load(
        gpu: &'a Cuda,
        block: &BlockTables,
        values: BlockValues<'a>,
        method: OverlapMethod,
        control: &Control,
    ) -> Result<Self> {
        let overlap = block.borrow();
        if block.n_postings() > MOST_ELEMENTS {
            return Err(Error::Internal("an index of too many postings".into()));
        }
        let (n_slots, n_postings) = match method {
            OverlapMethod::Index => (overlap.n_slots(), block.n_postings() as usize),
            OverlapMethod::Dense => (0, 0),
        };
        let BlockValues { sides: [indexed, probing], mut upload, held } = values;
        let mut tables = |values: DeviceValues, side: &OverlapSide<'_>| {
            let (classes, bounds) = (upload.words(side.classes)?, upload.halves(side.bounds)?);
            Ok::<_, Error>(DeviceValues { classes, bounds, ..values })
        };
        let (indexed, probing) = (tables(indexed, &overlap.indexed)?, tables(probing, &overlap.probing)?);
        let what_probes = match method {
            OverlapMethod::Index => Probing::groups(gpu, block)?,
            OverlapMethod::Dense => Probing::values(gpu, block)?,
        };
        let slots = gpu.zeros::<u32>(n_slots.max(1))?;
        let slot_tiles = gpu.zeros::<u32>(n_tiles(slots.len()))?;
        let postings = gpu.zeros::<u64>(n_postings.max(1))?;
        let slices = Slices(gpu);
        let on_device = DeviceOverlap {
            indexed,
            probing,
            least: upload.halves(overlap.least)?,
            rooms: upload.halves(&overlap.rooms().collect::<Vec<_>>())?,
            slots: slices.of(&slots).atomic(),
            slot_tiles: slices.of(&slot_tiles).atomic(),
            postings: slices.of(&postings).to_write(),
            groups: DeviceSlice::NOTHING,
            segments: DeviceAtomics::NOTHING,
            segment_tiles: DeviceAtomics::NOTHING,
            counters: DeviceAtomics::NOTHING,
            pairs: DeviceSliceMut::NOTHING,
            sizes: overlap.sizes,
            first_indexed: block.blocks.indexed.start,
            first_probing: block.blocks.probing.start,
            is_left_indexed: u32::from(block.blocks.is_left_indexed),
            probing_from: 0,
            probing_upto: 0,
            padding: 0,
        };
        let loaded = Self {
            gpu,
            on_device,
            probing: what_probes,
            n_indexed: block.blocks.indexed.len(),
            _values: (upload, held),
            _slots: slots,
            _slot_tiles: slot_tiles,
            _postings: postings,
        };
        if method == OverlapMethod::Index {
            let (_, timing) = gpu.timed(control, || loaded.launches(on_device)?.index())?;
            timing.record(gpu, control)?;
        }
        Ok(loaded)
    }

    fn launches(&self, overlap: DeviceOverlap) -> Result<OverlapLaunches<'a>> {
        let kernels = self.gpu.kernels.load_overlap(&self.gpu.context, &self.gpu.name)?;
        Ok(OverlapLaunches { gpu: self.gpu, kernels, overlap })
    }

    /// Finds all pairs, as many at a time as there is room for, and has `consumer` see them.
    pub(super) fn probe(
        &mut self,
        pairs: &mut PairBuffer,
        control: &Control,
        consumer: &mut impl Consumer,
    ) -> Result<()> {
        let gpu = self.gpu;
        let mut parts = self.probing.parts();
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            control.check()?;
            gpu.stream.memset_zeros(&mut pairs.counters).map_err(gpu.failed("clearing memory"))?;
            let (words, counters) = pairs.on_device(gpu);
            let with_pairs = DeviceOverlap { pairs: words.to_write(), counters, ..self.on_device };
            let of_part = self.probing.begin(gpu, &part, with_pairs)?;
            let launches = self.launches(of_part)?;
            let (_, timing) = gpu.timed(control, || {
                match self.probing {
                    Probing::Groups(_) => launches.probe()?,
                    Probing::Values(_) => launches.dense()?,
                }
                consumer.launch(pairs)
            })?;
            let mut words = [0u64; OVERLAP_COUNTERS];
            gpu.download(&pairs.counters, &mut words)?;
            timing.record(gpu, control)?;
            let OverlapCounters { n_hits, n_pairs, .. } = bytemuck::cast(words);
            let is_full = n_pairs > pairs.words.len() as u64;
            if !is_full && n_hits <= MOST_HITS {
                if !consumer.seen(pairs, n_pairs as usize)? {
                    return Ok(());
                }
                continue;
            }
            // A group or value meets no indexed value twice.
            let least = (part.len() == 1).then_some(self.n_indexed);
            if is_full && pairs.grow(gpu, least)? {
                parts.push(part);
                continue;
            }
            let n_parts = (2 * n_hits / MOST_HITS).max(FEWEST_PARTS).min(part.len() as u64) as usize;
            let step = part.len().div_ceil(n_parts);
            parts.extend(part.clone().step_by(step).map(|from| from..part.end.min(from + step)));
        }
        Ok(())
    }
}

/// Items of a block that fit into a quarter of device memory, two blocks at a time, if they are the largest ones.
pub(super) fn most_items(gpu: &Cuda, lens: [&Lens; 2]) -> Result<u32> {
    let affordable = (gpu.free_bytes()? / 8).min(BYTES_PER_ELEMENT * MOST_ELEMENTS);
    let fitting = lens.map(|lens| {
        let mut runs: Vec<(u32, u64)> = lens.all().map(|(len, items)| (len, items.len() as u64)).collect();
        runs.sort_unstable();
        let (mut n_items, mut left) = (0, affordable);
        for (len, n) in runs.into_iter().rev() {
            let per_item = BYTES_PER_ITEM + BYTES_PER_ELEMENT * u64::from(len);
            let fitting = n.min(left / per_item);
            n_items += fitting;
            left -= fitting * per_item;
            if fitting < n {
                break;
            }
        }
        n_items as u32
    });
    Ok(fitting.into_iter().filter(|&n| n > 0).min().unwrap_or(1))
}

/// Elements of a block at most: kernels number hits in 32 bits, and a little past the end.
const MOST_ELEMENTS: u64 = 1 << 31;
/// A value and its signature, and its share of groups and segments.
const BYTES_PER_ITEM: u64 = 8 + 32 + 12;
/// An element and its posting, its share of slots, and if it is looked up of groups.
const BYTES_PER_ELEMENT: u64 = 4 + 8 + 2 + 1;

impl Cuda {
    /// The pairs of items of two blocks that have enough in common, found through a buffer for so many at a time: a test's
    /// way to see that nothing is lost.
    pub fn overlapping(
        &self,
        join: &BlockJoin<'_>,
        method: OverlapMethod,
        capacity: usize,
    ) -> Result<Vec<(u32, u32)>> {
        let control = Control::default();
        let mut pairs = PairBuffer::with_capacity(self, capacity.max(1), capacity)?;
        let mut found = Found { gpu: self, pairs: Vec::new() };
        let values = BlockValues::gathered(self, join, None)?;
        let mut loaded = CudaOverlap::load(self, &join.tables, values, method, &control)?;
        loaded.probe(&mut pairs, &control, &mut found)?;
        Ok(found.pairs)
    }
}

/// Pairs that are copied to the host.
struct Found<'a> {
    gpu: &'a Cuda,
    pairs: Vec<(u32, u32)>,
}

impl Consumer for Found<'_> {
    fn launch(&mut self, _: &PairBuffer) -> Result<()> {
        Ok(())
    }

    fn seen(&mut self, pairs: &PairBuffer, n_pairs: usize) -> Result<bool> {
        self.pairs.extend(pairs.download(self.gpu, n_pairs)?);
        Ok(true)
    }
}
