//! Keys and lists that a device makes itself: whatever a branch looks at, what is found stays the same.

use crate::bench::{Bench, GPU, KERNELS, Registered, hashed, trials};
use crate::papers::{by_pairs, prepare};
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::access::{By, Lists};
use hyperblock::plan::overlap::Sampled;
use hyperblock::plan::path::KeyMethod;
use hyperblock::plan::task::Task;
use hyperblock::plan::{AccessChoice, ScanOptions, SimilarityChoice, Variant};
use hyperblock::{Control, Prepared};
use hyperblock_tests::case::{Case, Paper, Sheet};
use hyperblock_tests::generate::{cases, for_cases, keyed_cases, regular_rules, regular_sheet, zipf_sheet};

pub(crate) const TRIALS: &[Registered] = trials![
    // The CPU has the host list them.
    KERNELS => [random_lists, the_same_and_not_alike, every_kind_of_list],
    // Too many records for threads.
    GPU => [long_lists, columns_ahead],
];

/// Everything is listed by the device, and keys of more than a few pairs are heavy.
fn usual() -> ScanOptions {
    ScanOptions { unlisted: 0, heavy: 3, similarity: SimilarityChoice::Sweep, ..hashed() }
}

/// The same, but that nothing is joined.
fn swept() -> ScanOptions {
    ScanOptions { access: AccessChoice::Sweep, ..usual() }
}

/// The same, with values joined by what they have in common, through an index or by signatures.
fn joined() -> ScanOptions {
    ScanOptions { similarity: SimilarityChoice::Join, ..usual() }
}

/// See above.
fn dense() -> ScanOptions {
    ScanOptions { similarity: SimilarityChoice::Dense, ..usual() }
}

/// Lists by lead, light keys that are joined, light keys that are swept, heavy keys; sets that are joined, texts, and within
/// heavy keys.
fn count(paper: &Paper<'_>, counts: &mut [usize; 7]) {
    let Prepared { encoded, plan, .. } = &paper.prepared;
    let task = Task::unlisted(encoded, plan.program(), &paper.prepared.area(), &Control::default());
    for unlisted in task.unwrap_or_else(|error| panic!("{error}")).unlisted {
        match unlisted.by {
            By::Lead(Lists { overlap: None, .. }) => counts[0] += 1,
            By::Lead(Lists { overlap: Some(manner), .. }) => match manner.elements {
                Sampled::Tokens(_) | Sampled::Cells(_) => counts[4] += 1,
                Sampled::Grams { .. } => counts[5] += 1,
            },
            By::Key(by) => {
                counts[1] += usize::from(by.found_by == KeyMethod::Hash);
                counts[2] += usize::from(by.found_by == KeyMethod::Sweep);
                counts[3] += usize::from(by.heavy.is_some());
                counts[6] += usize::from(by.heavy.is_some_and(|(_, lists)| lists.overlap.is_some()));
            }
        }
    }
}

fn random_lists(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((0, 0), (8, 30), (60, 60));
    let check = |paper: &Paper<'_>| {
        let wanted = paper.oracle();
        for options in [usual(), swept(), joined(), dense()] {
            let again = paper.again(&|job| job.scan_options(options).cost(by_pairs()));
            let name = format!("{} with {options:?}", device.name());
            paper.assert_same(&name, &wanted, &again.run(&*device));
        }
    };
    for_cases(n_cases, &keyed_cases(most_rows), check);
    for_cases(n_cases, &cases(most_rows), check);
}

