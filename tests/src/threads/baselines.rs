//! The kernels of baselines on CPU threads, one after the other as `cuda::baselines` launches them, with everything small: so
//! few rows make lists of several buckets, tables that are built more than once, large partitions and skewed keys.

use super::join::{BITS, Checked, Partitioned, ThreadJoin, plain};
use super::{KernelOnThreads, Thread, UNWRITTEN, atomics, launch};
use hyperblock::device::cuda::GpuBaseline;
use hyperblock::operators::join::{Join, JoinOperator, Joined, Output};
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock::{Error, Result};
use hyperblock_device::baselines as kernels;
use hyperblock_device::join::{Counts, LightSides, Pairs, Source, starts};
use hyperblock_device::memory::Words;
use hyperblock_shared::baselines::{
    BATCH, DETECT_WORDS, DIVIDE_WORDS, NO_PAIR, SKEWED_WORDS, SetsBySize, bucket_words, chained_words,
    n_score_words,
};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::WARP;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Bits of Gbase's passes, and tuples of a bucket.
const BUCKET_BITS: [u32; 2] = [1, 1];
const BUCKET_ROWS: u32 = 20;
/// Bits of a table's slots: so few that chains have other keys, too.
const SLOT_BITS: u32 = 3;
/// Rows of a table of GSH, which makes larger partitions large; and which rows of those it samples.
const TABLE_ROWS: u32 = 24;
const ONE_OF: u32 = 2;
/// Places for pairs that a warp takes at once.
const PIECE: u32 = 40;

/// A baseline on CPU threads.
#[derive(Clone, Copy, Debug)]
pub struct ThreadBaseline<'a> {
    /// The threads.
    pub device: &'a KernelOnThreads,
    /// Which one.
    pub baseline: GpuBaseline,
}

impl JoinOperator for ThreadBaseline<'_> {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        let right = right.ok_or_else(|| Error::Job("a baseline joins two sides".into()))?;
        Ok(Box::new(Loaded { on: *self, sides: [left, right], pairs: Vec::new() }))
    }
}

/// Two columns of keys.
struct Loaded<'a> {
    on: ThreadBaseline<'a>,
    sides: [KeyColumn<'a>; 2],
    pairs: Vec<(u32, u32)>,
}

impl Join for Loaded<'_> {
    fn run(&mut self, _: JoinMethod, output: Output) -> Result<Joined> {
        let device = self.on.device;
        let capacity = match output {
            Output::Count => 0,
            Output::Pairs { capacity } => capacity + (device.n_warps() * PIECE) as usize,
        };
        let buffer = Buffer {
            n_pairs: AtomicU64::new(0),
            n_taken: AtomicU64::new(0),
            places: Checked::new(capacity, true),
            sees_pairs: output != Output::Count,
        };
        let n_heavy = match self.on.baseline {
            GpuBaseline::Gbase => gbase(device, &self.sides, &buffer),
            GpuBaseline::Gsh { top } => gsh(device, &self.sides, top, &buffer),
        };
        let (n_pairs, pairs) = buffer.finished();
        self.pairs = pairs;
        Ok(Joined { n_pairs, n_heavy, phases: Vec::new() })
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        Ok(self.pairs.clone())
    }
}

/// Where pairs go.
struct Buffer {
    n_pairs: AtomicU64,
    n_taken: AtomicU64,
    places: Checked,
    sees_pairs: bool,
}

impl Buffer {
    fn places(&self) -> Pairs<'_, Checked> {
        Pairs { n_pairs: &self.n_taken, pairs: &self.places }
    }

    fn counted(&self) -> kernels::Counted<'_> {
        kernels::Counted::new(&self.n_pairs)
    }

    /// How many pairs were found, and those that are there.
    fn finished(self) -> (u64, Vec<(u32, u32)>) {
        let n_taken = self.n_taken.into_inner().min(self.places.len());
        let words = self.places.written_upto(n_taken as usize).into_iter();
        let pairs = words.map(|word| (word as u32, (word >> 32) as u32));
        (self.n_pairs.into_inner(), pairs.filter(|pair| *pair != NO_PAIR).collect())
    }

    fn written(&self) -> kernels::Written<'_, Checked> {
        kernels::Written::new(&self.n_pairs, self.places(), PIECE)
    }
}

impl KernelOnThreads {
    fn n_warps(&self) -> u32 {
        self.n_blocks * self.threads_per_block / WARP
    }

    fn launch_all(&self, n_shared: u32, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.n_blocks, self.threads_per_block, n_shared, body);
    }
}

