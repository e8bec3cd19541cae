//! Measuring: each job on each device over tables of all sizes, and the slopes of what its stages take.

use super::{GrowthArgs, GrowthJob};
use crate::bench::against::{Program, Scratch, Subject};
use crate::bench::job::summary::{self, Summary};
use crate::bench::scan::names;
use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::paths::rule_file;
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Instant;

const SEED: u64 = 7;
const DUPLICATES: f64 = 0.2;
const SKEW: f64 = 0.8;
const ROWS: [u32; 3] = [250_000, 1_000_000, 4_000_000];

pub(crate) const MIXED: [&str; 4] = [
    "l.phone = r.phone",
    "levenshtein(l.email, r.email) <= 1 AND l.birth_year = r.birth_year",
    "l.birth_date = r.birth_date AND soundex(l.last_name) = soundex(r.last_name)",
    "l.zip = r.zip AND jaccard(qgrams(l.street, 2), qgrams(r.street, 2)) >= 0.7 \
     AND jaro_winkler(l.first_name, r.first_name) >= 0.85",
];
const ZIPS: [&str; 1] = ["l.zip = r.zip AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8"];

/// A file: the rules are many, and have names.
const TRAFFIC: &str = include_str!("../../../paper/traffic.toml");

/// Counts that are known: of this project, at commit a0557a2; of traffic, at 6e887dc and 95fd348.
const KNOWN: [(GrowthJob, u32, u64); 6] = [
    (GrowthJob::Mixed, 4_000_000, 2_877_378),
    (GrowthJob::Mixed, 16_000_000, 33_355_858),
    (GrowthJob::Zips, 16_000_000, 291_498_619),
    (GrowthJob::Traffic, 1_000_000, 327_034),
    (GrowthJob::Traffic, 2_000_000, 754_542),
    (GrowthJob::Traffic, 36_000_000, 75_696_838),
];

/// From the start of the program to its end.
const WHOLE: &str = "all";
/// Stages that take less, in seconds, say nothing of how they grow.
const LEAST: f64 = 0.005;
const HEAD: &str = "job,device,format,rows,candidates,stage,runs,median,unit";

pub(crate) fn run(args: &GrowthArgs) -> Result<()> {
    let side = match &args.program {
        Some(program) => Subject::given(program),
        None => Subject::built_here(Program::Hyperblock),
    }?;
    let jobs = if args.job.is_empty() { &[GrowthJob::Mixed] } else { args.job.as_slice() };
    let rows = if args.rows.is_empty() { &ROWS } else { args.rows.as_slice() };
    let mut lines = vec![HEAD.to_owned()];
    for &job in jobs {
        for device in names(&args.on.device) {
            grow((job, &device), rows, args, &side.program, &mut lines)?;
        }
    }
    match &args.save {
        Some(folder) => record::save_of(folder, "growth", &lines, &[("commit", side.describe()?)]),
        None => Ok(()),
    }
}

/// The people of so many rows.
pub(crate) fn people(rows: u32) -> Result<PathBuf> {
    GrowthJob::Mixed.table(rows)
}

/// One job on one device, over tables of all sizes.
fn grow(
    (job, device): (GrowthJob, &str),
    rows: &[u32],
    args: &GrowthArgs,
    program: &Path,
    lines: &mut Vec<String>,
) -> Result<()> {
    let mut sizes = Vec::new();
    let name = args.name(job);
    for &n in rows {
        let table = job.table(n)?;
        let mut runs = Vec::new();
        let kept = Scratch::new()?;
        let options = args.options(&kept.0);
        for nth in 0..=args.runs {
            let run = once(program, job, &table, device, &args.format, &options)?;
            check(job, n, &run)?;
            // The first has files cached.
            if nth > 0 {
                runs.push(run);
            }
        }
        let median = |of: &dyn Fn(&Run) -> f64| {
            let mut all: Vec<f64> = runs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let mut stages = vec![(WHOLE.to_owned(), median(&|run| run.wall))];
        for (name, _) in &runs[0].said.stages {
            stages.push((name.clone(), median(&|run| run.stage(name))));
        }
        let memory = median(&|run| run.said.memory as f64);
        let found = runs[0].candidates()?;
        println!("{name} on {device} to {}, {n} records: {found} candidates", args.format);
        for (stage, seconds) in &stages {
            println!("  {stage:12} {seconds:9.4} s");
        }
        println!("  {:12} {:9.1} MiB", "peak memory", memory / f64::from(1 << 20));
        let said = |stage: &str, median: f64, unit: &str| {
            let (format, runs) = (&args.format, args.runs);
            format!("{name},{device},{format},{n},{found},{stage},{runs},{median:.6},{unit}")
        };
        lines.extend(stages.iter().map(|(stage, seconds)| said(stage, *seconds, "s")));
        lines.push(said("peak memory", memory, "bytes"));
        sizes.push((f64::from(n), found as f64, stages, memory));
    }
    if let [_, _, ..] = sizes[..] {
        println!("  slopes, by records (1: in proportion)");
        let candidates: Vec<_> = sizes.iter().map(|(n, found, ..)| (*n, *found)).collect();
        let memory: Vec<_> = sizes.iter().map(|(n, _, _, memory)| (*n, *memory)).collect();
        let names: Vec<&String> = sizes[0].2.iter().map(|(name, _)| name).collect();
        let of_stage = |name: &str| -> Vec<(f64, f64)> {
            let time = |stages: &[(String, f64)]| {
                stages.iter().find(|(other, _)| other == name).map(|(_, time)| *time)
            };
            sizes.iter().filter_map(|(n, _, stages, _)| Some((*n, time(stages)?))).collect()
        };
        let mut all = vec![("candidates", candidates), ("peak memory", memory)];
        all.extend(names.into_iter().map(|name| (name.as_str(), of_stage(name))));
        for (name, points) in all {
            if let Some(slope) = slope(&points) {
                println!("  {name:12} {slope:9.2}");
                let (stage, format) = (name, &args.format);
                let name = args.name(job);
                lines.push(format!("{name},{device},{format},,,{stage},,{slope:.3},slope"));
            }
        }
    }
    Ok(())
}

/// Of the line through points on logarithmic axes, by least squares; none, if one of them is too near to nothing.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 2 || points.iter().any(|(_, y)| *y < LEAST) {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (sum_x, sum_y) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut both, mut square) = (0.0, 0.0);
    for (x, y) in logs {
        both += (x - mean_x) * (y - mean_y);
        square += (x - mean_x) * (x - mean_x);
    }
    (square > 0.0).then(|| both / square)
}

