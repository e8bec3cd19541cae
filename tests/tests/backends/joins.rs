//! Joins against a naive one: both methods, counted and written, of two sides and of one.

use crate::bench::{Bench, EVERYWHERE, GPU, NOT_ON_THREADS, On, Registered, trials};
use hyperblock::operators::join::Output;
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use hyperblock_shared::join::hash;
use hyperblock_tests::generate::for_all;
use hyperblock_tests::joins::{JoinCase, cases};
use proptest::collection::vec;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [keys_of_all_kinds, whole_products, random_keys],
    NOT_ON_THREADS => [a_heavy_key],
    // More pairs than the others count in minutes.
    GPU => [many_rows],
];

fn keys_of_all_kinds(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    // On threads rows of one key fill more than what a block builds at once, which is 128.
    for &n_rows in bench.by(&[0, 1, 40, 700][..], &[135], &[0, 1, 33, 1500]) {
        for case in cases(n_rows) {
            case.assert_exact(&*device);
        }
    }
}

/// Enough rows for heavy keys, as the CPU's sample finds them.
fn a_heavy_key(bench: Bench) {
    let left = (0..2600).map(|ix| if ix < 2300 { 1 } else { ix }).collect();
    let case = JoinCase::new("a heavy key", left, (0..300).map(|ix| ix % 2 + ix / 100).collect());
    case.assert_exact(&*bench.open());
}

/// Products of whole units, which are written two pairs at a time, from an even place and from an odd one; on the GPU
/// of more than one chunk of a partition.
fn whole_products(bench: Bench) {
    let device = bench.shape(64, 1, 1 << 12).open();
    let (n_left, n_right) = bench.by((65, 2050), (65, 2050), (700, 4200));
    for n_singles in [0, 1] {
        let keys = |n: usize| [vec![7; n], (0..n_singles).map(|ix| 100 + ix).collect()].concat();
        let case = JoinCase::new("whole units", keys(n_left), keys(n_right));
        match bench.on {
            // Other ways take long, and have no units.
            On::Threads => case.assert_exact_by(&[JoinMethod::Skew], &*device),
            On::Cpu | On::Gpu => case.assert_exact(&*device),
        }
    }
}

fn random_keys(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    // What once was wrong on the CPU.
    let left =
        [47, 12, 1, 19, 30, 44, 39, 36, 3, 39, 42, 49, 1, 27, 18, 42, 28, 29, 46, 18, 17, 23, 3, 40, 33];
    let right = [9, 19, 52, 29, 3, 1, 50, 47, 38, 17, 22, 47, 30, 2, 5, 29, 10, 30, 58, 17, 37, 31, 12, 38];
    JoinCase::new("seen before", left.to_vec(), right.to_vec()).assert_exact(&*device);
    let (n_cases, most_rows) = bench.by((64, 400), (2, 60), (64, 400));
    let keys = (vec(0u32..50, 0..most_rows), vec(0u32..60, 0..most_rows));
    for_all(n_cases, &keys, |(left, right)| JoinCase::new("random", left, right).assert_exact(&*device));
}

const N: u32 = 3_000_000;

/// Two sides of many keys that few rows have, and few that many have.
pub(crate) fn many_keys() -> (Vec<u32>, Vec<u32>) {
    let keys = |seed: u32| -> Vec<u32> {
        let key = |ix: u32| match hash(ix ^ seed) {
            h if h % 4 == 0 => h % 1000,
            h => h % N,
        };
        (0..N).map(key).collect()
    };
    (keys(1), keys(0x5555_0000))
}

/// Two passes, many partitions, heavy keys: counted, and written through a buffer that is overwritten.
fn many_rows(bench: Bench) {
    let device = bench.open();
    let (left, right) = many_keys();
    let mut counts = vec![[0u64; 2]; N as usize];
    left.iter().for_each(|&key| counts[key as usize][0] += 1);
    right.iter().for_each(|&key| counts[key as usize][1] += 1);
    let expected: u64 = counts.iter().map(|[l, r]| l * r).sum();
    let within: u64 = counts.iter().map(|[l, _]| l * l.saturating_sub(1) / 2).sum();
    let side = |keys| KeyColumn { keys, rows: None };
    for (right, expected) in [(Some(side(&right)), expected), (None, within)] {
        let mut join = device.load_join(side(&left), right).expect("a join loads");
        for method in [JoinMethod::Skew, JoinMethod::Plain] {
            for output in [Output::Count, Output::Pairs { capacity: 1 << 20 }] {
                let joined = join.run(method, output).expect("a join runs");
                assert_eq!(joined.n_pairs, expected, "{method}, {output:?}");
                assert_eq!(
                    method == JoinMethod::Skew,
                    joined.n_heavy > 0,
                    "{method}: {} heavy keys",
                    joined.n_heavy
                );
            }
            let is_pair = |&(l, r): &(u32, u32)| {
                left[l as usize] == right.map_or(&left[..], |right| right.keys)[r as usize]
            };
            let pairs = join.pairs().expect("pairs are read");
            assert!(pairs.iter().all(is_pair), "{method}: pairs with different keys");
        }
    }
}
