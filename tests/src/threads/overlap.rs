//! The kernels of the overlap join on CPU threads, one after the other as `cuda::overlap` launches them.

use super::join::{Checked, plain};
use super::{KernelOnThreads, Thread, UNWRITTEN, Walking, atomics, launch};
use crate::overlaps::Manner;
use hyperblock::Result;
use hyperblock::encode::Encoded;
use hyperblock::plan::overlap::{BlockJoin, OverlapJoin};
use hyperblock::plan::path::OverlapMethod;
use hyperblock::plan::{Program, WalkChoice};
use hyperblock_device::overlap as kernels;
use hyperblock_device::primitives::sums;
use hyperblock_device::scan;
use hyperblock_device::walk::{ByDescent, Counted, StepByStep};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{
    DeviceOverlap, HEAVY_WORDS, OVERLAP_COUNTERS, PROBE_WORDS, WARP, WideSignature, listed_shared_words,
    n_sum_tiles,
};
use hyperblock_shared::overlap::{Overlap, OverlapSide, Range32};
use hyperblock_shared::text::scratch_words;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

impl KernelOnThreads {
    pub(super) fn launch_each(&self, n_shared: u32, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.n_blocks, self.threads_per_block, n_shared, body);
    }

    /// The pairs of items of two blocks that have enough in common.
    pub fn overlapping(&self, join: &BlockJoin<'_>, manner: &Manner) -> Vec<(u32, u32)> {
        let overlap = join.borrow();
        let signatures = [&overlap.indexed, &overlap.probing].map(wide);
        // The kernels are not to look at the others.
        let without = |side| OverlapSide { signatures: &[], ..side };
        let sides =
            Overlap { indexed: without(overlap.indexed), probing: without(overlap.probing), ..overlap };
        let work = Work { join, overlap: sides, rooms: overlap.rooms().collect(), signatures };
        match manner.method {
            OverlapMethod::Index => {
                let (slots, postings) = self.index(&overlap);
                let groups = self.groups(&join.tables);
                in_parts(groups.len(), manner.capacity, &sides, |part, capacity| {
                    let probing = kernels::Probing { overlap: sides, slots: &slots, groups: &groups[part] };
                    self.probe(&work, probing, &postings, capacity)
                })
            }
            OverlapMethod::Dense => {
                in_parts(sides.probing.values.len(), manner.capacity, &sides, |part, capacity| {
                    self.dense(&work, part, capacity)
                })
            }
        }
    }

    /// Where the postings of each slot end, and the postings.
    fn index(&self, overlap: &Overlap<'_>) -> (Vec<u32>, Vec<u64>) {
        let slots = atomics(overlap.n_slots() as u32, 0);
        self.launch_each(0, |thread| kernels::count(thread, overlap, &slots));
        let n_postings = plain(&slots).iter().sum::<u32>();
        self.sums(&slots);
        let postings = Checked::new(n_postings as usize, false);
        self.launch_each(0, |thread| kernels::fill(thread, overlap, &slots, &postings));
        (plain(&slots), postings.written())
    }

    fn sums(&self, words: &[AtomicU32]) {
        let expected: Vec<u32> = plain(words)
            .iter()
            .scan(0, |sum, word| {
                *sum += word;
                Some(*sum - word)
            })
            .collect();
        let tiles = atomics(n_sum_tiles(words.len() as u64) as u32 + 1, UNWRITTEN);
        let values = plain(words);
        self.launch_each(0, |thread| sums::totals(thread, &values, &tiles));
        launch(1, self.threads_per_block, SUM_WORDS, |thread| sums::starts::<u32>(thread, &tiles, None));
        let tiles = plain(&tiles);
        self.launch_each(0, |thread| sums::spread(thread, words, &tiles));
        assert!(plain(words) == expected, "sums are wrong");
    }

    /// The pairs of some groups as far as there is room, and how many there are.
    fn probe(
        &self,
        work: &Work<'_>,
        probing: kernels::Probing<'_>,
        postings: &[u64],
        capacity: usize,
    ) -> (Vec<u64>, usize) {
        let counters = counters();
        let segments = atomics(probing.groups.len() as u32 + 1, 0);
        self.launch_each(0, |thread| kernels::measure(thread, &probing, &segments, &counters));
        self.sums(&segments);
        let room = Checked::new(capacity, false);
        let job = kernels::Probe {
            probing,
            postings,
            rooms: &work.rooms,
            signatures: [&work.signatures[0], &work.signatures[1]],
            segments: &plain(&segments),
            pairs: work.pairs(&counters, &room),
        };
        let n_shared = self.threads_per_block / WARP * PROBE_WORDS;
        self.launch_each(n_shared, |thread| kernels::probe(thread, &job));
        written(&counters, room, capacity)
    }

    /// The pairs of some probing values as far as there is room, and how many there are.
    fn dense(&self, work: &Work<'_>, part: Range<usize>, capacity: usize) -> (Vec<u64>, usize) {
        let values = Range32 { from: part.start as u32, upto: part.end as u32 };
        let mut segments = vec![0];
        let reaches = work.join.tables.reaches().together(values.from..values.upto, WARP);
        for (first, reach) in (values.from..values.upto).step_by(WARP as usize).zip(reaches) {
            let own = first..values.upto.min(first + WARP);
            let of_each = own.fold(Range32::default(), |hull, item| hull.hull(work.overlap.reach(item)));
            assert_eq!(reach, of_each, "values reach something else");
            let n_before = segments[segments.len() - 1];
            segments.push(n_before + reach.len().div_ceil(DeviceOverlap::STRETCH));
        }
        let (counters, room) = (counters(), Checked::new(capacity, false));
        let job = kernels::Dense {
            overlap: work.overlap,
            values,
            rooms: &work.rooms,
            signatures: [&work.signatures[0], &work.signatures[1]],
            segments: &segments,
            pairs: work.pairs(&counters, &room),
        };
        let n_shared = self.threads_per_block / WARP * DeviceOverlap::DENSE_WORDS;
        self.launch_each(n_shared, |thread| kernels::dense(thread, &job));
        written(&counters, room, capacity)
    }
}

