//! The kernels of relational operators on CPU threads, one after the other as `cuda::relation` launches them, and
//! semi-naive closure over them.

use super::join::{Checked, plain};
use super::{KernelOnThreads, Thread, UNWRITTEN, atomics, launch};
use hyperblock::base::stopwatch::Stages;
use hyperblock::operators::closure::{Deduplicate, Iteration, Piece, Rounds, Wanted};
use hyperblock::operators::relations::{
    LoadFactor, Relations, Taking, Turn, bits_below, check_for_set, digits,
};
use hyperblock::read::edges::Graph;
use hyperblock::{Candidate, Control, Result};
use hyperblock_device::baselines::{project, wide_join};
use hyperblock_device::memory::Words;
use hyperblock_device::primitives::{radix, sums};
use hyperblock_device::relation as kernels;
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{WARP, n_sum_tiles};
use hyperblock_shared::packing::Packing;
use hyperblock_shared::relation::{
    DIGITS, EMPTY, HISTOGRAM_WORDS, MERGE_ITEMS, SELECT_TILE, SORT_ITEMS, WIDE_SUM_WORDS, first_of,
    join_words, merge_words, most_filled, n_slots_for, scatter_words,
};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Tuples that a join makes at once: few, so that it takes several steps.
const BUFFER: u64 = 400;

/// Operators on relations, by kernels.
pub(super) struct ThreadRelations<'a>(pub(super) &'a KernelOnThreads);

fn wide_atomics(n: usize, value: u64) -> Vec<AtomicU64> {
    (0..n).map(|_| AtomicU64::new(value)).collect()
}

/// Candidates as the GPU brings them back: packed by the kernel, sorted, and unpacked.
pub(super) fn sorted(device: &KernelOnThreads, packing: Packing, found: &mut [Candidate]) {
    let words = wide_atomics(found.len(), EMPTY);
    let relations = ThreadRelations(device);
    relations.launch(0, |thread| kernels::pack(thread, found, packing, &Tuples(&words)));
    let mut words = wide_plain(&words);
    words.sort_unstable();
    found.iter_mut().zip(words).for_each(|(found, word)| *found = packing.unpack(word));
}

fn wide_plain(words: &[AtomicU64]) -> Vec<u64> {
    words.iter().map(|word| word.load(Relaxed)).collect()
}

/// A sorted relation and its index.
struct Index<'a> {
    rows: &'a [u64],
    slots: Vec<u64>,
    lens: Vec<u32>,
}

/// Where an array is written over that was written before, and read in part.
struct Tuples<'a>(&'a [AtomicU64]);

impl Words for Tuples<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn set(&self, ix: u64, word: u64) {
        let before = self.0[ix as usize].swap(word, Relaxed);
        assert_eq!(before, EMPTY, "a place was written twice");
    }

    fn set_two(&self, ix: u64, words: [u64; 2]) {
        (ix..).zip(words).for_each(|(ix, word)| self.set(ix, word));
    }
}

impl ThreadRelations<'_> {
    fn launch(&self, n_shared: u32, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.0.n_blocks, self.0.threads_per_block, n_shared, body);
    }

    /// The sums before tiles, and of all.
    fn starts(&self, tiles: &[AtomicU64]) -> u64 {
        let total = AtomicU64::new(0);
        launch(1, self.0.threads_per_block, WIDE_SUM_WORDS, |thread| {
            sums::starts::<u64>(thread, tiles, Some(&total))
        });
        total.into_inner()
    }

    fn index<'a>(&self, rows: &'a [u64], load: LoadFactor) -> Index<'a> {
        let n_slots = n_slots_for(rows.len() as u64, load.percent()) as usize;
        let (slots, lens) = (wide_atomics(n_slots, EMPTY), atomics(n_slots as u32, UNWRITTEN));
        self.launch(0, |thread| kernels::index(thread, rows, &slots, &lens));
        Index { rows, slots: wide_plain(&slots), lens: plain(&lens) }
    }

    /// What a join makes, by tile of the outer relation; and how many tuples that is.
    fn measure(&self, join: &kernels::Join<'_>) -> (Vec<u64>, u64) {
        let n_tiles = join.outer.len().div_ceil(self.0.threads_per_block as usize);
        let tiles = wide_atomics(n_tiles + 1, u64::MAX);
        self.launch(0, |thread| kernels::measure(thread, join, &tiles));
        let total = self.starts(&tiles);
        (wide_plain(&tiles), total)
    }

    /// What a join makes from a number on, at most so many tuples; as many as there are.
    fn join_part(&self, join: &kernels::Join<'_>, starts: &[u64], from: u64, most: u64) -> Vec<u64> {
        let total = starts.last().copied().unwrap_or(0);
        let joined = Checked::new(most as usize, false);
        let n_shared = join_words(self.0.threads_per_block);
        self.launch(n_shared, |thread| kernels::join(thread, join, starts, from, &joined));
        joined.written_upto(total.saturating_sub(from).min(most) as usize)
    }
}

