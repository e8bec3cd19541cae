//! What nobody has listed yet: keys and lists are made on the device, used, and let go of, one access path after the other.

use super::{CudaScan, Work, parts};
use crate::base::control::{Control, Steps};
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::join::CudaJoin;
use crate::device::cuda::launch::{RESIDUAL_THREADS, launch_residual};
use crate::device::cuda::listing::{Keys, List, Source, Which, groups, intervals};
use crate::device::cuda::lists::UploadedLists;
use crate::plan::access::{By, ByKey, Lists, Unlisted};
use crate::plan::path::KeyMethod;
use crate::plan::sweep::{ItemList, Sweep};
use cudarc::driver::CudaSlice;
use hyperblock_shared::listing::Listing;
use hyperblock_shared::screen::Screen;
use hyperblock_shared::sweep::{Order, Settings};
use std::ops::Range;
use std::sync::Arc;

/// Steps of what is listed here: how many sweeps there will be is not known before.
pub(super) const STEPS: u64 = 1 << 10;

impl CudaScan<'_> {
    /// Appends the candidates of what is not listed; where there is no room to list it here, the host does.
    pub(super) fn unlisted(
        &mut self,
        unlisted: &Unlisted,
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<()> {
        let Unlisted { block, by, .. } = unlisted;
        if !self.gpu.can_list(block.left.len() + block.right.len())? {
            let accesses =
                control.note(Lane::Scan, "lists", || unlisted.listed(self.encoded, self.program, control))?;
            let work = Work::new(self, &accesses)?;
            self.access(&work, n_found, (control, &untold(control)))?;
            steps.done(STEPS);
            return Ok(());
        }
        let n_told = match by {
            By::Lead(lists) => {
                let left = self.list(lists.of[0], Which::All(&block.left), control)?;
                let right = match lists.settings.order {
                    Order::Unordered => None,
                    Order::AsTheyAre | Order::Ascending => {
                        Some(self.list(lists.of[1], Which::All(&block.right), control)?)
                    }
                };
                let both = [&left, right.as_ref().unwrap_or(&left)];
                self.lead_lists(both, lists, n_found, (control, steps))?
            }
            By::Key(by) => self.by_key(unlisted, by, n_found, (control, steps))?,
        };
        steps.done(STEPS - n_told);
        Ok(())
    }

    pub(super) fn source(&self) -> Source<'_> {
        Source {
            gpu: self.gpu,
            encoded: self.encoded,
            columns: &self.columns,
            path: Slices(self.gpu).of(&self.path).of().first(self.program.bytes().len() as u64),
            interval: self.program.options().interval,
        }
    }

    pub(super) fn list(&self, of: Option<Listing>, from: Which<'_>, control: &Control) -> Result<List> {
        control.note(Lane::Scan, "lists", || {
            let (list, timing) = self.gpu.timed(control, || List::new(&self.source(), of, from))?;
            timing.record(self.gpu, control)?;
            Ok(list)
        })
    }

    /// The records of light keys are joined, or swept in the order of their keys; those of heavy ones are swept within them.
    /// How many steps were told of.
    fn by_key(
        &mut self,
        unlisted: &Unlisted,
        by: &ByKey,
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<u64> {
        let block = &unlisted.block;
        let mut keys = control.note(Lane::Scan, "keys", || {
            let (keys, timing) = self.gpu.timed(control, || Keys::new(&self.source(), block, by))?;
            timing.record(self.gpu, control)?;
            Ok(keys)
        })?;
        let light = std::mem::take(&mut keys.light);
        if keys.n_light_pairs > 0 {
            match by.found_by {
                KeyMethod::Hash => {
                    let mut join = CudaJoin::of_tuples(self.gpu, light, RESIDUAL_THREADS)?;
                    self.residual(&mut join, by.light, n_found, control)?;
                }
                KeyMethod::Sweep => {
                    let settings = Settings { screen: Screen::Codes, is_decided: true, ..by.light };
                    let mut lists = Vec::new();
                    for mut words in light {
                        lists.push(self.list(None, Which::Light(&mut words, keys.n_keys), control)?);
                    }
                    if let [left, ..] = &lists[..] {
                        let right = lists.get(1).unwrap_or(left);
                        self.sweep_lists([left, right], settings, n_found, (control, &untold(control)))?;
                    }
                }
            }
        }
        control.check()?;
        let Some((_, lists @ Lists { of, settings, .. })) = by.heavy.as_ref().filter(|_| keys.n_heavy > 0)
        else {
            return Ok(0);
        };
        let left = self.list(of[0], Which::Heavy(&keys, 0, block.left.start), control)?;
        let right = match settings.order {
            Order::Unordered => None,
            Order::AsTheyAre | Order::Ascending => {
                // Of one table, the records of both sides are the same.
                let side = keys.heavy.len() - 1;
                let first = [block.left.start, block.right.start][side];
                Some(self.list(of[1], Which::Heavy(&keys, side, first), control)?)
            }
        };
        drop(keys);
        let both = [&left, right.as_ref().unwrap_or(&left)];
        self.lead_lists(both, lists, n_found, (control, steps))
    }

    /// Sweeps two lists, or joins them by what their values have in common. How many steps were told of.
    fn lead_lists(
        &mut self,
        lists: [&List; 2],
        of: &Lists,
        n_found: &mut CudaSlice<u32>,
        told: (&Control, &Steps<'_>),
    ) -> Result<u64> {
        match &of.overlap {
            Some(manner) => self.overlap_lists(lists, (of, manner), n_found, told),
            None => self.sweep_lists(lists, of.settings, n_found, told),
        }
    }

    /// Has the pairs of a join decided where they are found. Waits for it: its buffers are large.
    pub(super) fn residual(
        &mut self,
        join: &mut CudaJoin<'_>,
        settings: Settings,
        n_found: &mut CudaSlice<u32>,
        control: &Control,
    ) -> Result<()> {
        let gpu = self.gpu;
        // Of one list with itself, pairs come both ways round.
        let order = if settings.order == Order::Unordered { Order::Ascending } else { settings.order };
        let (_, timing) = gpu.timed(control, || {
            let settings = Settings { order, ..settings };
            launch_residual(gpu, &self.decide(n_found), join.partitioned()?, settings.into())
        })?;
        gpu.synchronize()?;
        timing.record(gpu, control)
    }

    /// Sweeps two lists that are on the device, and what that hands on. How many steps were told of.
    pub(super) fn sweep_lists(
        &mut self,
        lists: [&List; 2],
        settings: Settings,
        n_found: &mut CudaSlice<u32>,
        told: (&Control, &Steps<'_>),
    ) -> Result<u64> {
        self.sweep_groups(lists, &groups(lists)?, settings, n_found, told)
    }

    /// The same, for some groups of their items.
    pub(super) fn sweep_groups(
        &mut self,
        lists: [&List; 2],
        groups: &[[Range<u32>; 2]],
        settings: Settings,
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<u64> {
        let gpu = self.gpu;
        let intervals =
            control.note(Lane::Scan, "lists", || intervals(&self.source(), lists, groups, &settings))?;
        if intervals.is_empty() {
            return Ok(0);
        }
        let options = self.program.options();
        // What is in the lists is known to the device alone.
        let empty: Arc<ItemList> = Arc::default();
        let whole = Sweep::new([empty.clone(), empty], intervals, settings, options.stretch)?;
        let items = lists.map(|list| list.items);
        let mut brought: Option<[Arc<ItemList>; 2]> = None;
        let (mut n_done, mut n_told) = (0u128, 0);
        for part in parts(&whole) {
            control.check()?;
            let launched = self.launch(&part, items, n_found, control)?;
            for (_, pairs) in self.finish(&mut vec![launched], &untold(control), control)? {
                let [left, right] = match &brought {
                    Some(lists) => lists.clone(),
                    None => brought.insert(self.brought(lists)?).clone(),
                };
                let heavy = Sweep { left, right, ..part.clone() }.of_heavy(&pairs, options.interval)?;
                self.sweep_now(&heavy, &mut UploadedLists::new(gpu), n_found, control)?;
            }
            n_done += u128::from(part.n_pairs());
            let upto = (n_done * u128::from(STEPS) / u128::from(whole.n_pairs().max(1))) as u64;
            steps.done(upto.min(STEPS) - n_told);
            n_told = upto.min(STEPS);
        }
        Ok(n_told)
    }

    /// What says which records the items of two lists have, brought to the host; of one list with itself, once.
    pub(super) fn brought(&self, lists: [&List; 2]) -> Result<[Arc<ItemList>; 2]> {
        let left = Arc::new(lists[0].brought(self.gpu)?);
        let is_one = std::ptr::eq(lists[0], lists[1]);
        let right = if is_one { left.clone() } else { Arc::new(lists[1].brought(self.gpu)?) };
        Ok([left, right])
    }
}

/// Steps of something that others tell of.
pub(super) fn untold(control: &Control) -> Steps<'_> {
    Steps::new(control, 0, 1)
}
