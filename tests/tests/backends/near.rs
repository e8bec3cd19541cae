//! Distances on the sphere: by the grid, by a sweep and beside keys, what is near is what the definition says.

use crate::bench::{Bench, CPU, EVERYWHERE, KERNELS, NOT_ON_THREADS, On, Registered, hashed, trials};
use crate::papers::{by_pairs, prepare};
use hyperblock::Control;
use hyperblock::Prepared;
use hyperblock::plan::access::{Access, By, Unlisted, accesses};
use hyperblock::plan::overlap::Sampled;
use hyperblock::plan::partition::blocks;
use hyperblock::plan::path::OverlapMethod;
use hyperblock::plan::task::Task;
use hyperblock::plan::{ScanOptions, SimilarityChoice, Variant};
use hyperblock_tests::case::{Case, Paper, Sheet};
use hyperblock_tests::generate::{for_cases, near_cases};
use hyperblock_tests::small::SmallCpu;
use std::cell::Cell;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [random_places],
    KERNELS => [listed_there],
    NOT_ON_THREADS => [within_cities, all_in_one_cell, places_in_thousands],
    CPU => [around_the_sphere],
];

const CHOICES: [SimilarityChoice; 4] =
    [SimilarityChoice::Join, SimilarityChoice::Dense, SimilarityChoice::Cheapest, SimilarityChoice::Sweep];

/// How many overlap joins by a method there are.
fn n_joined(paper: &Paper<'_>, method: OverlapMethod) -> usize {
    let (encoded, program) = (&paper.prepared.encoded, paper.prepared.plan.program());
    let of = |block| accesses(encoded, program, &block, &Control::default()).expect("it is listed");
    let all = blocks(&paper.prepared.area()).into_iter().flat_map(of);
    all.filter(|access| matches!(access, Access::Overlap(join) if join.method == method)).count()
}

/// Clusters of any size, and thresholds of any size; each way to come by pairs, and each variant.
fn random_places(bench: Bench) {
    let device = bench.shape(32, 2, 64).open();
    let (n_cases, most_rows) = bench.by((150, 40), (5, 14), (40, 50));
    let (index, dense) = (Cell::new(0), Cell::new(0));
    let variants = [Variant::NoBitmap, Variant::NoFilter, Variant::NoDictionary];
    let variants = bench.by(&variants[..], &[], &variants);
    for_cases(n_cases, &near_cases(most_rows), |paper| {
        let wanted = paper.oracle();
        for similarity in CHOICES {
            for indexed in [7, 1 << 20] {
                let options = ScanOptions { similarity, indexed, ..hashed() };
                let again = paper.again(&|job| job.scan_options(options));
                let found = again.run(&*device);
                paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &found);
                index.set(index.get() + n_joined(&again, OverlapMethod::Index));
                dense.set(dense.get() + n_joined(&again, OverlapMethod::Dense));
                if bench.on == On::Cpu {
                    paper.assert_same("in halves", &wanted, &again.run_in_halves(&*device, 20));
                    paper.assert_same("in pieces", &wanted, &again.run(&SmallCpu(3000)));
                }
            }
        }
        for &variant in variants {
            let again = paper.again(&|job| job.scan_options(hashed()).variants(vec![variant]));
            paper.assert_same(&format!("{} as {variant:?}", device.name()), &wanted, &again.run(&*device));
        }
    });
    let (index, dense) = (index.get(), dense.get());
    assert!(index > 2 && dense > 2, "{index} by an index and {dense} by signatures are few");
}

/// With lists, and the values of overlap joins, made where they are read.
fn listed_there(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((0, 0), (6, 16), (60, 60));
    let n_joined = Cell::new(0);
    for_cases(n_cases, &near_cases(most_rows), |paper| {
        let wanted = paper.oracle();
        for similarity in [SimilarityChoice::Join, SimilarityChoice::Dense, SimilarityChoice::Sweep] {
            let options = ScanOptions { similarity, unlisted: 0, ..hashed() };
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &again.run(&*device));
            let Prepared { encoded, plan, .. } = &again.prepared;
            let task = Task::unlisted(encoded, plan.program(), &again.prepared.area(), &Control::default());
            let task = task.unwrap_or_else(|error| panic!("{error}"));
            let is_joined = |it: &Unlisted| {
                let manner = match &it.by {
                    By::Lead(lists) => lists.overlap,
                    By::Key(by) => by.heavy.as_ref().and_then(|(_, lists)| lists.overlap),
                };
                manner.is_some_and(|manner| matches!(manner.elements, Sampled::Cells(_)))
            };
            n_joined.set(n_joined.get() + task.unlisted.iter().filter(|it| is_joined(it)).count());
        }
    });
    assert!(n_joined.get() > 1, "{} grids are few", n_joined.get());
}

