//! The orders of sorted neighbourhoods, made on the GPU from the ranks of keys, by the kernels of `device::orders` and the sort.

use super::Cuda;
use super::columns::Slices;
use super::launch::OrderLaunches;
use super::relation::SortBuffers;
use crate::base::error::{Error, Result};
use crate::operators::neighbours::{Orders, Ranked, Shape};
use crate::operators::relations::bits_below;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::DeviceOrder;

/// Records that are sorted here: fewer are sorted sooner on the host.
const MANY: usize = 1 << 12;

/// All orders, one after the other.
pub(super) struct OrderedRecords {
    /// The records of each.
    pub(super) records: CudaSlice<u32>,
    /// Of each, the places of all left records.
    pub(super) places: CudaSlice<u32>,
}

impl OrderedRecords {
    /// Makes them here, or has the host make them, where records are few or there is no room.
    pub(super) fn new(gpu: &Cuda, orders: &Orders, shape: &Shape) -> Result<Self> {
        match Self::made_here(gpu, orders, shape) {
            Ok(Some(made)) => return Ok(made),
            Ok(None) | Err(Error::DeviceMemory { .. }) => {}
            Err(error) => return Err(error),
        }
        let [records, places] = orders.together();
        Ok(Self { records: gpu.upload(&records)?, places: gpu.upload(&places)? })
    }

    fn made_here(gpu: &Cuda, orders: &Orders, shape: &Shape) -> Result<Option<Self>> {
        // All orders are of the same records.
        let n_words = orders.ranked().map(|ranked| ranked.by_table.map(<[u32]>::len).iter().sum()).max();
        let n_words: usize = n_words.unwrap_or(0);
        // Ranks, and words to be sorted.
        let n_bytes = 12 * n_words as u64 + SortBuffers::n_bytes(n_words as u64);
        if !(MANY..SortBuffers::MOST).contains(&n_words) || n_bytes > gpu.half_of_free()? {
            return Ok(None);
        }
        let (slices, n_left) = (Slices(gpu), orders.n_left as usize);
        let kernels = gpu.kernels.load_neighbours(&gpu.context, &gpu.name)?;
        let launches = OrderLaunches { gpu, kernels };
        let n_records = shape.starts.last().map_or(0, |&end| end as usize);
        let made = Self { records: gpu.room(n_records)?, places: gpu.room(n_left * shape.windows.len())? };
        let (mut words, mut buffers) = (gpu.room::<u64>(n_words)?, SortBuffers::new(gpu, n_words)?);
        let bounds = shape.starts.windows(2).map(|bounds| u64::from(bounds[0])..u64::from(bounds[1]));
        for ((nth, ranked), bounds) in (0u64..).zip(orders.ranked()).zip(bounds) {
            let Ranked { by_table: [lefts, rights], n_keys } = ranked;
            let uploaded = [gpu.upload(lefts)?, gpu.upload(rights)?];
            let own_places = nth * n_left as u64..(nth + 1) * n_left as u64;
            let unsorted = DeviceOrder {
                lefts: slices.first(&uploaded[0], lefts.len()),
                rights: slices.first(&uploaded[1], rights.len()),
                words: slices.first(&words, n_words).to_write(),
                records: slices.of(&made.records).part(bounds).atomic(),
                places: slices.of(&made.places).part(own_places).atomic(),
                n_keys: n_keys.into(),
            };
            launches.place(unsorted)?;
            // Who has no key has the rank after all.
            let [_, of_rank] = bits_below(n_keys + 1);
            gpu.sort(&mut words, n_words, &[of_rank], &mut buffers)?;
            launches.order(DeviceOrder { words: slices.first(&words, n_words).to_write(), ..unsorted })?;
        }
        Ok(Some(made))
    }
}
