//! Runs a task on the GPU: some launches for each join and one for each sweep, on one stream, then the `results`, or what is
//! `kept` of them. Overlap joins are in `overlap`; what is listed on the device itself is in `unlisted`.
//!
//! All of them append to one buffer. If it was too small, blocks stop taking work, and the task is done again
//! with a larger one, or in halves. Pairs of items that a sweep hands on are swept once more, as pairs of records.

mod kept;
mod overlap;
mod results;
mod unlisted;

use super::clock::Timing;
use super::columns::{Slices, Upload};
use super::copies::HeldColumns;
use super::join::CudaJoin;
use super::launch::{Decide, LISTED_THREADS, RESIDUAL_THREADS, ScanBlocks, launch_scan};
use super::lists::UploadedLists;
use super::{Cuda, driver};
use crate::base::control::{Control, Steps};
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::operators::scan::{HandKept, HandOn, Keep, Outcome, Scan, ScanOperator, Wanted};
use crate::plan::Program;
use crate::plan::access::{Access, JOIN, KeyJoin, OVERLAP, SWEEP, Unlisted};
use crate::plan::overlap::{BlockPair, OverlapJoin};
use crate::plan::partition::Area;
use crate::plan::path::KeyMethod;
use crate::plan::sweep::Sweep;
use crate::plan::task::Task;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, Candidate, DeviceItems, DeviceSweep, HEAVY_WORDS, SweepCounters,
};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::text::scratch_words;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pairs of items that launches may screen before the host looks for Ctrl-C: some tenths of a second.
const PAIRS_AT_ONCE: u64 = 1 << 37;
/// Verifying a pair takes as long as screening so many, where values are long.
const VERIFYING: u64 = 1 << 6;
/// Pairs of items that a sweep may hand on; what finds no room is expanded where it was found.
const HEAVY_CAPACITY: usize = 1 << 16;
/// Shares of a sweep that are timed at most, when someone watches.
const LATENCY_CAPACITY: usize = 1 << 16;
/// How many times as large the next result buffer is.
const GROWTH: usize = 8;

impl ScanOperator for Cuda {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        Ok(Box::new(CudaScan::load(self, encoded, program)?))
    }
}

/// A job in device memory, with the buffers that its scans need.
pub(super) struct CudaScan<'a> {
    gpu: &'a Cuda,
    encoded: &'a Encoded,
    program: &'a Program,
    columns: HeldColumns<'a>,
    path: CudaSlice<u64>,
    lists: UploadedLists<'a>,
    results: CudaSlice<u32>,
    scratch: CudaSlice<u64>,
    scratch_words: u32,
    /// The most blocks in a launch.
    window: u32,
    /// What the steps of the path did, if that is counted.
    counts: CudaSlice<u64>,
}

impl<'a> CudaScan<'a> {
    pub(super) fn load(gpu: &'a Cuda, encoded: &'a Encoded, program: &'a Program) -> Result<Self> {
        let columns = gpu.columns(encoded)?;
        let mut archive = program.bytes().to_vec();
        archive.resize(archive.len().next_multiple_of(8), 0);
        let path = gpu.upload(&bytemuck::allocation::pod_collect_to_vec::<u8, u64>(&archive))?;
        let results = gpu.zeros::<u32>(gpu.first_capacity()? * CANDIDATE_WORDS)?;
        // Long values need scratch in every thread: a narrower window keeps that within a quarter of what is free.
        let options = program.options();
        let scratch_words = scratch_words(encoded.longest());
        let words_per_block = u64::from(scratch_words) * u64::from(options.interval);
        let affordable = (gpu.free_bytes()? / 4 / 8).checked_div(words_per_block).unwrap_or(u64::MAX);
        let window = affordable.clamp(1, u64::from(options.window)) as u32;
        // And in a block of each kernel that verifies what joins find, however narrow intervals are.
        let least = scratch_words * RESIDUAL_THREADS.max(LISTED_THREADS);
        let n_words = (words_per_block * u64::from(window)).max(least.into());
        let scratch = gpu.zeros::<u64>((n_words as usize).max(1))?;
        let counts = gpu.zeros::<u64>(program.n_counts().max(1))?;
        let lists = UploadedLists::new(gpu);
        Ok(Self {
            gpu,
            encoded,
            program,
            columns,
            path,
            lists,
            results,
            scratch,
            scratch_words,
            window,
            counts,
        })
    }
}