/// Without lists of cells: bands of the sphere, which the CPU alone goes around, in whole and in part.
fn around_the_sphere(bench: Bench) {
    let device = bench.open();
    let n_around = Cell::new(0);
    for_cases(250, &near_cases(60), |paper| {
        let wanted = paper.oracle();
        let options = ScanOptions { similarity: SimilarityChoice::Join, unlisted: 0, ..hashed() };
        let again = paper.again(&|job| job.scan_options(options));
        paper.assert_same("around", &wanted, &again.run(&*device));
        paper.assert_same("in halves", &wanted, &again.run_in_halves(&*device, 20));
        paper.assert_same("in pieces", &wanted, &again.run(&SmallCpu(3000)));
        let Prepared { encoded, plan, .. } = &again.prepared;
        let scan = device.load(encoded, plan.program()).unwrap_or_else(|error| panic!("{error}"));
        let task = scan.task(encoded, plan.program(), &again.prepared.area(), &Control::default());
        n_around.set(n_around.get() + task.unwrap_or_else(|error| panic!("{error}")).unlisted.len());
    });
    assert!(n_around.get() > 40, "{} ways around are few", n_around.get());
}

/// Places along a line, of which some are the same, in some cities: a metre from one to the next.
fn line(n_rows: usize, salt: usize) -> Sheet {
    let row = |ix: usize| {
        // As good as random, and the same every time.
        let nth = (ix * 7919 + salt) % n_rows;
        let longitude = 179.99 + 0.00001 * (nth / 2 * 2) as f64;
        let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
        let values = [format!("{:.6}", -0.3), format!("{longitude:.6}"), format!("c{}", ix % 3)];
        values.map(|value| (!ix.is_multiple_of(37)).then_some(value)).to_vec()
    };
    Sheet::new(&["lat", "lon", "city"], (0..n_rows).map(row).collect())
}

/// Few cities, each with many records: they are a key, within which a grid finds what is near.
fn within_cities(bench: Bench) {
    let device = bench.open();
    for right in [None, Some(line(700, 3))] {
        let whens = vec!["l.city = r.city AND distance_km(l.lat, l.lon, r.lat, r.lon) <= 0.0031".to_owned()];
        let case = Case { left: line(900, 0), right, whens };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        assert!(wanted.len() > 300, "{} candidates are few", wanted.len());
        for similarity in CHOICES {
            for heavy in [0, 3, u64::MAX] {
                let options = ScanOptions { similarity, heavy, indexed: 50, ..hashed() };
                let again = paper.again(&|job| job.scan_options(options));
                paper.assert_same(&format!("{options:?}"), &wanted, &again.run(&*device));
            }
        }
    }
}

/// Thousands of kilometres: a grid has one cell, and is of no use.
fn all_in_one_cell(bench: Bench) {
    let device = bench.open();
    let row = |ix: usize| {
        let (latitude, longitude) = ((ix * 37 % 181) as f64 - 90.0, (ix * 101 % 720) as f64 - 360.0);
        vec![Some(latitude.to_string()), Some(longitude.to_string())]
    };
    let left = Sheet::new(&["lat", "lon"], (0..300).map(row).collect());
    for (op, km) in [("<=", 7000), ("<", 15_000), ("<=", 20_000), (">", 19_000), (">=", 12_000)] {
        let whens = vec![format!("distance_km(l.lat, l.lon, r.lat, r.lon) {op} {km}")];
        let case = Case { left: left.clone(), right: None, whens };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        assert!(wanted.len() > 100, "{} candidates are few", wanted.len());
        for similarity in CHOICES {
            let options = ScanOptions { similarity, ..hashed() };
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("{op} {km} by {similarity:?}"), &wanted, &again.run(&*device));
        }
    }
}

/// Enough of them that a plan takes the grid by itself, whatever the device, and too many for a double loop: beside the sweep,
/// which others set beside one.
fn places_in_thousands(bench: Bench) {
    let device = bench.open();
    let case = Case {
        left: line(6000, 11),
        right: None,
        whens: vec!["distance_km(l.lat, l.lon, r.lat, r.lon) < 0.0023".to_owned()],
    };
    // On many threads a sweep over so few is as good.
    let paper = prepare(&case).again(&|job| job.cost(by_pairs()));
    assert_eq!(n_joined(&paper, OverlapMethod::Index), 1, "the grid is not taken");
    let swept = paper.again(&|job| {
        job.scan_options(ScanOptions { similarity: SimilarityChoice::Sweep, ..ScanOptions::default() })
    });
    let wanted = swept.run(&*device);
    assert!(wanted.len() > 6000, "{} candidates are few", wanted.len());
    paper.assert_same(&device.name(), &wanted, &paper.run(&*device));
}
