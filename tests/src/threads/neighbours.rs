//! The kernels of sorted neighbourhoods on CPU threads, one after the other as `cuda::neighbours` launches
//! them.

use super::{KernelOnThreads, UNWRITTEN, atomics, launch};
use hyperblock::operators::neighbours::{Neighbours, Orders, append};
use hyperblock::{Candidate, Control, Result};
use hyperblock_device::neighbours::{Near, count, write};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::neighbours::warp_words;
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// Orders for CPU threads.
pub(super) struct ThreadNeighbours<'a> {
    device: &'a KernelOnThreads,
    orders: &'a Orders,
}

impl<'a> ThreadNeighbours<'a> {
    pub(super) fn new(device: &'a KernelOnThreads, orders: &'a Orders) -> Self {
        Self { device, orders }
    }
}

impl Neighbours for ThreadNeighbours<'_> {
    fn pairs(&mut self, lefts: Range<u32>, _control: &Control, found: &mut Vec<Candidate>) -> Result<()> {
        let together = self.orders.together().expect("tests have few neighbours");
        let near = Near {
            records: &together.records,
            starts: &together.starts,
            windows: &together.windows,
            places: &together.places,
            n_left: self.orders.n_left,
            first: lefts.start,
            n_lefts: lefts.len() as u32,
            room: together.room,
            is_one_table: self.orders.is_one_table,
        };
        let (n_blocks, n_threads) = (self.device.n_blocks, self.device.threads_per_block);
        let words = n_threads / WARP * warp_words(near.room, together.windows.len() as u32);
        let written = |words: Vec<AtomicU32>| -> Vec<u32> {
            let words: Vec<u32> = words.into_iter().map(AtomicU32::into_inner).collect();
            assert!(!words.contains(&UNWRITTEN), "a place was counted and not written");
            words
        };
        let counts = atomics(near.n_lefts, UNWRITTEN);
        launch(n_blocks, n_threads, words, |thread| count(thread, &near, &counts));
        let counts = written(counts);
        let begin = |start: &mut u32, n: &u32| Some(std::mem::replace(start, *start + n));
        let starts: Vec<u32> = counts.iter().scan(0, begin).collect();
        let n_pairs = counts.iter().sum();
        let rights = atomics(n_pairs, UNWRITTEN);
        let witnesses = atomics(if together.windows.len() > 1 { n_pairs } else { 0 }, UNWRITTEN);
        launch(n_blocks, n_threads, words, |thread| write(thread, &near, &starts, &rights, &witnesses));
        append(lefts.start, &counts, &written(rights), &written(witnesses), found);
        Ok(())
    }
}
