//! Sorted neighbourhoods on a GPU: the `orders` in device memory, and the kernels of `device::neighbours`.
//!
//! What is found comes back as lists of right records, 4 bytes a pair: the host knows whose they are. It sums
//! the counts up between the two kernels, since it needs them anyway.

use super::Cuda;
use super::columns::{Slices, Upload};
use super::launch::NeighbourLaunches;
use super::orders::OrderedRecords;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::device::cpu::Cpu;
use crate::operators::neighbours::{Neighbours, NeighboursOperator, Orders, append};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{Candidate, DeviceAtomics, DeviceNeighbours};
use std::ops::Range;

/// Who pairs what a GPU has no room for.
static HOST: Cpu = Cpu::new();

/// Orders in device memory.
struct CudaNeighbours<'a> {
    gpu: &'a Cuda,
    /// Without what is found.
    device: DeviceNeighbours,
    rights: CudaSlice<u32>,
    witnesses: CudaSlice<u32>,
    _orders: OrderedRecords,
    _uploaded: Upload<'a>,
}

impl NeighboursOperator for Cuda {
    fn load_neighbours<'a>(&'a self, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
        load(self, orders)
    }
}

/// Makes the orders on the device, or brings them there, if they fit there and records have no more neighbours than a warp
/// sorts; else they stay on the host, and it does the work.
fn load<'a>(gpu: &'a Cuda, orders: &'a Orders) -> Result<Box<dyn Neighbours + 'a>> {
    let Some(shape) = orders.shape() else { return HOST.load_neighbours(orders) };
    let n_places = u64::from(orders.n_left) * orders.len() as u64;
    let n_records = shape.starts.last().map_or(0, |&end| u64::from(end));
    if size_of::<u32>() as u64 * (n_records + n_places) > gpu.free_bytes()? / 2 {
        return HOST.load_neighbours(orders);
    }
    let (mut upload, slices) = (Upload::new(gpu), Slices(gpu));
    let made = OrderedRecords::new(gpu, orders, &shape)?;
    let device = DeviceNeighbours {
        records: slices.of(&made.records).first(n_records),
        starts: upload.halves(&shape.starts)?,
        windows: upload.halves(&shape.windows)?,
        places: slices.of(&made.places).first(n_places),
        counts: DeviceAtomics::NOTHING,
        rights: DeviceAtomics::NOTHING,
        witnesses: DeviceAtomics::NOTHING,
        n_left: orders.n_left,
        first: 0,
        room: shape.room,
        is_one_table: u32::from(orders.is_one_table),
    };
    let (rights, witnesses) = (gpu.zeros(1)?, gpu.zeros(1)?);
    Ok(Box::new(CudaNeighbours { gpu, device, rights, witnesses, _orders: made, _uploaded: upload }))
}

impl Neighbours for CudaNeighbours<'_> {
    fn pairs(&mut self, lefts: Range<u32>, control: &Control, found: &mut Vec<Candidate>) -> Result<()> {
        control.check()?;
        let gpu = self.gpu;
        let n_lefts = lefts.len();
        if n_lefts == 0 {
            return Ok(());
        }
        let counts = gpu.zeros::<u32>(n_lefts)?;
        let kernels = gpu.kernels.load_neighbours(&gpu.context, &gpu.name)?;
        let device =
            DeviceNeighbours { counts: Slices(gpu).of(&counts).atomic(), first: lefts.start, ..self.device };
        let mut launches = NeighbourLaunches { gpu, kernels, device };
        launches.count()?;
        let mut by_left = vec![0u32; n_lefts];
        gpu.download(&counts, &mut by_left)?;
        let n_pairs: u64 = by_left.iter().map(|&n| u64::from(n)).sum();
        if !self.make_room(n_pairs)? && n_lefts > 1 {
            let middle = lefts.start + (n_lefts / 2) as u32;
            self.pairs(lefts.start..middle, control, found)?;
            return self.pairs(middle..lefts.end, control, found);
        }
        let n_pairs = n_pairs as usize;
        let begin = |start: &mut u32, n: &u32| Some(std::mem::replace(start, *start + n));
        let starts = gpu.upload(&by_left.iter().scan(0, begin).collect::<Vec<u32>>())?;
        let slices = Slices(gpu);
        launches.device.counts = slices.of(&starts).atomic();
        launches.device.rights = slices.first(&self.rights, n_pairs).atomic();
        let has_witnesses = device.windows.len() > 1;
        if has_witnesses {
            launches.device.witnesses = slices.first(&self.witnesses, n_pairs).atomic();
        }
        launches.write()?;
        let mut rights = vec![0u32; n_pairs];
        let mut witnesses = vec![0u32; if has_witnesses { n_pairs } else { 0 }];
        if n_pairs > 0 {
            gpu.download(&self.rights.slice(..n_pairs), &mut rights)?;
        }
        if !witnesses.is_empty() {
            gpu.download(&self.witnesses.slice(..n_pairs), &mut witnesses)?;
        }
        append(lefts.start, &by_left, &rights, &witnesses, found);
        Ok(())
    }
}

impl CudaNeighbours<'_> {
    /// Makes room for so many pairs; whether that is not more than a quarter of what is free. For few there
    /// always is.
    fn make_room(&mut self, n_pairs: u64) -> Result<bool> {
        const FEW: u64 = 1 << 16;
        if n_pairs <= self.rights.len() as u64 {
            return Ok(true);
        }
        let affordable = self.gpu.free_bytes()? / 4 / (2 * size_of::<u32>() as u64);
        if n_pairs > affordable.max(FEW) {
            return Ok(false);
        }
        let larger = n_pairs.next_power_of_two().min(affordable).max(n_pairs) as usize;
        self.rights = self.gpu.zeros(larger)?;
        if self.device.windows.len() > 1 {
            self.witnesses = self.gpu.zeros(larger)?;
        }
        Ok(true)
    }
}
