//! Measuring: for each list of places all schedules and numbers of tasks, by turns, beside the same device by itself.

use super::ScheduleArgs;
use crate::bench::Workload;
use crate::bench::measure::Times;
use crate::record;
use anyhow::{Result, ensure};
use hyperblock::base::latency::Shared;
use hyperblock::device::{self, DeviceList, Schedule, cuda};
use hyperblock::operators::Backend;
use hyperblock::run::loaded::Loaded;
use hyperblock::run::schedule;
use hyperblock::{Control, Job, Prepared};
use std::time::Duration;

const PARTITIONS: [u32; 6] = [1, 4, 16, 64, 256, 1024];
const SCHEDULES: [Schedule; 4] =
    [Schedule::Steal, Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin];
/// What takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(2);
const HEAD: &str = "workload,devices,schedule,partitions,tasks,stolen,imbalance,candidates,runs,median_s,fastest_s,slowest_s";

/// One way to share a job.
struct Way {
    schedule: Schedule,
    /// None: as many as the engine takes by itself.
    partitions: Option<u32>,
    device: Box<dyn Backend>,
}

pub(crate) fn run(args: &ScheduleArgs) -> Result<()> {
    let usual = [Workload::Levenshtein, Workload::Traffic];
    let workloads = if args.workload.is_empty() { &usual[..] } else { &args.workload };
    let lists = if args.devices.is_empty() { usual_lists() } else { args.devices.clone() };
    let mut lines = vec![HEAD.to_owned()];
    for &workload in workloads {
        let rows = workload.rows(args.rows);
        let Some(files) = workload.make(rows)? else {
            println!("{}: left out, its tables are not there", workload.name());
            continue;
        };
        let mut known = workload.known(rows);
        for list in &lists {
            measure((&workload.name(), list), &files.job(), args, &mut known, &mut lines)?;
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "schedule", &lines),
        None => Ok(()),
    }
}

fn usual_lists() -> Vec<String> {
    let gpu: &[&str] = if cuda::gpus().is_ok() { &["cuda", "cuda/2", "cuda/4", "cuda,cpu"] } else { &[] };
    ["cpu", "cpu/2", "cpu/4"].iter().chain(gpu).map(|list| (*list).to_owned()).collect()
}

fn measure(
    (workload, list): (&str, &str),
    job: &Job,
    args: &ScheduleArgs,
    known: &mut Option<u64>,
    lines: &mut Vec<String>,
) -> Result<()> {
    let places: DeviceList = list.parse().map_err(anyhow::Error::msg)?;
    let partitions = if args.partitions.is_empty() { &PARTITIONS[..] } else { &args.partitions };
    let all = partitions.iter().map(|&n| Some(n)).chain([None]);
    let ways = all.flat_map(|partitions| SCHEDULES.map(|schedule| (schedule, partitions)));
    let ways: Vec<Way> = ways
        .map(|(schedule, partitions)| {
            let device = device::open_all(&places, None, schedule, partitions.map(|n| n as usize))?;
            Ok(Way { schedule, partitions, device })
        })
        .collect::<Result<_>>()?;
    let Some(first) = ways.first() else { return Ok(()) };
    let job = job.prepare(&*first.device, &Control::default())?;
    println!("{workload}, {}", first.device.name());
    let mut find = |device: &dyn Backend, control: &Control| {
        let n_found = found(&job, device, control)?;
        let wanted = *known.get_or_insert(n_found);
        ensure!(n_found == wanted, "{workload}, {list}: {n_found} candidates, but {wanted} are right");
        Ok(n_found)
    };
    let times = Times::in_turns(ways.len(), LONG, |ix| {
        find(&*ways[ix].device, &Control::default())?;
        Ok(())
    })?;
    for (way, times) in ways.iter().zip(times) {
        let control = Control::watching();
        let n_found = find(&*way.device, &control)?;
        let tasks = control.latencies().shared;
        let (n_stolen, imbalance) =
            (tasks.iter().filter(|task| task.was_stolen).count(), Shared(&tasks).imbalance());
        let asked = way.partitions.map_or("usual".to_owned(), |n| n.to_string());
        println!(
            "  {:12} {asked:>6} ({:5} tasks)  {:9.4} s median of {}, {:.4} to {:.4}; {n_stolen} stolen, the busiest place {imbalance:.2}",
            way.schedule.to_string(),
            tasks.len(),
            times.median(),
            times.n_runs(),
            times.fastest(),
            times.slowest(),
        );
        lines.push(format!(
            "{workload},{},{},{asked},{},{n_stolen},{imbalance:.4},{n_found},{},{:.6},{:.6},{:.6}",
            list.replace(',', "+"),
            way.schedule,
            tasks.len(),
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
        ));
    }
    Ok(())
}

/// How many candidates there are.
pub(crate) fn found(job: &Prepared, device: &dyn Backend, control: &Control) -> Result<u64> {
    let mut loaded = Loaded::new(device, &job.encoded, job.plan.program())?;
    let mut n_found = 0;
    schedule::run(&mut loaded, vec![job.area()], schedule::MOST_CANDIDATES, control, &mut |candidates| {
        n_found += candidates.len() as u64;
        Ok(())
    })?;
    Ok(n_found)
}
