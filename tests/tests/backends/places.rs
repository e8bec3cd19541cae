//! Several places: whatever shares a job, however it is cut and dealt, and whoever fails, the candidates are the same.

use crate::bench::{Bench, EVERYWHERE, GPU, On, Registered, trials};
use crate::jobs::{Drawn, drawn};
use hyperblock::base::kept::Kept;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::{Copies, Cuda};
use hyperblock::device::{Fault, Schedule, Several, gpus};
use hyperblock::{Control, Error};
use hyperblock_tests::case::{Case, is_no_rule};
use hyperblock_tests::generate::zipf_sheet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [
        random_jobs_at_several_places, a_place_fails_at_any_task, all_places_fail, too_large_tasks, kept_runs,
    ],
    // The others have no columns but the host's.
    GPU => [places_share_columns, columns_come_from_another_device],
];

const SCHEDULES: [Schedule; 4] =
    [Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin, Schedule::Steal];

/// So many places of the bench's backend, and beside them a thread of the CPU.
fn places(bench: Bench, n: usize, schedule: Schedule, partitions: Option<usize>) -> Several {
    let own = (0..n).map(|_| {
        let device = bench.shape(32, 2, 1 << 14).open().boxed();
        (device, (bench.on == On::Cpu).then_some(1))
    });
    let beside = [(Box::new(Cpu::new()) as Box<_>, Some(1))];
    let several = Several::new(own.chain(beside).collect(), schedule, partitions);
    several.unwrap_or_else(|error| panic!("{error}"))
}

/// A place that fails says so as a driver does.
fn failure() -> Error {
    Error::Driver { device: "a place".into(), doing: "a test".into(), reason: "it was asked to fail".into() }
}

fn random_jobs_at_several_places(bench: Bench) {
    let (n_jobs, most_rows) = (bench.by(60, 8, 60), bench.by(60, 24, 60));
    let mut n_checked = 0;
    for seed in 1_000..1_000 + n_jobs {
        let job: Drawn = drawn(seed, most_rows);
        let plain = match job.case.prepare() {
            Ok(paper) => paper,
            Err(error) if is_no_rule(&error) => continue,
            Err(error) => panic!("{error}\n{:?}", job.case),
        };
        let wanted = plain.run(&Cpu::new());
        let paper = plain.again(&|unplanned| job.apply(unplanned));
        let schedule = SCHEDULES[seed as usize % 4];
        let partitions = [None, Some(1), Some(2), Some(7), Some(40), Some(1024)][seed as usize % 6];
        let mut several = places(bench, 1 + seed as usize % 3, schedule, partitions);
        // Of every other job, the first place does some tasks, and then no more.
        if seed % 2 == 0 {
            let n_left = AtomicUsize::new(seed as usize % 5);
            let fails = move |place, _| {
                let is_over = || n_left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_err();
                (place == 0 && is_over()).then(failure)
            };
            several = several.with_fault(Box::new(fails));
        }
        let name = format!("job {seed} in {partitions:?} tasks, by {schedule}");
        paper.assert_same(&name, &wanted, &paper.run(&several));
        n_checked += 1;
    }
    assert!(n_checked > n_jobs / 2, "only {n_checked} jobs had rules");
}

/// Rules of all access paths.
fn case(bench: Bench) -> Case {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1",
        "jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.5 AND l.state = r.state",
        "abs(l.n - r.n) <= 1 AND l.work = r.home",
    ];
    Case {
        left: zipf_sheet(bench.by(300, 40, 300), 7),
        right: None,
        whens: whens.map(str::to_owned).to_vec(),
    }
}

fn a_place_fails_at_any_task(bench: Bench) {
    let case = case(bench);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    let wanted = paper.run(&Cpu::new());
    assert!(!wanted.is_empty());
    // How often somebody was asked to fail, and did.
    let n_failures = Arc::new(AtomicUsize::new(0));
    for schedule in SCHEDULES {
        for task in 0..bench.by(12usize, 3, 12) {
            for n_fail in 1..=2 {
                let several = places(bench, 2, schedule, Some(40));
                // Whoever comes to this task first fails; or the first two do.
                let (n_left, failed) = (AtomicUsize::new(n_fail), n_failures.clone());
                let fails = move |_, at| {
                    let is_left = || n_left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_ok();
                    (at == task && is_left()).then(|| {
                        failed.fetch_add(1, Relaxed);
                        failure()
                    })
                };
                let several = several.with_fault(Box::new(fails) as Fault);
                let name = format!("{n_fail} fail at task {task}, by {schedule}");
                paper.assert_same(&name, &wanted, &paper.run(&several));
            }
        }
    }
    // There are tasks enough that most of these failures happened.
    let n_asked = SCHEDULES.len() * bench.by(12, 3, 12) * 3;
    assert!(n_failures.load(Relaxed) > n_asked / 2, "{} of {n_asked}", n_failures.load(Relaxed));
}