impl Scan for CudaScan<'_> {
    fn task(&self, encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Task> {
        Task::unlisted(encoded, program, area, control)
    }

    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let Some(n) = self.find(task, most, control)? else { return Ok(Outcome::TooMany) };
        self.bring_back(n, found)?;
        Ok(if found.len() > most { Outcome::TooMany } else { Outcome::Done })
    }

    fn run_on(&mut self, task: &Task, wanted: &Wanted<'_>, hand_on: HandOn<'_>) -> Result<Outcome> {
        // What the device can sort may stay there.
        let most = if self.packing().is_some() { usize::MAX } else { wanted.most };
        match self.find(task, most, wanted.control)? {
            Some(n) => self.bring_on(n, wanted, hand_on),
            None => Ok(Outcome::TooMany),
        }
    }

    fn keeps(&self) -> bool {
        self.keeps_words()
    }

    fn run_kept(
        &mut self,
        task: &Task,
        keep: &Keep<'_>,
        control: &Control,
        hand_on: HandKept<'_>,
    ) -> Result<Option<Outcome>> {
        if !self.keeps_words() || keep.encoded.n_bytes() > self.gpu.memory_for_columns()? {
            return Ok(None);
        }
        match self.find(task, usize::MAX, control)? {
            Some(n) => self.keep_on(n, keep, control, hand_on),
            None => Ok(Some(Outcome::TooMany)),
        }
    }
}

impl CudaScan<'_> {
    /// Finds the candidates of a task: how many are in the result buffer then, unless it had room for no more than `most`, or
    /// no more than the device has.
    fn find(&mut self, task: &Task, most: usize, control: &Control) -> Result<Option<usize>> {
        let work = Work { unlisted: &task.unlisted, ..Work::new(self, &task.accesses)? };
        loop {
            let steps = Steps::new(control, task.n_pairs, work.n_steps());
            let n_counts = self.program.n_counts();
            if n_counts > 0 {
                self.counts = self.gpu.zeros(n_counts)?;
            }
            if let Some(n) = self.access_all(&work, control, &steps)? {
                if n_counts > 0 {
                    let mut counts = vec![0; n_counts];
                    self.gpu.download(&self.counts, &mut counts)?;
                    control.count(&counts);
                }
                control.compare(task.compared(self.program));
                steps.finish();
                return Ok(Some(n));
            }
            if !self.grow(most)? {
                return Ok(None);
            }
        }
    }
}

/// What a task has to do.
#[derive(Default)]
struct Work<'a> {
    unlisted: &'a [Unlisted],
    joins: Vec<&'a KeyJoin>,
    overlaps: Vec<(&'a OverlapJoin, Vec<BlockPair>)>,
    sweeps: Vec<Sweep>,
}

impl<'a> Work<'a> {
    /// Of what is listed.
    fn new(scan: &CudaScan<'_>, accesses: &'a [Access]) -> Result<Self> {
        let mut work = Self::default();
        for access in accesses {
            match access {
                Access::Sweep(sweep) => work.sweeps.extend(parts(sweep)),
                Access::Join(join) if join.found_by == KeyMethod::Sweep => {
                    work.sweeps.extend(parts(&join.as_sweep(&scan.program.options())?));
                }
                Access::Join(join) => work.joins.push(join),
                Access::Overlap(join) => work.overlaps.push((join, scan.blocks(join)?)),
            }
        }
        Ok(work)
    }

    fn n_paths(&self) -> u32 {
        (self.unlisted.len() + self.joins.len() + self.overlaps.len() + self.sweeps.len()) as u32
    }

    fn n_steps(&self) -> u64 {
        let n_blocks: usize = self.overlaps.iter().map(|(_, blocks)| blocks.len()).sum();
        let n_stretches: u64 = self.sweeps.iter().map(|sweep| u64::from(sweep.n_stretches())).sum();
        n_stretches + (self.joins.len() + n_blocks) as u64 + self.unlisted.len() as u64 * unlisted::STEPS
    }
}

/// How many screened pairs a pair of a sweep is worth: without signatures, nearly all that is looked at is verified.
fn weight(sweep: &Sweep) -> u64 {
    match sweep.settings.screen {
        Screen::Signatures | Screen::WideSignatures => 1,
        Screen::None | Screen::Codes | Screen::Reaches => VERIFYING,
    }
}