impl KernelOnThreads {
    /// gSSJoin: pairs of places, counted and written.
    pub fn gssjoin(&self, lists: SetsBySize<'_>) -> Vec<(u32, u32)> {
        let sets = kernels::SetList { starts: lists.starts, elements: lists.elements };
        let (slots, n_elements) = (atomics(lists.n_elements, 0), lists.elements.len() as u32);
        self.launch_all(0, |thread| kernels::count_postings(thread, &sets, &slots));
        let mut sum = 0;
        let starts = plain(&slots).into_iter().map(|n| {
            sum += n;
            AtomicU32::new(sum - n)
        });
        let (slots, postings) = (starts.collect::<Vec<_>>(), atomics(n_elements, UNWRITTEN));
        self.launch_all(0, |thread| kernels::fill_postings(thread, &sets, &slots, &postings));
        let (ends, postings) = (plain(&slots), plain(&postings));
        let n_sets = lists.sizes.len();
        let scores = atomics(self.n_blocks * n_score_words(n_sets as u32), 0);
        let job = kernels::Scored {
            sets,
            ends: &ends,
            postings: &postings,
            sizes: lists.sizes,
            n_sizes: lists.n_sizes,
            least: lists.least,
            scores: &scores,
        };
        let n_pairs = AtomicU64::new(0);
        self.launch_all(0, |thread| kernels::scored(thread, &job, &mut kernels::Counted::new(&n_pairs)));
        let n_pairs = n_pairs.into_inner();
        let buffer = Buffer {
            n_pairs: AtomicU64::new(0),
            n_taken: AtomicU64::new(0),
            places: Checked::new((n_pairs + u64::from(self.n_warps() * PIECE)) as usize, true),
            sees_pairs: true,
        };
        self.launch_all(0, |thread| kernels::scored(thread, &job, &mut buffer.written()));
        assert!(plain(&scores).iter().all(|score| *score == 0), "scores are left");
        let (n_written, pairs) = buffer.finished();
        assert_eq!([n_written, pairs.len() as u64], [n_pairs; 2], "pairs that were counted and written");
        pairs
    }
}

/// Lists of buckets, as a pass leaves them.
struct Buckets {
    tuples: Vec<u64>,
    tails: Vec<u64>,
    next: Vec<u32>,
    owners: Vec<u32>,
    n_used: u32,
}

impl Buckets {
    fn lists(&self) -> kernels::Lists<'_> {
        let Self { tuples, tails, next, owners, n_used } = self;
        kernels::Lists { tuples, tails, next, owners, n_used: *n_used, n_rows: BUCKET_ROWS }
    }
}

/// A pass over a side: the first, or one over what that left.
fn bucket_pass(device: &KernelOnThreads, side: &KeyColumn<'_>, from: Option<&Buckets>) -> Buckets {
    let [first, second] = BUCKET_BITS;
    let (used, bits) = if from.is_none() { (0, first) } else { (first, second) };
    let n_partitions = 1 << (used + bits);
    let n_rows = side.keys.len() as u32;
    let n_buckets = n_partitions + n_rows / BUCKET_ROWS;
    let tails: Vec<AtomicU64> = (0..n_partitions).map(|_| AtomicU64::new(u64::MAX)).collect();
    let (next, owners) = (atomics(n_buckets, UNWRITTEN - 1), atomics(n_buckets, UNWRITTEN));
    let n_used = AtomicU32::new(UNWRITTEN);
    let growing = kernels::Growing {
        tails: &tails,
        next: &next,
        owners: &owners,
        n_used: &n_used,
        n_rows: BUCKET_ROWS,
    };
    device.launch_all(0, |thread| kernels::begin(thread, &growing));
    let pass = kernels::BucketPass {
        side: Source::Side { keys: side.keys, rows: side.rows.unwrap_or(&[]) },
        lists: from.map(Buckets::lists),
        n_rows,
        used,
        bits,
    };
    let tuples = Checked::new((n_buckets * BUCKET_ROWS) as usize, false);
    device.launch_all(bucket_words(1 << bits, device.threads_per_block), |thread| {
        kernels::partition(thread, &pass, &growing, &tuples);
    });
    Buckets {
        // Buckets that are not full have what was never written.
        tuples: tuples.words(),
        tails: tails.into_iter().map(AtomicU64::into_inner).collect(),
        next: plain(&next),
        owners: plain(&owners),
        n_used: n_used.into_inner(),
    }
}

