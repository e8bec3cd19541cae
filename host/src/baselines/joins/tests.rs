//! What only some keys and sizes show; that baselines are exact is shown beside the engine's own join.

use super::*;

fn run(baseline: Baseline, left: &[u32], right: &[u32]) -> Joined {
    let side = |keys| KeyColumn { keys, rows: None };
    let mut join = baseline.load_join(side(left), Some(side(right))).unwrap();
    join.run(JoinMethod::Plain, Output::Count).unwrap()
}

/// Partitions that are much larger are broken up, by all bits that keys have.
#[test]
fn large_partitions() {
    let alike = |n: u32| -> Vec<u32> { (0..n).map(|ix| ix << 14 | 5).collect() };
    assert_eq!(run(Baseline::Cbase, &alike(60_000), &alike(50_000)).n_pairs, 50_000);
    assert_eq!(run(Baseline::Cbase, &[7; 300], &[7; 20_000]).n_pairs, 300 * 20_000);
}

#[test]
fn heavy_keys_are_found_by_what_is_asked() {
    let keys: Vec<u32> = (0..20_000).map(|ix| if ix % 4 == 0 { 9 } else { ix }).collect();
    let n_heavy = |one_of, at_least| run(Baseline::Csh(Detection { one_of, at_least }), &keys, &keys).n_heavy;
    assert_eq!(n_heavy(100, 10), 1);
    // What comes up by chance is heavy, too, if so little is asked.
    assert!(n_heavy(10, 2) > 1);
    assert_eq!(n_heavy(30_000, 1), 0);
}

#[test]
fn one_side_alone_is_refused() {
    let side = KeyColumn { keys: &[1], rows: None };
    assert!(Baseline::Cbase.load_join(side, None).is_err());
}
