//! Clustering, against naive ways.

use crate::bench::{Bench, CPU, EVERYWHERE, GPU, KERNELS, NOT_ON_THREADS, On, Registered, trials};
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::cluster::{ClusterMethod, cluster};
use hyperblock::operators::Backend;
use hyperblock::{Control, Error};
use hyperblock_shared::join::hash;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_tests::clusters::{ClusterCase, cases, scored};
use hyperblock_tests::generate::for_all;
use proptest::prelude::*;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [
        pairs_of_all_kinds,
        many_pairs,
        a_large_matrix,
        random_pairs,
        chains,
        pairs_of_records_that_are_not_there,
        cancelled,
    ],
    NOT_ON_THREADS => [races_over_one_component],
    // A CPU has its matrix in the host's memory anyway.
    KERNELS => [a_matrix_in_bands],
    // How much memory parents, pairs and matrices take is the GPU's own; there are too many records for the others.
    GPU => [few_pairs_at_a_time, no_memory, many_records],
    // No device has a part in it.
    CPU => [methods_have_names],
];

/// The methods that devices have a part in.
const BY_DEVICE: [ClusterMethod; 2] = [ClusterMethod::Components, ClusterMethod::TiledFw];

fn pairs_of_all_kinds(bench: Bench) {
    let device = bench.shape(64, 2, 1).open();
    for &n_records in bench.by(&[0, 1, 2, 3, 40][..], &[0, 1, 33], &[0, 1, 33]) {
        for case in cases(n_records) {
            case.assert_exact(bench.by(&ClusterMethod::ALL[..], &BY_DEVICE, &ClusterMethod::ALL), &*device);
        }
    }
    // Several pivots, several chunks for the threads. The naive way to link completely takes the third power.
    if bench.on != On::Threads {
        for case in cases(700) {
            case.assert_exact(
                &[ClusterMethod::Components, ClusterMethod::Center, ClusterMethod::TiledFw],
                &*device,
            );
        }
    }
}

/// Several tiles, chunks and shares of pairs, and a component that has most records.
fn many_pairs(bench: Bench) {
    let device = bench.shape(32, 3, 1).open();
    for case in cases(300) {
        case.assert_exact(&[ClusterMethod::Components], &*device);
    }
    if let Some(threads) = device.threads() {
        assert!(threads.n_giants() > 10);
    }
}

/// Two pivots.
fn a_large_matrix(bench: Bench) {
    let device = bench.shape(32, 3, 1).open();
    for case in cases(300).iter().skip(8) {
        case.assert_exact(&[ClusterMethod::TiledFw], &*device);
    }
}

/// Three pivots and more, of which two fit at a time: bands of one each, and of two.
fn a_matrix_in_bands(bench: Bench) {
    let n_records = bench.by(0, 600, 1900);
    // Rows of two pivots, with as many words as there are at most, and what a driver does not give.
    let two_pivots = 2 * 256 * 4 * u64::from(n_records).next_multiple_of(256) / 32 * 10 / 8;
    for n_bytes in [two_pivots, 2 * two_pivots] {
        let device = bench.shape(64, 2, 1).memory(n_bytes).open();
        for case in cases(n_records).iter().skip(bench.by(0, 8, 0)) {
            case.assert_exact(&[ClusterMethod::TiledFw], &*device);
        }
    }
}

/// The threads of the pool, or of the device, hook the same few records again and again.
fn races_over_one_component(bench: Bench) {
    const N: u32 = 50_000;
    let device = bench.open();
    let chains = (0..8).flat_map(|salt: u32| (1..N).map(move |ix| (ix, hash(ix ^ salt) % ix)));
    let pairs: Vec<ScoredPair> = chains.map(|(l, r)| scored(l, r, 0)).collect();
    for _ in 0..5 {
        let entities = cluster(&*device, N, &pairs, ClusterMethod::Components, &Control::default());
        assert_eq!(entities.expect("it clusters"), vec![0; N as usize]);
    }
}

