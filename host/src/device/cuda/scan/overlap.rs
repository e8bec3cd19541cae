//! The overlap joins of a task, of lists from the host or of lists that are on the device: their blocks one after the other,
//! and what they find decided there.

use super::unlisted::{STEPS, untold};
use super::{CudaScan, HEAVY_CAPACITY, Pairs, pairs_of_items};
use crate::base::control::{Control, Steps};
use crate::base::error::{Error, Result};
use crate::base::timeline::Lane;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::join::CudaJoin;
use crate::device::cuda::launch::{RESIDUAL_THREADS, launch_listed};
use crate::device::cuda::listing::{List, Which, groups};
use crate::device::cuda::lists::UploadedLists;
use crate::device::cuda::overlap::{
    BlockValues, Consumer, CudaOverlap, DeviceElements, Listed, PairBuffer, most_items,
};
use crate::plan::access::Lists;
use crate::plan::overlap::{BlockJoin, BlockPair, BlockTables, Elements, Manner, OverlapJoin, Shape};
use crate::plan::path::{KeyMethod, OverlapMethod};
use crate::plan::sweep::Sweep;
use cudarc::driver::CudaSlice;
use hyperblock_shared::grams::n_grams;
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceAtomics, DeviceItems, DeviceSlice, DeviceSweep, HEAVY_WORDS, SweepCounters,
};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::screen::Screen;
use hyperblock_shared::sweep::{Order, Settings};
use std::cell::Cell;
use std::ops::Range;

