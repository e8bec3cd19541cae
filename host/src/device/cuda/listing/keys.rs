//! Keys on a GPU: numbered, counted, and the records of light and of heavy ones dealt apart.

use super::{Source, Words, no_keys};
use crate::base::error::Result;
use crate::device::cuda::columns::Slices;
use crate::plan::access::ByKey;
use crate::plan::path::KeyMethod;
use crate::plan::sweep::Block;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceKeys, DeviceSlice};
use hyperblock_shared::listing::{N_TOTALS, Total};
use hyperblock_shared::relation::n_slots_for;

/// How full a table of combinations may be, in percent.
const LOAD: u32 = 50;

/// A block's records by key. Of one side with itself, everything is there once.
pub(in crate::device::cuda) struct Keys {
    /// By side: the records of light keys.
    pub(in crate::device::cuda) light: Vec<Words>,
    /// By side: those of heavy ones.
    pub(in crate::device::cuda) heavy: Vec<Words>,
    /// How many keys there may be.
    pub(in crate::device::cuda) n_keys: u32,
    /// How many of them are heavy, and so how many groups there are.
    pub(in crate::device::cuda) n_heavy: u32,
    /// How many pairs of records have the same light key.
    pub(in crate::device::cuda) n_light_pairs: u64,
    /// By side, by record.
    pub(in crate::device::cuda) keys: Vec<DeviceSlice<u32>>,
    /// By key: the number of a heavy one's group.
    pub(in crate::device::cuda) kinds: CudaSlice<u32>,
    /// What keys of several columns are held by.
    _held: Vec<CudaSlice<u32>>,
}

impl Keys {
    pub(in crate::device::cuda) fn new(source: &Source<'_>, block: &Block, by: &ByKey) -> Result<Self> {
        let Source { gpu, encoded, columns, .. } = *source;
        let (slices, launches) = (Slices(gpu), gpu.listing_launches()?);
        let records = [&block.left, &block.right];
        let n_sides = if by.is_symmetric { 1 } else { 2 };
        let codes = |operand: u32, side: usize| {
            columns.codes[operand as usize].part(records[side].start.into()..records[side].end.into())
        };
        let mut n_keys = by.operands.first().map_or(0, |[left, _]| encoded.n_codes(*left));
        let mut keys: Vec<DeviceSlice<u32>> = match by.operands.first() {
            Some(first) => (0..n_sides).map(|side| codes(first[side], side)).collect(),
            None => vec![DeviceSlice::NOTHING; n_sides],
        };
        let mut held: Vec<CudaSlice<u32>> = Vec::new();
        for more in by.operands.iter().skip(1) {
            let n_records: usize = records[..n_sides].iter().map(|records| records.len()).sum();
            let n_slots = n_slots_for(n_records as u64, LOAD) as usize;
            let mut slots = gpu.room::<u64>(n_slots)?;
            gpu.fill_with_ones(&mut slots)?;
            let mut next = Vec::new();
            for side in 0..n_sides {
                let numbered = gpu.room::<u32>(records[side].len())?;
                launches.number(DeviceKeys {
                    firsts: keys[side],
                    seconds: codes(more[side], side),
                    slots: slices.of(&slots).atomic(),
                    keys: slices.first(&numbered, records[side].len()).atomic(),
                    ..no_keys()
                })?;
                next.push(numbered);
            }
            keys = next.iter().zip(records).map(|(keys, of)| slices.first(keys, of.len())).collect();
            (held, n_keys) = (next, n_slots as u32);
        }
        let counts =
            (0..n_sides).map(|_| gpu.zeros::<u32>(n_keys.max(1) as usize)).collect::<Result<Vec<_>>>()?;
        let kinds = gpu.room::<u32>(n_keys as usize)?;
        let totals = gpu.zeros::<u64>(N_TOTALS)?;
        let count = |side: usize| slices.first(&counts[side % n_sides], n_keys as usize).atomic();
        let common = DeviceKeys {
            counts: [count(0), count(1)],
            kinds: slices.first(&kinds, n_keys as usize).atomic(),
            totals: slices.of(&totals).atomic(),
            most: by.heavy.as_ref().map_or(u64::MAX, |(most, _)| *most),
            is_symmetric: by.is_symmetric.into(),
            is_joined: (by.found_by == KeyMethod::Hash).into(),
            ..no_keys()
        };
        let of_side = |side: usize| DeviceKeys {
            keys: keys[side].atomic(),
            first: records[side].start,
            side: side as u32,
            ..common
        };
        (0..n_sides).try_for_each(|side| launches.count(of_side(side)))?;
        launches.kinds(common)?;
        let mut sums = [0; N_TOTALS];
        gpu.download(&totals, &mut sums)?;
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for side in 0..n_sides {
            let room = |total: Total| -> Result<Words> {
                let n = sums[total as usize + side] as usize;
                Ok(Words { array: gpu.room(n)?, n })
            };
            let (lights, heavies) = (room(Total::LightRecords)?, room(Total::HeavyRecords)?);
            let n_dealt = gpu.zeros::<u32>(2)?;
            launches.deal(DeviceKeys {
                light: slices.first(&lights.array, lights.n).to_write(),
                heavy: slices.first(&heavies.array, heavies.n).to_write(),
                n_dealt: slices.of(&n_dealt).atomic(),
                ..of_side(side)
            })?;
            light.push(lights);
            heavy.push(heavies);
        }
        Ok(Self {
            light,
            heavy,
            n_keys,
            n_heavy: sums[Total::HeavyKeys as usize] as u32,
            n_light_pairs: sums[Total::LightPairs as usize],
            keys,
            kinds,
            _held: held,
        })
    }
}
