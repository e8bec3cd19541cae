//! Scores: how alike the records of listed pairs are.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use hyperblock_shared::score::Attribute;

/// A backend that scores.
pub trait ScoresOperator {
    /// Brings columns to the device, ready to score pairs of their records.
    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>>;
}

/// The scores of pairs of records, with their columns loaded. The records must be there.
pub trait PairScores {
    /// The weighted mean of each pair, in billionths; of one below `least` only that it is below it.
    fn means(&mut self, pairs: &[[u32; 2]], least: u32, control: &Control) -> Result<Vec<u32>>;

    /// The levels of each pair's attributes.
    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>>;
}