/// Values and records, texts and sets, short and long, numbers and codes, one column on both sides or two.
fn every_kind_of_list(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let n_rows = bench.by(0, 50, 300);
    let whens = [
        "levenshtein(l.name, r.name) <= 1",
        "jaccard(qgrams(l.home, 2), qgrams(r.work, 2)) >= 0.4",
        "abs(l.n - r.n) <= 2 AND l.state = r.state",
        "l.home = r.home AND jaro_winkler_similarity(l.name, r.name) >= 0.9",
        "l.state = r.state AND jaccard(words(l.work), words(r.work)) >= 0.5",
        "levenshtein_similarity(l.work, r.home) >= 0.6",
        "l.work = r.home AND l.state = r.state AND abs(l.n - r.n) <= 9",
        "l.work = r.work AND l.state = r.state AND l.n = r.n",
    ];
    let mut all_cases = Vec::new();
    for right in [None, Some(zipf_sheet(n_rows - n_rows / 3, 5))] {
        let all = whens.map(str::to_owned).to_vec();
        let each = all.iter().map(|when| vec![when.clone()]).chain([all.clone()]);
        all_cases.extend(each.map(|whens| Case { left: zipf_sheet(n_rows, 1), right: right.clone(), whens }));
    }
    all_cases.push(Case { left: regular_sheet(n_rows, 0), right: None, whens: regular_rules() });
    let mut counts = [0; 7];
    for case in &all_cases {
        let paper = prepare(case);
        let wanted = paper.run(&Cpu::new());
        for options in [usual(), swept(), joined(), dense()] {
            let again = paper.again(&|job| job.scan_options(options).cost(by_pairs()));
            count(&again, &mut counts);
            paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &again.run(&*device));
        }
        for variants in [vec![Variant::NoDictionary], vec![Variant::NoFilter]] {
            let again =
                paper.again(&|job| job.scan_options(usual()).variants(variants.clone()).cost(by_pairs()));
            let name = format!("{} as {variants:?}", device.name());
            paper.assert_same(&name, &wanted, &again.run(&*device));
        }
    }
    assert!(
        counts.iter().all(|&n| n > 3),
        "too few by lead, joined, swept, heavy, sets, texts, within keys: {counts:?}"
    );
}

/// Some hundred thousand records: lists of many tiles and many blocks.
fn long_lists(bench: Bench) {
    let device = bench.open();
    for right in [None, Some(zipf_sheet(70_000, 9))] {
        let whens = [
            "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND l.n = r.n",
            "l.work = r.work AND l.state = r.state AND l.n = r.n AND l.name = r.name",
        ];
        let case = Case { left: zipf_sheet(100_000, 0), right, whens: whens.map(str::to_owned).to_vec() };
        crate::papers::assert_as_on_the_cpu(&case, &device);
    }
}

/// Columns that come while others are encoded, of jobs that then have others: records that no rule is about are left out, or
/// heads have no signatures; and of a job that another one comes before.
fn columns_ahead(bench: Bench) {
    let device = bench.open();
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND l.n = r.n",
        "jaccard(words(l.work), words(r.work)) >= 0.9 AND l.state = r.state AND l.n = r.n",
    ];
    let some = "l.home = r.home AND l.name = r.name AND l.n <= 4 AND r.n <= 4";
    for whens in [whens.as_slice(), &[some]] {
        let whens = whens.iter().map(|&when| when.to_owned()).collect();
        let case = Case { left: zipf_sheet(60_000, 0), right: None, whens };
        let wanted = prepare(&case).run(&Cpu::new());
        assert!(!wanted.is_empty(), "a case without candidates tests little");
        let on = |variants: &[Variant]| {
            let change = |job: hyperblock::Job| job.variants(variants.to_vec());
            case.prepare_on(&*device, &change).unwrap_or_else(|error| panic!("{error}"))
        };
        let (first, second) = (on(&[]), on(&[Variant::NoFilter]));
        for paper in [&second, &first, &second] {
            assert!(paper.run(&*device) == wanted, "{}: other candidates", device.name());
        }
    }
}

/// Texts that are too short to have so much in common, even with themselves: records with the same one are no candidates.
fn the_same_and_not_alike(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let days =
        ["2019-01-01", "2019-06-13", "2019-07-23", "2020-02-29", "2020-04-10", "2020-12-18", "2021-05-05"];
    let alike = "lcs(right(year(l.d), 2), right(year(r.d), 2))";
    for n_days in [5, 7] {
        let rows = days[..n_days].iter().map(|day| vec![Some((*day).to_owned())]).collect();
        let left = Sheet::new(&["d"], rows);
        let case = Case { left, right: None, whens: vec![format!("NOT ({alike} = 2)")] };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        for options in [usual(), swept(), joined(), dense()] {
            let again = paper.again(&|job| job.scan_options(options).cost(by_pairs()));
            paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &again.run(&*device));
        }
    }
}
