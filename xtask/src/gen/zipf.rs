//! Two columns of keys that follow Zipf's law together: what joins are measured on.
//!
//! As in 'CPU and GPU Hash Joins on Skewed Data' (2025), after the generator of Balkesen et al.: there are as
//! many keys as rows. Their weights, the place to the power of minus the exponent, are summed up in an
//! *interval array*, and each place of it has a key, in an order drawn once. Both columns are drawn from this
//! array, so what is popular left is popular right, and the pairs of a few keys are most of the pairs there
//! are. Every row has a random number of its own, so threads share the drawing and leave no trace in what is
//! drawn.

use std::io::{self, Write};
use std::num::NonZero;
use std::thread;

/// The seed of the published counts.
pub(crate) const SEED: u64 = 12_345;

/// Searches at a time.
const BATCH: usize = 256;

/// Keys in their order, the popular ones first; the same for every exponent.
pub(crate) struct Alphabet {
    keys: Vec<u32>,
    seed: u64,
}

/// Two columns of keys.
pub(crate) struct Columns {
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
}

/// What is known of two columns before anyone has joined them.
#[derive(Debug, PartialEq)]
pub(crate) struct Known {
    /// Pairs of rows with the same key.
    pub(crate) n_pairs: u64,
    /// Of these, the pairs of the key that has most of them.
    pub(crate) most_pairs: u64,
    /// Rows of the key that most rows have: left, right.
    pub(crate) most_rows: [u32; 2],
}

impl Alphabet {
    /// The keys from 1 to `rows`, in an order that the seed decides.
    pub(crate) fn new(rows: u32, seed: u64) -> Self {
        let mut keys: Vec<u32> = (1..=rows).collect();
        for ix in (1..keys.len()).rev() {
            let other = mix(seed ^ (ix as u64).wrapping_mul(0x2545_F491_4F6C_DD1D)) % (ix as u64 + 1);
            keys.swap(ix, other as usize);
        }
        Self { keys, seed }
    }

    /// Columns with a row for each key there is.
    pub(crate) fn draw(&self, exponent: f64) -> Columns {
        let intervals = Intervals::new(self.keys.len(), exponent);
        let column = |nth: u64| {
            let stream = mix(self.seed.wrapping_add(77 * nth));
            let mut column = vec![0; self.keys.len()];
            in_parts(&mut column, |first, part| {
                // Step by step for many rows at a time: what one of them waits for in memory, others wait for
                // as well.
                let mut searches = [Search::default(); BATCH];
                for (nth, keys) in part.chunks_mut(BATCH).enumerate() {
                    for (row, search) in ((first + nth * BATCH) as u64..).zip(&mut searches) {
                        *search = intervals.begin(mix(stream.wrapping_add(row)));
                    }
                    for (key, search) in keys.iter_mut().zip(&searches) {
                        *key = intervals.end(search);
                    }
                    for key in keys {
                        *key = self.keys[*key as usize];
                    }
                }
            });
            column
        };
        Columns { left: column(1), right: column(2) }
    }
}

impl Columns {
    /// Counts the pairs from how often each key comes up.
    pub(crate) fn known(&self) -> Known {
        let [left, right] = thread::scope(|scope| {
            // Each side in a thread: increments wait for memory, not for the processor.
            let right = scope.spawn(|| frequencies(&self.right));
            let left = frequencies(&self.left);
            [left, right.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))]
        });
        let pairs = || left.iter().zip(&right).map(|(left, right)| u64::from(*left) * u64::from(*right));
        let most = |frequencies: &[u32]| frequencies.iter().max().copied().unwrap_or_default();
        Known {
            n_pairs: pairs().sum(),
            most_pairs: pairs().max().unwrap_or_default(),
            most_rows: [most(&left), most(&right)],
        }
    }
}

/// Writes a column as numbers of four bytes, the lowest first.
pub(crate) fn write(column: &[u32], out: &mut impl Write) -> io::Result<()> {
    column.iter().try_for_each(|key| out.write_all(&key.to_le_bytes()))
}

/// Rows by key.
fn frequencies(column: &[u32]) -> Vec<u32> {
    // Keys begin with 1.
    let mut frequencies = vec![0; column.len() + 1];
    for key in column {
        frequencies[*key as usize] += 1;
    }
    frequencies
}

/// The interval array, and a guide to it: by the first bits of a number, where its search begins.
struct Intervals {
    /// By place: where its interval ends. The last one ends at 1.
    ends: Vec<f64>,
    /// By first bits: the first place that ends there or behind. One more at the end.
    guide: Vec<u32>,
    /// How far a random number is shifted to leave its first bits.
    shift: u32,
}

impl Intervals {
    fn new(n: usize, exponent: f64) -> Self {
        let mut ends = vec![0.0; n];
        // The system's power, by which the published counts are. Another library may round some the other
        // way, and of millions of draws one falls between the two borders.
        in_parts(&mut ends, |first, part| {
            for (place, weight) in (first + 1..).zip(part) {
                *weight = (place as f64).powf(-exponent);
            }
        });
        // One after the other: a sum of parts would be rounded otherwise.
        let mut sum = 0.0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        in_parts(&mut ends, |_, part| part.iter_mut().for_each(|end| *end /= sum));
        if let Some(last) = ends.last_mut() {
            *last = 1.0;
        }
        // A fourth as many entries as places: more would be nearer, and less of them in the cache.
        let bits = (n / 4).max(2).ilog2();
        let n_entries = 1_u32 << bits;
        let mut place = 0;
        let entry = |nth: u32| {
            let begin = f64::from(nth) / f64::from(n_entries);
            while ends[place] < begin {
                place += 1;
            }
            place as u32
        };
        let guide = (0..=n_entries).map(entry).collect();
        Self { ends, guide, shift: u64::BITS - bits }
    }

