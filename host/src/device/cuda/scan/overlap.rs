//! The overlap joins of a task: their blocks one after the other, and what they find decided on the device.

use super::{CudaScan, HEAVY_CAPACITY, Pairs, pairs_of_items};
use crate::base::control::{Control, Steps};
use crate::base::error::{Error, Result};
use crate::device::cuda::columns::Slices;
use crate::device::cuda::launch::launch_listed;
use crate::device::cuda::lists::UploadedLists;
use crate::device::cuda::overlap::{Consumer, CudaOverlap, PairBuffer, most_items};
use crate::plan::overlap::{BlockJoin, BlockPair, Elements, OverlapJoin};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceAtomics, DeviceSlice, DeviceSweep, HEAVY_WORDS, SweepCounters,
};
use hyperblock_shared::measure::ArchivedMeasure;

impl<'a> CudaScan<'a> {
    fn measure(&self, join: &OverlapJoin) -> Result<&'a ArchivedMeasure> {
        let measure = self.program.walk()?.predicate(join.sweep.settings.lead).measure();
        measure.ok_or_else(|| Error::Internal("an overlap join without a measure".into()))
    }

    /// The pairs of blocks of an overlap join, as large as options and memory allow.
    pub(super) fn blocks(&self, join: &OverlapJoin) -> Result<Vec<BlockPair>> {
        let most = most_items(self.gpu, [&join.lists[0], &join.lists[1]])?;
        Ok(join.blocks(self.measure(join)?, most.min(self.program.options().indexed)))
    }

    /// Appends the candidates of an overlap join; pairs of items that stand for very many pairs of records come back. Leaves
    /// the rest when the result buffer is full.
    pub(super) fn overlap(
        &mut self,
        join: &OverlapJoin,
        blocks: &[BlockPair],
        lists: &mut UploadedLists<'a>,
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<Pairs> {
        let (gpu, measure, options) = (self.gpu, self.measure(join)?, self.program.options());
        let slices = Slices(gpu);
        let counters = gpu.zeros::<u32>(size_of::<SweepCounters>() / 4)?;
        let n_heavy = if join.sweep.left.starts.is_empty() { 0 } else { HEAVY_CAPACITY };
        let heavies = gpu.zeros::<u32>((n_heavy * HEAVY_WORDS).max(1))?;
        let sweep = DeviceSweep {
            left: lists.items(&join.sweep.left)?,
            right: lists.items(&join.sweep.right)?,
            intervals: DeviceSlice::NOTHING,
            firsts: DeviceSlice::NOTHING,
            slots: DeviceAtomics::NOTHING,
            claimed: DeviceAtomics::NOTHING,
            latencies: DeviceAtomics::NOTHING,
            heavies: slices.first(&heavies, n_heavy * HEAVY_WORDS).atomic(),
            counters: slices.of(&counters).atomic(),
            settings: join.sweep.settings.into(),
        };
        let mut pairs = PairBuffer::new(gpu)?;
        let encoded = self.encoded;
        let tokens = match join.kind {
            Elements::Tokens(sets) => self.columns.tokens.get(sets as usize).copied(),
            Elements::Grams(_) => None,
        };
        let mut decided = Decided { scan: self, sweep, n_found, is_full: false };
        for pair in blocks {
            let block = BlockJoin::new(join, pair, encoded, measure, &options);
            CudaOverlap::load(gpu, &block, join.method, tokens, control)?.probe(
                &mut pairs,
                control,
                &mut decided,
            )?;
            if decided.is_full {
                break;
            }
            steps.done(1);
        }
        let mut words = [0u32; size_of::<SweepCounters>() / 4];
        if n_heavy > 0 {
            gpu.download(&counters, &mut words)?;
        }
        let SweepCounters { n_heavy, .. } = bytemuck::cast(words);
        pairs_of_items(gpu, &heavies, n_heavy)
    }
}

/// Pairs that are decided by the rest of the branch.
struct Decided<'a, 'b> {
    scan: &'b mut CudaScan<'a>,
    sweep: DeviceSweep,
    n_found: &'b mut CudaSlice<u32>,
    is_full: bool,
}

impl Consumer for Decided<'_, '_> {
    fn launch(&mut self, pairs: &PairBuffer) -> Result<()> {
        let scan = &mut *self.scan;
        let (gpu, (pairs, counters)) = (scan.gpu, pairs.on_device(scan.gpu));
        launch_listed(gpu, &scan.decide(self.n_found), self.sweep, pairs, counters)
    }

    fn seen(&mut self, _: &PairBuffer, _: usize) -> Result<bool> {
        let mut count = [0u32];
        self.scan.gpu.download(&*self.n_found, &mut count)?;
        self.is_full = count[0] as usize > self.scan.results.len() / CANDIDATE_WORDS;
        Ok(!self.is_full)
    }
}
