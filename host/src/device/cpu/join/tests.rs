//! Tests of joins, against a map of all rows by key; with sizes so small that all ways are gone.

use super::*;
use crate::base::random::Random;
use hyperblock_shared::join::{MISSING, hash, upper};
use proptest::prelude::*;
use std::collections::HashMap;

const SMALL: Sizes = Sizes { light: 64, heavy: 20, piece: 16, per_thread: 200, of_pairs: 0 };

/// The row numbers of a side, which need not be places.
fn rows_of(side: KeyColumn<'_>) -> impl Iterator<Item = (u32, u32)> {
    let row = move |ix: usize| side.rows.map_or(ix as u32, |rows| rows[ix]);
    side.keys.iter().enumerate().filter(|&(_, &key)| key != MISSING).map(move |(ix, &key)| (key, row(ix)))
}

fn oracle(left: KeyColumn<'_>, right: Option<KeyColumn<'_>>) -> Vec<(u32, u32)> {
    let mut lefts: HashMap<u32, Vec<u32>> = HashMap::new();
    for (key, row) in rows_of(left) {
        lefts.entry(key).or_default().push(row);
    }
    let with = |(key, right)| lefts.get(&key).into_iter().flatten().map(move |&left| (left, right));
    let mut pairs: Vec<_> = rows_of(right.unwrap_or(left)).flat_map(with).collect();
    if right.is_none() {
        pairs.retain(|&(left, right)| left < right);
    }
    pairs.sort_unstable();
    pairs
}

/// Counts and pairs, by both methods, with small sizes and the usual ones; how many keys were heavy with
/// small sizes.
fn check(left: KeyColumn<'_>, right: Option<KeyColumn<'_>>) -> u32 {
    let wanted = oracle(left, right);
    let n_pairs = wanted.len() as u64;
    let mut join = CpuJoin::load(left, right);
    let mut n_heavy = 0;
    for sizes in [&SMALL, &SIZES] {
        for method in [JoinMethod::Skew, JoinMethod::Plain] {
            let joined = join.run_by(sizes, method, Output::Count);
            assert_eq!(joined.n_pairs, n_pairs, "count, {method}");
            assert_eq!(join.pairs().unwrap(), []);
            assert_eq!(
                joined.phases.iter().map(|phase| phase.0).collect::<Vec<_>>(),
                ["sample", "partition", "heavy", "light"]
            );
            if method == JoinMethod::Skew {
                n_heavy = n_heavy.max(joined.n_heavy);
            } else {
                assert_eq!(joined.n_heavy, 0);
            }
            let joined = join.run_by(sizes, method, Output::Pairs { capacity: wanted.len().max(1) });
            assert_eq!(joined.n_pairs, n_pairs, "pairs, {method}");
            let mut pairs = join.pairs().unwrap();
            pairs.sort_unstable();
            assert!(pairs == wanted, "pairs differ, {method}");
            let joined = join.run_by(sizes, method, Output::Pairs { capacity: 1 + wanted.len() / 3 });
            assert_eq!(joined.n_pairs, n_pairs, "some pairs, {method}");
            assert!(join.pairs().unwrap().iter().all(|pair| wanted.binary_search(pair).is_ok()));
        }
    }
    n_heavy
}

/// Two sides and each with itself, with places for rows and with other numbers.
fn check_all(left: &[u32], right: &[u32]) -> u32 {
    let rows = |n: usize, from: u32| {
        let mut rows: Vec<u32> = (0..n as u32).map(|row| from + 3 * row).collect();
        Random::new(from.into()).shuffle(&mut rows);
        rows
    };
    let (left_rows, right_rows) = (rows(left.len(), 1), rows(right.len(), 1000));
    let side = |keys| KeyColumn { keys, rows: None };
    let n_heavy = check(side(left), Some(side(right)));
    check(side(left), None);
    let left = KeyColumn { keys: left, rows: Some(&left_rows) };
    let right = KeyColumn { keys: right, rows: Some(&right_rows) };
    check(left, Some(right));
    check(right, None);
    n_heavy
}

fn draw(n: usize, mut key: impl FnMut(&mut Random) -> u32, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| key(&mut random)).collect()
}

/// Keys from 0 on, the first of them the most frequent: nearly 1 of x for the x-th.
fn zipf(n: usize, n_keys: f64, seed: u64) -> Vec<u32> {
    let uniform = |random: &mut Random| random.below(1 << 32) as f64 / (1u64 << 32) as f64;
    draw(n, |random| n_keys.powf(uniform(random)) as u32, seed)
}

/// Keys whose hashes begin with the same 16 bits.
fn colliding(n: usize) -> Vec<u32> {
    let beginning = upper(hash(0), 16);
    (0..).filter(|&key| upper(hash(key), 16) == beginning).take(n).collect()
}

