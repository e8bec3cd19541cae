//! Whole jobs: hyperblock itself, from file to file, as a user starts it.
//!
//! Five over the people of the published workloads (E1 and E2 by rules, S1w, S1g and S1l by one similarity),
//! and two that end in entities. What is timed is the program from its start to its end, and what it says of its
//! stages: read, encode, plan, scan, write. Counts must be those that are known. Beside an older commit, or any
//! two programs, jobs are run by turns, and must find the same. Those over people are also done by [`peers`].

mod peers;
mod people;
pub(super) mod summary;
pub(crate) mod work;

use super::AgainstArgs;
use super::against::{self, Budget, Compared, Pair, Program, Row, Scratch, Subject, Turns};
use super::job_args::{JobArgs, JobName};
use super::measure::Times;
use super::scan::names;
use crate::record;
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use work::Work;

/// Rounds, if nothing else is said, after one that is not counted.
const ROUNDS: u32 = 5;
/// People, if nothing else is said.
const ROWS: u32 = 100_000;
/// What is said of the program from its start to its end; and of all its stages, which leave out starting and ending.
const WHOLE: &str = "all";
const STAGES: &str = "stages";

pub(super) fn run(args: &JobArgs, sides: &AgainstArgs) -> Result<()> {
    let here = || match &args.program {
        Some(program) => Subject::given(program),
        None => Subject::built_here(Program::Hyperblock),
    };
    if args.compare {
        return peers::run(args, sides, here);
    }
    let pair = Pair::open(sides, Program::Hyperblock, here)?;
    let works = works(args);
    match &pair {
        Some(pair) => compare(args, sides, &works, pair),
        None => alone(args, sides, &works, &here()?),
    }
}

/// The jobs whose data is there, or can be made.
fn works(args: &JobArgs) -> Vec<Work> {
    let jobs = if args.job.is_empty() { JobName::value_variants() } else { args.job.as_slice() };
    let make = |&job: &JobName| match Work::make(job, args.rows.unwrap_or(ROWS), args.cds) {
        Ok(work) => Some(work),
        Err(why) => {
            println!("{}: left out, {why:#}", job.name());
            None
        }
    };
    jobs.iter().filter_map(make).collect()
}

/// Two programs by turns.
fn compare(args: &JobArgs, sides: &AgainstArgs, works: &[Work], pair: &Pair) -> Result<()> {
    pair.print()?;
    against::print_head();
    let mut all: Vec<Compared> = Vec::new();
    let programs = pair.sides().map(|side| side.program.as_path());
    each(args, sides, works, &programs, |work, device, runs| {
        let rows: Vec<Vec<Vec<Row>>> =
            runs.iter().map(|side| side.iter().map(|run| run.rows(work, device)).collect()).collect();
        let compared = against::compare(&rows)?;
        against::print(&compared);
        if runs[0].iter().zip(&runs[1]).any(|(old, new)| old.digest != new.digest) {
            println!("  {}: as many, but not the same bytes", work.name());
        }
        all.extend(compared);
        Ok(())
    })?;
    println!("{}", against::conclude(&all));
    match &args.save {
        Some(folder) => against::save(folder, "job", pair, &all),
        None => Ok(()),
    }
}

/// One program.
fn alone(args: &JobArgs, sides: &AgainstArgs, works: &[Work], side: &Subject) -> Result<()> {
    let mut lines = vec![
        "job,device,rows,stage,candidates,kept,entities,lines,runs,median_s,fastest_s,slowest_s".to_owned(),
    ];
    each(args, sides, works, &[&side.program], |work, device, runs| {
        let Some(runs) = runs.first() else { return Ok(()) };
        println!("{} on {device}, {} rows: {}", work.name(), work.rows, runs[0].found());
        for (stage, _) in runs[0].times() {
            let times = Times::new(runs.iter().map(|run| run.time(&stage)).collect());
            let (median, fastest, slowest) = (times.median(), times.fastest(), times.slowest());
            println!("  {stage:12} {median:9.4} s  ({fastest:.4} to {slowest:.4})");
            lines.push(format!(
                "{},{device},{},{stage},{},{},{median:.6},{fastest:.6},{slowest:.6}",
                work.name(),
                work.rows,
                ["candidates", "kept", "entities", LINES].map(|name| runs[0].count(name)).join(","),
                times.n_runs(),
            ));
        }
        Ok(())
    })?;
    match &args.save {
        Some(folder) => record::save_of(folder, "job", &lines, &[("commit", side.describe()?)]),
        None => Ok(()),
    }
}

