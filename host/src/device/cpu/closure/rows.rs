//! What a batch of components reaches: a row of 512 bits for each component that is reached, one for each
//! that reaches it.
//!
//! ```text
//!   a set of components ─► the least of them, whose row is done ─► its successors get that row, and join the set
//! ```
//!
//! A successor has a greater number, so the least component of the set has met all of its predecessors. A row
//! is a cache line, and begins with its first predecessor: those of components that nothing reaches are not
//! even cleared.

use super::Lists;
use crate::operators::closure::Condensed;
use bytemuck::{Pod, Zeroable, allocation::zeroed_vec};
use multiversion::multiversion;

/// Components of a batch.
pub(super) const BATCH: usize = 64 * WORDS;
const WORDS: usize = 8;

/// Which components of a batch reach one.
#[repr(C, align(64))]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Row([u64; WORDS]);

/// Room for the rows of all components.
pub(super) struct Rows<'a> {
    condensed: &'a Condensed,
    rows: Vec<Row>,
    /// A bit for each component; empty between batches.
    waiting: Vec<u64>,
    /// The components that the batch reaches, itself included.
    reached: Vec<u32>,
    /// A bit for each node; empty between batches.
    nodes: Vec<u64>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(condensed: &'a Condensed) -> Self {
        let n_components = condensed.n_components() as usize;
        Self {
            condensed,
            // Pages that are never touched cost nothing.
            rows: zeroed_vec(n_components),
            waiting: vec![0; n_components.div_ceil(64)],
            reached: Vec::new(),
            nodes: vec![0; condensed.components.len().div_ceil(64)],
        }
    }

    /// How many nodes the sources of these components reach, each its own component with itself.
    pub(super) fn count(&mut self, batch: &[(u32, u32)]) -> u64 {
        self.reached.clear();
        reach(self.condensed, batch, &mut self.rows, &mut self.waiting, &mut self.reached);
        let mut several = Row::zeroed();
        for (bit, _) in batch.iter().enumerate().filter(|(_, (_, weight))| *weight > 1) {
            several.0[bit / 64] |= 1 << (bit % 64);
        }
        weigh(self.condensed, batch, &several, &self.rows, &self.reached)
    }

    /// The nodes that each of the components reaches, which were counted last.
    pub(super) fn lists(&mut self, batch: &[(u32, u32)]) -> Lists {
        let mut starts = vec![0; batch.len() + 1];
        for &component in &self.reached {
            let members = self.condensed.members(component);
            for bit in bits(&self.rows[component as usize].0) {
                starts[bit + 1] += members.len();
            }
            members.iter().for_each(|node| self.nodes[*node as usize / 64] |= 1 << (node % 64));
        }
        for ix in 0..batch.len() {
            starts[ix + 1] += starts[ix];
        }
        let mut ends = starts.clone();
        let mut nodes = vec![0; starts[batch.len()]];
        for node in bits(&self.nodes) {
            let component = self.condensed.components[node];
            for bit in bits(&self.rows[component as usize].0) {
                nodes[ends[bit]] = node as u32;
                ends[bit] += 1;
            }
        }
        self.nodes.fill(0);
        Lists { starts, nodes }
    }
}

/// The bits that are set, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(ix, &word)| {
        std::iter::successors((word != 0).then_some(word), |word| {
            let rest = word & (word - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |word| 64 * ix + word.trailing_zeros() as usize)
    })
}

/// Appends the components that a batch reaches, with their rows done.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2+bmi1"))]
fn reach(
    condensed: &Condensed,
    batch: &[(u32, u32)],
    rows: &mut [Row],
    waiting: &mut [u64],
    reached: &mut Vec<u32>,
) {
    let (mut at, mut last) = (usize::MAX, 0);
    for (bit, &(component, _)) in batch.iter().enumerate() {
        let (ix, word) = (component as usize, component as usize / 64);
        rows[ix] = Row::zeroed();
        rows[ix].0[bit / 64] = 1 << (bit % 64);
        waiting[word] |= 1 << (ix % 64);
        (at, last) = (at.min(word), last.max(word));
    }
    while at <= last {
        let set = waiting[at];
        if set == 0 {
            at += 1;
            continue;
        }
        waiting[at] = set & (set - 1);
        let component = (64 * at) as u32 + set.trailing_zeros();
        reached.push(component);
        let row = rows[component as usize];
        for &successor in condensed.successors(component) {
            let (ix, word, bit) = (successor as usize, successor as usize / 64, 1u64 << (successor % 64));
            if waiting[word] & bit == 0 {
                waiting[word] |= bit;
                rows[ix] = row;
                last = last.max(word);
            } else {
                for (own, other) in rows[ix].0.iter_mut().zip(row.0) {
                    *own |= other;
                }
            }
        }
    }
}

/// The tuples of components with those that reach them: each as many as both have nodes, where sources of the
/// batch are one node each, but for those in `several`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
fn weigh(condensed: &Condensed, batch: &[(u32, u32)], several: &Row, rows: &[Row], reached: &[u32]) -> u64 {
    let has_several = several.0.iter().any(|word| *word != 0);
    let mut n_tuples = 0;
    for &component in reached {
        let row = &rows[component as usize].0;
        let mut n_sources = row.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        if has_several {
            for (ix, (own, several)) in row.iter().zip(several.0).enumerate() {
                let mut word = own & several;
                while word != 0 {
                    n_sources += u64::from(batch[64 * ix + word.trailing_zeros() as usize].1) - 1;
                    word &= word - 1;
                }
            }
        }
        n_tuples += n_sources * condensed.members(component).len() as u64;
    }
    n_tuples
}
