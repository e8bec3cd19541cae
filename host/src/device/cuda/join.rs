//! Joins on a GPU: two columns of keys in device memory, and the kernels of `device::join`, one after the other.
//!
//! Everything is allocated when a join is loaded, and the host waits once a run, at its end: how many heavy keys there are and how
//! large partitions are is known to the device alone.

mod sizes;

use super::Cuda;
use super::clock::Clock;
use super::columns::Slices;
use super::launch::{Launches, THREADS, TILE_ROWS};
use super::listing::Words;
use crate::base::error::{Error, Result};
use crate::operators::join::{Join, JoinOperator, Joined, Output};
use crate::plan::join::{JoinMethod, KeyColumn};
use cudarc::driver::CudaSlice;
use hyperblock_shared::join::{HEAVY_SLOTS, MOST_HEAVY, MOST_LISTED};
use hyperblock_shared::layout::{DeviceJoin, DevicePass, DeviceSide, DeviceSlice};
use sizes::Sizes;

/// Pairs that the buffer holds at least: more than a warp or a block writes at once, so that it goes around once at most.
const LEAST_CAPACITY: usize = 1 << 18;

impl JoinOperator for Cuda {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        Ok(Box::new(CudaJoin::load(self, left, right)?))
    }
}

/// Two columns of keys, or one, in device memory.
pub(super) struct CudaJoin<'a> {
    gpu: &'a Cuda,
    sizes: Sizes,
    sides: Vec<LoadedSide>,
    heavy: HeavyKeys,
    pairs: CudaSlice<u64>,
    n_pairs: CudaSlice<u64>,
    /// Pairs that the last run wrote.
    n_written: u64,
}

/// A side, with room for its tuples.
struct LoadedSide {
    keys: CudaSlice<u32>,
    /// How many keys there are: none, if they are in tuples.
    n_keys: usize,
    rows: Option<CudaSlice<u32>>,
    /// Keys and rows that somebody has brought together.
    tuples: Option<Words>,
    passes: Vec<PassBuffers>,
}

/// What a pass writes.
struct PassBuffers {
    /// Of the first pass: one segment.
    segments: Option<CudaSlice<u32>>,
    tiles: CudaSlice<u32>,
    counts: CudaSlice<u32>,
    starts: CudaSlice<u32>,
    cursors: CudaSlice<u32>,
    tuples: CudaSlice<u64>,
}

struct HeavyKeys {
    sample_slots: CudaSlice<u32>,
    sample_counts: CudaSlice<u32>,
    sample_list: CudaSlice<u32>,
    n_listed: CudaSlice<u32>,
    slots: CudaSlice<u32>,
    numbers: CudaSlice<u32>,
    n_heavy: CudaSlice<u32>,
    units: CudaSlice<u64>,
}

impl<'a> CudaJoin<'a> {
    pub(super) fn load(gpu: &'a Cuda, left: KeyColumn<'_>, right: Option<KeyColumn<'_>>) -> Result<Self> {
        Self::for_blocks_of(gpu, left, right, THREADS)
    }

    /// With partitions for blocks of so many threads to join.
    pub(super) fn for_blocks_of(
        gpu: &'a Cuda,
        left: KeyColumn<'_>,
        right: Option<KeyColumn<'_>>,
        n_threads: u32,
    ) -> Result<Self> {
        let n_rows = |side: &KeyColumn<'_>| {
            let n_rows = u32::try_from(side.keys.len()).ok().filter(|&n| n < u32::MAX - TILE_ROWS);
            n_rows.ok_or_else(|| Error::Job("too many rows for one join".into()))
        };
        let both = [n_rows(&left)?, n_rows(&right.unwrap_or(left))?];
        let sizes = Sizes::new(both, right.is_none(), n_threads);
        let mut sides = Vec::new();
        for side in [Some(left), right].into_iter().flatten() {
            sides.push(LoadedSide::new(gpu, &side, &sizes)?);
        }
        Self::of_sides(gpu, sizes, sides)
    }

    /// Of keys and rows that are on the device already, as tuples; of one side with itself, they are there once.
    pub(super) fn of_tuples(gpu: &'a Cuda, tuples: Vec<Words>, n_threads: u32) -> Result<Self> {
        let n_rows = |side: usize| tuples.get(side).or(tuples.first()).map_or(0, |tuples| tuples.n as u32);
        let sizes = Sizes::new([n_rows(0), n_rows(1)], tuples.len() == 1, n_threads);
        let sides = tuples.into_iter().map(|tuples| LoadedSide::of_tuples(gpu, tuples, &sizes));
        let sides = sides.collect::<Result<Vec<_>>>()?;
        Self::of_sides(gpu, sizes, sides)
    }

    fn of_sides(gpu: &'a Cuda, sizes: Sizes, sides: Vec<LoadedSide>) -> Result<Self> {
        let n_slots = sizes.sample_slots as usize;
        let heavy = HeavyKeys {
            sample_slots: gpu.zeros(n_slots)?,
            sample_counts: gpu.zeros(n_slots)?,
            sample_list: gpu.zeros(MOST_LISTED as usize)?,
            n_listed: gpu.zeros(1)?,
            slots: gpu.zeros(HEAVY_SLOTS as usize)?,
            numbers: gpu.zeros(HEAVY_SLOTS as usize)?,
            n_heavy: gpu.zeros(1)?,
            units: gpu.zeros(MOST_HEAVY as usize + 1)?,
        };
        let (pairs, n_pairs) = (gpu.zeros(1)?, gpu.zeros(1)?);
        Ok(Self { gpu, sizes, sides, heavy, pairs, n_pairs, n_written: 0 })
    }
}

