//! Lists of items, as both sides make them: what becomes of the records of a key, where a value stands in a list and what is
//! known of it at a glance, and which items can meet.
//!
//! A list stands in the order of what a lead looks at first: codes for an equality or a number, lengths for a similarity, and
//! of one length codes, so that records with the same value stand together. In that order what an item can meet is a range of
//! the other list.

use crate::columns::{Columns, Head, MISSING};
use crate::measure::ArchivedMeasure;
use crate::screen::{Screen, Sketch};
use crate::signature::folded;
use core::ops::Range;

/// What signatures are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signed {
    /// The symbols of texts.
    Texts {
        /// Which column of texts.
        texts: u32,
        /// Whether signatures have 128 bits.
        is_wide: bool,
    },
    /// The tokens of sets.
    Sets {
        /// Which column of sets.
        sets: u32,
        /// Whether signatures have 128 bits.
        is_wide: bool,
    },
}

/// What items are, and what is known of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Listing {
    /// The operand whose values are listed.
    pub operand: u32,
    /// What sketches are signatures of, if they are.
    pub signed: Option<Signed>,
    /// If sketches are of what a code reaches: which reaches.
    pub reaches: Option<u32>,
    /// Whether items are distinct values.
    pub is_grouped: bool,
}

impl Signed {
    /// Whether signatures have 128 bits.
    #[inline]
    pub fn is_wide(self) -> bool {
        let (Self::Texts { is_wide, .. } | Self::Sets { is_wide, .. }) = self;
        is_wide
    }

    #[inline]
    fn head(self, columns: &impl Columns, code: u32) -> &Head {
        match self {
            Self::Texts { texts, .. } => &columns.texts(texts).heads[code as usize],
            Self::Sets { sets, .. } => &columns.sets(sets).heads[code as usize],
        }
    }

    /// How many symbols or tokens a value has.
    #[inline]
    pub fn len(self, columns: &impl Columns, code: u32) -> u32 {
        self.head(columns, code).len
    }

    /// A value's sketch, and the upper half of its signature.
    #[inline]
    pub fn sketch(self, columns: &impl Columns, code: u32) -> (Sketch, u64) {
        let head = self.head(columns, code);
        let first = match self {
            Self::Texts { texts, .. } => {
                (head.beginning & (u64::MAX >> (u64::BITS - columns.texts(texts).bits))) as u32
            }
            Self::Sets { .. } => 0,
        };
        let signature = if self.is_wide() { head.signature as u64 } else { folded(head.signature) };
        let ones = if self.is_wide() { head.signature.count_ones() } else { signature.count_ones() };
        (Sketch { signature, ones, first }, (head.signature >> 64) as u64)
    }
}

impl Listing {
    /// Whether a value is in the list. Values without elements are as good as missing.
    #[inline]
    pub fn has(&self, columns: &impl Columns, code: u32) -> bool {
        code != MISSING && self.signed.is_none_or(|signed| signed.len(columns, code) > 0)
    }

    /// What is known of a value without a signature.
    #[inline]
    pub fn plain(&self, columns: &impl Columns, code: u32) -> Sketch {
        match self.reaches {
            None => Sketch::of_code(code),
            Some(reaches) => Sketch::of_reach(columns.reaches(reaches)[code as usize]),
        }
    }
}

/// The number of pairs of so many left and right records with the same key; of one side with itself, each pair once.
#[inline]
pub fn n_pairs_of_key([left, right]: [u32; 2], is_symmetric: bool) -> u64 {
    let product = left as u64 * right as u64;
    if is_symmetric { (product - left as u64) / 2 } else { product }
}

/// What becomes of the records of a key that is not heavy: they are joined, or have nobody to be compared with. A heavy one has
/// the number of its group instead.
pub const LIGHT: u32 = u32::MAX - 1;
/// See [`LIGHT`].
pub const NO_PAIRS: u32 = u32::MAX;

/// What the records of a side come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(usize)]
pub enum Total {
    /// Light keys.
    #[default]
    LightKeys,
    /// Pairs of records with the same light key.
    LightPairs,
    /// Heavy keys.
    HeavyKeys,
    /// Left records with light keys; then right ones.
    LightRecords,
    /// Left records with heavy keys; then right ones.
    HeavyRecords = 5,
}

/// How many totals there are.
pub const N_TOTALS: usize = 7;

/// The codes that an item may meet, under a screen of codes.
#[inline]
pub fn codes_met(screen: Screen, sketch: &Sketch) -> Range<u32> {
    match screen {
        Screen::Reaches => sketch.reach().from..sketch.reach().upto,
        _ => sketch.code()..sketch.code() + 1,
    }
}

/// The first of some places, which are in the order of what is asked of them, where it is not so any more.
#[inline]
pub fn first_without(places: Range<u32>, is_so: impl Fn(u32) -> bool) -> u32 {
    let Range { start: mut from, end: mut upto } = places;
    while from < upto {
        let middle = from + (upto - from) / 2;
        if is_so(middle) {
            from = middle + 1;
        } else {
            upto = middle;
        }
    }
    from
}

/// The items of a range whose codes are among some. Codes ascend.
#[inline]
pub fn items_of_codes(sketches: &[Sketch], items: Range<u32>, codes: Range<u32>) -> Range<u32> {
    let place = |code: u32| first_without(items.clone(), |item| sketches[item as usize].code() < code);
    place(codes.start)..place(codes.end)
}

/// The items of a range whose lengths go with `len`. Lengths ascend, and for every measure those that go together are between
/// two bounds: the nearer the lengths, the more alike values can be.
#[inline]
pub fn items_of_lens(measure: &ArchivedMeasure, len: u32, lens: &[u32], items: Range<u32>) -> Range<u32> {
    let is_near = |item: u32| measure.limits(len, lens[item as usize]).is_possible();
    let same = first_without(items.clone(), |item| lens[item as usize] < len);
    let start = first_without(items.start..same, |item| !is_near(item));
    start..first_without(same..items.end, is_near)
}