/// How much a sweep has to do.
fn work_of(sweep: &Sweep) -> u64 {
    sweep.n_pairs().saturating_mul(weight(sweep))
}

/// A sweep in parts that do not keep the host waiting for long.
fn parts(sweep: &Sweep) -> Vec<Sweep> {
    sweep.parts(PAIRS_AT_ONCE / weight(sweep))
}

/// Pairs of items.
type Pairs = Vec<(u32, u32)>;

/// The pairs of items that were handed on, as far as there was room.
fn pairs_of_items(gpu: &Cuda, heavies: &CudaSlice<u32>, n_heavy: u32) -> Result<Pairs> {
    let mut words = vec![0u32; (n_heavy as usize).min(HEAVY_CAPACITY) * HEAVY_WORDS];
    if !words.is_empty() {
        gpu.download(&heavies.slice(..words.len()), &mut words)?;
    }
    Ok(words.chunks(HEAVY_WORDS).map(|pair| (pair[0], pair[1])).collect())
}

/// What a launch needs beside what all launches share, alive until it is done.
struct Launched<'a, 'b> {
    sweep: &'b Sweep,
    counters: CudaSlice<u32>,
    /// Of shares, if they are watched.
    latencies: CudaSlice<u32>,
    heavies: CudaSlice<u32>,
    timing: Timing,
    _uploaded: Upload<'a>,
    _slots: CudaSlice<u64>,
    _claimed: CudaSlice<u32>,
}

impl<'a> CudaScan<'a> {
    /// What pairs are decided by, and where candidates go.
    fn decide<'b>(&'b mut self, n_found: &'b mut CudaSlice<u32>) -> Decide<'b> {
        Decide {
            columns: &self.columns,
            path: &self.path,
            path_len: self.program.bytes().len() as u64,
            results: &mut self.results,
            n_found,
            scratch: &mut self.scratch,
            scratch_words: self.scratch_words,
            walk: self.program.options().walk,
            counts: &mut self.counts,
            n_counts: self.program.n_counts(),
        }
    }

    /// Finds the candidates of all joins and sweeps: how many there are, if the result buffer holds them.
    fn access_all(&mut self, work: &Work<'_>, control: &Control, steps: &Steps<'_>) -> Result<Option<usize>> {
        let gpu = self.gpu;
        let mut n_found = gpu.zeros::<u32>(1)?;
        for (nth, unlisted) in (0..).zip(work.unlisted) {
            control.check()?;
            control.at_path(nth, work.n_paths());
            control.path((unlisted.first_step(), unlisted.kind()), || {
                self.unlisted(unlisted, &mut n_found, (control, steps))
            })?;
        }
        self.access(work, &mut n_found, (control, steps))?;
        let mut count = [0u32];
        gpu.download(&n_found, &mut count)?;
        let n_words = count[0] as usize * CANDIDATE_WORDS;
        Ok((n_words <= self.results.len()).then_some(count[0] as usize))
    }