/// Runs every job on every device, all programs by turns, and hands on what came of each program.
fn each(
    args: &JobArgs,
    sides: &AgainstArgs,
    works: &[Work],
    programs: &[&Path],
    mut then: impl FnMut(&Work, &str, &[Vec<Run>]) -> Result<()>,
) -> Result<()> {
    let devices = names(&args.on.device);
    let budget = Budget::new(sides.within);
    let mut n_left = works.len() * devices.len();
    for work in works {
        for device in &devices {
            let turns = Turns {
                n_sides: programs.len(),
                rounds: sides.repeat.unwrap_or(ROUNDS) as usize,
                warms_up: true,
                within: budget.share(n_left),
            };
            let runs = turns.take(|side| once(programs[side], work, device))?;
            then(work, device, &runs)?;
            n_left -= 1;
        }
    }
    Ok(())
}

/// The lines of what was written, with the head.
const LINES: &str = "lines";

/// What came of a job.
struct Run {
    wall: Duration,
    said: summary::Summary,
    n_lines: u64,
    digest: Vec<u8>,
}

/// Runs a job once.
fn once(program: &Path, work: &Work, device: &str) -> Result<Run> {
    let folder = Scratch::new()?;
    to_file(program, work, device, &folder.0.join("out.csv"))
}

/// The same, with an output that stays.
fn to_file(program: &Path, work: &Work, device: &str, output: &Path) -> Result<Run> {
    let mut command = Command::new(program);
    command.args(work.arguments()).args(["--device", device, "--output"]).arg(output);
    let start = Instant::now();
    let ran = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let wall = start.elapsed();
    let errors = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "{} of {}: {}", work.name(), program.display(), errors.trim());
    let said = summary::parse(&errors).with_context(|| format!("what {} says", program.display()))?;
    work.check(&said.counts)?;
    let written = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let n_lines = written.iter().filter(|byte| **byte == b'\n').count() as u64;
    Ok(Run { wall, said, n_lines, digest: Sha256::digest(&written).to_vec() })
}

impl Run {
    /// The time of the whole, and of every stage.
    fn times(&self) -> Vec<(String, Duration)> {
        let whole =
            [(WHOLE.to_owned(), self.wall), (STAGES.to_owned(), Duration::from_secs_f64(self.said.all))];
        let stages =
            self.said.stages.iter().map(|(name, time)| (name.clone(), Duration::from_secs_f64(*time)));
        whole.into_iter().chain(stages).collect()
    }

    /// Of a stage; none, if it was not there this time.
    fn time(&self, stage: &str) -> Duration {
        self.times().into_iter().filter(|(name, _)| name == stage).map(|(_, time)| time).sum()
    }

    fn counts(&self) -> Vec<(String, String)> {
        let counts = self.said.counts.iter().copied().chain([(LINES, self.n_lines)]);
        counts.map(|(name, n)| (name.to_owned(), n.to_string())).collect()
    }

    fn count(&self, wanted: &str) -> String {
        self.counts().into_iter().find(|(name, _)| name == wanted).map_or_else(String::new, |(_, n)| n)
    }

    fn found(&self) -> String {
        self.counts().iter().map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
    }

    fn rows(&self, work: &Work, device: &str) -> Vec<Row> {
        let row = |(stage, time): (String, Duration)| {
            let (job, rows) = (work.name(), work.rows.to_string());
            let names = [("job", job), ("device", device.to_owned()), ("rows", rows), ("stage", stage)];
            Row {
                names: names.map(|(name, value)| (name.to_owned(), value)).to_vec(),
                counts: self.counts(),
                seconds: time.as_secs_f64(),
            }
        };
        self.times().into_iter().map(row).collect()
    }
}
