//! The jobs over people beside DuckDB, Polars and rapidfuzz, from the same CSV file to a CSV file of pairs.
//!
//! Each program gets each job at the largest size that it finishes in time: a hundredth of 1,000,000 people, then a tenth of
//! them, then all. We are then timed on the same table, as a user starts us; the others without the start of Python. They are
//! installed from PyPI to an environment of their own in the build folder; `job_peers.py` says how each is asked, and what
//! it does not know.
//!
//! Answers must be the same pairs. Where a program compares doubles, it may miss a pair whose similarity is the threshold
//! exactly. Those are counted, and must be gone from our own answer when thresholds rise by a billionth. What a program
//! finds and we do not must be there when they fall by as much.

use super::work::Work;
use super::{ROWS, to_file};
use crate::bench::AgainstArgs;
use crate::bench::against::Subject;
use crate::bench::job_args::{JobArgs, JobName};
use crate::bench::measure::Times;
use crate::bench::pairs::{Pairs, n_differ, read};
use crate::bench::peers::{self, Seen};
use crate::bench::scan::names;
use crate::cargo::{at_root, target};
use crate::python::environment;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const SCRIPT: &str =
    concat!(include_str!("../limited.py"), include_str!("../job_peers.py"), include_str!("../job_main.py"));
const PROGRAMS: [&str; 3] = ["duckdb", "polars", "rapidfuzz"];
const PACKAGES: [&str; 4] = ["duckdb", "polars", "rapidfuzz", "numpy"];
/// The largest table, if nothing else is said, and the smallest that is tried before it.
const MOST_ROWS: u32 = 10 * ROWS;
const LEAST_ROWS: u32 = ROWS / 10;
/// Runs to take the median of, if nothing else is said, after one that is not counted.
const RUNS: u32 = 3;
const HEAD: &str = "job,rows,program,runs,median_s,device,hyperblock_s,ratio,pairs,differ,seen";

/// What is compared, and with what.
struct Bench<'a> {
    args: &'a JobArgs,
    runs: u32,
    ours: Subject,
    python: PathBuf,
    folder: PathBuf,
}

/// What another program came to.
struct Theirs {
    /// With its version.
    name: String,
    pairs: Pairs,
}

/// What we came to on the same table.
struct Ours {
    rows: u32,
    device: String,
    times: Times,
    pairs: Pairs,
}

pub(super) fn run(args: &JobArgs, sides: &AgainstArgs, here: impl FnOnce() -> Result<Subject>) -> Result<()> {
    ensure!(
        !sides.are_asked() && sides.within.is_none(),
        "--compare is beside other programs, not beside an older commit, and has its own --most-seconds"
    );
    let asked = if args.job.is_empty() { JobName::value_variants() } else { args.job.as_slice() };
    let (jobs, others): (Vec<JobName>, Vec<JobName>) =
        asked.iter().partition(|job| !job.conditions().is_empty());
    for job in others {
        println!("{}: left out, it ends in entities", job.name());
    }
    let python = environment("job-peers", &PACKAGES)?;
    let folder = target().join("bench").join("job-peers");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bench = Bench { args, runs: sides.repeat.unwrap_or(RUNS), ours: here()?, python, folder };
    let mut lines = vec![HEAD.to_owned()];
    for job in jobs {
        bench.job(job, &mut lines)?;
    }
    match &args.save {
        Some(folder) => record::save_of(folder, "job-peers", &lines, &[("commit", bench.ours.describe()?)]),
        None => Ok(()),
    }
}

impl Bench<'_> {
    /// All programs on one job.
    fn job(&self, job: JobName, lines: &mut Vec<String>) -> Result<()> {
        // Two programs may come to the same size.
        let mut all_ours: Vec<Ours> = Vec::new();
        for program in PROGRAMS {
            let Some((work, theirs, times)) = self.largest(job, program, lines)? else { continue };
            for device in names(&self.args.on.device) {
                let is_this = |ours: &Ours| ours.rows == work.rows && ours.device == device;
                if !all_ours.iter().any(is_this) {
                    all_ours.push(self.ours(&work, &device)?);
                }
                let ours = all_ours.iter().find(|ours| is_this(ours)).context("it was just made")?;
                let n_differ = self.n_differ(&work, ours, &theirs)?;
                println!("{:4} {}", work.name(), describe(&theirs.name, &times, ours, n_differ));
                lines.push(format!("{},{}", work.name(), line(&theirs.name, &times, ours, n_differ)));
            }
        }
        Ok(())
    }

    /// The largest table that a program finishes, if there is any. One that is ten times as large takes at least ten times as
    /// long: it is not tried where that is too long.
    fn largest(
        &self,
        job: JobName,
        program: &str,
        lines: &mut Vec<String>,
    ) -> Result<Option<(Work, Theirs, Times)>> {
        let mut largest = None;
        for rows in sizes(self.args.rows.unwrap_or(MOST_ROWS)) {
            let work = Work::make(job, rows, self.args.cds)?;
            let (theirs, seen) = self.theirs(program, &work)?;
            match seen {
                Seen::Times(times) => {
                    let is_last = 10.0 * times.median() > f64::from(self.args.most_seconds);
                    largest = Some((work, theirs, times));
                    if is_last {
                        break;
                    }
                }
                Seen::Nothing(why) => {
                    println!("{:4} {rows:9} rows  {:40} {why}", work.name(), theirs.name);
                    lines.push(format!("{},{rows},{},0,,,,,,,\"{why}\"", work.name(), theirs.name));
                    break;
                }
            }
        }
        Ok(largest)
    }

    /// Runs the script over a table.
    fn theirs(&self, program: &str, work: &Work) -> Result<(Theirs, Seen)> {
        let output = self.folder.join(format!("{program}.csv"));
        // What an earlier run left would be taken for an answer.
        drop(fs::remove_file(&output));
        let mut script = at_root(&self.python);
        script.args(["-c", SCRIPT, program, &work.name()]).args([&work.table, &output]);
        script.args([self.runs.to_string(), self.args.most_seconds.to_string()]);
        let script = script.output()?;
        if !script.status.success() {
            let said = String::from_utf8_lossy(&script.stderr);
            bail!("job_peers.py failed for {program} on {} ({}):\n{said}", work.name(), script.status);
        }
        let pairs = if output.is_file() { read(&output)? } else { Pairs::new() };
        let (name, seen) =
            parse(program, pairs.len(), self.runs, &String::from_utf8_lossy(&script.stdout))
                .with_context(|| format!("what job_peers.py printed for {program} is not as expected"))?;
        Ok((Theirs { name, pairs }, seen))
    }

    /// Runs us, and one time more to warm up.
    fn ours(&self, work: &Work, device: &str) -> Result<Ours> {
        let output = self.folder.join("hyperblock.csv");
        let run = |_| Ok(to_file(&self.ours.program, work, device, &output)?.wall);
        let times = (0..=self.runs).map(run).collect::<Result<Vec<Duration>>>()?.split_off(1);
        Ok(Ours {
            rows: work.rows,
            device: device.to_owned(),
            times: Times::new(times),
            pairs: read(&output)?,
        })
    }

    /// How many pairs only one of both has; an error if that is not for the sake of doubles.
    fn n_differ(&self, work: &Work, ours: &Ours, theirs: &Theirs) -> Result<usize> {
        let shifted = |by| -> Result<Pairs> {
            let output = self.folder.join("shifted.csv");
            to_file(&self.ours.program, &work.shifted(by)?, &ours.device, &output)?;
            read(&output)
        };
        n_differ(&ours.pairs, &theirs.pairs, shifted)
            .with_context(|| format!("{} on {}", theirs.name, work.name()))
    }
}