impl LoadedSide {
    fn new(gpu: &Cuda, side: &KeyColumn<'_>, sizes: &Sizes) -> Result<Self> {
        let n_rows = side.keys.len();
        if side.rows.is_some_and(|rows| rows.len() != n_rows) {
            return Err(Error::Internal("a side of a join has not as many rows as keys".into()));
        }
        let rows = side.rows.map(|rows| gpu.upload(rows)).transpose()?;
        let passes = Self::passes(gpu, n_rows, sizes)?;
        Ok(Self { keys: gpu.upload(side.keys)?, n_keys: n_rows, rows, tuples: None, passes })
    }

    fn of_tuples(gpu: &Cuda, tuples: Words, sizes: &Sizes) -> Result<Self> {
        let passes = Self::passes(gpu, tuples.n, sizes)?;
        Ok(Self { keys: gpu.zeros(1)?, n_keys: 0, rows: None, tuples: Some(tuples), passes })
    }

    fn passes(gpu: &Cuda, n_rows: usize, sizes: &Sizes) -> Result<Vec<PassBuffers>> {
        let n_tiles = n_rows.div_ceil(TILE_ROWS as usize);
        let mut passes = vec![PassBuffers {
            segments: Some(gpu.upload(&[0, n_rows as u32])?),
            tiles: gpu.upload(&[0, n_tiles as u32])?,
            ..PassBuffers::new(gpu, n_rows, sizes.n_classes(0) as usize)?
        }];
        if sizes.bits[1] > 0 {
            passes.push(PassBuffers {
                tiles: gpu.zeros((1 << sizes.bits[0]) + 1)?,
                ..PassBuffers::new(gpu, n_rows, sizes.n_classes(1) as usize)?
            });
        }
        Ok(passes)
    }

    /// A pass as the kernels see it.
    fn pass(&self, gpu: &Cuda, nth: usize, sizes: &Sizes, heavy: &HeavyKeys) -> DevicePass {
        let own = &self.passes[nth];
        let slice = Slices(gpu);
        let (n_keys, nothing) = (self.n_keys as u64, DeviceSlice::NOTHING);
        let first = |slice: DeviceSlice<u32>| if nth == 0 { slice } else { nothing };
        DevicePass {
            keys: first(slice.of(&self.keys).first(n_keys)),
            rows: first(self.rows.as_ref().map_or(nothing, |rows| slice.of(rows).first(n_keys))),
            from: match &self.tuples {
                _ if nth > 0 => slice.of(&self.passes[0].tuples),
                Some(Words { array, n }) => slice.first(array, *n),
                None => DeviceSlice::NOTHING,
            },
            segments: match &own.segments {
                Some(segments) => slice.of(segments),
                // The heavy ones stand behind the others, and are left out.
                None => slice.of(&self.passes[0].starts).first((1 << sizes.bits[0]) + 1),
            },
            tiles: slice.of(&own.tiles),
            counts: slice.of(&own.counts).atomic(),
            starts: slice.of(&own.starts).atomic(),
            cursors: slice.of(&own.cursors).atomic(),
            tuples: slice.of(&own.tuples).to_write(),
            next_tiles: self.passes.get(nth + 1).map_or(nothing, |next| slice.of(&next.tiles)).atomic(),
            heavy_slots: first(slice.of(&heavy.slots)),
            heavy_numbers: first(slice.of(&heavy.numbers)),
            n_heavy: slice.of(&heavy.n_heavy).cell(0),
            used: if nth == 0 { 0 } else { sizes.bits[0] },
            bits: sizes.bits[nth],
            tile_rows: TILE_ROWS,
            padding: 0,
        }
    }

    /// What the passes leave.
    fn partitioned(&self, gpu: &Cuda, sizes: &Sizes) -> DeviceSide {
        let slice = Slices(gpu);
        let (first, last) = (&self.passes[0], &self.passes[self.passes.len() - 1]);
        let starts = slice.of(&first.starts);
        let n_light = 1u64 << sizes.bits[0];
        DeviceSide {
            keys: slice.of(&self.keys).first(self.n_keys as u64),
            tuples: slice.of(&last.tuples),
            starts: slice.of(&last.starts),
            heavy_tuples: slice.of(&first.tuples),
            heavy_starts: starts.part(n_light..starts.len()),
        }
    }
}

