//! Recording tasks, and replaying them.

use super::Args;
use super::model::{Link, Recorded, simulate};
use crate::record;
use anyhow::{Result, bail};
use hyperblock::device::{Schedule, Several, open};
use hyperblock::{Control, DeviceChoice};

const SCHEDULES: [Schedule; 4] =
    [Schedule::Steal, Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin];

pub(super) fn run(args: &Args) -> Result<()> {
    let rows = args.workload.rows(args.rows);
    let Some(files) = args.workload.make(rows)? else { bail!("the tables of this workload are not there") };
    let choice: DeviceChoice = args.device.parse().map_err(anyhow::Error::msg)?;
    let place = (open(choice, None)?, None);
    let device = Several::new(vec![place], Schedule::Steal, Some(args.partitions as usize))?;
    let job = files.job().prepare(&device, &Control::default())?;
    // Once to warm up.
    job.run(&device, &Control::default(), &mut |_| Ok(()))?;
    let control = Control::watching();
    let summary = job.run(&device, &control, &mut |_| Ok(()))?;
    let tasks: Vec<Recorded> = control
        .latencies()
        .shared
        .iter()
        .map(|task| Recorded {
            expected: task.expected,
            took: task.took.as_secs_f64(),
            n_candidates: task.n_candidates as u64,
        })
        .collect();
    let sum: f64 = tasks.iter().map(|task| task.took).sum();
    let bytes = job.encoded.n_bytes();
    let (name, device) = (args.workload.name(), summary.device);
    println!(
        "{name}, {rows} records: {} tasks recorded on {device}, {sum:.4} s in all; {bytes} bytes of columns",
        tasks.len()
    );
    let mut lines = vec!["workload,rows,recorded_on,tasks,link,schedule,gpus,simulated_s,speedup".to_owned()];
    for link in Link::ALL {
        for schedule in SCHEDULES {
            let one = simulate(&tasks, 1, schedule, link, bytes);
            print!("simulated, {:6} {:12}", link.name(), schedule.to_string());
            for &gpus in &args.gpus {
                let took = simulate(&tasks, gpus, schedule, link, bytes);
                print!("  {gpus}: {took:.4} s ({:.2}x)", one / took);
                lines.push(format!(
                    "{name},{rows},{device},{},{},{schedule},{gpus},{took:.6},{:.3}",
                    tasks.len(),
                    link.name(),
                    one / took
                ));
            }
            println!();
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "simulate", &lines),
        None => Ok(()),
    }
}
