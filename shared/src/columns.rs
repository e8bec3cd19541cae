//! The columns that a path reads, wherever they lie.
//!
//! An *operand* is a column after its transforms; a record has one code in it. A code numbers a distinct value of the
//! operand's *domain*: operands that are compared with each other share one, so equal values have equal codes. What a
//! measure needs of a value (its symbols, its tokens, its place among the numbers) is stored once per code.

use crate::text::Text;
use bytemuck::{Pod, Zeroable};

/// The code of a missing value.
pub const MISSING: u32 = u32::MAX;

/// A value at a glance, as text or as a set: most pairs are told apart by this alone. 32 bytes, the least that a device
/// fetches from memory.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Head {
    /// The first word of symbols, or the first token.
    pub start: u32,
    /// How many symbols, or tokens.
    pub len: u32,
    /// Of a text, its first word of symbols.
    pub beginning: u64,
    /// See [`crate::signature`].
    pub signature: u128,
}

const _: () = assert!(size_of::<Head>() == 32);

impl Head {
    /// How many symbols two texts begin with in common, but no more than `most`; at least as many as that if their first
    /// words do not tell. `bits` are those of a symbol.
    #[inline]
    pub fn common_beginning(&self, other: &Self, bits: u32, most: u32) -> u32 {
        let differing = self.beginning ^ other.beginning;
        let agreeing = if differing == 0 { most } else { differing.trailing_zeros() / bits };
        // Padding agrees with padding.
        agreeing.min(most).min(self.len).min(other.len)
    }
}

/// The codes that a left code may meet: those of the numbers near enough to it. Codes of numbers ascend with them.
/// Aligned as the 64-bit word that it crosses to the device as.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Reach {
    /// The first code within reach.
    pub from: u32,
    /// One past the last.
    pub upto: u32,
}

const _: () = assert!(size_of::<Reach>() == 8);

/// A place on a sphere: a unit vector in steps of 2^-40, each coordinate rounded to the nearest. 32 bytes, as a head has.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Point {
    /// Towards latitude and longitude 0.
    pub x: i64,
    /// Towards 90 degrees east.
    pub y: i64,
    /// Towards the north.
    pub z: i64,
    /// Fills the last word.
    pub padding: u64,
}

const _: () = assert!(size_of::<Point>() == 32);

impl Point {
    /// With these coordinates.
    pub fn new([x, y, z]: [i64; 3]) -> Self {
        Self { x, y, z, padding: 0 }
    }
}

/// The symbols of a domain's values.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Bits a symbol: 8, 16 or 32.
    pub bits: u32,
    /// By code.
    pub heads: &'a [Head],
    /// All values, each starting at a word.
    pub words: &'a [u64],
}

impl<'a> Texts<'a> {
    /// The value behind a head. `BITS` must be `self.bits`.
    pub fn text<const BITS: u32>(&self, head: &Head) -> Text<'a, BITS> {
        let Head { start, len, .. } = *head;
        let n_words = len.div_ceil(Text::<BITS>::PER_WORD) as usize;
        Text::new(&self.words[start as usize..][..n_words], len)
    }
}

/// The token sets of a domain's values under one tokenizer. Token codes ascend with frequency; where tokens are the cells
/// of a grid that points lie in, their order means nothing.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    /// By code.
    pub heads: &'a [Head],
    /// All sets, each ascending: from its rarest token to its most frequent one.
    pub tokens: &'a [u32],
}

impl<'a> Sets<'a> {
    /// The tokens behind a head.
    pub fn set(&self, head: &Head) -> &'a [u32] {
        &self.tokens[head.start as usize..][..head.len as usize]
    }
}

/// What a path reads. The host implements it over its own memory, the device over what was uploaded.
pub trait Columns {
    /// The codes of an operand, by record.
    fn codes(&self, operand: u32) -> &[u32];
    /// The symbols of a domain, by their place in the path's numbering.
    fn texts(&self, ix: u32) -> Texts<'_>;
    /// The token sets of a domain under a tokenizer, likewise.
    fn sets(&self, ix: u32) -> Sets<'_>;
    /// The points of a domain, by code, likewise.
    fn points(&self, ix: u32) -> &[Point];
    /// What each left code reaches under a numeric predicate, likewise.
    fn reaches(&self, ix: u32) -> &[Reach];
    /// A bit for each record of one side, 32 a word, likewise.
    fn marks(&self, ix: u32) -> &[u32];
}
