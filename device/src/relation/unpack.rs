//! Candidates that are words in order, and are scored where they are.
//!
//! Computes  `rules`: how many words name each rule; `pairs`: the records of each word, as the tables number them; `kept`:
//!           the words whose pairs have a score that is kept, each at the place of its score
//! Layout    words as `pack` made them; pairs as `crate::score` reads them, and scores as it leaves them
//! Launch    1-D, any number of blocks; `rules` has `RULE_WORDS` of shared memory, the others none
//! Cost      8 bytes are read for each word; 8 are written for each pair, with two look-ups where records have other numbers,
//!           and 8 for each that is kept
//! Next      `rules` tells the host what is coming; `pairs` are scored; what is `kept` is brought to the host and unpacked there

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::for_each;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::packing::Packing;

/// Adds up how many words name each rule.
#[inline(always)]
pub fn rules(block: &impl Block, words: &[u64], packing: Packing, counts: &[AtomicU32]) {
    let n_rules = counts.len() as u32;
    for_each_rule(block, n_rules, |rule| block.set_shared(rule, 0));
    block.barrier();
    // Most words name the rule that a word before named: what a thread has seen of one it adds at once.
    let (mut last, mut n_seen) = (0, 0);
    for_each(block, words.len(), |ix| {
        let rule = packing.unpack(words[ix]).rule;
        if rule != last {
            block.shared_add(last, n_seen);
            (last, n_seen) = (rule, 0);
        }
        n_seen += 1;
    });
    block.shared_add(last, n_seen);
    block.barrier();
    for_each_rule(block, n_rules, |rule| {
        let n_named = block.shared(rule);
        if n_named > 0 {
            counts[rule as usize].fetch_add(n_named, Relaxed);
        }
    });
}

#[inline(always)]
fn for_each_rule(block: &impl Block, n_rules: u32, mut step: impl FnMut(u32)) {
    let mut rule = block.thread_ix();
    while rule < n_rules {
        step(rule);
        rule += block.n_threads();
    }
}

/// Writes the records of each word, by the numbers that they have in `lefts` and `rights`.
#[inline(always)]
pub fn pairs(
    block: &impl Block,
    words: &[u64],
    packing: Packing,
    [lefts, rights]: [&[u32]; 2],
    pairs: &impl Words,
) {
    for_each(block, words.len(), |ix| {
        let candidate = packing.unpack(words[ix]);
        let (left, right) = (number(lefts, candidate.left), number(rights, candidate.right));
        pairs.set(ix as u64, u64::from(right) << 32 | u64::from(left));
    });
}

/// The number of a record in the whole table.
#[inline(always)]
fn number(numbers: &[u32], record: u32) -> u32 {
    if numbers.is_empty() { record } else { numbers[record as usize] }
}

/// Writes the words whose scores are kept, where those stand.
#[inline(always)]
pub fn kept(block: &impl Block, words: &[u64], warps: &[u32], kept: &impl Words) {
    for_each(block, words.len(), |ix| {
        let (warp, lane) = (ix / WARP as usize, ix as u32 % WARP);
        let (mask, start) = (warps[2 * warp], warps[2 * warp + 1]);
        if mask >> lane & 1 == 1 {
            let n_before = (mask & ((1 << lane) - 1)).count_ones();
            kept.set(u64::from(start + n_before), words[ix]);
        }
    });
}