/// From the smallest table to the largest.
fn sizes(most: u32) -> Vec<u32> {
    let next = |rows: &u32| Some(rows / 10).filter(|rows| *rows >= LEAST_ROWS);
    let mut sizes: Vec<u32> = std::iter::successors(Some(most), next).collect();
    sizes.reverse();
    sizes
}

/// What the script printed beside the pairs that it wrote.
fn parse(program: &str, n_pairs: usize, runs: u32, printed: &str) -> Result<(String, Seen)> {
    // One that takes long is measured once.
    peers::parse(program, n_pairs as u64, |n| n == runs as usize || n == 1, printed)
}

fn describe(name: &str, theirs: &Times, ours: &Ours, n_differ: usize) -> String {
    format!(
        "{:9} rows  {name:40} {:9.4} s, hyperblock on {} {:9.4} s: {:7.1} times ours; {} pairs, {}",
        ours.rows,
        theirs.median(),
        ours.device,
        ours.times.median(),
        theirs.median() / ours.times.median(),
        ours.pairs.len(),
        match n_differ {
            0 => "the same".to_owned(),
            n => format!("{n} differ at a threshold"),
        },
    )
}

fn line(name: &str, theirs: &Times, ours: &Ours, n_differ: usize) -> String {
    format!(
        "{},{name},{},{:.6},{},{:.6},{:.3},{},{n_differ},compared",
        ours.rows,
        theirs.n_runs(),
        theirs.median(),
        ours.device,
        ours.times.median(),
        theirs.median() / ours.times.median(),
        ours.pairs.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::{Ours, Seen, describe, line, parse, sizes};
    use crate::bench::measure::Times;
    use std::time::Duration;

    #[test]
    fn what_the_script_prints_is_read() {
        let (name, seen) = parse("duckdb", 7, 3, "2.0.0\n7\n0.5 0.25 0.3\n").unwrap();
        let Seen::Times(theirs) = seen else { panic!("{name} has times") };
        let ours = Ours {
            rows: 10,
            device: "cpu".to_owned(),
            times: Times::new(vec![Duration::from_millis(100)]),
            pairs: vec![(1, 2); 7],
        };
        let saved = line(&name, &theirs, &ours, 2);
        assert_eq!(saved, "10,duckdb 2.0.0,3,0.300000,cpu,0.100000,3.000,7,2,compared");
        assert_eq!(saved.split(',').count() + 1, super::HEAD.split(',').count());
        let told = describe(&name, &theirs, &ours, 0);
        assert!(told.ends_with("    3.0 times ours; 7 pairs, the same"), "{told}");
        assert!(describe(&name, &theirs, &ours, 2).ends_with("7 pairs, 2 differ at a threshold"));

        // One that takes long is measured once.
        assert!(parse("duckdb", 7, 3, "2.0.0\n7\n12.5\n").is_ok());
        for wrong in
            ["", "2.0.0\n", "2.0.0\n8\n1 1 1\n", "2.0.0\n7\n1 1\n", "2.0.0\n7\n-1\n", "2.0.0\nelse\n"]
        {
            assert!(parse("duckdb", 7, 3, wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn why_there_are_no_times_is_told() {
        for why in ["over 300 s", "out of memory (12 GB)", "has no Levenshtein"] {
            let (_, seen) = parse("polars", 0, 3, &format!("2.1.0\n{why}\n")).unwrap();
            assert!(matches!(seen, Seen::Nothing(told) if told == why));
        }
    }

    #[test]
    fn tables_get_larger() {
        assert_eq!(sizes(1_000_000), [10_000, 100_000, 1_000_000]);
        assert_eq!(sizes(50_000), [50_000]);
        assert_eq!(sizes(500), [500]);
    }
}
