//! Memory that a GPU does not have, at any moment: the job finds what it finds, or ends in an error that says so, and the next job
//! on the same GPU is none the worse for it.

use crate::bench::{Bench, GPU, Registered, hashed, trials};
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::Cuda;
use hyperblock::operators::Backend;
use hyperblock::plan::{AccessChoice, ScanOptions, SimilarityChoice};
use hyperblock::{Control, Error, Job, Resolve, Result};
use hyperblock_tests::case::Case;
use hyperblock_tests::generate::zipf_sheet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

pub(crate) const TRIALS: &[Registered] = trials![
    // Nobody else has memory of its own.
    GPU => [refused_allocations, refused_while_resolving],
];

/// More than any job here asks for.
const MOST: i64 = 2_000;

/// Has a job refused its first allocation, then its second one, and so on, until it asks for no more. It comes to what is
/// wanted, or there was no memory.
fn refuse_each<T: PartialEq>(granted: &AtomicI64, wanted: &T, run: impl Fn() -> Result<T>) {
    let (mut n_refused, mut n_ended) = (0, 0);
    for nth in 0..MOST {
        granted.store(nth, Relaxed);
        let found = run();
        let is_over = granted.swap(i64::MAX, Relaxed) >= 0;
        match found {
            Ok(found) => {
                assert!(found == *wanted, "allocation {nth} was refused, and other candidates were found")
            }
            Err(Error::DeviceMemory { .. }) if !is_over => n_ended += 1,
            Err(error) => panic!("allocation {nth} was refused: {error}"),
        }
        if is_over {
            assert!(n_refused > 3, "only {n_refused} allocations");
            eprintln!("{n_refused} allocations were refused one by one; {n_ended} of them ended the job");
            return;
        }
        n_refused += 1;
    }
    panic!("more than {MOST} allocations");
}

fn device() -> (Cuda, Arc<AtomicI64>) {
    let granted = Arc::new(AtomicI64::new(i64::MAX));
    let device = Cuda::open(0).unwrap_or_else(|error| panic!("{error}")).refusing_after(granted.clone());
    (device, granted)
}

fn refused_allocations(_: Bench) {
    let (device, granted) = device();
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1",
        "jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.5 AND l.state = r.state",
        "jaccard(words(l.work), words(r.work)) >= 0.9 AND l.n = r.n",
        "abs(l.n - r.n) <= 1 AND l.work = r.home",
    ];
    let case = Case { left: zipf_sheet(600, 0), right: None, whens: whens.map(str::to_owned).to_vec() };
    let unlisted = ScanOptions { unlisted: 0, heavy: 3, ..hashed() };
    for options in [
        ScanOptions::default(),
        unlisted,
        ScanOptions { similarity: SimilarityChoice::Join, ..unlisted },
        ScanOptions { similarity: SimilarityChoice::Dense, ..unlisted },
        ScanOptions { access: AccessChoice::Sweep, unlisted: 0, ..ScanOptions::default() },
    ] {
        let change = |job: Job| job.scan_options(options);
        let plain = case.prepare_on(&Cpu::new(), &change).unwrap_or_else(|error| panic!("{error}"));
        let wanted = plain.run(&Cpu::new());
        refuse_each(&granted, &wanted, || {
            let paper = case.prepare_on(&device, &change)?;
            paper.run_controlled(&device, &Control::default())
        });
    }
}

const RULES: &str = r#"
[[rules]]
when = "l.home = r.home"
[[neighbourhoods]]
key = "l.name"
window = 3
[score]
threshold = 0.6
[[score.attributes]]
measure = "jaro_winkler(l.name, r.name)"
[[score.attributes]]
measure = "l.state = r.state"
"#;

fn refused_while_resolving(_: Bench) {
    let (device, granted) = device();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (table, rules) = (folder.path().join("table.csv"), folder.path().join("rules.toml"));
    let near = RULES.split("[score]").next().unwrap_or_default();
    for text in [RULES.to_owned(), RULES.replace(near, "[[rules]]\nwhen = \"l.home = r.home\"\n")] {
        std::fs::write(&table, zipf_sheet(300, 0).csv()).expect("a file can be written");
        std::fs::write(&rules, text).expect("a file can be written");
        let wanted = entities(&table, &rules, &Cpu::new()).unwrap_or_else(|error| panic!("{error}"));
        refuse_each(&granted, &wanted, || entities(&table, &rules, &device));
    }
}

fn entities(table: &Path, rules: &Path, device: &dyn Backend) -> Result<Vec<u32>> {
    let control = Control::default();
    Ok(Resolve::new(Job::dedupe(table, rules)).prepare(device, &control)?.run(device, &control)?.entities)
}