fn gbase(device: &KernelOnThreads, sides: &[KeyColumn<'_>; 2], buffer: &Buffer) -> u32 {
    let [left, right] = sides.each_ref().map(|side| {
        let first = bucket_pass(device, side, None);
        bucket_pass(device, side, Some(&first))
    });
    let used = BUCKET_BITS[0] + BUCKET_BITS[1];
    let table = kernels::Table { used, slot_bits: SLOT_BITS, n_rows: BUCKET_ROWS };
    let join = kernels::Gbase { sides: [left.lists(), right.lists()], table };
    device.launch_all(chained_words(SLOT_BITS, BUCKET_ROWS, buffer.sees_pairs), |thread| {
        match buffer.sees_pairs {
            true => kernels::gbase(thread, &join, &mut buffer.written()),
            false => kernels::gbase(thread, &join, &mut buffer.counted()),
        }
    });
    0
}

/// What a side's large partitions are divided into.
struct Divided {
    tuples: Vec<u64>,
    starts: Vec<u32>,
}

/// Divides the large partitions of a side, which have so many rows.
fn divide(
    device: &KernelOnThreads,
    side: &Partitioned,
    (large, n_rows): (&[u32], &[u32]),
    (keys, top): (&[u32], u32),
) -> Divided {
    let (_, tiles) = class_starts(device, n_rows, large.len() as u32 + 1);
    let tiles = plain(&tiles);
    let Partitioned { tuples, starts, .. } = side;
    let division = kernels::Division { tuples, starts, large, tiles: &tiles, keys, top };
    let counts = atomics(large.len() as u32 * (top + 1), 0);
    device.launch_all(DIVIDE_WORDS, |thread| kernels::measure(thread, &division, &counts));
    let ([starts, cursors], _) = class_starts(device, &plain(&counts), 0);
    let starts = plain(&starts);
    let divided = Checked::new(starts.last().map_or(0, |n| *n as usize), false);
    device.launch_all(DIVIDE_WORDS, |thread| kernels::divide(thread, &division, &cursors, &divided));
    Divided { tuples: divided.written(), starts }
}

/// Where classes start, twice, and so many tiles.
fn class_starts(
    device: &KernelOnThreads,
    counts: &[u32],
    n_tiles: u32,
) -> ([Vec<AtomicU32>; 2], Vec<AtomicU32>) {
    let n = counts.len() as u32;
    let (first, cursors, tiles) =
        (atomics(n + 1, UNWRITTEN), atomics(n, UNWRITTEN), atomics(n_tiles, UNWRITTEN));
    let tile_rows = BATCH * device.threads_per_block;
    let classes = Counts { counts, starts: &first, cursors: &cursors, tiles: &tiles, tile_rows };
    launch(1, device.threads_per_block, SUM_WORDS, |thread| starts(thread, &classes));
    ([first, cursors], tiles)
}

fn gsh(device: &KernelOnThreads, sides: &[KeyColumn<'_>; 2], top: u32, buffer: &Buffer) -> u32 {
    let parts = ThreadJoin::load(device, sides[0], Some(sides[1])).partitioned();
    let sides = LightSides {
        tuples: [&parts[0].tuples, &parts[1].tuples],
        starts: [&parts[0].starts, &parts[1].starts],
    };
    let n_partitions = 1 << (BITS[0] + BITS[1]);
    let [numbers, large, left_rows, right_rows] = [0; 4].map(|_| atomics(n_partitions, UNWRITTEN));
    let (n_large, n_skewed) = (AtomicU32::new(0), AtomicU32::new(0));
    let listed = kernels::Large {
        numbers: &numbers,
        partitions: &large,
        n_rows: [&left_rows, &right_rows],
        n_large: &n_large,
    };
    device.launch_all(0, |thread| kernels::list(thread, &sides, TABLE_ROWS, &listed));
    let n_large = n_large.into_inner() as usize;
    let large = &plain(&large)[..n_large];
    let keys = atomics(n_large as u32 * top, UNWRITTEN);
    let n_keys = keys.len();
    let mut divided = [0; 2].map(|_| Divided { tuples: Vec::new(), starts: vec![0] });
    if n_large > 0 {
        let detect = kernels::Detect { one_of: ONE_OF, top, keys: &keys, n_skewed: &n_skewed };
        device.launch_all(DETECT_WORDS, |thread| kernels::detect(thread, &sides, large, &detect));
        let keys = plain(&keys);
        for (side, n_rows) in [left_rows, right_rows].iter().enumerate() {
            let n_rows = &plain(n_rows)[..n_large];
            divided[side] = divide(device, &parts[side], (large, n_rows), (&keys, top));
        }
    }
    let tuples = divided.each_ref().map(|side| &side.tuples[..]);
    let normal = kernels::Normal {
        sides,
        numbers: &plain(&numbers),
        rests: LightSides { tuples, starts: divided.each_ref().map(|side| &side.starts[n_keys..]) },
        table: kernels::Table { used: BITS[0] + BITS[1], slot_bits: SLOT_BITS, n_rows: TABLE_ROWS },
    };
    let skewed = kernels::Skewed { tuples, starts: divided.each_ref().map(|side| &side.starts[..=n_keys]) };
    let n_shared = chained_words(SLOT_BITS, TABLE_ROWS, buffer.sees_pairs);
    match buffer.sees_pairs {
        true => {
            device.launch_all(n_shared, |thread| kernels::normal(thread, &normal, &mut buffer.written()));
            device.launch_all(SKEWED_WORDS, |thread| {
                kernels::skewed(thread, &skewed, &buffer.n_pairs, &buffer.places());
            });
        }
        false => {
            device.launch_all(n_shared, |thread| kernels::normal(thread, &normal, &mut buffer.counted()));
            device.launch_all(0, |thread| kernels::products(thread, &skewed, &buffer.n_pairs));
        }
    }
    n_skewed.into_inner()
}
