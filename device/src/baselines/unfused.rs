//! A join of two relations that keeps the column they are joined by, and the projection that drops it.
//!
//! Computes  the triples (x, y, z) of all (x, y) of the outer relation and (y, z) of the inner; then the pairs (x, z) of them
//! Layout    a column each
//! Launch    `wide_join`: as `relation::join`; `project`: 1-D, any
//! Cost      12 bytes of a triple are written, and 8 of them read again, where the fused join writes 8 and is done
//! Next      what comes after the fused join

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::stride;
use crate::relation::{Join, matches};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::relation::{first_of, second_of, tuple};

/// Writes the triples from number `from` on, as many as there is room for.
#[inline(always)]
pub fn wide_join(
    block: &impl Block,
    job: &Join<'_>,
    starts: &[u64],
    from: u64,
    [firsts, seconds, thirds]: [&[AtomicU32]; 3],
) {
    matches(block, job, starts, from, firsts.len() as u64, |place, first, inner| {
        firsts[place as usize].store(first, Relaxed);
        seconds[place as usize].store(first_of(inner), Relaxed);
        thirds[place as usize].store(second_of(inner), Relaxed);
    });
}

/// Writes pairs of what comes first and third in triples.
#[inline(always)]
pub fn project(block: &impl Block, firsts: &[u32], thirds: &[u32], projected: &impl Words) {
    let (mut nth, step) = stride(block);
    while nth < firsts.len() {
        projected.set(nth as u64, tuple(firsts[nth], thirds[nth]));
        nth += step;
    }
}
