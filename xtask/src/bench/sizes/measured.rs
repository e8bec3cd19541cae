//! Measuring: each workload on each device with all sizes, by turns; the best first.

use super::SizesArgs;
use crate::bench::Workload;
use crate::bench::measure::{LONG, Times, checksum, replanned, scan, scan_to};
use crate::bench::scan::open;
use crate::bench::workload::data_sets;
use crate::record;
use anyhow::{Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::plan::{AccessChoice, Plan, ScanOptions};
use hyperblock::{Control, Job, Prepared};

const HEAD: &str =
    "workload,device,rows,access,interval,window,candidates,runs,median_s,fastest_s,slowest_s,over_best";

/// What was found: how many candidates, and which.
type Found = (u64, u64);

/// One size.
struct Figure {
    interval: u32,
    window: u32,
    times: Times,
}

pub(crate) fn run(args: &SizesArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let access: AccessChoice = args.access.parse().map_err(anyhow::Error::msg)?;
    let usual = [Workload::Levenshtein, Workload::Papers, Workload::Traffic];
    let workloads = if args.workload.is_empty() { &usual[..] } else { &args.workload };
    let mut lines = vec![HEAD.to_owned()];
    for &workload in workloads {
        let (name, rows) = (workload.name(), workload.rows(args.rows));
        let Some(files) = workload.make(rows)? else {
            println!("{name}: left out, its tables are not in {}", data_sets().display());
            continue;
        };
        let mut known = None;
        for device in &devices {
            let sizes = grid(args, access);
            let figures = measure(&name, &files.job(), &sizes, &**device, &mut known)?;
            let n_found = known.map_or(0, |(n_found, _)| n_found);
            if let Some(wanted) = workload.known(rows) {
                ensure!(n_found == wanted, "{name}: {n_found} candidates, but {wanted} are right");
            }
            println!("{name}, {rows} records on {}: {n_found} candidates", device.name());
            let best = figures.first().map_or(0.0, |figure| figure.times.median());
            for figure in &figures {
                figure.print(best);
                let what = format!("{name},{},{rows},{access}", device.name());
                lines.push(figure.line(&what, n_found, best));
            }
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "sizes", &lines),
        None => Ok(()),
    }
}

/// All intervals with all windows.
fn grid(args: &SizesArgs, access: AccessChoice) -> Vec<ScanOptions> {
    let windows = |&interval: &u32| {
        let size = move |&window: &u32| ScanOptions { interval, window, access, ..ScanOptions::default() };
        args.window.iter().map(size)
    };
    args.interval.iter().flat_map(windows).collect()
}

/// Measures a job with all sizes, and has the best first.
fn measure(
    name: &str,
    job: &Job,
    sizes: &[ScanOptions],
    device: &dyn Backend,
    known: &mut Option<Found>,
) -> Result<Vec<Figure>> {
    let job = job.prepare(device, &Control::default())?;
    let plans = sizes.iter().map(|size| replanned(&job, &[], *size)).collect::<Result<Vec<_>>>()?;
    // Once to see what is found, which is not timed.
    for (ScanOptions { interval, window, .. }, plan) in sizes.iter().zip(&plans) {
        let found = found(&job, plan, device)?;
        let wanted = *known.get_or_insert(found);
        ensure!(
            found == wanted,
            "{name}, intervals of {interval}, {window} at once, on {}: {} candidates, and before {}, or not the same",
            device.name(),
            found.0,
            wanted.0
        );
    }
    let times = Times::in_turns(plans.len(), LONG, |ix| {
        scan(&job, plans[ix].program(), device)?;
        Ok(())
    })?;
    let figure = |(size, times): (&ScanOptions, Times)| {
        let &ScanOptions { interval, window, .. } = size;
        Figure { interval, window, times }
    };
    let mut figures: Vec<Figure> = sizes.iter().zip(times).map(figure).collect();
    figures.sort_by(|some, others| some.times.median().total_cmp(&others.times.median()));
    Ok(figures)
}

fn found(job: &Prepared, plan: &Plan, device: &dyn Backend) -> Result<Found> {
    let mut found = (0, 0);
    scan_to(job, plan.program(), device, &mut |candidates| {
        found.0 += candidates.len() as u64;
        for candidate in candidates {
            let pair = u64::from(candidate.left) << 32 | u64::from(candidate.right);
            found.1 = checksum(checksum(found.1, pair), candidate.rule.into());
        }
    })?;
    Ok(found)
}

impl Figure {
    fn print(&self, best: f64) {
        let Self { interval, window, times } = self;
        let usual = ScanOptions::default();
        let mark =
            if (*interval, *window) == (usual.interval, usual.window) { "  the usual size" } else { "" };
        println!(
            "  interval {interval:4}, window {window:5}  {:9.4} s median of {}, {:.4} to {:.4}  {:5.2} of the best{mark}",
            times.median(),
            times.n_runs(),
            times.fastest(),
            times.slowest(),
            times.median() / best,
        );
    }

    fn line(&self, what: &str, n_found: u64, best: f64) -> String {
        let Self { interval, window, times } = self;
        format!(
            "{what},{interval},{window},{n_found},{},{:.6},{:.6},{:.6},{:.3}",
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
            times.median() / best,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD, grid, measure};
    use crate::bench::Workload;
    use crate::{Cli, Command, bench};
    use clap::Parser;
    use hyperblock::device::cpu::Cpu;
    use hyperblock::plan::AccessChoice;

    #[test]
    fn all_sizes_find_the_same_and_the_best_comes_first() {
        let words = ["xtask", "bench", "sizes", "--interval", "32,256", "--window", "1,1024"];
        let Command::Bench(args) = Cli::parse_from(words).command else { panic!("{words:?}") };
        let bench::Command::Sizes(args) = args.command else { panic!("{words:?}") };
        let sizes = grid(&args, AccessChoice::Sweep);
        assert_eq!(
            sizes.iter().map(|size| (size.interval, size.window)).collect::<Vec<_>>(),
            [(32, 1), (32, 1024), (256, 1), (256, 1024)]
        );
        let job = Workload::Papers.make(400).unwrap().unwrap().job();
        let mut known = None;
        let figures = measure("papers", &job, &sizes, &Cpu::new(), &mut known).unwrap();
        assert_eq!(figures.len(), 4);
        assert!(figures.is_sorted_by_key(|figure| figure.times.median()));
        let (n_found, best) = (known.unwrap().0, figures[0].times.median());
        let line = figures[3].line("papers,cpu,400,sweep", n_found, best);
        assert_eq!(line.split(',').count(), HEAD.split(',').count());
        // Other candidates, though as many.
        let wrong = &mut known.map(|(n_found, which)| (n_found, !which));
        assert!(measure("papers", &job, &sizes, &Cpu::new(), wrong).is_err());
    }
}
