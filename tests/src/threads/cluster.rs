//! The kernels of clustering on CPU threads, one after the other as `cuda::components` and `cuda::matrix`
//! launch them, with small chunks of pairs.

use super::{KernelOnThreads, Thread, UNWRITTEN, atomics, launch};
use hyperblock::operators::components::{Components, Phases, Rows, check_pairs};
use hyperblock::{Control, Result};
use hyperblock_device::components::{Hook, begin, choose, compress, hook, mark};
use hyperblock_device::matrix::{Matrix, connect, cross, diagonal, firsts, rest};
use hyperblock_device::memory::Quads;
use hyperblock_shared::components::{NO_RECORD, Share, shares};
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::layout::{LANE_PAIRS, WARP};
use hyperblock_shared::matrix::{DIAGONAL_WORDS, PANEL_WORDS, PIVOT, n_words, stride};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Pairs of a chunk: several tiles, and no whole number of them.
const CHUNK: usize = 700;

/// Four words at a time.
struct Checked(Vec<[u32; 4]>);

impl Quads for Checked {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn get(&self, ix: u32) -> [u32; 4] {
        self.0[ix as usize]
    }
}

impl Checked {
    fn new(pairs: &[ScoredPair]) -> Self {
        let mut words: Vec<u32> = pairs.iter().flat_map(|pair| [pair.left, pair.right, pair.score]).collect();
        words.resize(pairs.len().next_multiple_of(LANE_PAIRS as usize) * 3, 0);
        Self(words.chunks(4).map(|quad| [quad[0], quad[1], quad[2], quad[3]]).collect())
    }
}

/// Components on CPU threads.
pub(super) struct ThreadComponents<'a> {
    device: &'a KernelOnThreads,
    n_records: u32,
    pairs: &'a [ScoredPair],
    labels: Vec<u32>,
}

impl<'a> ThreadComponents<'a> {
    pub(super) fn load(device: &'a KernelOnThreads, n_records: u32, pairs: &'a [ScoredPair]) -> Result<Self> {
        check_pairs(n_records, pairs)?;
        Ok(Self { device, n_records, pairs, labels: Vec::new() })
    }

    fn launch(&self, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.device.n_blocks, self.device.threads_per_block, 0, body);
    }
}

impl Components for ThreadComponents<'_> {
    fn run(&mut self, _: &Control) -> Result<Phases> {
        let parents = atomics(self.n_records, UNWRITTEN);
        let members = atomics(self.n_records.div_ceil(WARP), 0xdead_beef);
        let giant = AtomicU32::new(NO_RECORD);
        self.launch(|thread| begin(thread, &parents));
        for chunk in self.pairs.chunks(CHUNK) {
            let pairs = Checked::new(chunk);
            for Share { first, step } in shares(chunk.len() as u64, self.n_records) {
                let (marked, found) = (plain(&members), giant.load(Relaxed));
                let job =
                    Hook { pairs: &pairs, parents: &parents, members: &marked, giant: found, first, step };
                self.launch(|thread| hook(thread, &job));
                self.launch(|thread| compress(thread, &parents, found));
                let n_threads = self.device.threads_per_block;
                let flat = plain(&parents);
                launch(1, n_threads, n_threads, |thread| choose(thread, &flat, &giant));
                let found = giant.load(Relaxed);
                if found != NO_RECORD {
                    self.device.n_giants.fetch_add(1, Relaxed);
                }
                self.launch(|thread| mark(thread, &flat, found, &members));
            }
        }
        self.labels = plain(&parents);
        Ok(Vec::new())
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}

/// The closure of a matrix on CPU threads.
pub(super) struct ThreadMatrix<'a> {
    device: &'a KernelOnThreads,
    rows: Rows,
    labels: Vec<u32>,
}

impl<'a> ThreadMatrix<'a> {
    pub(super) fn load(device: &'a KernelOnThreads, n_records: u32, pairs: &[ScoredPair]) -> Result<Self> {
        Ok(Self { device, rows: Rows::new(n_records, pairs)?, labels: Vec::new() })
    }

