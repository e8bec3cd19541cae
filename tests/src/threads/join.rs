//! The kernels of the join on CPU threads, one after the other as `cuda::join` launches them, with everything small: so few
//! rows make many partitions, several chunks and heavy keys.

use super::{KernelOnThreads, Thread, UNWRITTEN, Walking, atomics, launch};
use hyperblock::Result;
use hyperblock::encode::Encoded;
use hyperblock::operators::join::{Join, Joined, Output};
use hyperblock::plan::access::KeyJoin;
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock::plan::{Program, WalkChoice};
use hyperblock_device::join as kernels;
use hyperblock_device::memory::Words;
use hyperblock_device::scan::Results;
use hyperblock_device::walk::{ByDescent, Counted, StepByStep};
use hyperblock_shared::join::{
    BUILT, HEAVY_SLOTS, ITEMS, MISSING, MOST_HEAVY, PRODUCT_THREADS, PRODUCT_WORDS, SELECT_WORDS, SUM_WORDS,
    count_words, light_words, partition_words, residual_words,
};
use hyperblock_shared::sweep::Order;
use hyperblock_shared::text::scratch_words;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bits of the two passes.
pub(super) const BITS: [u32; 2] = [2, 1];
/// One key of so many is sampled, and one that comes up so often is heavy.
const STEP: u32 = 2;
const LEAST: u32 = 6;
/// Room for keys that may be heavy.
const N_LISTED: u32 = 4;
const SAMPLE_SLOTS: u32 = 64;

/// A join on CPU threads.
pub(super) struct ThreadJoin<'a> {
    device: &'a KernelOnThreads,
    sides: Vec<KeyColumn<'a>>,
    pairs: Vec<(u32, u32)>,
}

/// What the passes leave of a side.
pub(super) struct Partitioned {
    pub(super) tuples: Vec<u64>,
    pub(super) starts: Vec<u32>,
    heavy_tuples: Vec<u64>,
    heavy_starts: Vec<u32>,
}

struct HeavyKeys {
    n_heavy: u32,
    slots: Vec<u32>,
    numbers: Vec<u32>,
}

impl<'a> ThreadJoin<'a> {
    pub(super) fn load(
        device: &'a KernelOnThreads,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Self {
        Self { device, sides: [Some(left), right].into_iter().flatten().collect(), pairs: Vec::new() }
    }