/// Jobs end at any task, and go on with what was kept until then.
fn kept_runs(bench: Bench) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let (n_jobs, most_rows) = (bench.by(40, 6, 40), bench.by(60, 24, 60));
    let (mut n_checked, mut n_found) = (0, 0);
    for seed in 5_000..5_000 + n_jobs {
        let job: Drawn = drawn(seed, most_rows);
        let Ok(plain) = job.case.prepare() else { continue };
        let wanted = plain.run(&Cpu::new());
        let paper = plain.again(&|unplanned| job.apply(unplanned));
        let at = folder.path().join(seed.to_string());
        let ends = [Some(seed as usize % 7), Some(5 + seed as usize % 9), None];
        for (nth, ends_at) in ends.into_iter().enumerate() {
            let several = places(bench, 1 + seed as usize % 2, Schedule::Steal, Some(12));
            let ends = move |_, task| (Some(task) == ends_at).then_some(Error::Interrupted);
            let control = Control::default();
            let kept = Kept::open(&at, "a job", nth > 0);
            control.keep_runs(kept.unwrap_or_else(|error| panic!("{error}")));
            match paper.run_controlled(&several.with_fault(Box::new(ends)), &control) {
                Ok(found) => paper.assert_same(&format!("job {seed}, resumed"), &wanted, &found),
                Err(Error::Interrupted) => assert!(ends_at.is_some()),
                Err(error) => panic!("{error}"),
            }
            n_found += control.kept().map_or(0, |kept| kept.counts().0);
        }
        n_checked += 1;
    }
    assert!(n_checked > n_jobs / 2, "only {n_checked} jobs had rules");
    assert!(n_found > n_jobs as usize, "only {n_found} runs were taken from before");
}

/// A place that has no room for the tasks it is given does them in parts, even if nobody else is there.
fn too_large_tasks(bench: Bench) {
    let case = case(bench);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    let wanted = paper.run(&Cpu::new());
    for schedule in SCHEDULES {
        let n_refused = Arc::new(AtomicUsize::new(0));
        let refused = n_refused.clone();
        // All of the job as one task.
        let refuses = move |_, at| {
            (at == 0).then(|| {
                refused.fetch_add(1, Relaxed);
                Error::DeviceMemory { device: "a place".into(), need: 2, free: 1 }
            })
        };
        let several = places(bench, 1, schedule, Some(1)).with_fault(Box::new(refuses));
        paper.assert_same(&format!("too large, by {schedule}"), &wanted, &paper.run(&several));
        assert_eq!(n_refused.load(Relaxed), 1);
    }
}

fn all_places_fail(bench: Bench) {
    let case = case(bench);
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    for schedule in SCHEDULES {
        let several = places(bench, 2, schedule, Some(5)).with_fault(Box::new(|_, _| Some(failure())));
        let ran = paper.prepared.run(&several, &Control::default(), &mut |_| Ok(()));
        let error = ran.expect_err("nobody was left");
        assert_eq!(error.to_string(), "a place: a test: it was asked to fail");
    }
}

/// Runs random jobs at GPU places, then has the first one fail, which others have their columns from.
fn check_gpu_places(bench: Bench, open: impl Fn() -> hyperblock::Result<Vec<Cuda>>) {
    let several = |nth: usize| {
        let places = open().unwrap_or_else(|error| panic!("{error}"));
        let places = places.into_iter().map(|place| (Box::new(place) as Box<_>, None)).collect();
        Several::new(places, SCHEDULES[nth % 4], Some(7)).unwrap_or_else(|error| panic!("{error}"))
    };
    let jobs = (2_000..2_040).map(|seed| drawn(seed, 60).case).chain([case(bench)]);
    let mut n_checked = 0;
    for (nth, case) in jobs.enumerate() {
        let paper = match case.prepare() {
            Ok(paper) => paper,
            Err(error) if is_no_rule(&error) => continue,
            Err(error) => panic!("{error}\n{case:?}"),
        };
        let wanted = paper.run(&Cpu::new());
        let places = several(nth);
        // The second time, the columns of the first are gone.
        for name in ["at first", "once more"] {
            paper.assert_same(&format!("job {nth}, {name}"), &wanted, &paper.run(&places));
        }
        let fails = |place, _| (place == 0).then(failure);
        let places = several(nth).with_fault(Box::new(fails));
        paper.assert_same(&format!("job {nth}, the first place fails"), &wanted, &paper.run(&places));
        n_checked += 1;
    }
    assert!(n_checked > 20, "only {n_checked} jobs had rules");
}

fn places_share_columns(bench: Bench) {
    check_gpu_places(bench, || Cuda::open(0)?.shares(3));
}

/// From the first GPU to the last one, or to other places of it where there is one.
fn columns_come_from_another_device(bench: Bench) {
    let last = gpus().map_or(0, |gpus| gpus.len().saturating_sub(1));
    check_gpu_places(bench, || {
        let copies = Arc::<Copies>::default();
        let own = |gpu: Cuda| gpu.with_copies(copies.clone()).with_own_columns();
        let mut places = own(Cuda::open(0)?).shares(2)?;
        places.push(own(Cuda::open(last)?));
        Ok(places)
    });
}
