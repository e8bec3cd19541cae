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

/// A number of millionths as a decimal, with no more digits than it takes: `12.5`, `-0.000001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(pub i32);

impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MILLION: u32 = 1_000_000;
        let (sign, all) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let digits = format!("{sign}{}.{:06}", all / MILLION, all % MILLION);
        f.pad(digits.trim_end_matches('0').trim_end_matches('.'))
    }
}