    fn launch(&self, n_shared: u32, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.device.n_blocks, self.device.threads_per_block, n_shared, body);
    }

    /// Partitions both sides, all keys as light ones.
    pub(super) fn partitioned(&self) -> Vec<Partitioned> {
        let no_heavy = self.find_heavy(JoinMethod::Plain);
        self.sides.iter().map(|side| self.partition(side, &no_heavy)).collect()
    }

    fn find_heavy(&self, method: JoinMethod) -> HeavyKeys {
        let (slots, numbers) = (atomics(HEAVY_SLOTS, MISSING), atomics(HEAVY_SLOTS, UNWRITTEN));
        let n_heavy = AtomicU32::new(0);
        if method == JoinMethod::Skew {
            let (sampled, counts) = (atomics(SAMPLE_SLOTS, MISSING), atomics(SAMPLE_SLOTS, 0));
            let (list, n_listed) = (atomics(N_LISTED, UNWRITTEN), AtomicU32::new(0));
            let sample = kernels::Sample {
                keys: [self.sides[0].keys, self.sides.get(1).map_or(&[], |side| side.keys)],
                step: STEP,
                slots: &sampled,
                counts: &counts,
                least: LEAST,
                list: &list,
                n_listed: &n_listed,
            };
            self.launch(0, |thread| kernels::sample(thread, &sample));
            let (sampled, counts, list) = (plain(&sampled), plain(&counts), plain(&list));
            let select = kernels::Select {
                slots: &sampled,
                counts: &counts,
                list: &list[..list.len().min(n_listed.into_inner() as usize)],
                least: LEAST,
                heavy_slots: &slots,
                heavy_numbers: &numbers,
                n_heavy: &n_heavy,
            };
            launch(1, self.device.threads_per_block, SELECT_WORDS, |thread| kernels::select(thread, &select));
        }
        HeavyKeys { n_heavy: n_heavy.into_inner(), slots: plain(&slots), numbers: plain(&numbers) }
    }

    fn partition(&self, side: &KeyColumn<'_>, heavy: &HeavyKeys) -> Partitioned {
        let n_threads = self.device.threads_per_block;
        let n_rows = side.keys.len() as u32;
        let source = kernels::Source::Side { keys: side.keys, rows: side.rows.unwrap_or(&[]) };
        let classes = kernels::Classes {
            used: 0,
            bits: BITS[0],
            n_heavy: heavy.n_heavy,
            slots: &heavy.slots,
            numbers: &heavy.numbers,
        };
        let tiles = [0, n_rows.div_ceil(ITEMS * n_threads)];
        let n_light = 1 << BITS[0];
        let pass = kernels::Pass { source, segments: &[0, n_rows], tiles: &tiles, classes };
        let (heavy_tuples, starts, tiles) = self.pass(&pass, n_light + MOST_HEAVY, n_light + 1);
        let classes = kernels::Classes { used: BITS[0], bits: BITS[1], n_heavy: 0, ..classes };
        let pass = kernels::Pass {
            source: kernels::Source::Tuples(&heavy_tuples),
            segments: &starts[..=n_light as usize],
            tiles: &tiles,
            classes,
        };
        let (tuples, fine_starts, _) = self.pass(&pass, n_light << BITS[1], 0);
        let heavy_starts = starts[n_light as usize..].to_vec();
        Partitioned { tuples, starts: fine_starts, heavy_tuples, heavy_starts }
    }

    /// A pass: tuples, where classes start, and the tiles of the next pass.
    fn pass(&self, pass: &kernels::Pass<'_>, n_classes: u32, n_tiles: u32) -> (Vec<u64>, Vec<u32>, Vec<u32>) {
        let n_threads = self.device.threads_per_block;
        let counts = atomics(n_classes, 0);
        let of_segment = (1 << pass.classes.bits) + MOST_HEAVY;
        self.launch(count_words(of_segment), |thread| kernels::count(thread, pass, &counts));
        let (starts, cursors) = (atomics(n_classes + 1, UNWRITTEN), atomics(n_classes, UNWRITTEN));
        let tiles = atomics(n_tiles, UNWRITTEN);
        let counts = plain(&counts);
        let tile_rows = ITEMS * n_threads;
        let sums =
            kernels::Counts { counts: &counts, starts: &starts, cursors: &cursors, tiles: &tiles, tile_rows };
        launch(1, n_threads, SUM_WORDS, |thread| kernels::starts(thread, &sums));
        let starts = plain(&starts);
        let tuples = Checked::new(starts[n_classes as usize] as usize, false);
        self.launch(partition_words(of_segment, n_threads), |thread| {
            kernels::partition(thread, pass, &cursors, &tuples);
        });
        (tuples.written(), starts, plain(&tiles))
    }
}

impl Join for ThreadJoin<'_> {
    fn run(&mut self, method: JoinMethod, output: Output) -> Result<Joined> {
        let heavy_keys = self.find_heavy(method);
        let sides: Vec<Partitioned> =
            self.sides.iter().map(|side| self.partition(side, &heavy_keys)).collect();
        let (left, right) = (&sides[0], sides.get(1).unwrap_or(&sides[0]));
        let is_self = sides.len() == 1;
        let n_threads = self.device.threads_per_block;
        // So few slots that looks meet other keys, too.
        let n_slots = BUILT * n_threads + 4;
        let light = light_partitions(left, right, n_slots);
        let heavy = kernels::Heavy {
            tuples: [&left.heavy_tuples, &right.heavy_tuples],
            starts: [&left.heavy_starts, &right.heavy_starts],
            n_heavy: heavy_keys.n_heavy,
            is_self,
        };
        let n_pairs = AtomicU64::new(0);
        let units: Vec<AtomicU64> = (0..=MOST_HEAVY).map(|_| AtomicU64::new(u64::MAX)).collect();
        let is_count = output == Output::Count;
        let products = kernels::Products { units: &units, n_pairs: is_count.then_some(&n_pairs) };
        // On a GPU they find out for themselves that there is nothing to do; here that would take longest of all.
        if heavy.n_heavy > 0 {
            launch(1, MOST_HEAVY, 2 * MOST_HEAVY, |thread| kernels::products(thread, &heavy, &products));
        }
        self.pairs.clear();
        if let Output::Pairs { capacity } = output {
            let written = Checked::new(capacity, true);
            let pairs = || kernels::Pairs { n_pairs: &n_pairs, pairs: &written };
            self.launch(light_words(n_slots, n_threads, true), |thread| match is_self {
                true => kernels::light::<true, _>(thread, &light, &mut pairs()),
                false => kernels::light::<false, _>(thread, &light, &mut pairs()),
            });
            let units: Vec<u64> = units.into_iter().map(AtomicU64::into_inner).collect();
            if heavy.n_heavy > 0 {
                launch(self.device.n_blocks, PRODUCT_THREADS, PRODUCT_WORDS, |thread| {
                    kernels::heavy(thread, &heavy, &units, &pairs());
                });
            }
            let n_written = n_pairs.load(Relaxed).min(capacity as u64) as usize;
            let words = written.written_upto(n_written);
            self.pairs = words.into_iter().map(|word| (word as u32, (word >> 32) as u32)).collect();
        } else {
            let count = kernels::Count(&n_pairs);
            self.launch(light_words(n_slots, n_threads, false), |thread| match is_self {
                true => kernels::light::<true, _>(thread, &light, &mut { count }),
                false => kernels::light::<false, _>(thread, &light, &mut { count }),
            });
        }
        Ok(Joined { n_pairs: n_pairs.into_inner(), n_heavy: heavy_keys.n_heavy, phases: Vec::new() })
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        Ok(self.pairs.clone())
    }
}

