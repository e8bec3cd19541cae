//! One suite for all backends: the CPU, the kernels on CPU threads, the GPU.
//!
//! A trial is a function of a [`Bench`], which opens devices of one backend. It is registered once, in the table of its
//! file, with the backends that it runs on, and is a test of its own on each: `joins::random_keys [threads]`. What
//! belongs to one backend alone stands in a row of its own there, with the reason.
//!
//! Where there is no GPU, its trials are reported as ignored, never as passed. The binary needs nothing of the source
//! tree, so it can be carried to a machine that has one: `backends '[gpu]'` runs those trials alone.

mod apart;
mod baselines;
mod bench;
mod budgets;
mod closures;
mod clusters;
mod each_rule;
mod errors;
mod guards;
mod jobs;
mod joins;
mod kept;
mod keys;
mod large;
mod lists;
mod made;
mod near;
mod neighbours;
mod overlaps;
mod papers;
mod places;
mod plans;
mod refusals;
mod relations;
mod scan;
mod scores;
mod several;
mod sheets;
mod similar;
mod survival;
mod variants;

use bench::{Bench, On, Registered};
use hyperblock::Threads;
use hyperblock::device::cuda;
use libtest_mimic::{Arguments, Trial};

/// All trials there are.
const TRIALS: &[&[Registered]] = &[
    scan::TRIALS,
    jobs::TRIALS,
    places::TRIALS,
    large::TRIALS,
    variants::TRIALS,
    plans::TRIALS,
    keys::TRIALS,
    guards::TRIALS,
    several::TRIALS,
    each_rule::TRIALS,
    errors::TRIALS,
    lists::TRIALS,
    made::TRIALS,
    similar::TRIALS,
    near::TRIALS,
    joins::TRIALS,
    overlaps::TRIALS,
    refusals::TRIALS,
    relations::TRIALS,
    closures::TRIALS,
    clusters::TRIALS,
    apart::TRIALS,
    survival::TRIALS,
    neighbours::TRIALS,
    scores::TRIALS,
    kept::TRIALS,
    budgets::TRIALS,
    baselines::TRIALS,
];

fn main() {
    let arguments = Arguments::from_args();
    let gpus = cuda::gpus();
    if let Err(reason) = &gpus {
        eprintln!("trials on the GPU are ignored: {reason}");
    }
    let trial = |registered: &Registered, on: On| {
        let check = registered.check;
        Trial::test(registered.name(on), move || {
            let run = || check(Bench::new(on));
            match on {
                // On threads of their own, as jobs from Python: small jobs wait less there. Other suites have the global pool.
                On::Cpu => Threads::new(None)?.run(run),
                On::Threads | On::Gpu => run(),
            }
            Ok(())
        })
        .with_ignored_flag(on == On::Gpu && gpus.is_err())
    };
    // Threads first: what takes longest is not to be left for the end.
    let backends = [On::Threads, On::Cpu, On::Gpu];
    let on = |on: On| {
        TRIALS.iter().copied().flatten().filter(move |it| it.on.contains(&on)).map(move |it| (it, on))
    };
    let trials = backends.into_iter().flat_map(on).map(|(registered, on)| trial(registered, on)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
