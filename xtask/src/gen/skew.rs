//! Skew: how much more often the common last names and zip codes come up than the rare ones.
//!
//! By Zipf's law: what is common in the k-th place has a weight of k to the power of minus the exponent. With 0 all come
//! up alike; with 1 the first zip code has a tenth of all people.

use super::vocabulary::distinct;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Zipf};

/// Last names that there are.
const N_NAMES: usize = 20_000;
/// Rows for a zip code, on average.
const ROWS_PER_ZIP: u32 = 10;
/// Few rows still have some zip codes, and zip codes have five digits.
const FEWEST_ZIPS: u32 = 100;
const MOST_ZIPS: u32 = 100_000;
/// Has no divisor in common with the number of zip codes, so all are different; and the heavy ones are far apart.
const ZIP_STEP: usize = 61_803;

/// Names and zip codes, the common ones first.
pub(super) struct Skew {
    names: Vec<String>,
    by_name: Zipf<f64>,
    n_zips: usize,
    by_zip: Zipf<f64>,
}

impl Skew {
    /// For so many rows, with names from elsewhere.
    pub(super) fn new(exponent: f64, rows: u32, name: impl FnMut() -> String) -> Self {
        let n_zips = (rows / ROWS_PER_ZIP).clamp(FEWEST_ZIPS, MOST_ZIPS) as usize;
        let zipf = |n: usize| Zipf::new(n as f64, exponent).expect("there are some, and no exponent below 0");
        Self { names: distinct(N_NAMES, name), by_name: zipf(N_NAMES), n_zips, by_zip: zipf(n_zips) }
    }

    pub(super) fn last_name(&self, rng: &mut ChaCha8Rng) -> &str {
        &self.names[place(&self.by_name, self.names.len(), rng)]
    }

    /// A zip code, and which one it is.
    pub(super) fn zip(&self, rng: &mut ChaCha8Rng) -> (usize, String) {
        let nth = place(&self.by_zip, self.n_zips, rng);
        (nth, format!("{:05}", (nth + 1) * ZIP_STEP % MOST_ZIPS as usize))
    }
}

/// A place among `n`, from 0.
pub(super) fn place(zipf: &Zipf<f64>, n: usize, rng: &mut ChaCha8Rng) -> usize {
    // Rounding might just pass the end.
    (zipf.sample(rng) as usize).clamp(1, n) - 1
}

#[cfg(test)]
mod tests {
    use super::{MOST_ZIPS, N_NAMES, Skew};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::{HashMap, HashSet};

    fn skew(exponent: f64, rows: u32) -> Skew {
        let mut n = 0;
        Skew::new(exponent, rows, || {
            n += 1;
            format!("Name{n}")
        })
    }

    /// The most common zip code's and the most common name's share of so many draws.
    fn heaviest(exponent: f64, n_draws: u32) -> [f64; 2] {
        let skew = skew(exponent, 100_000);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut zips, mut names) = (HashMap::new(), HashMap::new());
        for _ in 0..n_draws {
            *zips.entry(skew.zip(&mut rng).1).or_insert(0u32) += 1;
            *names.entry(skew.last_name(&mut rng)).or_insert(0u32) += 1;
        }
        let share = |most: Option<u32>| f64::from(most.unwrap_or_default()) / f64::from(n_draws);
        [share(zips.into_values().max()), share(names.into_values().max())]
    }

    #[test]
    fn the_heaviest_have_the_share_that_the_law_says() {
        for exponent in [0.0, 0.5, 0.8, 1.0] {
            let n_draws = 50_000;
            for (share, n) in heaviest(exponent, n_draws).into_iter().zip([10_000, N_NAMES]) {
                let law = 1.0 / (1..=n).map(|rank| (rank as f64).powf(-exponent)).sum::<f64>();
                // Of many that are all alike, one is drawn some times more often than others.
                let chance = 6.0 * (law / f64::from(n_draws)).sqrt() + 5.0 / f64::from(n_draws);
                assert!((share - law).abs() < chance, "{exponent}: {share}, not {law}");
            }
        }
    }

    #[test]
    fn zips_are_distinct_and_as_many_as_rows_need() {
        for (rows, n_zips) in [(0, 100), (50_000, 5_000), (u32::MAX, MOST_ZIPS as usize)] {
            assert_eq!(skew(1.0, rows).n_zips, n_zips);
        }
        let skew = skew(0.0, 5_000);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let drawn: HashSet<(usize, String)> = (0..20_000).map(|_| skew.zip(&mut rng)).collect();
        assert_eq!(drawn.len(), 500);
        assert_eq!(drawn.iter().map(|(_, zip)| zip).collect::<HashSet<_>>().len(), 500);
        assert!(drawn.iter().all(|(_, zip)| zip.len() == 5));
    }
}
