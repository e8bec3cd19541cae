//! The scan: all pairs of every [workload](super::workload) on every device, side by side.
//!
//! What is timed begins with encoded columns in memory and ends with all candidates back there. Each device runs the plan
//! that it would run for a user, and all must find the same number of candidates, the right one where it is known.

use super::measure::{Times, scan};
use super::workload::data_sets;
use super::{ScanArgs, Workload};
use crate::record;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use hyperblock::Control;
use hyperblock::device;
use hyperblock::device::cuda;
use hyperblock::operators::Backend;
use hyperblock::{DeviceChoice, Job};

pub(super) fn run(args: &ScanArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let workloads =
        if args.workload.is_empty() { Workload::value_variants() } else { args.workload.as_slice() };
    let mut lines = vec![
        "workload,device,rows,pairs,candidates,runs,median_s,fastest_s,slowest_s,pairs_per_s".to_owned(),
    ];
    for &workload in workloads {
        let rows = workload.rows(args.rows);
        let Some(files) = workload.make(rows)? else {
            println!("{}: left out, its tables are not in {}", workload.name(), data_sets().display());
            continue;
        };
        measure(workload, rows, &files.job(), &devices, &mut lines)?;
    }
    match &args.save {
        Some(folder) => record::save(folder, "scan", &lines),
        None => Ok(()),
    }
}

/// The devices that are asked for; if none, the CPU, and a GPU where there is one.
pub(crate) fn open(asked: &[String]) -> Result<Vec<Box<dyn Backend>>> {
    let open = |name: &String| -> Result<_> {
        let choice: DeviceChoice = name.parse().map_err(anyhow::Error::msg)?;
        Ok(device::open(choice, None)?)
    };
    names(asked).iter().map(open).collect()
}

/// Their names, as for `hyperblock --device`.
pub(crate) fn names(asked: &[String]) -> Vec<String> {
    let gpu = || cuda::gpus().is_ok().then(|| "cuda".to_owned());
    match asked {
        [] => [Some("cpu".to_owned()), gpu()].into_iter().flatten().collect(),
        asked => asked.to_vec(),
    }
}

/// Measures a workload on every device, and adds a line for each.
fn measure(
    workload: Workload,
    rows: u32,
    job: &Job,
    devices: &[Box<dyn Backend>],
    lines: &mut Vec<String>,
) -> Result<()> {
    let name = workload.name();
    let mut known = workload.known(rows);
    let mut first_rate = None;
    for device in devices {
        let job = job.prepare(&**device, &Control::default())?;
        let n_pairs = job.area().n_pairs();
        let mut n_found = 0;
        let times = Times::of(|| {
            n_found = scan(&job, job.plan.program(), &**device)?;
            Ok(())
        })?;
        let device = device.name();
        let wanted = *known.get_or_insert(n_found);
        ensure!(n_found == wanted, "{name}: {n_found} candidates on {device}, but {wanted} are right");
        let (n_runs, median, fastest, slowest) =
            (times.n_runs(), times.median(), times.fastest(), times.slowest());
        let rate = n_pairs as f64 / median;
        let ratio = rate / *first_rate.get_or_insert(rate);
        println!(
            "{name:12} {device:24} {:9.4} billion pairs a second  ({median:.4} s median of {n_runs}, \
             {fastest:.4} to {slowest:.4}; {n_found} candidates; {ratio:.1}x)",
            rate / 1e9,
        );
        lines.push(format!(
            "{name},{device},{rows},{n_pairs},{n_found},{n_runs},{median:.6},{fastest:.6},{slowest:.6},{rate:.0}"
        ));
    }
    Ok(())
}
