//! Joins to try, and the naive one that says what is right.

use hyperblock::operators::Backend;
use hyperblock::operators::join::{JoinOperator, Output};
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock_shared::join::{MISSING, hash, upper};
use std::collections::HashMap;

/// Two columns of keys.
#[derive(Debug)]
pub struct JoinCase {
    name: String,
    left: Vec<u32>,
    right: Vec<u32>,
}

/// Keys of all kinds, so many a side: random, equal, distinct, skewed, colliding, missing, and empty sides.
pub fn cases(n_rows: u32) -> Vec<JoinCase> {
    let random = |ix: u32, below: u32| upper(hash(ix.wrapping_mul(31) + below), 24) % below;
    let all = |key: &dyn Fn(u32) -> u32| (0..n_rows).map(key).collect::<Vec<u32>>();
    // The ranks of a zipf distribution with exponent 1, about: equally many in each power of two.
    let zipf = |ix: u32| {
        let power = random(ix, 12);
        (1 << power) + random(ix + 1000, 1 << power)
    };
    // Keys whose hashes begin alike.
    let colliding: Vec<u32> = (0..u32::MAX).filter(|&key| upper(hash(key), 10) == 0x155).take(300).collect();
    let with_missing = |ix: u32| if random(ix, 3) == 0 { MISSING } else { random(ix, 9) };
    vec![
        JoinCase::new("random", all(&|ix| random(ix, 50)), all(&|ix| random(ix + 7, 60))),
        JoinCase::new("all equal", all(&|_| 5), all(&|_| 5)),
        JoinCase::new("all distinct", all(&|ix| ix), all(&|ix| n_rows - ix)),
        JoinCase::new("nothing in common", all(&|ix| 2 * ix), all(&|ix| 2 * ix + 1)),
        JoinCase::new("zipf", all(&zipf), all(&|ix| zipf(ix + 77))),
        JoinCase::new(
            "colliding",
            all(&|ix| colliding[ix as usize % 300]),
            all(&|ix| colliding[ix as usize / 2 % 300]),
        ),
        JoinCase::new(
            "a heavy key among others",
            all(&|ix| if ix % 3 > 0 { 9 } else { ix }),
            all(&|ix| ix % 40),
        ),
        JoinCase::new("missing keys", all(&with_missing), all(&|ix| with_missing(ix + 5))),
        JoinCase::new("nothing but missing keys", all(&|_| MISSING), all(&|ix| ix)),
        JoinCase::new("an empty side", Vec::new(), all(&|ix| ix)),
        JoinCase::new("sides of different lengths", vec![3; 5], all(&|ix| ix % 7)),
    ]
}

impl JoinCase {
    /// Two sides.
    pub fn new(name: &str, left: Vec<u32>, right: Vec<u32>) -> Self {
        Self { name: name.into(), left, right }
    }

    /// Joins the sides, and the left one with itself, in every way that there is.
    pub fn assert_exact(&self, device: &dyn Backend) {
        let methods = [JoinMethod::Skew, JoinMethod::Plain];
        self.assert_exact_by(&methods, device);
        let naive = naive_within(&self.left);
        self.check(device, &device.name(), &methods, None, naive);
    }

    /// Joins the sides by some methods only.
    pub fn assert_exact_by(&self, methods: &[JoinMethod], device: &dyn Backend) {
        self.check(device, &device.name(), methods, Some(&self.right), naive(&self.left, &self.right));
    }

    /// Joins the sides by a baseline.
    pub fn assert_baseline(&self, name: &str, baseline: &(impl JoinOperator + ?Sized)) {
        let naive = naive(&self.left, &self.right);
        self.check(baseline, name, &[JoinMethod::Plain], Some(&self.right), naive);
    }

    fn check(
        &self,
        device: &(impl JoinOperator + ?Sized),
        name: &str,
        methods: &[JoinMethod],
        right: Option<&[u32]>,
        naive: Vec<(u32, u32)>,
    ) {
        let left = &self.left[..];
        // Row numbers that are not places.
        let rows = |n: usize| (0..n as u32).map(|place| 3 * place + 1).collect::<Vec<_>>();
        let (left_rows, right_rows) = (rows(left.len()), rows(right.unwrap_or_default().len()));
        let renumbered: Vec<(u32, u32)> = naive.iter().map(|&(l, r)| (3 * l + 1, 3 * r + 1)).collect();
        for (has_rows, expected) in [(false, &naive), (true, &renumbered)] {
            let side = |keys, rows| KeyColumn { keys, rows: has_rows.then_some(rows) };
            let right = right.map(|right| side(right, &right_rows[..]));
            let mut join = device.load_join(side(left, &left_rows), right).expect("a join loads");
            for &method in methods {
                let what = format!("{} by {method} on {name}, rows {has_rows}", self.name);
                let counted = join.run(method, Output::Count).expect("a join counts");
                assert_eq!(counted.n_pairs, expected.len() as u64, "{what}: counted");
                // Room for all, and for so few that they are written over each other some fifty times.
                for capacity in [expected.len().max(1), (expected.len() / 50).max(3)] {
                    let joined = join.run(method, Output::Pairs { capacity }).expect("a join writes");
                    assert_eq!(joined.n_pairs, expected.len() as u64, "{what}: into {capacity}");
                    let mut pairs = join.pairs().expect("pairs are read");
                    pairs.sort_unstable();
                    if capacity >= expected.len() {
                        assert!(pairs == *expected, "{what}: other pairs");
                    } else {
                        let is_right = |pair: &(u32, u32)| expected.binary_search(pair).is_ok();
                        assert!(pairs.iter().all(is_right), "{what}: no such pairs");
                    }
                }
            }
        }
    }
}

fn naive(left: &[u32], right: &[u32]) -> Vec<(u32, u32)> {
    let mut rows: HashMap<u32, Vec<u32>> = HashMap::new();
    for (row, &key) in (0..).zip(right) {
        rows.entry(key).or_default().push(row);
    }
    let mut pairs = Vec::new();
    for (row, key) in (0..).zip(left).filter(|(_, key)| **key != MISSING) {
        pairs.extend(rows.get(key).into_iter().flatten().map(|&other| (row, other)));
    }
    pairs
}

fn naive_within(keys: &[u32]) -> Vec<(u32, u32)> {
    naive(keys, keys).into_iter().filter(|(left, right)| left < right).collect()
}
