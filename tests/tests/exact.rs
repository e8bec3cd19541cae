//! Exactness: every backend finds what the oracle finds, no more, no less, in the same order.

use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::plan::access::{Access, accesses};
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::partition::blocks;
use hyperblock::plan::{BranchSteps, JoinChoice, ScanOptions, Variant};
use hyperblock::{Job, Prepared};
use hyperblock_tests::case::{Case, Paper, Sheet};
use hyperblock_tests::generate::{
    cases, for_cases, keyed_cases, nothing_to_compare, regular_rules, regular_sheet, zipf_sheet,
};
use hyperblock_tests::small::SmallCpu;
use hyperblock_tests::threads::KernelOnThreads;
use std::cell::Cell;

/// Runs `check` over random cases.
fn for_random_cases(n_cases: u32, most_rows: usize, check: impl Fn(&Paper<'_>)) {
    for_cases(n_cases, &cases(most_rows), check);
}

/// Every variant of the planner, some of them together, and every source of costs.
#[test]
fn variants() {
    let mut sets: Vec<Vec<Variant>> = Variant::ALL.iter().map(|&variant| vec![variant]).collect();
    sets.extend([vec![Variant::NoPo, Variant::NoRo], vec![Variant::NoRo, Variant::SOrder]]);
    let costs = [CostSource::Static, CostSource::Measured];
    for_random_cases(60, 40, |paper| {
        let wanted = paper.oracle();
        let with = |name: &str, change: &dyn Fn(Job) -> Job| {
            let again = paper.again(change);
            paper.assert_same(name, &wanted, &again.run(&Cpu::new()));
        };
        for set in &sets {
            with(&format!("the CPU as {set:?}"), &|job| job.variants(set.clone()));
        }
        for cost in &costs {
            with(&format!("the CPU with {cost} costs"), &|job| job.cost(cost.clone()));
        }
    });
}

fn assert_exact(paper: &Paper<'_>, device: &dyn Backend) {
    paper.assert_same(&device.name(), &paper.oracle(), &paper.run(device));
}

#[test]
fn cpu() {
    for_random_cases(800, 60, |paper| assert_exact(paper, &Cpu::new()));
}

#[test]
fn tasks_done_again_in_halves() {
    for_random_cases(100, 60, |paper| {
        for most in [0, 5] {
            let found = paper.run_in_halves(&Cpu::new(), most);
            paper.assert_same("the CPU, in halves", &paper.oracle(), &found);
        }
    });
}

#[test]
fn cpu_in_pieces() {
    for_random_cases(100, 60, |paper| {
        for memory in [400, 3000] {
            assert_exact(paper, &SmallCpu(memory));
        }
    });
}

#[test]
fn kernel_on_threads_in_pieces() {
    let device = KernelOnThreads::new(32, 1, 1 << 12).with_memory(1500);
    for_random_cases(10, 20, |paper| assert_exact(paper, &device));
}

#[test]
fn kernel_on_threads() {
    let device = KernelOnThreads::new(64, 2, 1 << 12);
    for_random_cases(40, 40, |paper| assert_exact(paper, &device));
}

#[test]
fn kernel_on_threads_with_a_full_buffer() {
    let device = KernelOnThreads::new(32, 3, 32);
    for_random_cases(40, 40, |paper| assert_exact(paper, &device));
    assert!(device.n_too_many() > 0, "no buffer was ever full: the test tests nothing");
}

#[test]
fn kernel_on_threads_in_halves() {
    let device = KernelOnThreads::new(32, 2, 32);
    for_random_cases(6, 30, |paper| {
        paper.assert_same("the kernel, in halves", &paper.oracle(), &paper.run_in_halves(&device, 40));
    });
}

/// Sizes around a warp's and a block's.
#[test]
fn warp_edges() {
    let roomy = KernelOnThreads::new(32, 2, 1 << 12);
    let narrow = KernelOnThreads::new(64, 2, 32);
    for n_rows in [1, 31, 32, 33, 65] {
        let left = regular_sheet(n_rows, 0);
        let rights = [None, Some(regular_sheet(n_rows, 3)), Some(regular_sheet(2, 1))];
        for right in rights {
            let case = Case { left: left.clone(), right, whens: regular_rules() };
            let paper = case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"));
            let wanted = paper.oracle();
            assert!(n_rows == 1 || !wanted.is_empty(), "a case without candidates tests little");
            for device in [&Cpu::new() as &dyn Backend, &roomy, &narrow] {
                paper.assert_same(&device.name(), &wanted, &paper.run(device));
            }
        }
    }
    assert!(narrow.n_too_many() > 0);
}

/// The result buffer is far too small for any task, which is done in ever smaller parts.
#[test]
fn every_pair_is_a_candidate() {
    let whens = vec!["l.code <> ''".to_owned()];
    for right in [None, Some(regular_sheet(40, 5))] {
        let case = Case { left: regular_sheet(70, 0), right, whens: whens.clone() };
        let paper = case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"));
        let device = KernelOnThreads::new(64, 2, 32);
        assert_exact(&paper, &device);
        assert!(device.n_too_many() >= 70);
    }
}

#[test]
fn columns_without_values() {
    let case = nothing_to_compare();
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"));
    assert_eq!(paper.oracle().len(), 3, "all that is there is equal");
    assert_exact(&paper, &Cpu::new());
    assert_exact(&paper, &KernelOnThreads::new(32, 1, 32));
}

/// Every part of the scan that can be switched off, in the kernel.
#[test]
fn kernel_on_threads_as_variants() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    let sets = [
        vec![Variant::NoSeq],
        vec![Variant::NoPsw],
        vec![Variant::NoStealing],
        vec![Variant::NoQueue],
        vec![Variant::NoFilter],
        vec![Variant::NoDictionary],
        vec![Variant::NoHo, Variant::NoFilter],
    ];
    for_random_cases(8, 30, |paper| {
        let wanted = paper.oracle();
        for set in &sets {
            let again = paper.again(&|job| job.variants(set.clone()));
            paper.assert_same(&format!("the kernel as {set:?}"), &wanted, &again.run(&device));
        }
    });
}