/// Two blocks that are joined, as kernels see them.
struct Work<'a> {
    join: &'a BlockJoin<'a>,
    overlap: Overlap<'a>,
    rooms: Vec<i32>,
    signatures: [Vec<WideSignature>; 2],
}

impl Work<'_> {
    fn pairs<'a>(&self, counters: &'a [AtomicU64], words: &'a Checked) -> kernels::Pairs<'a, Checked> {
        let blocks = &self.join.tables.blocks;
        kernels::Pairs {
            counters,
            words,
            firsts: [blocks.indexed.start, blocks.probing.start],
            is_left_indexed: blocks.is_left_indexed,
        }
    }
}

/// What `n` groups or values find: all of them at once, or where there is no room for that many pairs, in
/// halves.
fn in_parts(
    n: usize,
    capacity: usize,
    overlap: &Overlap<'_>,
    find: impl Fn(Range<usize>, usize) -> (Vec<u64>, usize),
) -> Vec<(u32, u32)> {
    let whole = 0..n;
    let (mut parts, mut found) = (vec![whole], Vec::new());
    while let Some(part) = parts.pop() {
        if part.is_empty() {
            continue;
        }
        // One value meets no other twice, so one alone needs no more.
        let least = if part.len() == 1 { overlap.indexed.values.len() } else { 0 };
        let capacity = capacity.max(least);
        let (words, n_pairs) = find(part.clone(), capacity);
        if n_pairs > capacity {
            let middle = part.start + part.len() / 2;
            parts.extend([part.start..middle, middle..part.end]);
        } else {
            found.extend(words.into_iter().map(|word| (word as u32, (word >> 32) as u32)));
        }
    }
    found
}