    /// Appends the candidates of what is listed.
    fn access(
        &mut self,
        work: &Work<'_>,
        n_found: &mut CudaSlice<u32>,
        (control, steps): (&Control, &Steps<'_>),
    ) -> Result<()> {
        let gpu = self.gpu;
        for join in &work.joins {
            control.path((join.settings.from, JOIN), || self.join(join, n_found, control))?;
            control.check()?;
            steps.done(1);
        }
        let mut lists = std::mem::replace(&mut self.lists, UploadedLists::new(gpu));
        for (join, blocks) in &work.overlaps {
            control.path((join.sweep.settings.from, OVERLAP), || {
                let heavy = self.overlap(join, blocks, &mut lists, n_found, (control, steps))?;
                self.heavy_join(join, &heavy, n_found, control)
            })?;
            if lists.n_bytes() > gpu.half_of_free()? / 2 {
                lists = UploadedLists::new(gpu);
            }
        }
        let interval = self.program.options().interval;
        let mut launched = Vec::new();
        let mut n_pairs = 0;
        for (ix, sweep) in work.sweeps.iter().enumerate() {
            let since = Instant::now();
            let items = [lists.items(&sweep.left)?, lists.items(&sweep.right)?];
            launched.push(self.launch(sweep, items, n_found, control)?);
            n_pairs += work_of(sweep);
            let next = work.sweeps.get(ix + 1);
            let n_next = next.map_or(u64::MAX, work_of);
            let list_bytes = next.map_or(0, |next| next.left.n_bytes() + next.right.n_bytes());
            let are_many = lists.n_bytes() + list_bytes > gpu.half_of_free()? / 2;
            // Whoever watches sees each by itself.
            if n_pairs.saturating_add(n_next) > PAIRS_AT_ONCE || are_many || control.is_watched() {
                n_pairs = 0;
                for (sweep, pairs) in self.finish(&mut launched, steps, control)? {
                    let heavy = sweep.of_heavy(&pairs, interval)?;
                    self.sweep_now(&heavy, &mut lists, n_found, control)?;
                }
                control.path_took((sweep.settings.from, SWEEP), since);
                if are_many {
                    lists = UploadedLists::new(gpu);
                }
                control.check()?;
            }
        }
        // The next task may be of the same lists.
        self.lists = lists;
        Ok(())
    }

    /// Sweeps in parts, and waits for each. Nothing is handed on: items are records.
    fn sweep_now(
        &mut self,
        sweep: &Sweep,
        lists: &mut UploadedLists<'a>,
        n_found: &mut CudaSlice<u32>,
        control: &Control,
    ) -> Result<()> {
        for part in parts(sweep) {
            control.check()?;
            let items = [lists.items(&part.left)?, lists.items(&part.right)?];
            let Launched { timing, .. } = self.launch(&part, items, n_found, control)?;
            self.gpu.synchronize()?;
            timing.record(self.gpu, control)?;
        }
        Ok(())
    }

    /// The records of pairs of items that an overlap join found and handed on.
    fn heavy_join(
        &mut self,
        join: &OverlapJoin,
        pairs: &[(u32, u32)],
        n_found: &mut CudaSlice<u32>,
        control: &Control,
    ) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        control.check()?;
        let (options, heavy) = (self.program.options(), join.heavy(self.program, pairs));
        if heavy.found_by == KeyMethod::Hash {
            return self.join(&heavy, n_found, control);
        }
        let sweep = heavy.as_sweep(&options)?;
        self.sweep_now(&sweep, &mut UploadedLists::new(self.gpu), n_found, control)
    }

    /// Partitions the join's rows, and has their pairs decided where they are found.
    fn join(&mut self, join: &KeyJoin, n_found: &mut CudaSlice<u32>, control: &Control) -> Result<()> {
        let gpu = self.gpu;
        let right = (!Arc::ptr_eq(&join.left, &join.right)).then(|| join.right.side());
        let mut loaded = CudaJoin::for_blocks_of(gpu, join.left.side(), right, RESIDUAL_THREADS)?;
        self.residual(&mut loaded, join.settings, n_found, control)
    }

