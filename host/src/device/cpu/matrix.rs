//! The closure of a bit matrix on the CPU: the tiles of `shared::matrix`, rows divided among the threads.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::components::{Components, Phases, Rows};
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::matrix::{PIVOT, PIVOT_WORDS, TILE_WORDS, for_each_bit, stride};
use rayon::prelude::*;
use std::time::Instant;

const WORDS: usize = PIVOT_WORDS as usize;
/// Rows that a thread takes at a time: a tile of the pivot's rows stays in its cache for all of them.
const ROWS: usize = 64;

pub(super) struct CpuMatrix {
    rows: Rows,
    labels: Vec<u32>,
}

impl CpuMatrix {
    pub(super) fn load(n_records: u32, pairs: &[ScoredPair]) -> Result<Self> {
        let rows = Rows::new(n_records, pairs)?;
        rows.check_host()?;
        Ok(Self { rows, labels: Vec::new() })
    }
}

impl Components for CpuMatrix {
    fn run(&mut self, control: &Control) -> Result<Phases> {
        let start = Instant::now();
        let stride = stride(self.rows.n_rows()) as usize;
        let mut words = self.rows.matrix();
        let connected = Instant::now();
        for first in (0..stride).step_by(WORDS) {
            control.check()?;
            pivot(&mut words, stride, first);
        }
        let firsts = self.rows.firsts(&words);
        self.labels = self.rows.labels(&firsts);
        Ok(vec![("connect", connected - start), ("closure", connected.elapsed())])
    }

    fn labels(self: Box<Self>) -> Result<Vec<u32>> {
        Ok(self.labels)
    }
}

/// One pivot, whose columns begin at word `first` of each row.
fn pivot(words: &mut [u32], stride: usize, first: usize) {
    let first_row = first * u32::BITS as usize;
    let own = first_row * stride..(first_row + PIVOT as usize) * stride;
    let columns = |row: &[u32]| -> [u32; WORDS] { std::array::from_fn(|ix| row[first + ix]) };
    // The diagonal.
    let panel = &mut words[own.clone()];
    let mut diagonal: Vec<[u32; WORDS]> = panel.chunks(stride).map(columns).collect();
    close(&mut diagonal);
    // The cross, its rows first: from a copy of them, since each is made of others.
    let before = panel.to_vec();
    panel
        .par_chunks_mut(stride)
        .zip(&diagonal)
        .for_each(|(row, via)| add(row, via, &before, stride, 0..stride));
    let panel = panel.to_vec();
    // Its columns need no step of their own: the rows that are added have them up to date.
    let tiles: Vec<_> =
        (0..stride).step_by(TILE_WORDS as usize).map(|at| at..stride.min(at + TILE_WORDS as usize)).collect();
    words.par_chunks_mut(ROWS * stride).for_each(|rows| {
        let via: Vec<[u32; WORDS]> = rows.chunks(stride).map(columns).collect();
        if via.iter().flatten().all(|&word| word == 0) {
            return;
        }
        for tile in &tiles {
            let rows = rows.chunks_mut(stride).zip(&via);
            rows.for_each(|(row, via)| add(row, via, &panel, stride, tile.clone()));
        }
    });
}

/// Warshall's algorithm on one tile.
fn close(tile: &mut [[u32; WORDS]]) {
    for via in 0..tile.len() {
        let of_via = tile[via];
        for row in tile.iter_mut().filter(|row| row[via / 32] >> (via % 32) & 1 == 1) {
            row.iter_mut().zip(of_via).for_each(|(word, more)| *word |= more);
        }
    }
}

/// Adds to some words of a row those of the pivot's rows that it reaches.
fn add(row: &mut [u32], via: &[u32; WORDS], panel: &[u32], stride: usize, words: std::ops::Range<usize>) {
    for (ix, &word) in (0..).zip(via) {
        for_each_bit(word, |bit| {
            let start = (ix * u32::BITS + bit) as usize * stride;
            let more = &panel[start + words.start..start + words.end];
            row[words.clone()].iter_mut().zip(more).for_each(|(word, more)| *word |= more);
        });
    }
}
