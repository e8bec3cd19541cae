//! What a report costs: jobs with `--report` and without, by turns, each from its start to its end.
//!
//! 1,000,000 people without their pairs' scores, and two public data sets, one with weights and both with their truth. The bar: a report
//! adds at most a tenth of the job, or 0.3 s.

use super::ReportArgs;
use super::against::{Program, Subject, Turns};
use super::measure::Times;
use super::workload::data_sets;
use crate::cargo::{at_root, root, target};
use crate::r#gen;
use crate::record;
use anyhow::{Context, Result, ensure};
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rounds, after one that is not counted.
const ROUNDS: usize = 5;
const SEED: u64 = 1;
const DUPLICATES: f64 = 0.2;
/// What a report may add: so many seconds, or such a share of the job.
const SECONDS: f64 = 0.3;
const SHARE: f64 = 0.1;
const PAGE: &str = "report.html";
const HEAD: &str = "job,runs,without_median_s,with_median_s,added_s,added_share,page_bytes";

/// A data set, its rules, what has to be done first, and the job.
struct Set {
    name: &'static str,
    rules: &'static str,
    before: Option<&'static str>,
    job: &'static str,
}

const PEOPLE: &str = "people";
const SETS: [Set; 3] = [
    Set {
        name: PEOPLE,
        rules: "examples/people/rules.toml",
        before: None,
        job: "dedupe people.csv --rules rules.toml -o pairs.csv",
    },
    Set {
        name: "febrl4",
        rules: "examples/febrl4/fitted.toml",
        before: Some("fit tableA.csv tableB.csv --rules rules.toml -o weights.toml"),
        job: "resolve tableA.csv tableB.csv --rules rules.toml --truth matches.csv -o entities.csv",
    },
    Set {
        name: "dblp_scholar_1to1",
        rules: "tests/rules/dblp_scholar_1to1.toml",
        before: None,
        job: "link tableA.csv tableB.csv --rules rules.toml --truth matches.csv -o pairs.csv",
    },
];

pub(super) fn run(args: &ReportArgs) -> Result<()> {
    let ours = match &args.program {
        Some(program) => Subject::given(program)?,
        None => Subject::built_here(Program::Hyperblock)?,
    };
    let mut lines = vec![HEAD.to_owned()];
    for set in &SETS {
        let folder = target().join("bench").join("report").join(set.name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        if !set.fill(&folder, args.rows)? {
            println!("{}: left out, the data set is not there", set.name);
            continue;
        }
        if let Some(before) = set.before {
            once(&ours.program, &folder, before)?;
        }
        let with = format!("{} --report {PAGE}", set.job);
        let turns = Turns { n_sides: 2, rounds: ROUNDS, warms_up: true, within: None };
        let times =
            turns.take(|side| once(&ours.program, &folder, if side == 0 { set.job } else { &with }))?;
        let mut times = times.into_iter().map(Times::new);
        let (without, with) = times.next().zip(times.next()).context("nothing was measured")?;
        let added = with.median() - without.median();
        let share = added / without.median();
        let bytes = fs::metadata(folder.join(PAGE))?.len();
        let verdict = if added <= SECONDS || share <= SHARE { "holds" } else { "is missed" };
        println!(
            "{:20} {:8.4} s, with a report {:8.4} s: {added:+.4} s, {:+.1}%; the bar {verdict}; {bytes} bytes",
            set.name,
            without.median(),
            with.median(),
            100.0 * share,
        );
        lines.push(format!(
            "{},{},{:.6},{:.6},{added:.6},{share:.4},{bytes}",
            set.name,
            without.n_runs(),
            without.median(),
            with.median(),
        ));
    }
    match &args.save {
        Some(folder) => record::save_of(folder, "report", &lines, &[("commit", ours.describe()?)]),
        None => Ok(()),
    }
}

impl Set {
    /// Puts its tables and rules into a folder; whether they are there.
    fn fill(&self, folder: &Path, rows: u32) -> Result<bool> {
        fs::copy(root().join(self.rules), folder.join("rules.toml"))?;
        if self.name == PEOPLE {
            let output = folder.to_owned();
            let (seed, duplicates) = (SEED, DUPLICATES);
            r#gen::run(&r#gen::Command::People { rows, seed, duplicates, skew: None, output })?;
            return Ok(true);
        }
        let from = data_sets().join(self.name);
        for table in ["tableA.csv", "tableB.csv", "matches.csv"] {
            let (plain, packed) = (from.join(table), from.join(format!("{table}.gz")));
            let into: PathBuf = folder.join(table);
            if plain.is_file() {
                fs::copy(&plain, &into)?;
            } else if packed.is_file() {
                std::io::copy(&mut MultiGzDecoder::new(File::open(&packed)?), &mut File::create(&into)?)?;
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// One run of a job.
fn once(program: &Path, folder: &Path, job: &str) -> Result<Duration> {
    let mut command = at_root(program);
    command.current_dir(folder).args(job.split(' ')).args(["--device", "cpu", "--quiet"]);
    let start = Instant::now();
    let ran = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let took = start.elapsed();
    ensure!(ran.status.success(), "hyperblock {job}: {}", String::from_utf8_lossy(&ran.stderr).trim());
    Ok(took)
}