/// The light partitions of both sides.
fn light_partitions<'a>(left: &'a Partitioned, right: &'a Partitioned, n_slots: u32) -> kernels::Light<'a> {
    kernels::Light {
        sides: kernels::LightSides {
            tuples: [&left.tuples, &right.tuples],
            starts: [&left.starts, &right.starts],
        },
        n_partitions: 1 << (BITS[0] + BITS[1]),
        used: BITS[0] + BITS[1],
        n_slots,
    }
}

/// Appends the candidates of a branch's join.
pub(super) fn residual(
    device: &KernelOnThreads,
    join: &KeyJoin,
    encoded: &Encoded,
    program: &Program,
    (results, walk): (Results<'_>, Walking<'_>),
) -> Result<()> {
    let is_self = Arc::ptr_eq(&join.left, &join.right);
    let lists = ThreadJoin::load(device, join.left.side(), (!is_self).then(|| join.right.side()));
    let sides = lists.partitioned();
    let (left, right) = (&sides[0], sides.get(1).unwrap_or(&sides[0]));
    let n_threads = device.threads_per_block;
    let n_slots = BUILT * n_threads + 4;
    let light = light_partitions(left, right, n_slots);
    let job = kernels::Residual {
        columns: encoded,
        path: program.walk()?,
        branch: join.settings.branch(join.settings.is_decided),
        // Of one list with itself, pairs come both ways round.
        order: if join.order() == Order::Unordered { Order::Ascending } else { join.order() },
        results,
    };
    lists.launch(residual_words(n_slots, n_threads), |thread| {
        let mut scratch = vec![0u64; scratch_words(encoded.longest()) as usize];
        let scratch = scratch.as_mut_slice();
        match walk.choice {
            WalkChoice::StepByStep => kernels::residual(thread, &light, &job, StepByStep, scratch),
            WalkChoice::ByDescent => kernels::residual(thread, &light, &job, ByDescent, scratch),
            WalkChoice::Counted => kernels::residual(thread, &light, &job, Counted(walk.counts), scratch),
        }
    });
    Ok(())
}

/// What a launch wrote, as a later one reads it.
pub(super) fn plain(words: &[AtomicU32]) -> Vec<u32> {
    words.iter().map(|word| word.load(Relaxed)).collect()
}

/// An array that knows what was written.
pub(super) struct Checked {
    words: Vec<AtomicU64>,
    is_overwritten: bool,
}

/// No tuple and no pair is this.
const NOTHING: u64 = u64::MAX;

impl Checked {
    pub(super) fn new(len: usize, is_overwritten: bool) -> Self {
        Self { words: (0..len).map(|_| AtomicU64::new(NOTHING)).collect(), is_overwritten }
    }

    /// All of it, written or not.
    pub(super) fn words(self) -> Vec<u64> {
        self.words.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// All of it.
    pub(super) fn written(self) -> Vec<u64> {
        let len = self.words.len();
        self.written_upto(len)
    }

    pub(super) fn written_upto(self, len: usize) -> Vec<u64> {
        let words: Vec<u64> = self.words.into_iter().take(len).map(AtomicU64::into_inner).collect();
        assert!(!words.contains(&NOTHING), "a place was counted and not written");
        words
    }
}

impl Words for Checked {
    fn len(&self) -> u64 {
        self.words.len() as u64
    }

    fn set(&self, ix: u64, word: u64) {
        let before = self.words[ix as usize].swap(word, Relaxed);
        assert!(self.is_overwritten || before == NOTHING, "a place was written twice");
    }

    fn set_two(&self, ix: u64, words: [u64; 2]) {
        assert!(ix.is_multiple_of(2), "two words at once begin at an even place");
        (ix..).zip(words).for_each(|(ix, word)| self.set(ix, word));
    }
}