impl PassBuffers {
    fn new(gpu: &Cuda, n_rows: usize, n_classes: usize) -> Result<Self> {
        Ok(Self {
            segments: None,
            tiles: gpu.zeros(1)?,
            counts: gpu.zeros(n_classes)?,
            starts: gpu.zeros(n_classes + 1)?,
            cursors: gpu.zeros(n_classes)?,
            tuples: gpu.zeros(n_rows.max(1))?,
        })
    }
}

impl Join for CudaJoin<'_> {
    fn run(&mut self, method: JoinMethod, output: Output) -> Result<Joined> {
        let gpu = self.gpu;
        let sees_pairs = match output {
            Output::Count => false,
            Output::Pairs { capacity } => {
                let capacity = capacity.max(LEAST_CAPACITY);
                if self.pairs.len() != capacity {
                    self.pairs = gpu.zeros(1)?;
                    self.pairs = gpu.zeros(capacity)?;
                }
                true
            }
        };
        self.begin()?;
        let launches = self.launches()?;
        let mut clock = Clock::new(gpu)?;
        if method == JoinMethod::Skew {
            launches.find_heavy()?;
            clock.end("sample")?;
        }
        self.partition(&launches)?;
        clock.end("partition")?;
        launches.light(sees_pairs)?;
        clock.end("light")?;
        launches.heavy(sees_pairs)?;
        clock.end("heavy")?;
        let (mut n_found, mut n_heavy) = ([0], [0]);
        gpu.download(&self.n_pairs, &mut n_found)?;
        gpu.download(&self.heavy.n_heavy, &mut n_heavy)?;
        self.n_written = if sees_pairs { n_found[0] } else { 0 };
        Ok(Joined { n_pairs: n_found[0], n_heavy: n_heavy[0], phases: clock.phases()? })
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        let n_pairs = (self.n_written as usize).min(self.pairs.len());
        let mut words = vec![0u64; n_pairs];
        if n_pairs > 0 {
            self.gpu.download(&self.pairs.slice(..n_pairs), &mut words)?;
        }
        Ok(words.into_iter().map(|word| (word as u32, (word >> 32) as u32)).collect())
    }
}

impl<'a> CudaJoin<'a> {
    /// Light partitions.
    pub(super) fn n_partitions(&self) -> usize {
        1 << self.sizes.of_join.bits
    }

    /// Partitions both sides, all keys as light ones: what is left to do is to join the partitions.
    pub(super) fn partitioned(&mut self) -> Result<DeviceJoin> {
        self.begin()?;
        let launches = self.launches()?;
        self.partition(&launches)?;
        Ok(launches.join)
    }

    fn launches(&self) -> Result<Launches<'a>> {
        let (gpu, slice) = (self.gpu, Slices(self.gpu));
        let left = self.sides[0].partitioned(gpu, &self.sizes);
        let right = self.sides.get(1).map_or(left, |side| side.partitioned(gpu, &self.sizes));
        let join = DeviceJoin {
            sides: [left, right],
            sample_slots: slice.of(&self.heavy.sample_slots).atomic(),
            sample_counts: slice.of(&self.heavy.sample_counts).atomic(),
            sample_list: slice.of(&self.heavy.sample_list).atomic(),
            n_listed: slice.of(&self.heavy.n_listed).cell(0),
            heavy_slots: slice.of(&self.heavy.slots).atomic(),
            heavy_numbers: slice.of(&self.heavy.numbers).atomic(),
            n_heavy: slice.of(&self.heavy.n_heavy).cell(0),
            units: slice.of(&self.heavy.units).atomic(),
            n_pairs: slice.of(&self.n_pairs).cell(0),
            pairs: slice.of(&self.pairs).to_write(),
            sizes: self.sizes.of_join,
        };
        Ok(Launches { gpu, kernels: gpu.kernels.load_join(&gpu.context, &gpu.name)?, join })
    }

    fn partition(&self, launches: &Launches<'_>) -> Result<()> {
        for side in &self.sides {
            for nth in 0..side.passes.len() {
                let n_classes = (1 << self.sizes.bits[nth]) + if nth == 0 { MOST_HEAVY } else { 0 };
                launches.partition(side.pass(self.gpu, nth, &self.sizes, &self.heavy), n_classes)?;
            }
        }
        Ok(())
    }

    /// Brings everything back to where a run begins.
    fn begin(&mut self) -> Result<()> {
        let gpu = self.gpu;
        let HeavyKeys { sample_slots, sample_counts, n_listed, slots, n_heavy, .. } = &mut self.heavy;
        gpu.fill_with_ones(sample_slots)?;
        gpu.fill_with_ones(slots)?;
        gpu.clear(sample_counts)?;
        gpu.clear(n_listed)?;
        gpu.stream.memset_zeros(&mut self.n_pairs).map_err(gpu.failed("clearing memory"))?;
        gpu.clear(n_heavy)?;
        for pass in self.sides.iter_mut().flat_map(|side| &mut side.passes) {
            gpu.clear(&mut pass.counts)?;
        }
        Ok(())
    }
}