    fn launch<'b>(
        &mut self,
        sweep: &'b Sweep,
        [left, right]: [DeviceItems; 2],
        n_found: &mut CudaSlice<u32>,
        control: &Control,
    ) -> Result<Launched<'a, 'b>> {
        let gpu = self.gpu;
        let mut uploaded = Upload::new(gpu);
        let n_blocks = self.n_blocks(sweep);
        let slots = gpu.zeros::<u64>(n_blocks as usize)?;
        let n_runs = sweep.settings.policy.n_runs(n_blocks, sweep.n_stretches());
        let claimed = gpu.zeros::<u32>((n_runs as usize).div_ceil(32).max(1))?;
        let counters = gpu.zeros::<u32>(size_of::<SweepCounters>() / 4)?;
        let n_latencies = if control.is_watched() { LATENCY_CAPACITY } else { 0 };
        let latencies = gpu.zeros::<u32>(n_latencies.max(1))?;
        let n_heavy = if left.starts.is_empty() { 0 } else { HEAVY_CAPACITY };
        let heavies = gpu.zeros::<u32>((n_heavy * HEAVY_WORDS).max(1))?;
        let slices = Slices(gpu);
        let on_device = DeviceSweep {
            left,
            right,
            intervals: uploaded.words(&sweep.intervals)?,
            firsts: uploaded.halves(&sweep.firsts)?,
            slots: slices.of(&slots).atomic(),
            claimed: slices.of(&claimed).atomic(),
            latencies: slices.first(&latencies, n_latencies).atomic(),
            heavies: slices.first(&heavies, n_heavy * HEAVY_WORDS).atomic(),
            counters: slices.of(&counters).atomic(),
            settings: sweep.settings.into(),
        };
        let n_threads = self.program.options().interval;
        let blocks = ScanBlocks { n_blocks, n_threads, n_stretches: sweep.n_stretches() };
        let decide = self.decide(n_found);
        let (_, timing) = gpu.timed(control, || launch_scan(gpu, &decide, on_device, blocks))?;
        Ok(Launched {
            sweep,
            counters,
            latencies,
            heavies,
            timing,
            _uploaded: uploaded,
            _slots: slots,
            _claimed: claimed,
        })
    }

    /// How many blocks sweep: as many as the window has, but not more than there is work for; or one for each interval, as
    /// far as there is scratch for so many.
    fn n_blocks(&self, sweep: &Sweep) -> u32 {
        let words_per_block = self.scratch_words as usize * self.program.options().interval as usize;
        let n_with_scratch = self.scratch.len().checked_div(words_per_block).unwrap_or(usize::MAX);
        let wanted = sweep.settings.policy.n_slots(self.window, sweep.intervals.len() as u32);
        wanted.min(sweep.n_stretches()).min(n_with_scratch.try_into().unwrap_or(u32::MAX)).max(1)
    }

    /// Waits for the launches; pairs of items that they handed on come back.
    fn finish<'b>(
        &mut self,
        launched: &mut Vec<Launched<'_, 'b>>,
        steps: &Steps<'_>,
        control: &Control,
    ) -> Result<Vec<(&'b Sweep, Pairs)>> {
        let mut heavy = Vec::new();
        for Launched { sweep, counters, latencies, heavies, timing, .. } in launched.drain(..) {
            timing.record(self.gpu, control)?;
            let mut words = [0u32; size_of::<SweepCounters>() / 4];
            if heavies.len() > 1 || control.is_watched() {
                self.gpu.download(&counters, &mut words)?;
            }
            let SweepCounters { n_heavy, n_timed } = bytemuck::cast(words);
            if control.is_watched() && n_timed > 0 {
                let mut took = vec![0u32; (n_timed as usize).min(LATENCY_CAPACITY)];
                self.gpu.download(&latencies.slice(..took.len()), &mut took)?;
                control.watch(|latencies| {
                    let times = took.into_iter().map(|took| Duration::from_nanos(took.into()));
                    times.for_each(|time| latencies.intervals.record(time));
                });
            }
            let pairs = pairs_of_items(self.gpu, &heavies, n_heavy)?;
            if !pairs.is_empty() {
                heavy.push((sweep, pairs));
            }
            steps.done(u64::from(sweep.n_stretches()));
        }
        self.gpu.synchronize()?;
        Ok(heavy)
    }

    /// Makes the result buffer larger, but for no more than `most` candidates; whether that was possible.
    fn grow(&mut self, most: usize) -> Result<bool> {
        let capacity = self.results.len() / CANDIDATE_WORDS;
        let larger = (capacity * GROWTH).min(most.max(1)).min(self.gpu.most_capacity()?);
        if larger <= capacity {
            return Ok(false);
        }
        self.results = self.gpu.zeros::<u32>(1)?;
        self.results = self.gpu.zeros::<u32>(larger * CANDIDATE_WORDS)?;
        Ok(true)
    }
}

impl Cuda {
    pub(super) fn zeros<T>(&self, len: usize) -> Result<CudaSlice<T>>
    where
        T: cudarc::driver::DeviceRepr + cudarc::driver::ValidAsZeroBits,
    {
        self.allocate(len * size_of::<T>(), || self.stream.alloc_zeros(len))
    }

    /// Copies from the device and waits for it, and so for all kernels before.
    pub(super) fn download<T, S>(&self, from: &S, to: &mut [T]) -> Result<()>
    where
        T: cudarc::driver::DeviceRepr,
        S: cudarc::driver::DevicePtr<T>,
    {
        let failed = |error| driver::failed(&self.name, "scanning", error);
        self.transfer(|| {
            self.stream.memcpy_dtoh(from, to).map_err(failed)?;
            self.stream.synchronize().map_err(failed)
        })
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|error| driver::failed(&self.name, "scanning", error))
    }
}
