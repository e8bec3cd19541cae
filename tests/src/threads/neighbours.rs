//! The kernels of sorted neighbourhoods on CPU threads, one after the other as `cuda::orders` and `cuda::neighbours` launch
//! them. Orders are held to those that the host makes.

use super::join::{Checked, plain};
use super::relation::ThreadRelations;
use super::{KernelOnThreads, UNWRITTEN, atomics, launch};
use hyperblock::operators::neighbours::{Neighbours, Orders, Ranked, append};
use hyperblock::operators::relations::{Relations, bits_below};
use hyperblock::{Candidate, Control, Result};
use hyperblock_device::neighbours::{Near, count, write};
use hyperblock_device::orders::{order, place};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::neighbours::warp_words;
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// Orders for CPU threads.
pub(super) struct ThreadNeighbours<'a> {
    device: &'a KernelOnThreads,
    orders: &'a Orders,
    records: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> ThreadNeighbours<'a> {
    pub(super) fn new(device: &'a KernelOnThreads, orders: &'a Orders) -> Result<Self> {
        let (mut records, mut places) = (Vec::new(), Vec::new());
        for ((ranked, n_records), wanted) in orders.ranked().zip(orders.n_records()).zip(orders.iter()) {
            let (own_records, own_places) = made(device, ranked, n_records)?;
            assert_eq!((&own_records[..], &own_places[..]), (wanted.records, wanted.places), "{ranked:?}");
            records.extend(own_records);
            places.extend(own_places);
        }
        Ok(Self { device, orders, records, places })
    }
}

/// The records of an order, so many, and the places of left ones.
fn made(device: &KernelOnThreads, ranked: Ranked<'_>, n_records: u32) -> Result<(Vec<u32>, Vec<u32>)> {
    let Ranked { by_table, n_keys } = ranked;
    let (n_blocks, n_threads) = (device.n_blocks, device.threads_per_block);
    let words = Checked::new(by_table.map(<[u32]>::len).iter().sum(), false);
    launch(n_blocks, n_threads, 0, |thread| place(thread, by_table, n_keys, &words));
    let [_, of_rank] = bits_below(n_keys + 1);
    let words = ThreadRelations(device).sort(&words.written(), &[of_rank])?;
    let (records, places) = (atomics(n_records, UNWRITTEN), atomics(by_table[0].len() as u32, 0xdead));
    launch(n_blocks, n_threads, 0, |thread| order(thread, &words, &records, &places));
    Ok((plain(&records), plain(&places)))
}

impl Neighbours for ThreadNeighbours<'_> {
    fn pairs(&mut self, lefts: Range<u32>, _control: &Control, found: &mut Vec<Candidate>) -> Result<()> {
        let shape = self.orders.shape().expect("tests have few neighbours");
        let near = Near {
            records: &self.records,
            starts: &shape.starts,
            windows: &shape.windows,
            places: &self.places,
            n_left: self.orders.n_left,
            first: lefts.start,
            n_lefts: lefts.len() as u32,
            room: shape.room,
            is_one_table: self.orders.is_one_table,
        };
        let (n_blocks, n_threads) = (self.device.n_blocks, self.device.threads_per_block);
        let words = n_threads / WARP * warp_words(near.room, shape.windows.len() as u32);
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
        let witnesses = atomics(if shape.windows.len() > 1 { n_pairs } else { 0 }, UNWRITTEN);
        launch(n_blocks, n_threads, words, |thread| write(thread, &near, &starts, &rights, &witnesses));
        append(lefts.start, &counts, &written(rights), &written(witnesses), found);
        Ok(())
    }
}
