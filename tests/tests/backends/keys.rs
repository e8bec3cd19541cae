//! Equalities: whatever is made of them, and however many records a key has, what is found stays the same.

use crate::bench::{Bench, EVERYWHERE, GPU, On, Registered, hashed, trials};
use crate::papers::{by_pairs, prepare};
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::access::{Access, accesses};
use hyperblock::plan::partition::blocks;
use hyperblock::plan::{BranchSteps, JoinChoice, ScanOptions, Variant};
use hyperblock::{Job, Prepared};
use hyperblock_tests::case::{Case, Paper};
use hyperblock_tests::generate::{for_cases, keyed_cases, zipf_sheet};
use hyperblock_tests::small::SmallCpu;
use std::cell::Cell;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [random_keys, heavy_keys],
    // Too many records for the others.
    GPU => [many_heavy_keys],
];

/// Every way to make something of equalities, with all keys heavy, or those of more than a few pairs, or hardly any.
fn joins() -> Vec<ScanOptions> {
    let usual = hashed();
    let joins = [JoinChoice::Cheapest, JoinChoice::Skew, JoinChoice::Plain, JoinChoice::None];
    let heavy = [0, 3].map(|heavy| ScanOptions { heavy, ..usual });
    joins.map(|join| ScanOptions { join, ..usual }).into_iter().chain(heavy).collect()
}

/// Every way, with those keys heavy that have more than a few pairs.
fn joins_of_heavies() -> impl Iterator<Item = ScanOptions> {
    let joins = [JoinChoice::Cheapest, JoinChoice::Skew, JoinChoice::Plain, JoinChoice::None];
    joins.into_iter().map(|join| ScanOptions { join, heavy: 3, ..hashed() })
}

/// Joins, joins of several equalities, sweeps within heavy keys, and joins of parts of branches.
fn count_accesses(paper: &Paper<'_>, counts: &mut [usize; 4]) {
    let Prepared { encoded, plan, .. } = &paper.prepared;
    for block in blocks(&paper.prepared.area()) {
        for access in accesses(encoded, plan.program(), &block, &Control::default())
            .unwrap_or_else(|error| panic!("{error}"))
        {
            match access {
                Access::Join(join) => {
                    counts[0] += 1;
                    counts[1] += usize::from(join.predicates.len() > 1);
                    let is_whole = |branch: &BranchSteps| branch.steps.start == join.settings.from;
                    counts[3] += usize::from(!plan.program().branches().iter().any(is_whole));
                }
                Access::Sweep(sweep) => counts[2] += usize::from(sweep.within.is_some()),
                // Tables are too small for it.
                Access::Overlap(_) => {}
            }
        }
    }
}

fn random_keys(bench: Bench) {
    let bench = bench.shape(32, 2, 64);
    let (device, narrow) = (bench.open(), bench.results(32).open());
    let options: Vec<_> = match bench.on {
        On::Cpu | On::Threads => joins(),
        On::Gpu => joins().into_iter().chain(joins_of_heavies()).collect(),
    };
    let counts = Cell::new([0; 4]);
    let (n_cases, most_rows) = bench.by((80, 60), (6, 30), (40, 60));
    for_cases(n_cases, &keyed_cases(most_rows), |paper| {
        let wanted = paper.oracle();
        for &options in &options {
            let again = paper.again(&|job| job.scan_options(options).cost(by_pairs()));
            let mut counted = counts.get();
            count_accesses(&again, &mut counted);
            counts.set(counted);
            let name = |how: &str| format!("{} {how} with {options:?}", device.name());
            paper.assert_same(&name("at once"), &wanted, &again.run(&*device));
            if bench.on == On::Cpu {
                paper.assert_same(&name("in halves"), &wanted, &again.run_in_halves(&*device, 5));
                paper.assert_same(&name("in pieces"), &wanted, &again.run(&SmallCpu(400)));
            }
        }
        let of_records = |job: Job| {
            let options = ScanOptions { heavy: 3, ..hashed() };
            job.scan_options(options).variants(vec![Variant::NoDictionary, Variant::NoSeq])
        };
        paper.assert_same("by records", &wanted, &paper.again(&of_records).run(&*device));
        if bench.on == On::Gpu && wanted.len() < 300 {
            paper.assert_same("the GPU, with little room", &wanted, &paper.run(&*narrow));
        }
    });
    // The others see fewer cases.
    if bench.on == On::Cpu {
        let counts = counts.get();
        assert!(counts.iter().all(|&n| n > 20), "too few of joins, wide keys, heavy keys, parts: {counts:?}");
    }
}

/// A table of places as frequent as words are, or two: some heavy, most of them light.
fn places(n_left: usize, n_right: usize) -> [Case; 2] {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND abs(l.n - r.n) <= 20",
        "l.work = r.work AND l.state = r.state AND l.n = r.n",
        "l.work = r.home AND jaro_winkler_similarity(l.name, r.name) >= 0.9 AND l.n < r.n",
    ];
    let left = zipf_sheet(n_left, 0);
    [None, Some(zipf_sheet(n_right, 9))].map(|right| Case {
        left: left.clone(),
        right,
        whens: whens.map(str::to_owned).to_vec(),
    })
}

/// Under the bound that is the default too, which on threads is the only one.
fn heavy_keys(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 16).open();
    for case in places(600, 400) {
        // However many threads there are.
        let paper = prepare(&case).again(&|job| job.cost(by_pairs()));
        let wanted = paper.oracle();
        assert!(wanted.len() > 5000, "{} candidates are few", wanted.len());
        let mut counts = [0; 4];
        count_accesses(&paper, &mut counts);
        assert!(counts[..3].iter().all(|&n| n > 0), "no joins, wide keys or heavy keys: {counts:?}");
        paper.assert_same(&device.name(), &wanted, &paper.run(&*device));
        for options in bench.by(joins(), Vec::new(), joins()) {
            let again = paper.again(&|job| job.scan_options(options));
            let name = format!("{} with {options:?}", device.name());
            paper.assert_same(&name, &wanted, &again.run(&*device));
        }
    }
}

fn many_heavy_keys(bench: Bench) {
    let device = bench.open();
    for case in places(4000, 3000) {
        let paper = prepare(&case);
        let wanted = paper.run(&Cpu::new());
        for options in joins_of_heavies() {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("the GPU with {options:?}"), &wanted, &again.run(&*device));
        }
    }
}