    /// As `cuda::matrix::bands` does it: two bands at a time are where kernels see them.
    fn run_by_bands(&mut self) -> Result<Phases> {
        let (n_blocks, n_threads) = (self.device.n_blocks, self.device.threads_per_block);
        let stride = stride(self.rows.n_rows());
        let mut words = self.rows.matrix();
        let bands = self.rows.bands(self.device.memory)?;
        let of =
            |band: &Range<u32>| band.start as usize * stride as usize..band.end as usize * stride as usize;
        for own in &bands {
            let n_own = own.end - own.start;
            let here: Vec<AtomicU32> = words[of(own)].iter().map(|&word| AtomicU32::new(word)).collect();
            for column in own.clone().step_by(PIVOT as usize) {
                let pivot = column - own.start;
                let matrix = Matrix { words: &here, stride, n_rows: n_own, first: 0, pivot, column };
                launch(1, n_threads, DIAGONAL_WORDS, |thread| diagonal(thread, &matrix));
                launch(n_blocks, n_threads, PANEL_WORDS, |thread| cross(thread, &matrix));
                launch(n_blocks, n_threads, PANEL_WORDS, |thread| rest(thread, &matrix));
            }
            words[of(own)].copy_from_slice(&plain(&here));
            for other in bands.iter().filter(|other| *other != own) {
                let both = words[of(own)].iter().chain(&words[of(other)]);
                let here: Vec<AtomicU32> = both.map(|&word| AtomicU32::new(word)).collect();
                let n_rows = n_own + other.end - other.start;
                for column in own.clone().step_by(PIVOT as usize) {
                    let pivot = column - own.start;
                    let matrix = Matrix { words: &here, stride, n_rows, first: n_own, pivot, column };
                    launch(n_blocks, n_threads, PANEL_WORDS, |thread| cross(thread, &matrix));
                    launch(n_blocks, n_threads, PANEL_WORDS, |thread| rest(thread, &matrix));
                }
                words[of(other)].copy_from_slice(&plain(&here[of(own).len()..]));
            }
        }
        self.labels = self.rows.labels(&self.rows.firsts(&words));
        Ok(Vec::new())
    }
}

impl Components for ThreadMatrix<'_> {
    fn run(&mut self, _: &Control) -> Result<Phases> {
        let (n_blocks, n_threads) = (self.device.n_blocks, self.device.threads_per_block);
        let n_rows = self.rows.n_rows();
        if 4 * n_words(n_rows) > self.device.memory {
            return self.run_by_bands();
        }
        let words = atomics(n_words(n_rows) as u32, 0);
        let (stride, padded) = (stride(n_rows), hyperblock_shared::matrix::n_rows(n_rows) as u32);
        let of =
            |pivot: u32| Matrix { words: &words, stride, n_rows: padded, first: 0, pivot, column: pivot };
        let pairs: Vec<u64> =
            self.rows.pairs.iter().map(|&(l, r)| u64::from(l) | u64::from(r) << 32).collect();
        launch(n_blocks, n_threads, 0, |thread| connect(thread, &of(0), &pairs, n_rows));
        for pivot in (0..n_rows).step_by(PIVOT as usize) {
            let matrix = of(pivot);
            launch(1, n_threads, DIAGONAL_WORDS, |thread| diagonal(thread, &matrix));
            launch(n_blocks, n_threads, PANEL_WORDS, |thread| cross(thread, &matrix));
            launch(n_blocks, n_threads, PANEL_WORDS, |thread| rest(thread, &matrix));
        }
        let first = atomics(n_rows, UNWRITTEN);
        launch(n_blocks, n_threads, 0, |thread| firsts(thread, &of(0), &first));
        self.labels = self.rows.labels(&plain(&first));
        Ok(Vec::new())
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}

fn plain(words: &[AtomicU32]) -> Vec<u32> {
    words.iter().map(|word| word.load(Relaxed)).collect()
}
