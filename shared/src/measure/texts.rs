//! Measures of two texts: what each of them must say.

use super::{Asked, Goal};
use crate::billionths::Billionths;
use crate::columns::Head;
use crate::screen::Limits;
use crate::text::{Scratch, Text};
use crate::threshold::ArchivedThreshold;

/// A measure of two texts, each of at least one symbol. It is symmetric.
pub trait TextMeasure: Copy {
    /// Symbols of the q-grams that values may be joined by.
    const GRAMS: &'static [u32];

    /// Whether it holds on a value and itself.
    fn holds_on_equals<G: Goal>(self, value: &Head, asked: Asked<G>) -> bool;

    /// Whether it may hold, by what the heads of two different values tell: a necessary condition. `bits` are those of a
    /// symbol.
    fn possible<G: Goal>(self, a: &Head, b: &Head, bits: u32, asked: Asked<G>) -> bool;

    /// Whether it holds whatever the values are, as their lengths tell: they need no look.
    fn is_certain<G: Goal>(self, _a: &Head, _b: &Head, _asked: Asked<G>) -> bool {
        false
    }

    /// Whether it holds. `scratch` has [`crate::text::scratch_words`] for the longer value.
    fn holds<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<&ArchivedThreshold>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> bool;

    /// The similarity in billionths; what does not reach those asked for may be 0. Of a count, [`ONE`](crate::billionths::ONE) if it holds, else 0.
    fn billionths<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        asked: Asked<Billionths>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> u32;

    /// What it comes to, for people.
    fn exact<const BITS: u32>(
        self,
        a: Text<'_, BITS>,
        b: Text<'_, BITS>,
        scratch: &mut (impl Scratch + ?Sized),
    ) -> Exact;

    /// How many q-grams values with `n_a` and `n_b` of them, each above 0, must at least have in common if it holds on
    /// them; `None` if it cannot.
    fn least_common(self, asked: Asked<&ArchivedThreshold>, q: u32, n_a: u32, n_b: u32) -> Option<u32>;

    /// What the screen may allow values of these lengths.
    fn limits(self, asked: Asked<&ArchivedThreshold>, len_l: u32, len_r: u32) -> Limits;
}

/// What a measure comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// What it counts, if it counts anything.
    pub count: Option<u32>,
    /// The similarity, as a fraction.
    pub similarity: (u128, u128),
}
