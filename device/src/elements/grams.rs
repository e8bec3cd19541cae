//! Q-grams of texts, numbered from the rarest on.
//!
//! Computes  starts[value], once summed up; found[q-gram] = its slot, and by slot how many values have it; numbers[slot] by
//!           that; elements[starts[value]..] = the numbers of a value's q-grams, ascending
//! Layout    an open-addressing table of words (`shared::grams`); words, sorted between these kernels
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      for each q-gram the symbols before it in its value, a slot, and an atomic; two sorts
//! Next      `values`
//! Twin      `host::plan::overlap::grams`

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::appending::{AT_ONCE, append};
use crate::primitives::lanes::{stride, warp_of_launch};
use crate::relation::slot_of;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::columns::Texts;
use hyperblock_shared::grams::{GramWords, n_grams};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::relation::{Slots, second_of, tuple};

/// The texts, and how their q-grams are words.
#[derive(Clone, Copy)]
pub struct Grams<'a> {
    /// All values.
    pub texts: Texts<'a>,
    /// See [`GramWords`].
    pub words: GramWords,
}

/// Says of each value how many q-grams it has.
#[inline(always)]
pub fn counts(block: &impl Block, of: &Grams<'_>, starts: &[AtomicU32]) {
    let (mut value, step) = stride(block);
    while value < of.texts.heads.len() {
        starts[value].store(n_grams(of.texts.heads[value].len, of.words.q), Relaxed);
        value += step;
    }
}

/// Has the lanes of a warp look at the q-grams of a value each, by its number and theirs among all and in the value.
#[inline(always)]
fn for_each(block: &impl Block, starts: &[u32], look: impl Fn(u32, usize, u32)) {
    let (mut value, n_warps) = warp_of_launch(block);
    while (value as usize) + 1 < starts.len() {
        let (start, end) = (starts[value as usize], starts[value as usize + 1]);
        let mut ix = start + block.lane();
        while ix < end {
            look(value, ix as usize, ix - start);
            ix += WARP;
        }
        value += n_warps;
    }
}

/// Finds the slot of each q-gram, and counts the values that have it.
#[inline(always)]
pub fn number(
    block: &impl Block,
    of: &Grams<'_>,
    starts: &[u32],
    slots: &[AtomicU64],
    (numbers, found): (&[AtomicU32], &[AtomicU32]),
) {
    let order = Slots::new(slots.len() as u64);
    for_each(block, starts, |value, ix, at| {
        let word = of.words.word(&of.texts, &of.texts.heads[value as usize], at);
        let slot = slot_of(slots, order, word);
        numbers[slot as usize].fetch_add(1, Relaxed);
        found[ix].store(slot as u32, Relaxed);
    });
}

/// Appends the slots that are in use, below how many values have them.
#[inline(always)]
pub fn used(block: &impl Block, numbers: &[u32], words: &impl Words, n_words: &AtomicU32) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_batch = AT_ONCE as u64 * u64::from(WARP);
    let mut first = u64::from(warp) * n_batch;
    while first < numbers.len() as u64 {
        append(block, words, n_words, |nth| {
            let slot = first as usize + nth * WARP as usize + block.lane() as usize;
            let n_values = numbers.get(slot).copied().filter(|&n| n > 0)?;
            Some(tuple(n_values, slot as u32))
        });
        first += u64::from(n_warps) * n_batch;
    }
}

/// Numbers slots by their place.
#[inline(always)]
pub fn rank(block: &impl Block, words: &[u64], numbers: &[AtomicU32]) {
    let (mut ix, step) = stride(block);
    while ix < words.len() {
        numbers[second_of(words[ix]) as usize].store(ix as u32, Relaxed);
        ix += step;
    }
}

/// Writes the q-grams of all values as words: the value above the number.
#[inline(always)]
pub fn place(block: &impl Block, starts: &[u32], numbers: &[u32], found: &[u32], words: &impl Words) {
    for_each(block, starts, |value, ix, _| {
        words.set(ix as u64, tuple(value, numbers[found[ix] as usize]));
    });
}

/// Takes the numbers of words that are in order.
#[inline(always)]
pub fn take(block: &impl Block, words: &[u64], elements: &[AtomicU32]) {
    let (mut ix, step) = stride(block);
    while ix < words.len() {
        elements[ix].store(second_of(words[ix]), Relaxed);
        ix += step;
    }
}
