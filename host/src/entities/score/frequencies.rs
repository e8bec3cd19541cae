//! Frequencies: how often each value comes up, and from that how often values are the same.

use super::Scoring;
use crate::base::error::Result;
use hashbrown::HashMap;
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::score::Attribute;
use std::ops::Range;

impl Scoring {
    /// Of all pairs those in which an attribute's values are the same, and those in which both are there. `None` if its best
    /// level is not about that, or if one table's records are compared by two different columns.
    pub(crate) fn same_values(&self, attribute: usize, is_one_table: bool) -> Option<(u64, u64)> {
        self.score.attributes.get(attribute)?.agreeing()?;
        let test = self.lowered.get(attribute)?.first()?;
        if is_one_table && test.left != test.right {
            return None;
        }
        let (left, right) = (self.encoded.codes(test.left), self.encoded.codes(test.right));
        Some(equal_pairs(left, (!is_one_table).then_some(right)))
    }

    /// The same of several tables that are one, of which these are the records: those pairs that are of different ones.
    pub(crate) fn same_values_across(&self, attribute: usize, tables: &[Range<u32>]) -> Option<(u64, u64)> {
        let all = self.same_values(attribute, true)?;
        let test = self.lowered.get(attribute)?.first()?;
        let codes = self.encoded.codes(test.left);
        let within = tables.iter().map(|it| equal_pairs(&codes[it.start as usize..it.end as usize], None));
        Some(within.fold(all, |(same, there), within| (same - within.0, there - within.1)))
    }

    /// With frequencies as they are in tables of which these records are a part: `of` gives, of an attribute that needs them, those of the
    /// values that left and right records have.
    pub(crate) fn with_frequencies(self, of: impl Fn(usize) -> Result<[Vec<f64>; 2]>) -> Result<Self> {
        let mut shares = vec![Vec::new(); self.score.attributes.len()];
        for (nth, attribute) in self.score.attributes.iter().enumerate() {
            let Some(test) = self.lowered.get(nth).and_then(|tests| tests.first()) else { continue };
            if attribute.term_frequency.is_none() {
                continue;
            }
            for (column, known) in [test.left, test.right].into_iter().zip(of(nth)?) {
                let codes = self.encoded.codes(column);
                for (&code, share) in codes.iter().zip(known).filter(|(code, _)| **code != MISSING) {
                    let upto = shares[nth].len().max(code as usize + 1);
                    shares[nth].resize(upto, 0.0);
                    shares[nth][code as usize] = share;
                }
            }
        }
        Ok(Self { shares, ..self })
    }

    /// By code: which share of the values that records have is this one. Of two columns, those of both.
    pub(super) fn frequencies(&self, attribute: usize, test: &Attribute) -> Vec<f64> {
        if let Some(shares) = self.shares.get(attribute) {
            return shares.clone();
        }
        let left = self.encoded.codes(test.left);
        let right = if test.left == test.right { &[] } else { self.encoded.codes(test.right) };
        let counts = count(left.iter().chain(right));
        let all = counts.values().sum::<u64>().max(1) as f64;
        let n_codes = counts.keys().max().map_or(0, |&code| code + 1);
        (0..n_codes).map(|code| counts.get(&code).copied().unwrap_or(0) as f64 / all).collect()
    }
}

/// How often each code comes up that is there.
fn count<'a>(codes: impl IntoIterator<Item = &'a u32>) -> HashMap<u32, u64> {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let there = codes.into_iter().filter(|code| **code != MISSING);
    there.for_each(|code| *counts.entry(*code).or_default() += 1);
    counts
}

/// How many pairs of two lists of codes are equal, and how many are there at all; `None` is one list with itself.
fn equal_pairs(left: &[u32], right: Option<&[u32]>) -> (u64, u64) {
    let lefts = count(left);
    let n_left: u64 = lefts.values().sum();
    match right {
        None => {
            let pairs = |n: u64| n * n.saturating_sub(1) / 2;
            (lefts.values().map(|&n| pairs(n)).sum(), pairs(n_left))
        }
        Some(right) => {
            let rights = count(right);
            let n_right: u64 = rights.values().sum();
            let same = lefts.iter().map(|(code, n)| n * rights.get(code).copied().unwrap_or(0));
            (same.sum(), n_left * n_right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pairs_are_all_of_them() {
        let (left, right) = ([1, 1, 2, MISSING, 3], [1, 2, 2, MISSING]);
        assert_eq!(equal_pairs(&left, Some(&right)), (2 + 2, 12));
        assert_eq!(equal_pairs(&left, None), (1, 6));
        assert_eq!(equal_pairs(&[], None), (0, 0));
    }
}