#[test]
fn empty_and_tiny_sides() {
    for (left, right) in [(vec![], vec![]), (vec![1], vec![]), (vec![], vec![1]), (vec![1], vec![1])] {
        check_all(&left, &right);
    }
    check_all(&[1, 1, 2, MISSING], &[2, 1, MISSING, 1, 3]);
    check_all(&[0, u32::MAX - 1, 0], &[u32::MAX - 1]);
}

#[test]
fn a_side_needs_as_many_rows_as_keys() {
    let (whole, short) =
        (KeyColumn { keys: &[1, 2], rows: None }, KeyColumn { keys: &[1, 2], rows: Some(&[7]) });
    assert!(Cpu::new().load_join(whole, Some(whole)).is_ok());
    assert!(Cpu::new().load_join(short, None).is_err() && Cpu::new().load_join(whole, Some(short)).is_err());
}

#[test]
fn random_keys() {
    let keys = |n, seed| draw(n, |random| random.below(2000) as u32, seed);
    check_all(&keys(3000, 1), &keys(2000, 2));
    check_all(&keys(100, 1), &keys(5000, 2));
}

#[test]
fn few_distinct_keys_are_heavy() {
    let keys = |n, seed| draw(n, |random| random.below(5) as u32, seed);
    assert_eq!(check_all(&keys(1000, 1), &keys(700, 2)), 5);
}

#[test]
fn a_key_that_is_heavy_on_one_side() {
    let distinct: Vec<u32> = (0..1000).collect();
    assert_eq!(check_all(&[7; 600], &distinct), 1);
    assert_eq!(check_all(&distinct, &[7; 600]), 1);
    assert_eq!(check_all(&[2000; 600], &distinct), 1);
}

#[test]
fn all_keys_equal() {
    assert_eq!(check_all(&[7; 500], &[7; 300]), 1);
    assert_eq!(check_all(&[7; 300], &[8; 500]), 2);
    assert_eq!(check_all(&[MISSING; 500], &[MISSING; 300]), 0);
}

#[test]
fn all_keys_distinct() {
    let left: Vec<u32> = (0..20_000).collect();
    let right: Vec<u32> = (10_000..40_000).rev().collect();
    assert_eq!(check_all(&left, &right), 0);
}

#[test]
fn zipf_keys() {
    assert!(check_all(&zipf(3000, 2000.0, 1), &zipf(2000, 2000.0, 2)) > 5);
}

#[test]
fn keys_that_collide() {
    let keys = colliding(3000);
    let twice: Vec<u32> = keys.iter().chain(&keys[500..]).copied().collect();
    check_all(&twice, &keys[100..]);
    let some = |n, seed| draw(n, |random| keys[random.below(40) as usize], seed);
    check_all(&some(900, 1), &some(900, 2));
}

#[test]
fn one_thread_does_it_alone_where_there_is_little() {
    let keys: Vec<u32> = (0..1000).collect();
    struct Nobody;
    impl Consumer for Nobody {
        fn light(&mut self, _: &[u32], _: u32) {}
        fn heavy(&mut self, _: &[u32], _: &[u32]) {}
        fn within(&mut self, _: &[u32]) {}
    }
    let n_threads = |n_pairs| {
        let (consumers, _) =
            join(KeyColumn { keys: &keys, rows: None }, None, JoinMethod::Skew, n_pairs, || Nobody);
        consumers.len()
    };
    assert_eq!(n_threads(0), 1);
    assert_eq!(n_threads(1 << 20), rayon::current_num_threads().min(1 << 8));
}

#[test]
fn nothing_more_is_handed_over_when_nobody_wants_it() {
    /// Wants one call.
    struct Few(u32);
    impl Consumer for Few {
        fn light(&mut self, _: &[u32], _: u32) {
            self.0 += 1;
        }
        fn heavy(&mut self, _: &[u32], _: &[u32]) {
            self.0 += 1;
        }
        fn within(&mut self, _: &[u32]) {
            self.0 += 1;
        }
        fn is_done(&self) -> bool {
            self.0 > 0
        }
    }
    let keys = [7; 1000];
    let side = KeyColumn { keys: &keys, rows: None };
    for right in [Some(side), None] {
        let (consumers, joined) = join_by(&SMALL, side, right, JoinMethod::Skew, || Few(0));
        assert_eq!(joined.n_heavy, 1);
        assert!(consumers.iter().all(|consumer| consumer.0 <= 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_keys(
        left in prop::collection::vec(prop_oneof![0..8u32, 0..300u32, any::<u32>(), Just(MISSING)], 0..400),
        right in prop::collection::vec(prop_oneof![0..8u32, 0..300u32, any::<u32>(), Just(MISSING)], 0..400),
    ) {
        check_all(&left, &right);
    }
}
