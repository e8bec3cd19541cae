//! Variants: whatever is switched off, what is found stays the same.

use crate::bench::{Bench, EVERYWHERE, Registered, trials};
use crate::papers::for_random_cases;
use crate::sheets::heavy_sheet;
use hyperblock::Job;
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::{ScanOptions, Variant};
use hyperblock_tests::case::Case;

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_cases, windows_and_stealing]];

/// The parts of the scan that can be switched off, alone and together.
fn of_the_scan() -> Vec<Vec<Variant>> {
    let alone = [
        Variant::NoSeq,
        Variant::NoPsw,
        Variant::NoStealing,
        Variant::NoQueue,
        Variant::NoFilter,
        Variant::NoDictionary,
    ];
    let together = [
        vec![Variant::NoHo, Variant::NoFilter],
        vec![Variant::NoHo, Variant::NoFilter, Variant::NoDictionary],
    ];
    alone.iter().map(|&variant| vec![variant]).chain(together).collect()
}

/// Every variant of the planner and of the scan, some of them together.
fn all() -> Vec<Vec<Variant>> {
    let alone = Variant::ALL.iter().map(|&variant| vec![variant]);
    let together = [vec![Variant::NoPo, Variant::NoRo], vec![Variant::NoRo, Variant::SOrder]];
    alone.chain(together).chain(of_the_scan().into_iter().filter(|set| set.len() > 1)).collect()
}

/// All variants, and every source of costs; on threads those of the scan, which the kernels have code for.
fn random_cases(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let sets = bench.by(all(), of_the_scan(), all());
    let costs = [CostSource::Static, CostSource::Measured];
    let costs = bench.by(&costs[..], &[], &costs);
    let (n_cases, most_rows) = bench.by((60, 40), (8, 30), (25, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let wanted = paper.oracle();
        let with = |name: &str, change: &dyn Fn(Job) -> Job| {
            let again = paper.again(change);
            paper.assert_same(&format!("{} {name}", device.name()), &wanted, &again.run(&*device));
        };
        for set in &sets {
            with(&format!("as {set:?}"), &|job| job.variants(set.clone()));
        }
        for cost in costs {
            with(&format!("with {cost} costs"), &|job| job.cost(cost.clone()));
        }
    });
}

/// Few values have most of the records, so that blocks rob each other all the time, with windows and intervals of all
/// sizes.
fn windows_and_stealing(bench: Bench) {
    let n_rows = bench.by(1_000, 60, 6_000);
    let left = heavy_sheet(n_rows, ["maria garcia", "mario garcia"], &['a', 'e', 'n', 's', 't']);
    let whens = [
        "levenshtein(l.name, r.name) <= 1 AND NOT l.zip = r.zip AND jaro_winkler_similarity(l.zip, r.zip) > 0.9",
        "l.zip = r.zip AND levenshtein_similarity(l.name, r.name) >= 0.6",
    ];
    let case = Case { left, right: None, whens: whens.map(str::to_owned).to_vec() };
    let prepare = |change: &dyn Fn(Job) -> Job| {
        case.prepare_with(change).unwrap_or_else(|error| panic!("{error}\n{case:?}"))
    };
    let device = bench.shape(32, 2, 1 << 12).open();
    let wanted = prepare(&|job| job).run(&Cpu::new());
    for (interval, window) in [(256, 1024), (32, 1024), (64, 7), (512, 3), (32, 1)] {
        for set in [vec![], vec![Variant::NoPsw], vec![Variant::NoStealing], vec![Variant::NoQueue]] {
            let scan = ScanOptions { interval, window, ..ScanOptions::default() };
            let got = prepare(&|job| job.variants(set.clone()).scan_options(scan)).run(&*device);
            let (n, m) = (got.len(), wanted.len());
            assert!(got == wanted, "{interval} × {window} as {set:?}: {n} candidates, not {m}");
        }
    }
}