/// What came of a job.
struct Run {
    wall: f64,
    said: Summary,
}

impl Run {
    fn stage(&self, name: &str) -> f64 {
        self.said.stages.iter().filter(|(other, _)| other == name).map(|(_, time)| time).sum()
    }

    fn candidates(&self) -> Result<u64> {
        let found = self.said.counts.iter().find(|(name, _)| *name == "candidates");
        found.map(|(_, n)| *n).context("it says nothing of candidates")
    }
}

impl GrowthArgs {
    /// A job, with what is not as usual.
    fn name(&self, job: GrowthJob) -> String {
        let cached = self.cache.then(|| "cached".to_owned());
        let memory = self.memory.map(|mebibytes| format!("{mebibytes} MiB"));
        let on_device = self.device_memory.map(|mebibytes| format!("{mebibytes} MiB on the device"));
        let unusual: Vec<String> = [cached, memory, on_device].into_iter().flatten().collect();
        [job.name()].into_iter().chain(unusual).collect::<Vec<_>>().join(" ")
    }

    /// The same as options of the program.
    fn options(&self, cache: &Path) -> Vec<OsString> {
        let number = |option: &str, number: Option<u32>| {
            number.map(|number| [option.into(), number.to_string().into()]).into_iter().flatten().collect()
        };
        let cache: Vec<OsString> = if self.cache { vec!["--cache".into(), cache.into()] } else { Vec::new() };
        let (memory, on_device): (Vec<OsString>, Vec<OsString>) =
            (number("--memory", self.memory), number("--device-memory", self.device_memory));
        [cache, memory, on_device].concat()
    }
}

fn once(
    program: &Path,
    job: GrowthJob,
    table: &Path,
    device: &str,
    format: &str,
    options: &[OsString],
) -> Result<Run> {
    let folder = Scratch::new()?;
    let rules = folder.0.join("rules.toml");
    replace(&rules, |file| file.write_all(job.rules().as_bytes()))?;
    let mut command = process::Command::new(program);
    command.arg("dedupe").arg(table).args(["--device", device, "--rules"]).arg(&rules).args(options);
    match format {
        "count" => command.arg("--count"),
        _ => command.arg("--output").arg(folder.0.join(format!("out.{format}"))),
    };
    let start = Instant::now();
    let ran = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let wall = start.elapsed().as_secs_f64();
    let errors = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "{} of {}: {}", job.name(), program.display(), errors.trim());
    let said = summary::parse(&errors).with_context(|| format!("what {} says", program.display()))?;
    Ok(Run { wall, said })
}

/// Fails if a count that is known is another one.
fn check(job: GrowthJob, rows: u32, run: &Run) -> Result<()> {
    let found = run.candidates()?;
    for (_, _, right) in KNOWN.iter().filter(|(name, n, _)| (*name, *n) == (job, rows)) {
        ensure!(found == *right, "{}: {found} candidates, but {right} are right", job.name());
    }
    Ok(())
}

impl GrowthJob {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn rules(self) -> String {
        match self {
            Self::Mixed => rule_file(&MIXED),
            Self::Zips => rule_file(&ZIPS),
            Self::Traffic => TRAFFIC.to_owned(),
        }
    }

    /// The table of so many records, made if it is not there.
    fn table(self, rows: u32) -> Result<PathBuf> {
        let folder = |of: &str| target().join("bench").join("growth").join(format!("{of}-{rows}-{SEED}"));
        let (seed, duplicates) = (SEED, DUPLICATES);
        let (table, make) = match self {
            Self::Mixed | Self::Zips => {
                let output = folder("people");
                let table = output.join("people.csv");
                (table, Command::People { rows, seed, duplicates, skew: Some(SKEW), output })
            }
            Self::Traffic => {
                let output = folder("traffic");
                (output.join("traffic.csv"), Command::Traffic { rows, seed, duplicates, output })
            }
        };
        if !table.is_file() {
            r#gen::run(&make)?;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn slopes_are_exponents() {
        let power = |exponent: f64| -> Vec<(f64, f64)> {
            [1.0, 4.0, 16.0].iter().map(|n: &f64| (*n, 3.0 * n.powf(exponent))).collect()
        };
        for exponent in [0.5, 1.0, 1.7] {
            assert!((slope(&power(exponent)).unwrap() - exponent).abs() < 1e-9);
        }
        assert_eq!(slope(&[(1.0, 1.0)]), None);
        assert_eq!(slope(&[(1.0, 0.001), (2.0, 1.0)]), None);
    }
}
