//! Evenness: the share of pairs on which a predicate holds, as HyperBlocker reads it from buckets (Zhu, Xie, Deng and Zhang,
//! PVLDB 18(2), 2024, section 4.2).
//!
//! The values of the records are hashed into k buckets, so that values that are alike fall into the same one: texts and sets by
//! MinHash, numbers by their order, and where only equal values count, by the value. The less even the buckets, the likelier
//! two records agree: sp is the standard deviation of their sizes. The paper leaves open how that is brought between 0 and 1;
//! here it is divided by what it is when all records are in one bucket, so that a column with one value alone has an sp of 1.
//! A missing value agrees with nothing, so only pairs that have both values count.

use super::minhash;
use crate::encode::Encoded;
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::join::hash;
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::Test;

/// How many buckets there are, if nobody says.
pub const BUCKETS: u32 = 1024;

/// The share of pairs on which a predicate that compares two values holds; nothing of others, which are counted.
pub(super) fn selectivity(encoded: &Encoded, ix: usize, buckets: u32) -> Option<f64> {
    let predicate = &encoded.predicates[ix];
    let Test::Compare { left, right, measure } = predicate.test else { return None };
    let columns = if left == right { vec![left] } else { vec![left, right] };
    let n_values = columns
        .iter()
        .flat_map(|&column| encoded.codes(column))
        .filter(|&&code| code != MISSING)
        .max()
        .map_or(0, |&code| u64::from(code) + 1);
    // Each value once, however many records have it.
    let bucket = |code: u32| match measure {
        Measure::Equal => u64::from(hash(code)) % u64::from(buckets),
        Measure::Within { .. } => u64::from(code) * u64::from(buckets) / n_values,
        Measure::Texts { texts, .. } => minhash::of_text(&encoded.texts(texts), code)[0] % u64::from(buckets),
        Measure::Sets { sets, .. } | Measure::Near { cells: sets, .. } => {
            minhash::of_set(&encoded.sets(sets), code)[0] % u64::from(buckets)
        }
    };
    let of_value: Vec<u32> = (0..n_values as u32).map(|code| bucket(code) as u32).collect();
    let mut sizes = vec![0u64; buckets as usize];
    let mut present = 1.0;
    for &column in &columns {
        let codes = encoded.codes(column);
        let known = || codes.iter().filter(|&&code| code != MISSING);
        known().for_each(|&code| sizes[of_value[code as usize] as usize] += 1);
        present *= known().count() as f64 / codes.len().max(1) as f64;
    }
    let present = if left == right { present * present } else { present };
    let share = evenness(&sizes) * present;
    Some(if predicate.negated { present - share } else { share })
}

/// The standard deviation of the sizes of buckets, between 0 for even ones and 1 where one has all.
fn evenness(sizes: &[u64]) -> f64 {
    let n = sizes.iter().sum::<u64>() as f64;
    let k = sizes.len() as f64;
    if n == 0.0 {
        return 0.0;
    }
    let squares: f64 = sizes.iter().map(|&size| (size as f64 - n / k).powi(2)).sum();
    let most = n * (k - 1.0).sqrt() / k;
    if most == 0.0 { 1.0 } else { ((squares / k).sqrt() / most).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::evenness;

    #[test]
    fn from_even_buckets_to_a_single_one() {
        assert_eq!(evenness(&[5, 5, 5, 5]), 0.0);
        assert_eq!(evenness(&[0, 20, 0, 0]), 1.0);
        assert_eq!(evenness(&[7]), 1.0);
        assert_eq!(evenness(&[0, 0]), 0.0);
        // By hand: the deviations from 5 are 3, 1, 1 and 3, and all in one bucket would make it 10 √3 / 2.
        let expected = (20.0_f64 / 4.0).sqrt() / (20.0 * 3.0_f64.sqrt() / 4.0);
        assert!((evenness(&[8, 6, 4, 2]) - expected).abs() < 1e-12);
    }
}
