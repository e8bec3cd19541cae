//! Scores: how alike the records of listed pairs are.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::{Attribute, Wanted};

/// A candidate that is alike enough, and its score: billionths of a mean, or the rank of a weight
/// ([`hyperblock_shared::score::rank`]).
pub type Kept = (Candidate, u32);

/// What pairs are scored by.
#[derive(Clone, Debug, Default)]
pub struct Tests {
    /// In the order in which they are looked at; those of an attribute stand together.
    pub attributes: Vec<Attribute>,
    /// What values weigh of their own, one attribute's after the other's.
    pub terms: Vec<i32>,
}

/// A backend that scores.
pub trait ScoresOperator {
    /// Brings columns to the device, ready to score pairs of their records.
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>>;
}

/// The scores of pairs of records, with their columns loaded. The records must be there.
pub trait PairScores: Send {
    /// The pairs whose score is what is wanted, and that is no pattern: their places, ascending, and their scores.
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<(u32, u32)>>;

    /// Writes the score of each pair, which is no pattern, whatever is enough. There is room for all.
    fn scores(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        into: &mut [u32],
    ) -> Result<()>;

    /// The levels of each pair's attributes.
    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>>;
}