impl KernelOnThreads {
    /// What a join makes that keeps the column it joins by, after the projection.
    pub fn unfused_join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Vec<u64> {
        let relations = ThreadRelations(self);
        let index = relations.index(inner, load);
        let join = index.join(outer);
        let (starts, total) = relations.measure(&join);
        let mut joined = Vec::new();
        while (joined.len() as u64) < total {
            let from = joined.len() as u64;
            let n = (total - from).min(BUFFER) as u32;
            let columns = [(); 3].map(|()| atomics(n, UNWRITTEN));
            let n_shared = join_words(self.threads_per_block);
            relations.launch(n_shared, |thread| {
                wide_join(thread, &join, &starts, from, columns.each_ref().map(|column| &column[..]));
            });
            let [firsts, seconds, thirds] = columns.each_ref().map(|column| plain(column));
            let keys = inner.iter().map(|&row| first_of(row)).collect::<BTreeSet<u32>>();
            assert!(seconds.iter().all(|second| keys.contains(second)), "a key that the inner side has not");
            let projected = Checked::new(n as usize, false);
            relations.launch(0, |thread| project(thread, &firsts, &thirds, &projected));
            joined.extend(projected.written());
        }
        joined
    }
}

impl<'a> Index<'a> {
    fn join<'b>(&'b self, outer: &'b [u64]) -> kernels::Join<'b> {
        kernels::Join { outer, inner: self.rows, slots: &self.slots, lens: &self.lens }
    }
}

impl Relations for ThreadRelations<'_> {
    fn sort(&self, tuples: &[u64], bits: &[Range<u32>]) -> Result<Vec<u64>> {
        let n_threads = self.0.threads_per_block;
        let n_tiles = tuples.len().div_ceil((SORT_ITEMS * n_threads) as usize) as u32;
        let mut words = tuples.to_vec();
        for digit in digits(bits) {
            let counts = atomics(DIGITS * n_tiles, UNWRITTEN);
            self.launch(HISTOGRAM_WORDS, |thread| radix::histogram(thread, &words, digit, &counts));
            let tiles: Vec<AtomicU32> = atomics(n_sum_tiles(counts.len() as u64) as u32 + 1, UNWRITTEN);
            self.launch(0, |thread| sums::totals(thread, &plain(&counts), &tiles));
            launch(1, n_threads, SUM_WORDS, |thread| sums::starts::<u32>(thread, &tiles, None));
            self.launch(0, |thread| sums::spread(thread, &counts, &plain(&tiles)));
            let (starts, sorted) = (plain(&counts), Checked::new(words.len(), false));
            let n_shared = scatter_words(n_threads);
            self.launch(n_shared, |thread| radix::scatter(thread, &words, digit, &starts, &sorted));
            words = sorted.written();
        }
        Ok(words)
    }

    fn difference(&self, sorted: &[u64], others: &[u64]) -> Result<Vec<u64>> {
        let n_tiles = sorted.len().div_ceil(SELECT_TILE as usize);
        let masks = atomics((n_tiles * (SELECT_TILE / WARP) as usize) as u32, UNWRITTEN);
        let tiles = wide_atomics(n_tiles + 1, u64::MAX);
        self.launch(0, |thread| kernels::mark(thread, sorted, others, &masks, &tiles));
        let kept = Checked::new(self.starts(&tiles) as usize, false);
        let (masks, starts) = (plain(&masks), wide_plain(&tiles));
        self.launch(0, |thread| kernels::compact(thread, sorted, &masks, &starts, &kept));
        Ok(kept.written())
    }

    fn merge(&self, left: &[u64], right: &[u64]) -> Result<Vec<u64>> {
        let n_threads = self.0.threads_per_block;
        let n_tiles = (left.len() + right.len()).div_ceil((MERGE_ITEMS * n_threads) as usize);
        let splits = Checked::new(n_tiles + 1, false);
        self.launch(0, |thread| kernels::split(thread, left, right, &splits));
        let splits = splits.written();
        let job = kernels::Merge { left, right, splits: &splits };
        let tiles = wide_atomics(n_tiles + 1, u64::MAX);
        self.launch(merge_words(n_threads), |thread| kernels::count(thread, &job, &tiles));
        let merged = Checked::new(self.starts(&tiles) as usize, false);
        let starts = wide_plain(&tiles);
        self.launch(merge_words(n_threads), |thread| kernels::merge(thread, &job, &starts, &merged));
        Ok(merged.written())
    }

    fn distinct(&self, tuples: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        check_for_set(tuples)?;
        let mut set = Set::new(self, n_slots_for(tuples.len() as u64, load.percent()), load);
        set.take(tuples, 0, tuples.len() as u64);
        Ok(set.tuples(0..set.n_tuples()))
    }

    fn join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        let index = self.index(inner, load);
        let join = index.join(outer);
        let (starts, total) = self.measure(&join);
        let mut joined = Vec::new();
        while (joined.len() as u64) < total {
            joined.extend(self.join_part(&join, &starts, joined.len() as u64, BUFFER));
        }
        Ok(joined)
    }
}

