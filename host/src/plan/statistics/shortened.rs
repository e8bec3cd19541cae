//! Columns in which values end early: what is beyond costs too much to compare, and tells little that the rest does not.
//!
//! Of a text that is its beginning. Of a set these are its rarest tokens: sets that are alike have most of them in common,
//! and others have none.

use crate::encode::Encoded;
use hyperblock_shared::columns::{Columns, Head, Point, Reach, Sets, Texts};
use hyperblock_shared::path::Walk;

/// An encoding with the beginnings of its long values.
pub(super) struct Shortened<'a> {
    encoded: &'a Encoded,
    texts: Vec<Beginnings>,
    sets: Vec<Beginnings>,
}

/// The heads of a column's beginnings, if some of its values are longer than these.
type Beginnings = Option<Vec<Head>>;

impl<'a> Shortened<'a> {
    /// With so many symbols or tokens of each value at most. Symbols must fill words: none may follow the last in its word.
    pub(super) fn new(encoded: &'a Encoded, most: u32) -> Self {
        // A signature is of a whole value. Without any, nothing is told apart by them.
        let shorter = |head: &Head| Head { len: head.len.min(most), signature: 0, ..*head };
        let beginnings =
            |heads: &[Head], longest: u32| (longest > most).then(|| heads.iter().map(shorter).collect());
        Self {
            encoded,
            texts: encoded.texts.iter().map(|texts| beginnings(&texts.heads, texts.longest)).collect(),
            sets: encoded.sets.iter().map(|sets| beginnings(&sets.heads, sets.longest)).collect(),
        }
    }

    /// Whether all values are whole.
    pub(super) fn are_whole(&self) -> bool {
        self.texts.iter().chain(&self.sets).all(Option::is_none)
    }

    /// Whether a predicate holds on a pair of records, as far as that is seen here: where whole values cannot be as alike as
    /// it asks, it does not.
    pub(super) fn holds(
        &self,
        walk: Walk<'_>,
        predicate: u32,
        left: u32,
        right: u32,
        scratch: &mut [u64],
    ) -> bool {
        walk.predicate(predicate).may_hold(self.encoded, left, right)
            && walk.holds(predicate, self, left, right, scratch)
    }
}

impl Columns for Shortened<'_> {
    fn codes(&self, operand: u32) -> &[u32] {
        self.encoded.codes(operand)
    }

    fn texts(&self, ix: u32) -> Texts<'_> {
        let texts = self.encoded.texts(ix);
        Texts { heads: self.texts[ix as usize].as_deref().unwrap_or(texts.heads), ..texts }
    }

    fn sets(&self, ix: u32) -> Sets<'_> {
        let sets = self.encoded.sets(ix);
        Sets { heads: self.sets[ix as usize].as_deref().unwrap_or(sets.heads), ..sets }
    }

    fn points(&self, ix: u32) -> &[Point] {
        self.encoded.points(ix)
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        self.encoded.reaches(ix)
    }

    fn marks(&self, ix: u32) -> &[u32] {
        self.encoded.marks(ix)
    }
}