fn counters() -> Vec<AtomicU64> {
    (0..OVERLAP_COUNTERS).map(|_| AtomicU64::new(0)).collect()
}

/// The pairs as far as there was room, and how many there are.
fn written(counters: &[AtomicU64], pairs: Checked, capacity: usize) -> (Vec<u64>, usize) {
    let n_pairs = counters[2].load(Relaxed) as usize;
    (pairs.written_upto(n_pairs.min(capacity)), n_pairs)
}

/// Two sets, which element of the first is to be the first in common, if it matters, and how many are to be.
pub type Compared = (Vec<u32>, Vec<u32>, Option<u32>, u32);

/// Whether they have so much in common, by the lanes of a warp together.
pub fn holds_together(compared: &[Compared]) -> Vec<bool> {
    let said = atomics(compared.len() as u32, UNWRITTEN);
    launch(1, WARP, 0, |thread| {
        for ((a, b, nth, least), said) in compared.iter().zip(&said) {
            let holds = u32::from(kernels::holds_together(thread, a, b, *nth, *least));
            let before = said.swap(holds, Relaxed);
            assert!(before == UNWRITTEN || before == holds, "lanes say different things");
        }
    });
    plain(&said).into_iter().map(|said| said == 1).collect()
}

fn wide(side: &OverlapSide<'_>) -> Vec<WideSignature> {
    side.signatures.iter().map(|&signature| WideSignature(signature)).collect()
}

/// Appends the candidates of an overlap join; pairs of items that stand for very many pairs of records come back.
pub(super) fn overlap(
    device: &KernelOnThreads,
    join: &OverlapJoin,
    encoded: &Encoded,
    program: &Program,
    (results, walk): (scan::Results<'_>, Walking<'_>),
) -> Result<Vec<(u32, u32)>> {
    let options = program.options();
    let Some(measure) = program.walk()?.predicate(join.sweep.settings.lead).measure() else {
        panic!("an overlap join has a measure");
    };
    let mut words = Vec::new();
    for blocks in join.blocks(measure, options.indexed) {
        let block = BlockJoin::new(join, &blocks, encoded, measure, &options);
        let pairs = device.overlapping(&block, &Manner { method: join.method, options, capacity: 1 << 12 });
        words.extend(pairs.into_iter().map(|(left, right)| u64::from(left) | u64::from(right) << 32));
    }
    let (heavies, counters) = (atomics(device.most_heavies * HEAVY_WORDS as u32, UNWRITTEN), atomics(2, 0));
    let listed = kernels::Listed {
        scan: scan::Scan {
            columns: encoded,
            path: program.walk()?,
            sweep: join.sweep.borrow(),
            slots: &[],
            claimed: &[],
            latencies: &[],
            heavies: &heavies,
            counters: &counters,
            results,
        },
        pairs: &words,
        counters: &[0, 0, words.len() as u64].map(AtomicU64::new),
    };
    let n_scratch = scratch_words(encoded.longest()) as usize;
    device.launch_each(listed_shared_words(device.threads_per_block), |thread| {
        let scratch = &mut vec![0u64; n_scratch][..];
        match walk.choice {
            WalkChoice::StepByStep => kernels::listed(thread, &listed, StepByStep, scratch),
            WalkChoice::ByDescent => kernels::listed(thread, &listed, ByDescent, scratch),
            WalkChoice::Counted => kernels::listed(thread, &listed, Counted(walk.counts), scratch),
        }
    });
    let n_heavy = plain(&counters)[0].min(device.most_heavies);
    let heavies = plain(&heavies);
    let pairs: Vec<(u32, u32)> =
        heavies.chunks(HEAVY_WORDS).take(n_heavy as usize).map(|pair| (pair[0], pair[1])).collect();
    assert!(!pairs.contains(&(UNWRITTEN, UNWRITTEN)), "a pair of items was counted and not written");
    Ok(pairs)
}
