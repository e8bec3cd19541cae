//! A job's paths, forced and timed.

use super::PathJob;
use anyhow::{Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::plan::access::Alternative;
use hyperblock::plan::work::{Rates, Work};
use hyperblock::{Control, Prepared};

/// A path that is expected to take so many times as long as the best is not tried, unless that is short.
const HOPELESS: f64 = 30.0;
const SHORT: f64 = 300.0;
/// Nor one that is expected to take so many times as long as the best, and so many milliseconds.
const SLOWER: f64 = 3.0;
const LONGEST: f64 = 10_000.0;
/// Runs of a path, of which the median counts; of a long one, one.
const RUNS: usize = 5;
const LONG: f64 = 500.0;
/// What takes so long takes as long the first time.
const VERY_LONG: f64 = 3_000.0;

/// A job by some path.
pub(crate) struct Timed {
    /// The job.
    pub(crate) job: String,
    /// The branch, among those that paths were chosen for, and which of its alternatives; the first is the plan's choice.
    pub(crate) branch: usize,
    pub(crate) nth: usize,
    /// The path, for people.
    pub(crate) path: String,
    /// What the job does in all, as one thread would have it.
    pub(crate) work: Work,
    pub(crate) expected: f64,
    /// Milliseconds of the scan.
    pub(crate) took: f64,
}

/// Times a job by each of its paths: the plan's own first, then each other one of each branch.
pub(crate) fn time(job: &PathJob, device: &dyn Backend) -> Result<Vec<Timed>> {
    let control = Control::default();
    let mut prepared = job.job.prepare(device, &control)?;
    let rates = prepared.plan.rates;
    let n_found = run(&prepared, device)?.1;
    let timed = |prepared: &Prepared, which| timed(&job.name, prepared, device, which, (&rates, n_found));
    let mut all = vec![timed(&prepared, (0, 0))?];
    let n_branches = prepared.plan.chosen.len();
    for branch in 0..n_branches {
        let best = prepared.plan.chosen[branch].alternatives.first().map_or(0.0, |it| it.milliseconds);
        for nth in 1..prepared.plan.chosen[branch].alternatives.len() {
            let expected = prepared.plan.chosen[branch].alternatives[nth].milliseconds;
            let is_hopeless = expected > SHORT && expected > HOPELESS * best.max(1.0);
            if is_hopeless || expected > LONGEST && expected > SLOWER * best {
                continue;
            }
            prepared.plan = prepared.plan.by(branch, nth)?;
            all.push(timed(&prepared, (branch, nth))?);
            prepared.plan = prepared.plan.by(branch, nth)?;
        }
    }
    Ok(all)
}

fn timed(
    job: &str,
    prepared: &Prepared,
    device: &dyn Backend,
    (branch, nth): (usize, usize),
    (rates, wanted): (&Rates, u64),
) -> Result<Timed> {
    let plan = &prepared.plan;
    let taken: Vec<&Alternative> = plan.chosen.iter().filter_map(|it| it.alternatives.first()).collect();
    let work = taken.iter().fold(Work::default(), |sum, it| sum + it.work);
    let predicate = |ix: u32| plan.predicates[ix as usize].to_string();
    let path = taken.get(branch).map_or_else(String::new, |it| it.path.describe(&predicate));
    let mut took = Vec::new();
    // The first run of all may have to load kernels, and does not count.
    for nth_run in 0..=RUNS {
        let (milliseconds, n_found) = run(prepared, device)?;
        ensure!(n_found == wanted, "{path}: {n_found} candidates, and by the plan's path {wanted}");
        if nth_run > 0 || milliseconds > VERY_LONG {
            took.push(milliseconds);
        }
        if !took.is_empty() && milliseconds > LONG {
            break;
        }
    }
    took.sort_by(f64::total_cmp);
    let (job, expected, work) = (job.to_owned(), rates.milliseconds(&work), rates.per_thread(&work));
    Ok(Timed { job, branch, nth, path, work, expected, took: took[took.len() / 2] })
}

/// The milliseconds of a scan, and how many candidates it found.
fn run(prepared: &Prepared, device: &dyn Backend) -> Result<(f64, u64)> {
    let summary = prepared.run(device, &Control::default(), &mut |_| Ok(()))?;
    Ok((summary.stages.of("scan").as_secs_f64() * 1e3, summary.n_candidates()))
}
