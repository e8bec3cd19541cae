//! Gbase on a GPU: two columns of keys, with room for the lists that each pass makes of them.

use super::{PairBuffer, SLOT_BITS, TABLE_ROWS};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::clock::Clock;
use crate::device::cuda::columns::Slices;
use crate::operators::join::{Join, Joined, Output};
use crate::plan::join::{JoinMethod, KeyColumn};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceBucketPass, DeviceBuckets, DeviceGbase, DeviceSlice, DeviceSliceMut,
};

/// Tuples of a bucket, which is what a table holds.
const BUCKET_ROWS: u32 = TABLE_ROWS;
/// Left rows that a partition has on average, at most: half a bucket, so that few need another one unless keys are skewed.
const FILL: u32 = BUCKET_ROWS / 2;

/// Two columns of keys in device memory.
pub(super) struct CudaGbase<'a> {
    gpu: &'a Cuda,
    bits: [u32; 2],
    sides: [LoadedSide; 2],
    buffer: PairBuffer,
}

/// A side, with room for its lists.
struct LoadedSide {
    keys: CudaSlice<u32>,
    n_keys: usize,
    rows: Option<CudaSlice<u32>>,
    passes: [Buckets; 2],
}

/// The lists that a pass makes.
struct Buckets {
    tuples: CudaSlice<u64>,
    tails: CudaSlice<u64>,
    next: CudaSlice<u32>,
    owners: CudaSlice<u32>,
    n_used: CudaSlice<u32>,
}

/// Bits of both passes, for so many left rows.
fn bits(n_left: usize) -> [u32; 2] {
    let n_partitions = n_left.div_ceil(FILL as usize).max(1).next_power_of_two();
    let bits = n_partitions.trailing_zeros();
    [bits.div_ceil(2), bits / 2]
}

/// Buckets that so many rows in so many partitions take at most: each has one, and others are taken when one is full.
fn n_buckets(n_rows: usize, bits: u32) -> usize {
    (1 << bits) + n_rows / BUCKET_ROWS as usize
}

impl<'a> CudaGbase<'a> {
    pub(super) fn load(gpu: &'a Cuda, [left, right]: [KeyColumn<'_>; 2]) -> Result<Self> {
        let bits = bits(left.keys.len());
        let sides = [LoadedSide::new(gpu, &left, bits)?, LoadedSide::new(gpu, &right, bits)?];
        Ok(Self { gpu, bits, sides, buffer: PairBuffer::new(&gpu.baseline_launches()?)? })
    }
}

impl LoadedSide {
    fn new(gpu: &Cuda, side: &KeyColumn<'_>, bits: [u32; 2]) -> Result<Self> {
        let n_keys = side.keys.len();
        if side.rows.is_some_and(|rows| rows.len() != n_keys) {
            return Err(Error::Internal("a side of a join has not as many rows as keys".into()));
        }
        // Places are numbered by 32 bits, and a little past the end.
        let n_places = (n_buckets(n_keys, bits[0] + bits[1]) + 2) * BUCKET_ROWS as usize;
        if n_places > u32::MAX as usize {
            return Err(Error::Job("too many rows for one join".into()));
        }
        Ok(Self {
            keys: gpu.upload(side.keys)?,
            n_keys,
            rows: side.rows.map(|rows| gpu.upload(rows)).transpose()?,
            passes: [Buckets::new(gpu, n_keys, bits[0])?, Buckets::new(gpu, n_keys, bits[0] + bits[1])?],
        })
    }

    /// A pass as the kernels see it.
    fn pass(&self, gpu: &Cuda, nth: usize, bits: [u32; 2]) -> DeviceBucketPass {
        let slice = Slices(gpu);
        let (n_keys, nothing) = (self.n_keys as u64, DeviceSlice::NOTHING);
        let first = self.passes[0].on_device(gpu);
        let no_lists = DeviceBuckets {
            tuples: DeviceSliceMut::NOTHING,
            tails: DeviceAtomics::NOTHING,
            next: DeviceAtomics::NOTHING,
            owners: DeviceAtomics::NOTHING,
            ..first
        };
        DeviceBucketPass {
            keys: slice.of(&self.keys).first(n_keys),
            rows: self.rows.as_ref().map_or(nothing, |rows| slice.of(rows).first(n_keys)),
            from: if nth == 0 { no_lists } else { first },
            to: self.passes[nth].on_device(gpu),
            used: if nth == 0 { 0 } else { bits[0] },
            bits: bits[nth],
        }
    }
}

impl Buckets {
    fn new(gpu: &Cuda, n_rows: usize, bits: u32) -> Result<Self> {
        let n_buckets = n_buckets(n_rows, bits);
        Ok(Self {
            tuples: gpu.zeros(n_buckets * BUCKET_ROWS as usize)?,
            tails: gpu.zeros(1 << bits)?,
            next: gpu.zeros(n_buckets)?,
            owners: gpu.zeros(n_buckets)?,
            n_used: gpu.zeros(1)?,
        })
    }

    /// As kernels see them.
    fn on_device(&self, gpu: &Cuda) -> DeviceBuckets {
        let slice = Slices(gpu);
        DeviceBuckets {
            tuples: slice.of(&self.tuples).to_write(),
            tails: slice.of(&self.tails).atomic(),
            next: slice.of(&self.next).atomic(),
            owners: slice.of(&self.owners).atomic(),
            n_used: slice.of(&self.n_used).cell(0),
            n_rows: BUCKET_ROWS,
            padding: 0,
        }
    }
}

impl Join for CudaGbase<'_> {
    fn run(&mut self, _: JoinMethod, output: Output) -> Result<Joined> {
        let gpu = self.gpu;
        let sees_pairs = self.buffer.begin(gpu, output)?;
        let launches = gpu.baseline_launches()?;
        let mut clock = Clock::new(gpu)?;
        for side in &self.sides {
            for nth in 0..side.passes.len() {
                launches.partition(side.pass(gpu, nth, self.bits))?;
            }
        }
        clock.end("partition")?;
        let join = DeviceGbase {
            sides: self.sides.each_ref().map(|side| side.passes[1].on_device(gpu)),
            output: self.buffer.on_device(gpu),
            used: self.bits[0] + self.bits[1],
            slot_bits: SLOT_BITS,
        };
        launches.gbase(join, sees_pairs)?;
        clock.end("join")?;
        Ok(Joined { n_pairs: self.buffer.n_pairs(gpu)?, n_heavy: 0, phases: clock.phases()? })
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        self.buffer.pairs(self.gpu)
    }
}

#[cfg(test)]
mod tests {
    use super::{BUCKET_ROWS, FILL, bits, n_buckets};

    #[test]
    fn partitions_fit_into_half_a_bucket_on_average() {
        for n_rows in [0, 1, 1000, 100_000, 32_000_000, 560_000_000] {
            let [first, second] = bits(n_rows);
            assert!(n_rows >> (first + second) <= FILL as usize, "{n_rows}");
            assert!(second <= first && first <= second + 1);
        }
        assert_eq!(bits(32_000_000), [7, 7]);
    }

    #[test]
    fn there_is_a_bucket_for_every_tuple() {
        // All rows in one partition, which takes one bucket in any case; and the same of all.
        for n_rows in [0usize, 1, 4095, 4096, 4097, 100_000] {
            for bits in [0, 3] {
                let of_one = n_rows.div_ceil(BUCKET_ROWS as usize).max(1) + (1 << bits) - 1;
                assert!(of_one <= n_buckets(n_rows, bits), "{n_rows} in 2^{bits}");
            }
        }
    }
}