/// Chains are cut by center clustering and complete linkage, and what is listed whole is not.
fn chains(bench: Bench) {
    let device = bench.shape(32, 1, 1).open();
    let links = [(0, 1, 900), (1, 2, 800), (2, 3, 950), (3, 4, 700), (5, 6, 1), (6, 7, 1), (5, 7, 1)];
    let pairs: Vec<ScoredPair> = links.into_iter().map(|(l, r, score)| scored(l, r, score)).collect();
    for (method, entities) in [
        (ClusterMethod::Components, [0, 0, 0, 0, 0, 5, 5, 5, 8]),
        (ClusterMethod::TiledFw, [0, 0, 0, 0, 0, 5, 5, 5, 8]),
        // 2 is the first centre, and 3 joins it; then 0, and 1; then 4 is new beside 3, which is no centre.
        (ClusterMethod::Center, [0, 0, 2, 2, 4, 5, 5, 5, 8]),
        (ClusterMethod::Complete, [0, 0, 2, 2, 4, 5, 5, 5, 8]),
    ] {
        let got = cluster(&*device, 9, &pairs, method, &Control::default());
        assert_eq!(got.expect("it clusters"), entities, "{method}");
    }
}

fn pairs_of_records_that_are_not_there(bench: Bench) {
    let device = bench.shape(32, 1, 1).open();
    for method in ClusterMethod::ALL {
        let pairs = [scored(0, 1, 5), scored(3, 1, 5)];
        let error = cluster(&*device, 3, &pairs, method, &Control::default());
        let message = error.expect_err("there are three records").to_string();
        assert_eq!(message, "pair 1 is of records 3 and 1, but there are 3");
    }
}

fn cancelled(bench: Bench) {
    let device = bench.shape(32, 1, 1).open();
    let control = Control::default();
    control.cancel();
    for method in ClusterMethod::ALL {
        let ended = cluster(&*device, 3, &[scored(0, 1, 5)], method, &control);
        assert!(matches!(ended, Err(Error::Interrupted)), "{method}");
    }
}

fn methods_have_names(_: Bench) {
    for method in ClusterMethod::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    assert!("single".parse::<ClusterMethod>().is_err());
}

/// Of few records, and of some.
fn random_pairs(bench: Bench) {
    let device = bench.shape(32, 2, 1).open();
    let methods = bench.by(&ClusterMethod::ALL[..], &[ClusterMethod::Components], &ClusterMethod::ALL);
    let all = [(300, 9, 40), (300, 30, 60)];
    for &(n_cases, n_records, n_pairs) in bench.by(&all[..], &[(10, 80, 300)], &all) {
        let pair =
            (0..n_records, 0..n_records, 0u32..5).prop_map(|(l, r, score)| scored(l, r, score * 200_000_000));
        for_all(n_cases, &prop::collection::vec(pair, 0..n_pairs), |pairs| {
            ClusterCase::new("random", n_records, pairs).assert_exact(methods, &*device);
        });
    }
}

fn few_pairs_at_a_time(bench: Bench) {
    let narrow = bench.memory(5000).open();
    for case in [0, 1, 33, 700].into_iter().flat_map(cases) {
        case.assert_exact(&[ClusterMethod::Components], &*narrow);
    }
}

/// Few pairs, as many as records, and so many that nearly all records are in one component; all at once and in chunks.
fn many_records(bench: Bench) {
    const N: u32 = 3_000_000;
    let components = |device: &dyn Backend, pairs: &[ScoredPair]| {
        cluster(device, N, pairs, ClusterMethod::Components, &Control::default()).expect("it clusters")
    };
    let (roomy, narrow) = (bench.open(), bench.memory(40_000_000).open());
    for n_pairs in [N / 3, N, 5 * N] {
        let record = |seed: u32| ((u64::from(hash(seed)) * u64::from(N)) >> 32) as u32;
        let pair = |ix: u32| ScoredPair { left: record(2 * ix), right: record(2 * ix + 1), score: ix };
        let pairs: Vec<ScoredPair> = (0..n_pairs).map(pair).collect();
        let wanted = components(&Cpu::new(), &pairs);
        for device in [&roomy, &narrow] {
            assert!(components(&**device, &pairs) == wanted, "{n_pairs} pairs: other components");
        }
    }
}

/// Where parents do not fit, or a matrix, that is said.
fn no_memory(bench: Bench) {
    let narrow = bench.memory(300).open();
    let pairs = [scored(0, 99, 1)];
    for (method, said) in
        [(ClusterMethod::Components, "of device memory"), (ClusterMethod::TiledFw, "--method components")]
    {
        match cluster(&*narrow, 100, &pairs, method, &Control::default()) {
            Err(error) if error.to_string().contains(said) => {}
            other => panic!("{method}: {other:?}"),
        }
    }
}
