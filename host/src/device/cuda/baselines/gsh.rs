//! GSH on a GPU: a join of the engine, which partitions both sides with all keys alike, and room for what large partitions are
//! divided into.
//!
//! The host waits once in the middle of a run, to know how many partitions are large. Mostly none is, and nothing is left
//! to do but to join them.

use super::{PairBuffer, SLOT_BITS, TABLE_ROWS};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::clock::Clock;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::join::CudaJoin;
use crate::device::cuda::launch::BaselineLaunches;
use crate::operators::join::{Join, Joined, Output};
use crate::plan::join::{JoinMethod, KeyColumn};
use cudarc::driver::CudaSlice;
use hyperblock_shared::baselines::MOST_TOP;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceGsh, DeviceGshSide, DeviceGshStarts, DeviceJoin, DeviceSlice, GshSizes,
};

/// One row of so many is sampled in a large partition.
const ONE_OF: u32 = 100;

/// Two columns of keys in device memory.
pub(super) struct CudaGsh<'a> {
    gpu: &'a Cuda,
    join: CudaJoin<'a>,
    top: u32,
    sides: [DividedSide; 2],
    /// By partition.
    numbers: CudaSlice<u32>,
    /// By large partition, of which there are at most as many.
    large: CudaSlice<u32>,
    keys: CudaSlice<u32>,
    n_large: CudaSlice<u32>,
    n_skewed: CudaSlice<u32>,
    buffer: PairBuffer,
}

/// What a side's large partitions are divided into.
struct DividedSide {
    n_rows: CudaSlice<u32>,
    tiles: CudaSlice<u32>,
    counts: CudaSlice<u32>,
    starts: CudaSlice<u32>,
    cursors: CudaSlice<u32>,
    divided: CudaSlice<u64>,
}

impl<'a> CudaGsh<'a> {
    pub(super) fn load(gpu: &'a Cuda, [left, right]: [KeyColumn<'_>; 2], top: u32) -> Result<Self> {
        if !(1..=MOST_TOP).contains(&top) {
            return Err(Error::Job(format!(
                "GSH joins 1 to {MOST_TOP} keys of a partition apart, and not {top}"
            )));
        }
        let join = CudaJoin::load(gpu, left, Some(right))?;
        let n_partitions = join.n_partitions();
        let side = |side: KeyColumn<'_>| DividedSide::new(gpu, side.keys.len(), n_partitions, top as usize);
        Ok(Self {
            gpu,
            join,
            top,
            sides: [side(left)?, side(right)?],
            numbers: gpu.zeros(n_partitions)?,
            large: gpu.zeros(n_partitions)?,
            keys: gpu.zeros(n_partitions * top as usize)?,
            n_large: gpu.zeros(1)?,
            n_skewed: gpu.zeros(1)?,
            buffer: PairBuffer::new(&gpu.baseline_launches()?)?,
        })
    }

    /// The partitioned join as kernels see it, with so many large partitions.
    fn on_device(&self, join: &DeviceJoin, n_large: usize) -> DeviceGsh {
        let slice = Slices(self.gpu);
        let top = self.top as usize;
        let side = |side: usize| {
            let (DividedSide { n_rows, tiles, counts, starts, cursors, divided }, of_join) =
                (&self.sides[side], &join.sides[side]);
            let n_classes = n_large * (top + 1);
            DeviceGshSide {
                tuples: of_join.tuples,
                starts: of_join.starts,
                n_rows: slice.first(n_rows, n_large).atomic(),
                tiles: slice.first(tiles, n_large + 1).atomic(),
                counts: slice.first(counts, n_classes).atomic(),
                class_starts: slice.first(starts, n_classes + 1).atomic(),
                cursors: slice.first(cursors, n_classes).atomic(),
                divided: slice.of(divided).to_write(),
            }
        };
        DeviceGsh {
            sides: [side(0), side(1)],
            numbers: slice.of(&self.numbers).atomic(),
            large: slice.first(&self.large, n_large).atomic(),
            keys: slice.first(&self.keys, n_large * top).atomic(),
            n_large: slice.of(&self.n_large).cell(0),
            n_skewed: slice.of(&self.n_skewed).cell(0),
            output: self.buffer.on_device(self.gpu),
            sizes: GshSizes {
                bits: join.sizes.bits,
                slot_bits: SLOT_BITS,
                table_rows: TABLE_ROWS,
                one_of: ONE_OF,
                top: self.top,
                padding: 0,
            },
        }
    }

    /// Brings everything back to where a run begins.
    fn begin(&mut self) -> Result<()> {
        let gpu = self.gpu;
        gpu.clear(&mut self.n_large)?;
        gpu.clear(&mut self.n_skewed)?;
        self.sides.iter_mut().try_for_each(|side| gpu.clear(&mut side.counts))
    }

    fn downloaded(&self, cell: &CudaSlice<u32>) -> Result<u32> {
        let mut value = [0];
        self.gpu.download(cell, &mut value)?;
        Ok(value[0])
    }
}

impl DividedSide {
    fn new(gpu: &Cuda, n_rows: usize, n_partitions: usize, top: usize) -> Result<Self> {
        let n_classes = n_partitions * (top + 1);
        Ok(Self {
            n_rows: gpu.zeros(n_partitions)?,
            tiles: gpu.zeros(n_partitions + 1)?,
            counts: gpu.zeros(n_classes)?,
            starts: gpu.zeros(n_classes + 1)?,
            cursors: gpu.zeros(n_classes)?,
            divided: gpu.zeros(n_rows.max(1))?,
        })
    }
}

/// Divides the large partitions of a side, which comes first.
fn divide(launches: &BaselineLaunches<'_>, join: DeviceGsh) -> Result<()> {
    let [side, _] = &join.sides;
    let starts = |counts: DeviceAtomics<u32>, tiles| DeviceGshStarts {
        counts: counts.to_read(),
        starts: side.class_starts,
        cursors: side.cursors,
        tiles,
        tile_rows: 0,
        padding: 0,
    };
    // Where partitions would start is of no use to anyone, and so is overwritten by where classes do.
    launches.starts(starts(side.n_rows, side.tiles))?;
    launches.measure(join)?;
    launches.starts(starts(side.counts, DeviceSlice::NOTHING.atomic()))?;
    launches.divide(join)
}

impl Join for CudaGsh<'_> {
    fn run(&mut self, _: JoinMethod, output: Output) -> Result<Joined> {
        let gpu = self.gpu;
        let sees_pairs = self.buffer.begin(gpu, output)?;
        self.begin()?;
        let launches = gpu.baseline_launches()?;
        let mut clock = Clock::new(gpu)?;
        let join = self.join.partitioned()?;
        clock.end("partition")?;
        launches.list(self.on_device(&join, self.large.len()))?;
        let n_large = self.downloaded(&self.n_large)? as usize;
        let divided = self.on_device(&join, n_large);
        if n_large > 0 {
            launches.detect(divided)?;
            clock.end("detect")?;
            let [left, right] = divided.sides;
            divide(&launches, divided)?;
            divide(&launches, DeviceGsh { sides: [right, left], ..divided })?;
            clock.end("divide")?;
        } else {
            clock.end("detect")?;
        }
        launches.normal(divided, sees_pairs)?;
        clock.end("normal")?;
        if n_large > 0 {
            launches.skewed(divided, sees_pairs)?;
            clock.end("skewed")?;
        }
        let n_pairs = self.buffer.n_pairs(gpu)?;
        Ok(Joined { n_pairs, n_heavy: self.downloaded(&self.n_skewed)?, phases: clock.phases()? })
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        self.buffer.pairs(self.gpu)
    }
}
