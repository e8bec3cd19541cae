//! Measures: how alike two values are, and every bound that follows from it.
//!
//! A measure is a file here, with its definition and its paper. It is over texts ([`TextMeasure`]) or over sets of tokens
//! ([`SetMeasure`]); what it must say of two values is the trait's to ask: the exact test of a threshold, the value in
//! billionths, and the bounds by which most pairs are told apart without a look at them. Codes need no more than
//! [`equal`] and [`within`], points no more than [`near`].
//!
//! ```text
//!   predicate ─┐                      ┌─► TextMeasure: levenshtein, damerau, hamming, jaro, lcs ─► edits, jaro, places
//!   score     ─┼─► Measure, by number ┤
//!   bounds    ─┘                      └─► SetMeasure: jaccard, dice, cosine, overlap, braun_blanquet ─► sets
//! ```
//!
//! Predicates, scores and bounds know a measure by its number, and all come through the two `each` below, the one place
//! that tells measures apart. A new measure is its file, a variant and a line there; the host has a row for it
//! (`rules/measure.rs`).

mod braun_blanquet;
mod cosine;
mod damerau;
mod dice;
mod edits;
pub mod equal;
mod goal;
mod hamming;
mod jaccard;
mod jaro;
mod lcs;
mod levenshtein;
pub mod near;
pub mod of_sets;
pub mod of_texts;
mod overlap;
mod places;
pub mod sets;
pub mod texts;
pub mod within;

pub use goal::Goal;
pub use near::Square;
pub use of_sets::OfSets;
pub use of_texts::OfTexts;
pub use sets::SetMeasure;
pub use texts::{Exact, TextMeasure};

use crate::columns::{Columns, Head};
use crate::screen::{Allowed, Limits};
use crate::signature;
use crate::text::Scratch;
use crate::threshold::{ArchivedThreshold, Threshold};
use rkyv::{Archive, Serialize};

/// How two values compare. Numbers of texts, sets and reaches are those of [`Columns`].
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// They are the same value.
    Equal,
    /// The difference of the numbers is within bounds: the right code is within the left one's reach.
    Within {
        /// The reach of each left code.
        reaches: u32,
    },
    /// By their symbols.
    Texts {
        /// The domain's symbols.
        texts: u32,
        /// The measure.
        by: OfTexts,
        /// What it must come to.
        asked: Asked<Threshold>,
    },
    /// By their tokens.
    Sets {
        /// The domain's token sets.
        sets: u32,
        /// The measure.
        by: OfSets,
        /// What it must come to.
        asked: Asked<Threshold>,
    },
    /// The points are near each other on a sphere.
    Near {
        /// The domain's points.
        points: u32,
        /// The cells that each of them lies in, as token sets: two on which it holds have at least one in common.
        cells: u32,
        /// The square of the chord between them, at most.
        most: Square,
    },
}

/// What a measure must come to.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked<G> {
    /// What it counts is at most so many if it counts differences, and at least so many if it counts what is in common.
    Count(u32),
    /// Its similarity reaches a goal.
    Similarity(G),
}

impl<G> Asked<G> {
    /// The same, without a copy of the goal.
    pub fn as_ref(&self) -> Asked<&G> {
        match self {
            Self::Count(number) => Asked::Count(*number),
            Self::Similarity(goal) => Asked::Similarity(goal),
        }
    }

    /// The same, with another goal in its place.
    pub fn map<H>(self, goal: impl FnOnce(G) -> H) -> Asked<H> {
        match self {
            Self::Count(number) => Asked::Count(number),
            Self::Similarity(own) => Asked::Similarity(goal(own)),
        }
    }
}

impl ArchivedAsked<Threshold> {
    /// What is asked, without a copy of the threshold.
    #[inline]
    pub fn get(&self) -> Asked<&ArchivedThreshold> {
        match self {
            Self::Count(number) => Asked::Count(number.to_native()),
            Self::Similarity(threshold) => Asked::Similarity(threshold),
        }
    }
}

/// A number of edits that two values are at least apart, by their heads. Transposing changes no symbol's count, so it
/// holds for every distance here.
#[inline]
fn fewest_edits(a: &Head, b: &Head) -> u32 {
    signature::fewest_edits(a.signature, b.signature).max(a.len.abs_diff(b.len))
}

/// A number of elements that two values have at most in common, by their heads.
#[inline]
fn most_common(a: &Head, b: &Head) -> u32 {
    let (only_a, only_b) = signature::fewest_unshared(a.signature, b.signature);
    (a.len - only_a).min(b.len - only_b)
}