impl<'a> CudaScan<'a> {
    fn measure(&self, lead: u32) -> Result<&'a ArchivedMeasure> {
        let measure = self.program.walk()?.predicate(lead).measure();
        measure.ok_or_else(|| Error::Internal("an overlap join without a measure".into()))
    }

    /// The pairs of blocks of an overlap join, as large as options and memory allow.
    pub(super) fn blocks(&self, join: &OverlapJoin) -> Result<Vec<BlockPair>> {
        let most = most_items(self.gpu, join.shape().lens)?;
        let measure = self.measure(join.sweep.settings.lead)?;
        Ok(join.blocks(measure, most.min(self.program.options().indexed)))
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
        let (gpu, encoded, options) = (self.gpu, self.encoded, self.program.options());
        let measure = self.measure(join.sweep.settings.lead)?;
        let items = [lists.items(&join.sweep.left)?, lists.items(&join.sweep.right)?];
        let tokens = match join.kind {
            Elements::Tokens(sets) => self.columns.tokens.get(sets as usize).copied(),
            Elements::Grams(_) => None,
        };
        let loaded = blocks.iter().map(|pair| {
            let block = BlockJoin::new(join, pair, encoded, measure, &options);
            let values = BlockValues::gathered(gpu, &block, tokens)?;
            Ok((block.tables, values))
        });
        let how = (join.sweep.settings, join.method);
        self.join_blocks(items, how, loaded, n_found, (control, &|| steps.done(1)))
    }

    /// Appends the candidates of values that have enough in common, of lists that are on the device; only short ones are
    /// swept, and those that are the same are joined. How many steps were told of.
    pub(super) fn overlap_lists(
        &mut self,
        lists: [&List; 2],
        (of, manner): (&Lists, &Manner),
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<u64> {
        let (gpu, options) = (self.gpu, self.program.options());
        let is_self = of.settings.order == Order::Unordered;
        let groups = groups(lists)?;
        let swept = manner.longest_swept();
        let lens = control.note(Lane::Scan, "lists", || {
            let left = gpu.lens(lists[0])?;
            let right = if is_self { left.clone() } else { gpu.lens(lists[1])? };
            Ok([left, right])
        })?;
        let short = |side: usize, items: &Range<u32>| {
            let longer = lens[side].runs(items.clone()).find(|(len, _)| *len > swept);
            items.start..longer.map_or(items.end, |(_, items)| items.start)
        };
        let shorts = groups.iter().map(|[lefts, rights]| [short(0, lefts), short(1, rights)]);
        let shorts: Vec<_> = shorts.filter(|both| both.iter().all(|items| !items.is_empty())).collect();
        self.sweep_groups(lists, &shorts, of.settings, n_found, (control, &untold(control)))?;
        if is_self && !lists[0].items.starts.is_empty() {
            self.same_values(lists[0], swept, of.settings, n_found, control)?;
        }
        control.check()?;
        let [Some(left), Some(right)] = of.of else {
            return Err(Error::Internal("an overlap join of lists without values".into()));
        };
        let q = manner.elements.q();
        let is_of_grams = manner.elements.grams().is_some();
        let lens = lens.map(|lens| lens.map(|len| if is_of_grams { n_grams(len, q) } else { len }));
        let elements = control.note(Lane::Scan, "elements", || {
            let source = self.source();
            let (elements, timing) =
                gpu.timed(control, || DeviceElements::new(&source, manner.elements, control))?;
            timing.record(gpu, control)?;
            Ok(elements)
        })?;
        let shape = Shape {
            lens: [&lens[0], &lens[1]],
            groups: &groups,
            is_self,
            n_elements: elements.n_elements,
            q,
            bare: manner.bare,
        };
        let measure = self.measure(of.settings.lead)?;
        let most = most_items(gpu, shape.lens)?.min(options.indexed);
        let blocks = shape.blocks(measure, most);
        let n_blocks = blocks.len() as u64;
        let listed = Listed { lists, operands: [left.operand, right.operand], elements: &elements };
        let columns = self.columns.root;
        let loaded = blocks.iter().map(|pair| {
            let tables = BlockTables::new(&shape, pair, measure, &options);
            let (values, timing) =
                gpu.timed(control, || BlockValues::made(gpu, columns, &listed, &tables))?;
            timing.record(gpu, control)?;
            Ok((tables, values))
        });
        let settings = Settings { is_decided: manner.elements.are_all(), ..of.settings };
        let items = lists.map(|list| list.items);
        let n_done = Cell::new(0);
        let tell = || {
            let before = n_done.replace(n_done.get() + 1);
            let upto = |n: u64| n * STEPS / n_blocks.max(1);
            steps.done(upto(before + 1) - upto(before));
        };
        let pairs = self.join_blocks(items, (settings, manner.method), loaded, n_found, (control, &tell))?;
        if !pairs.is_empty() {
            let [left, right] = self.brought(lists)?;
            let sweep = Sweep::new([left, right], Vec::new(), settings, options.stretch)?;
            let heavy = sweep.of_heavy(&pairs, options.interval)?;
            self.sweep_now(&heavy, &mut UploadedLists::new(gpu), n_found, control)?;
        }
        Ok(n_done.get() * STEPS / n_blocks.max(1))
    }

    /// Appends the candidates among records with the very same value, of more than so many symbols or tokens.
    fn same_values(
        &mut self,
        list: &List,
        longest_swept: u32,
        settings: Settings,
        n_found: &mut CudaSlice<u32>,
        control: &Control,
    ) -> Result<()> {
        let gpu = self.gpu;
        let [n_records, n_pairs] = gpu.same(list, longest_swept)?;
        if n_pairs == 0 {
            return Ok(());
        }
        // Whether a value is like itself is asked of each pair: for few measures it is not.
        let method = KeyMethod::of_same(n_records as usize, n_pairs, &self.program.options());
        let mut words = gpu.shared(list, longest_swept, n_records as usize, method == KeyMethod::Hash)?;
        match method {
            KeyMethod::Hash => {
                let mut join = CudaJoin::of_tuples(gpu, vec![words], RESIDUAL_THREADS)?;
                self.residual(&mut join, Settings { is_decided: false, ..settings }, n_found, control)
            }
            KeyMethod::Sweep => {
                let same = self.list(None, Which::Light(&mut words, list.n_items), control)?;
                let settings = Settings { screen: Screen::Codes, is_decided: false, ..settings };
                let told = (control, &untold(control));
                self.sweep_lists([&same, &same], settings, n_found, told).map(drop)
            }
        }
    }

    /// Appends the candidates of pairs of blocks; pairs of items that stand for very many pairs of records come back. Leaves
    /// the rest when the result buffer is full.
    fn join_blocks(
        &mut self,
        items: [DeviceItems; 2],
        (settings, method): (Settings, OverlapMethod),
        blocks: impl Iterator<Item = Result<(BlockTables, BlockValues<'a>)>>,
        n_found: &mut CudaSlice<u32>,
        (control, done): (&Control, &dyn Fn()),
    ) -> Result<Pairs> {
        let gpu = self.gpu;
        let slices = Slices(gpu);
        let counters = gpu.zeros::<u32>(size_of::<SweepCounters>() / 4)?;
        let [left, right] = items;
        let n_heavy = if left.starts.is_empty() { 0 } else { HEAVY_CAPACITY };
        let heavies = gpu.zeros::<u32>((n_heavy * HEAVY_WORDS).max(1))?;
        let sweep = DeviceSweep {
            left,
            right,
            intervals: DeviceSlice::NOTHING,
            firsts: DeviceSlice::NOTHING,
            slots: DeviceAtomics::NOTHING,
            claimed: DeviceAtomics::NOTHING,
            latencies: DeviceAtomics::NOTHING,
            heavies: slices.first(&heavies, n_heavy * HEAVY_WORDS).atomic(),
            counters: slices.of(&counters).atomic(),
            settings: settings.into(),
        };
        let mut pairs = PairBuffer::new(gpu)?;
        let mut decided = Decided { scan: self, sweep, n_found, is_full: false };
        for block in blocks {
            let (tables, values) = block?;
            let mut loaded = CudaOverlap::load(gpu, &tables, values, method, control)?;
            loaded.probe(&mut pairs, control, &mut decided)?;
            if decided.is_full {
                break;
            }
            done();
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