/// Values that many records have: pairs of them are handed on, or expanded in place where there is no room for that.
#[test]
fn heavy_values() {
    let names = [("ann smith", 75), ("anne smith", 60), ("bob", 3), ("rob", 2), ("zoe", 1)];
    let row = |name: &str, ix: usize| vec![Some(name.to_owned()), Some((ix % 7).to_string())];
    let rows = names.iter().flat_map(|&(name, n)| (0..n).map(move |ix| row(name, ix))).collect();
    let left = Sheet::new(&["name", "n"], rows);
    let whens = vec!["levenshtein(l.name, r.name) <= 1 AND l.n <> r.n".to_owned()];
    for right in [None, Some(left.clone())] {
        let case = Case { left: left.clone(), right, whens: whens.clone() };
        let paper = case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"));
        let wanted = paper.oracle();
        assert!(wanted.len() > 4096, "nothing is heavy");
        let roomy = KernelOnThreads::new(64, 2, 1 << 16);
        let full = KernelOnThreads::new(64, 2, 1 << 16).with_room_for_heavies(0);
        for device in [&Cpu::new() as &dyn Backend, &roomy, &full] {
            paper.assert_same(&device.name(), &wanted, &paper.run(device));
        }
        assert!(roomy.n_heavies() > 0 && full.n_heavies() == 0, "nothing was handed on");
    }
}

/// Every way to make something of equalities, with all keys heavy, or those of more than a few pairs, or hardly any.
fn for_joins(mut check: impl FnMut(ScanOptions)) {
    for join in [JoinChoice::Skew, JoinChoice::Plain, JoinChoice::None] {
        check(ScanOptions { join, ..ScanOptions::default() });
    }
    for heavy in [0, 3] {
        check(ScanOptions { heavy, ..ScanOptions::default() });
    }
}

/// Joins, joins of several equalities, sweeps within heavy keys, and joins of parts of branches.
fn count_accesses(paper: &Paper<'_>, counts: &mut [usize; 4]) {
    let Prepared { encoded, plan, .. } = &paper.prepared;
    for block in blocks(&paper.prepared.task()) {
        for access in accesses(encoded, plan.program(), &block).unwrap_or_else(|error| panic!("{error}")) {
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

#[test]
fn keys() {
    let counts = Cell::new([0; 4]);
    for_cases(80, &keyed_cases(60), |paper| {
        let wanted = paper.oracle();
        for_joins(|options| {
            let again = paper.again(&|job| job.scan_options(options));
            let mut counted = counts.get();
            count_accesses(&again, &mut counted);
            counts.set(counted);
            let name = |how: &str| format!("the CPU {how} with {options:?}");
            paper.assert_same(&name("at once"), &wanted, &again.run(&Cpu::new()));
            paper.assert_same(&name("in halves"), &wanted, &again.run_in_halves(&Cpu::new(), 5));
            paper.assert_same(&name("in pieces"), &wanted, &again.run(&SmallCpu(400)));
        });
        let of_records = |job: Job| {
            let options = ScanOptions { heavy: 3, ..ScanOptions::default() };
            job.scan_options(options).variants(vec![Variant::NoDictionary, Variant::NoSeq])
        };
        paper.assert_same("the CPU by records", &wanted, &paper.again(&of_records).run(&Cpu::new()));
    });
    assert!(
        counts.get().iter().all(|&n| n > 20),
        "too few of joins, wide keys, heavy keys, parts: {counts:?}"
    );
}

#[test]
fn keys_in_the_kernel() {
    let device = KernelOnThreads::new(32, 2, 64);
    for_cases(6, &keyed_cases(30), |paper| {
        let wanted = paper.oracle();
        for_joins(|options| {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("the kernel with {options:?}"), &wanted, &again.run(&device));
        });
    });
}

/// Places as frequent as words are: some heavy, most of them light, under the bound that is the default too.
#[test]
fn heavy_keys() {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND abs(l.n - r.n) <= 20",
        "l.work = r.work AND l.state = r.state AND l.n = r.n",
        "l.work = r.home AND jaro_winkler_similarity(l.name, r.name) >= 0.9 AND l.n < r.n",
    ];
    let left = zipf_sheet(600, 0);
    for right in [None, Some(zipf_sheet(400, 9))] {
        let case = Case { left: left.clone(), right, whens: whens.map(str::to_owned).to_vec() };
        let paper = case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"));
        let wanted = paper.oracle();
        assert!(wanted.len() > 5000, "{} candidates are few", wanted.len());
        let mut counts = [0; 4];
        count_accesses(&paper, &mut counts);
        assert!(counts[..3].iter().all(|&n| n > 0), "no joins, wide keys or heavy keys: {counts:?}");
        for_joins(|options| {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("the CPU with {options:?}"), &wanted, &again.run(&Cpu::new()));
        });
        let device = KernelOnThreads::new(64, 2, 1 << 16);
        paper.assert_same(&device.name(), &wanted, &paper.run(&device));
    }
}
