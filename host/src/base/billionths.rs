//! Billionths: similarities and scores as the integers they are compared by, printed as decimals.

use hyperblock_shared::score::ONE;
use std::fmt;

/// A number of billionths as a decimal, with no more digits than it takes: `0.8125`, `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Billionths(pub u32);

impl fmt::Display for Billionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{}.{:09}", self.0 / ONE, self.0 % ONE);
        f.pad(digits.trim_end_matches('0').trim_end_matches('.'))
    }
}