/// A set of tuples, and all of them in the order they came in.
struct Set<'a> {
    device: &'a ThreadRelations<'a>,
    load: LoadFactor,
    slots: Vec<AtomicU64>,
    tuples: Vec<AtomicU64>,
    n_tuples: AtomicU64,
}

impl<'a> Set<'a> {
    fn new(device: &'a ThreadRelations<'a>, n_slots: u64, load: LoadFactor) -> Self {
        let slots = wide_atomics(n_slots as usize, EMPTY);
        let tuples = wide_atomics(most_filled(n_slots, load.percent()) as usize, EMPTY);
        Self { device, load, slots, tuples, n_tuples: AtomicU64::new(0) }
    }

    fn n_tuples(&self) -> u64 {
        self.n_tuples.load(Relaxed)
    }

    fn tuples(&self, range: Range<u64>) -> Vec<u64> {
        let tuples = wide_plain(&self.tuples[range.start as usize..range.end as usize]);
        assert!(!tuples.contains(&EMPTY), "a tuple was counted and not written");
        tuples
    }

    /// Takes what a join made from a number on, of so many in all.
    fn take(&mut self, joined: &[u64], from: u64, n_joined: u64) {
        let job = kernels::Deduplicate {
            joined,
            n_joined: [from, n_joined],
            slots: &self.slots,
            tuples: &Tuples(&self.tuples),
            n_tuples: &self.n_tuples,
        };
        self.device.launch(0, |thread| kernels::deduplicate(thread, &job));
    }

    fn grow(&mut self, n_slots: u64) {
        let before = self.tuples(0..self.n_tuples());
        let grown = Self::new(self.device, n_slots, self.load);
        self.device.launch(0, |thread| kernels::fill(thread, &before, &grown.slots));
        grown.tuples.iter().zip(&before).for_each(|(to, &from)| to.store(from, Relaxed));
        grown.n_tuples.store(before.len() as u64, Relaxed);
        *self = grown;
    }
}

/// What some sources reach. None if a set of tuples does not fit into the device's memory.
pub(super) fn semi_naive(
    device: &KernelOnThreads,
    graph: &Graph,
    sources: Range<u32>,
    rounds: Rounds,
    wanted: Wanted,
    control: &Control,
) -> Result<Option<Piece>> {
    let relations = ThreadRelations(device);
    let load = rounds.load;
    let index = relations.index(&graph.edges, load);
    let place = |source: u32| graph.edges.partition_point(|&edge| first_of(edge) < source);
    let edges = &graph.edges[place(sources.start)..place(sources.end)];
    let bits = bits_below(graph.n_nodes);
    let mut iterations = Vec::new();
    let mut count = |n_joined: u64, n_new: u64| {
        iterations.push(Iteration { n_joined, n_new, times: Stages::default() });
    };
    let tuples = match rounds.deduplicate {
        Deduplicate::Sort => {
            let (mut all, mut new) = (edges.to_vec(), edges.to_vec());
            loop {
                control.check()?;
                let joined = relations.join(&new, &graph.edges, load)?;
                new = relations.difference(&relations.sort(&joined, &bits)?, &all)?;
                all = relations.merge(&all, &new)?;
                count(joined.len() as u64, new.len() as u64);
                if new.is_empty() {
                    break;
                }
            }
            all
        }
        Deduplicate::Table => {
            let mut set = Set::new(&relations, n_slots_for(edges.len() as u64, load.percent()), load);
            set.take(edges, 0, edges.len() as u64);
            let bound = (sources.end - sources.start) as u64 * u64::from(graph.n_nodes);
            let mut taking = Taking::new(set.slots.len() as u64, load, bound, BUFFER, set.n_tuples());
            let mut new = 0..set.n_tuples();
            loop {
                control.check()?;
                let outer = set.tuples(new.clone());
                let join = index.join(&outer);
                let (starts, n_joined) = relations.measure(&join);
                taking.begin();
                loop {
                    match taking.step() {
                        Turn::Nothing => break,
                        Turn::Grow { n_slots } => {
                            if 8 * n_slots > device.memory {
                                return Ok(None);
                            }
                            set.grow(n_slots);
                            taking.grew(n_slots);
                        }
                        Turn::Take { from, n } => {
                            let mut part = relations.join_part(&join, &starts, from, n);
                            // Behind what was made is what was there before.
                            part.resize(n as usize, 0);
                            set.take(&part, from, n_joined);
                            taking.took(n, n_joined, set.n_tuples());
                        }
                    }
                }
                new = new.end..set.n_tuples();
                count(n_joined, new.end - new.start);
                if new.is_empty() {
                    break;
                }
            }
            relations.sort(&set.tuples(0..set.n_tuples()), &bits)?
        }
    };
    let n_tuples = tuples.len() as u64;
    let tuples = if wanted.tuples { tuples } else { Vec::new() };
    Ok(Some(Piece { n_tuples, tuples, iterations, phases: Vec::new() }))
}
