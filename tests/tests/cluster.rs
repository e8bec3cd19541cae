//! Clustering against naive ways: all methods, all backends.

use hyperblock::device::cpu::Cpu;
use hyperblock::entities::cluster::{Method, cluster};
use hyperblock::operators::Backend;
use hyperblock::{Control, Error};
use hyperblock_shared::join::hash;
use hyperblock_shared::layout::Scored;
use hyperblock_tests::clusters::{ClusterCase, cases, scored};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::prelude::*;

const BY_DEVICE: [Method; 2] = [Method::Components, Method::TiledFw];

#[test]
fn cpu() {
    for n_records in [0, 1, 2, 3, 40] {
        for case in cases(n_records) {
            case.assert_exact(&Method::ALL, &Cpu::new());
        }
    }
    // Several pivots, several chunks for the threads.
    for case in cases(700) {
        case.assert_exact(&[Method::Components, Method::Center, Method::TiledFw], &Cpu::new());
    }
}

#[test]
fn kernels_on_threads() {
    let device = KernelOnThreads::new(64, 2, 1);
    for n_records in [0, 1, 33] {
        for case in cases(n_records) {
            case.assert_exact(&BY_DEVICE, &device);
        }
    }
}

/// Several tiles, chunks and shares of pairs, and a component that has most records.
#[test]
fn many_pairs_on_threads() {
    let device = KernelOnThreads::new(32, 3, 1);
    for case in cases(300) {
        case.assert_exact(&[Method::Components], &device);
    }
    assert!(device.n_giants() > 10);
}

/// Two pivots.
#[test]
fn a_large_matrix_on_threads() {
    let device = KernelOnThreads::new(32, 3, 1);
    for case in cases(300).iter().skip(8) {
        case.assert_exact(&[Method::TiledFw], &device);
    }
}

/// The threads of the pool hook the same few records again and again.
#[test]
fn cpu_races_over_one_component() {
    const N: u32 = 50_000;
    let chains = (0..8).flat_map(|salt: u32| (1..N).map(move |ix| (ix, hash(ix ^ salt) % ix)));
    let pairs: Vec<Scored> = chains.map(|(l, r)| scored(l, r, 0)).collect();
    for _ in 0..5 {
        let entities = cluster(&Cpu::new(), N, &pairs, Method::Components, &Control::default());
        assert_eq!(entities.expect("it clusters"), vec![0; N as usize]);
    }
}

/// Chains are cut by center clustering and complete linkage, and what is listed whole is not.
#[test]
fn chains() {
    let links = [(0, 1, 900), (1, 2, 800), (2, 3, 950), (3, 4, 700), (5, 6, 1), (6, 7, 1), (5, 7, 1)];
    let pairs: Vec<Scored> = links.into_iter().map(|(l, r, score)| scored(l, r, score)).collect();
    for (method, entities) in [
        (Method::Components, [0, 0, 0, 0, 0, 5, 5, 5, 8]),
        (Method::TiledFw, [0, 0, 0, 0, 0, 5, 5, 5, 8]),
        // 2 is the first centre, and 3 joins it; then 0, and 1; then 4 is new beside 3, which is no centre.
        (Method::Center, [0, 0, 2, 2, 4, 5, 5, 5, 8]),
        (Method::Complete, [0, 0, 2, 2, 4, 5, 5, 5, 8]),
    ] {
        let got = cluster(&Cpu::new(), 9, &pairs, method, &Control::default());
        assert_eq!(got.expect("it clusters"), entities, "{method}");
    }
}

#[test]
fn pairs_of_records_that_are_not_there() {
    let devices: [&dyn Backend; 2] = [&Cpu::new(), &KernelOnThreads::new(32, 1, 1)];
    for (device, method) in devices.into_iter().flat_map(|device| Method::ALL.map(|method| (device, method)))
    {
        let error = cluster(device, 3, &[scored(0, 1, 5), scored(3, 1, 5)], method, &Control::default());
        let message = error.expect_err("there are three records").to_string();
        assert_eq!(message, "pair 1 is of records 3 and 1, but there are 3");
    }
}

#[test]
fn cancelled() {
    let control = Control::default();
    control.cancel();
    for method in Method::ALL {
        let ended = cluster(&Cpu::new(), 3, &[scored(0, 1, 5)], method, &control);
        assert!(matches!(ended, Err(Error::Interrupted)), "{method}");
    }
}

#[test]
fn methods_have_names() {
    for method in Method::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    assert!("single".parse::<Method>().is_err());
}

fn random_pairs(n_records: u32, n_pairs: usize) -> impl Strategy<Value = ClusterCase> {
    let pair =
        (0..n_records, 0..n_records, 0u32..5).prop_map(|(l, r, score)| scored(l, r, score * 200_000_000));
    prop::collection::vec(pair, 0..n_pairs)
        .prop_map(move |pairs| ClusterCase::new("random", n_records, pairs))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn cpu_on_few_records(case in random_pairs(9, 40)) {
        case.assert_exact(&Method::ALL, &Cpu::new());
    }

    #[test]
    fn cpu_on_some_records(case in random_pairs(30, 60)) {
        case.assert_exact(&Method::ALL, &Cpu::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn threads_on_some_records(case in random_pairs(80, 300)) {
        case.assert_exact(&[Method::Components], &KernelOnThreads::new(32, 2, 1));
    }
}