    /// Takes a random number as a fraction of 1, and looks up in the guide where it may fall.
    fn begin(&self, random: u64) -> Search {
        // As many bits as fit a double.
        let fraction = (random >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
        let entry = (random >> self.shift) as usize;
        Search { fraction, first: self.guide[entry], last: self.guide[entry + 1] }
    }

    /// The place where it falls: the first whose interval does not end before it.
    fn end(&self, search: &Search) -> u32 {
        let places = &self.ends[search.first as usize..search.last as usize];
        search.first + places.partition_point(|end| *end < search.fraction) as u32
    }
}

/// A search that has begun.
#[derive(Clone, Copy, Default)]
struct Search {
    fraction: f64,
    /// The place is one of these, both included.
    first: u32,
    last: u32,
}

/// Has threads fill a part each; `fill` is told where its part begins.
fn in_parts<T: Send>(all: &mut [T], fill: impl Fn(usize, &mut [T]) + Sync) {
    let n_threads = thread::available_parallelism().map_or(1, NonZero::get);
    let len = all.len().div_ceil(n_threads).max(1);
    thread::scope(|scope| {
        for (nth, part) in all.chunks_mut(len).enumerate() {
            let fill = &fill;
            scope.spawn(move || fill(nth * len, part));
        }
    });
}

/// A number that looks random: a step of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, Columns, Intervals, Known, SEED, mix, write};

    fn draw(rows: u32, exponent: f64, seed: u64) -> Columns {
        Alphabet::new(rows, seed).draw(exponent)
    }

    /// All pairs, one by one.
    fn naive(columns: &Columns) -> Known {
        let rows = |column: &[u32], key: u32| column.iter().filter(|other| **other == key).count();
        let keys = 1..=columns.left.len() as u32;
        let pairs = |key| (rows(&columns.left, key) * rows(&columns.right, key)) as u64;
        let most = |column: &[u32]| keys.clone().map(|key| rows(column, key)).max().unwrap() as u32;
        Known {
            n_pairs: keys.clone().map(pairs).sum(),
            most_pairs: keys.clone().map(pairs).max().unwrap(),
            most_rows: [most(&columns.left), most(&columns.right)],
        }
    }

    #[test]
    fn counts_are_those_of_a_naive_count() {
        for rows in [1, 2, 3, 5, 64, 1000] {
            for exponent in [0.0, 0.5, 1.0, 2.0] {
                let columns = draw(rows, exponent, 7);
                assert_eq!(columns.known(), naive(&columns), "{rows} rows, {exponent}");
            }
        }
    }

    #[test]
    fn the_columns_are_those_of_the_published_counts() {
        // Counted by the program that the published ones are by, at a size that a test has time for.
        let known = [(0.0, 100_072), (0.5, 305_719), (0.8, 10_892_787), (1.0, 110_624_139)];
        let alphabet = Alphabet::new(100_000, SEED);
        for (exponent, n_pairs) in known {
            assert_eq!(alphabet.draw(exponent).known().n_pairs, n_pairs, "{exponent}");
        }
    }

    #[test]
    fn the_guide_leads_to_the_same_place_as_a_search_of_all() {
        for (n, exponent) in [(1, 0.0), (2, 1.0), (9, 0.3), (1000, 0.0), (5000, 1.0), (5000, 3.0)] {
            let intervals = Intervals::new(n, exponent);
            let edges = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1];
            for random in edges.into_iter().chain((0..20_000).map(mix)) {
                let fraction = (random >> 11) as f64 / (1_u64 << 53) as f64;
                let place = intervals.ends.iter().position(|end| *end >= fraction);
                assert_eq!(
                    Some(intervals.end(&intervals.begin(random)) as usize),
                    place,
                    "{n}, {exponent}: {fraction}"
                );
            }
        }
    }

    #[test]
    fn a_seed_decides_the_columns() {
        let [one, again, other] = [1, 1, 2].map(|seed| draw(1000, 0.8, seed));
        assert_eq!((&one.left, &one.right), (&again.left, &again.right));
        assert_ne!(one.left, other.left);
        assert_ne!(one.left, one.right);
    }

    #[test]
    fn every_key_comes_up_alike_without_skew() {
        let known = draw(100_000, 0.0, 1).known();
        assert!((99_000..101_000).contains(&known.n_pairs), "{known:?}");
        assert!(known.most_rows.iter().all(|most| *most < 15), "{known:?}");
    }

    #[test]
    fn popular_keys_of_both_sides_coincide() {
        let columns = draw(100_000, 1.0, 1);
        let known = columns.known();
        let [left, right] = known.most_rows.map(u64::from);
        assert_eq!(known.most_pairs, left * right);
        // The first of 100,000 has a share of 1 / 12.09.
        assert!((8_000..8_600).contains(&left), "{known:?}");
    }

    #[test]
    fn columns_are_written_lowest_byte_first() {
        let mut bytes = Vec::new();
        write(&[1, 0x0102_0304], &mut bytes).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 4, 3, 2, 1]);
    }
}