impl ArchivedMeasure {
    /// Whether two codes compare so, or `None` if one's set has no tokens.
    // Always: a call would hand its arguments over through memory, and a device has none to speak of.
    #[inline(always)]
    pub(crate) fn outcome(
        &self,
        columns: &impl Columns,
        l: u32,
        r: u32,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Option<bool> {
        match self {
            Self::Equal => Some(equal::holds(l, r)),
            Self::Within { reaches } => Some(within::holds(columns.reaches(reaches.to_native()), l, r)),
            Self::Texts { texts, by, asked } => {
                Some(by.get().compare(columns.texts(texts.to_native()), l, r, asked.get(), scratch))
            }
            Self::Sets { sets, by, asked } => {
                by.get().compare(columns.sets(sets.to_native()), l, r, asked.get())
            }
            Self::Near { points, most, .. } => {
                let points = columns.points(points.to_native());
                Some(near::holds(&points[l as usize], &points[r as usize], most.get()))
            }
        }
    }

    /// Whether the outcome for two codes may be `wanted`, by what their heads tell.
    #[inline(always)]
    pub(crate) fn may_be(&self, columns: &impl Columns, l: u32, r: u32, wanted: bool) -> bool {
        match self {
            Self::Equal => equal::holds(l, r) == wanted,
            Self::Within { reaches } => within::holds(columns.reaches(reaches.to_native()), l, r) == wanted,
            Self::Texts { texts, by, asked } => {
                let (texts, by, asked) = (columns.texts(texts.to_native()), by.get(), asked.get());
                let a = &texts.heads[l as usize];
                if l == r {
                    return by.holds_on_equals(a, asked) == wanted;
                }
                !wanted || by.possible(a, &texts.heads[r as usize], texts.bits, asked)
            }
            Self::Sets { sets, by, asked } => {
                let heads = columns.sets(sets.to_native()).heads;
                let (a, b) = (&heads[l as usize], &heads[r as usize]);
                a.len > 0 && b.len > 0 && (!wanted || by.get().possible(a, b, asked.get()))
            }
            // A point is no more to look at than a head would be.
            Self::Near { points, most, .. } => {
                let points = columns.points(points.to_native());
                near::holds(&points[l as usize], &points[r as usize], most.get()) == wanted
            }
        }
    }

    /// How many elements values with `n_a` and `n_b` of them, each above 0, must at least have in common if it holds on
    /// them; `None` if it cannot. Of sets these are tokens, and as many are also enough. Of texts they are q-grams with
    /// their repetitions, and nothing is known of values that have none. Of points they are cells.
    pub(crate) fn least_common(&self, q: u32, n_a: u32, n_b: u32) -> Option<u32> {
        match self {
            Self::Equal | Self::Within { .. } => Some(0),
            Self::Texts { by, asked, .. } => by.get().least_common(asked.get(), q, n_a, n_b),
            Self::Sets { by, asked, .. } => by.get().least_common(asked.get(), n_a, n_b),
            Self::Near { .. } => Some(1),
        }
    }

    /// What it allows values of these lengths, each above 0.
    pub fn limits(&self, len_l: u32, len_r: u32) -> Limits {
        match self {
            Self::Equal | Self::Within { .. } => Limits::always(Allowed::either(u32::MAX)),
            Self::Texts { by, asked, .. } => by.get().limits(asked.get(), len_l, len_r),
            Self::Sets { by, asked, .. } => {
                let common = by.get().least_common(asked.get(), len_l, len_r);
                Limits::always(Allowed::sharing(len_l, len_r, common))
            }
            Self::Near { .. } => Limits::always(Allowed::sharing(len_l, len_r, Some(1))),
        }
    }
}

/// Measures of one kind of operand. They have numbers, as plans and scores know them, and `each` turns one into what it
/// stands for.
macro_rules! numbered {
    ($(#[$about:meta])* $kind:ident, $archived:ident: $($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $(#[$about])*
        #[derive(
            rkyv::Archive, rkyv::Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
        )]
        pub enum $kind {
            $($(#[$doc])* $name,)+
        }

        impl $kind {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The measure with this number.
            #[inline]
            pub fn from_number(number: u32) -> Self {
                match number {
                    $(number if number == Self::$name as u32 => Self::$name,)+
                    // No plan has another.
                    _ => Self::ALL[0],
                }
            }
        }

        impl $archived {
            /// The measure.
            #[inline]
            pub fn get(&self) -> $kind {
                match self {
                    $(Self::$name => $kind::$name,)+
                }
            }
        }
    };
}
use numbered;
