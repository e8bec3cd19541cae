//! Overlap joins: what an index of rare elements is asked, whichever backend does it. See `hyperblock_shared::overlap`.
//!
//! ```text
//!   items ─► elements of each ─► blocks of values ─► a pair of blocks: one is indexed, the other probes ─► pairs of items
//! ```
//!
//! Values are tokens' sets as they are encoded, or the q-grams of texts ([`grams`]). Each pair of blocks is a join of its
//! own, with an index that is thrown away after it, so any number of values runs in any memory; pairs of blocks whose
//! values are too unlike in size are left out ([`block`]). An indexed value is met by those that have as many elements or
//! more: within one list by later ones, and of two lists each is indexed once, against the larger values of the other.

mod block;
mod estimate;
mod grams;
mod lens;

pub use block::{BlockJoin, BlockPair, BlockTables, Reaches, Shape, Values};
pub(crate) use estimate::{Columns, Estimate, estimates};
pub use estimate::{Manner, Sampled};
pub use grams::Grams;
pub use lens::Lens;

use crate::base::gather::Gather;
use crate::encode::Encoded;
use crate::plan::path::OverlapMethod;
use crate::plan::sweep::{ItemList, Sweep};
use hyperblock_shared::columns::{Columns as _, Head};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::{Signature, sign};
use hyperblock_shared::sweep::Order;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A branch's overlap join, ready for a backend.
#[derive(Clone, Debug)]
pub struct OverlapJoin {
    /// The lists of items, and the branch; its lead says how much values need in common. There is nothing to sweep.
    pub sweep: Sweep,
    /// By side: the elements of the items; of one list with itself, the very same.
    pub lists: [Arc<ElementList>; 2],
    /// Items that may meet, left and right, group by group: all, or those of each key that it stays within.
    pub groups: Vec<[Range<u32>; 2]>,
    /// What elements are.
    pub kind: Elements,
    /// How many different ones there are.
    pub n_elements: u32,
    /// Values with so many elements, or fewer, need nothing in common with each other: they are swept.
    pub bare: u32,
    /// How pairs are found.
    pub method: OverlapMethod,
    /// Which of its pairs of blocks it has.
    pub share: BlockShare,
}

/// Some pairs of the blocks of an overlap join: the same wherever they are done, however much there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShare {
    nth: u32,
    n_shares: u32,
    /// How many shares blocks are small enough for; 0 if there is only one.
    grain: u32,
}

impl BlockShare {
    /// All of them.
    pub const WHOLE: Self = Self { nth: 0, n_shares: 1, grain: 0 };
    /// Blocks are made for so many shares at least, so that a share can be cut again.
    const LEAST_GRAIN: u32 = 16;

    /// As `n` shares; itself, if it is too small for that.
    pub(crate) fn cut(self, n: u32) -> Vec<Self> {
        let grain = if self.grain == 0 { n.max(Self::LEAST_GRAIN) } else { self.grain };
        match self.n_shares.saturating_mul(n) {
            n_shares if n_shares <= grain => {
                (0..n).map(|part| Self { nth: self.nth + self.n_shares * part, n_shares, grain }).collect()
            }
            _ => vec![self],
        }
    }

    /// Whether it has the pair of blocks with this number.
    pub(crate) fn has(self, ix: u32) -> bool {
        ix % self.n_shares == self.nth
    }

    /// What part of the whole it is.
    pub(crate) fn part(self) -> f64 {
        1.0 / f64::from(self.n_shares)
    }
}

/// What elements are.
#[derive(Clone, Debug)]
pub enum Elements {
    /// The tokens of sets, by their place among the columns.
    Tokens(u32),
    /// The q-grams of texts.
    Grams(Arc<Grams>),
}

/// The items of a list as the values of a join.
#[derive(Debug, Default)]
pub struct ElementList {
    /// By item: where its elements start. Items without any come first in a group, and are in no pair.
    pub starts: Vec<u32>,
    /// How many they are, ascending within a group.
    pub lens: Lens,
    /// By item.
    pub signatures: Vec<Signature>,
}

impl Elements {
    /// The elements of all values.
    pub fn elements<'a>(&'a self, encoded: &'a Encoded) -> &'a [u32] {
        match self {
            Self::Tokens(sets) => encoded.sets(*sets).tokens,
            Self::Grams(grams) => &grams.elements,
        }
    }

    /// How many different ones there are.
    pub(crate) fn n_elements(&self, encoded: &Encoded) -> u32 {
        match self {
            Self::Tokens(sets) => encoded.sets[*sets as usize].n_tokens,
            Self::Grams(grams) => grams.n_elements,
        }
    }

    /// Symbols of an element, if it is made of them.
    pub fn q(&self) -> u32 {
        match self {
            Self::Tokens(_) => 1,
            Self::Grams(grams) => grams.q,
        }
    }

    /// Where the elements of a value are.
    fn range(&self, encoded: &Encoded, code: u32) -> Range<u32> {
        match self {
            Self::Tokens(sets) => {
                let Head { start, len, .. } = encoded.sets(*sets).heads[code as usize];
                start..start + len
            }
            Self::Grams(grams) => grams.starts[code as usize]..grams.starts[code as usize + 1],
        }
    }

    /// The items of a list, whose records have these codes.
    pub(crate) fn list(&self, encoded: &Encoded, items: &ItemList, codes: &[u32]) -> ElementList {
        let elements = self.elements(encoded);
        let all = items.items();
        let value = |item: u32| {
            let record = all.records[all.places(item).start as usize];
            let range = self.range(encoded, codes[record as usize]);
            let own = &elements[range.start as usize..range.end as usize];
            (range.start, range.end - range.start, signature(own))
        };
        let values: Vec<_> = (0..items.len()).into_par_iter().map(value).gather();
        let lens: Vec<u32> = values.iter().map(|value| value.1).collect();
        ElementList {
            starts: values.iter().map(|value| value.0).collect(),
            lens: Lens::new(&lens),
            signatures: values.iter().map(|value| value.2).collect(),
        }
    }
}

/// The signature of a value with these elements.
fn signature(elements: &[u32]) -> Signature {
    // A bit is added to what was stored just before, and a processor waits for that: four of them at a time need not.
    let mut parts = [Signature::default(); 4];
    let fours = elements.chunks_exact(parts.len());
    fours.remainder().iter().for_each(|&element| sign(&mut parts[0], element));
    for four in fours {
        parts.iter_mut().zip(four).for_each(|(part, &element)| sign(part, element));
    }
    [0, 1, 2, 3].map(|word| parts.iter().fold(0, |all, part| all | part[word]))
}

impl ElementList {
    /// How many items there are.
    pub fn len(&self) -> u32 {
        self.lens.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }
}

impl OverlapJoin {
    /// Whether both lists are one, and each pair of items counts once.
    pub fn is_self(&self) -> bool {
        self.sweep.settings.order == Order::Unordered
    }

    /// All that blocks are cut from.
    pub fn shape(&self) -> Shape<'_> {
        Shape {
            lens: [&self.lists[0].lens, &self.lists[1].lens],
            groups: &self.groups,
            is_self: self.is_self(),
            n_elements: self.n_elements,
            q: self.kind.q(),
            bare: self.bare,
        }
    }

    /// The pairs of blocks to join, of at most `most` items each.
    pub fn blocks(&self, measure: &ArchivedMeasure, most: u32) -> Vec<BlockPair> {
        let shape = self.shape();
        let grain = self.share.grain;
        if grain == 0 {
            return shape.blocks(measure, most);
        }
        // Shares have several pairs each.
        let n_blocks = f64::from(grain).sqrt().ceil() as u32 * 2;
        let longest = self.groups.iter().flatten().map(|items| items.end - items.start).max().unwrap_or(0);
        let shared = shape.blocks(measure, longest.div_ceil(n_blocks).max(1)).into_iter();
        let own = shared.enumerate().filter(|(ix, _)| self.share.has(*ix as u32));
        own.flat_map(|(_, pair)| pair.refined(most)).collect()
    }

    /// A pair of items, given which one was indexed, as left and right.
    pub fn pair(&self, blocks: &BlockPair, indexed: u32, probing: u32) -> (u32, u32) {
        if blocks.is_left_indexed { (indexed, probing) } else { (probing, indexed) }
    }
}
