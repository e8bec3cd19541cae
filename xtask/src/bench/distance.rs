//! Points at most a kilometre apart: hyperblock from a Parquet file to a file of pairs, beside DuckDB.
//!
//! Both begin with the same Parquet file and end with a CSV file, use all threads, and take turns, so what else the machine does
//! hits both alike. We are timed as a user starts us; DuckDB (Python, from PyPI) without the start of Python.
//! `distance_peers.py` has its query. Both must find the same pairs, but for those within a millimetre of a kilometre: DuckDB
//! compares doubles, and we whole numbers.

use super::against::{Program, Scratch, Subject, Turns};
use super::job::summary;
use super::job_args::DistanceArgs;
use super::measure::Times;
use super::pairs::{Pairs, read, without};
use super::peers::{self, Seen};
use super::scan::names;
use crate::cargo::{at_root, target};
use crate::r#gen::points::{self, NORTHERNMOST};
use crate::python::environment;
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("distance_peers.py");
const SEED: u64 = 1;
/// Kilometres; and as many of them as doubles may be off by, and more.
const KILOMETRES: f64 = 1.0;
const MILLIMETRE: f64 = 1e-6;
const RULES: &str = "[[rules]]\nname = \"near\"\nwhen = \"distance_km(l.lat, l.lon, r.lat, r.lon) <= 1\"\n";
/// Points for which it is known how many pairs there are.
const KNOWN: (u32, usize) = (1_000_000, 4_891_156);
/// Rounds, after one that is not counted.
const ROUNDS: usize = 5;
const HEAD: &str = "rows,program,device,pairs,differ,runs,median_s,fastest_s,slowest_s,times_ours";

/// What is joined, and by whom.
struct Bench {
    rows: u32,
    points: Vec<[u32; 2]>,
    python: Option<PathBuf>,
    ours: Subject,
    folder: PathBuf,
    table: PathBuf,
    rules: PathBuf,
}

/// A program that was timed, and what it found.
struct Figure {
    name: String,
    device: String,
    times: Times,
    pairs: Pairs,
}

pub(super) fn run(args: &DistanceArgs) -> Result<()> {
    let bench = Bench::new(args)?;
    let mut lines = vec![HEAD.to_owned()];
    for device in names(&args.on.device) {
        let figures = bench.measure(&device)?;
        let Some(ours) = figures.first() else { bail!("nothing was measured") };
        if bench.rows == KNOWN.0 {
            ensure!(ours.pairs.len() == KNOWN.1, "{} pairs, but {} are right", ours.pairs.len(), KNOWN.1);
        }
        for figure in &figures {
            let n_differ = bench.n_differ(&ours.pairs, &figure.pairs)?;
            let ratio = figure.times.median() / ours.times.median();
            println!(
                "{:24} {:6} {:9.4} s median of {} ({:.4} to {:.4}), {:5.1} times ours; {} pairs, {n_differ} differ at a kilometre",
                figure.name,
                figure.device,
                figure.times.median(),
                figure.times.n_runs(),
                figure.times.fastest(),
                figure.times.slowest(),
                ratio,
                figure.pairs.len(),
            );
            lines.push(format!(
                "{},{},{},{},{n_differ},{},{:.6},{:.6},{:.6},{ratio:.3}",
                bench.rows,
                figure.name,
                figure.device,
                figure.pairs.len(),
                figure.times.n_runs(),
                figure.times.median(),
                figure.times.fastest(),
                figure.times.slowest(),
            ));
        }
    }
    match &args.save {
        Some(folder) => record::save_of(folder, "distance", &lines, &[("commit", bench.ours.describe()?)]),
        None => Ok(()),
    }
}

impl Bench {
    /// The points, on file as both read them.
    fn new(args: &DistanceArgs) -> Result<Self> {
        let folder = target().join("bench").join("distance");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let points = points::draw(args.rows, SEED);
        let csv = folder.join(format!("points_{}.csv", args.rows));
        replace(&csv, |file| points::write(&points, file))?;
        let rules = folder.join("rules.toml");
        fs::write(&rules, RULES).with_context(|| format!("cannot write {}", rules.display()))?;
        let ours = match &args.program {
            Some(program) => Subject::given(program)?,
            None => Subject::built_here(Program::Hyperblock)?,
        };
        let mut bench =
            Self { rows: args.rows, points, python: None, ours, folder, table: csv.clone(), rules };
        // Without the other program there is nobody to make a Parquet file, and the same points are read as CSV.
        if !args.no_peers {
            let python = environment("distance-peers", &["duckdb"])?;
            bench.table = csv.with_extension("parquet");
            bench.script(&python, &["make".as_ref(), csv.as_ref(), bench.table.as_ref()])?;
            bench.python = Some(python);
        }
        Ok(bench)
    }

    /// What a call of the script printed.
    fn script(&self, python: &Path, words: &[&std::ffi::OsStr]) -> Result<String> {
        let script = at_root(python).args(["-c", SCRIPT]).args(words).output()?;
        if !script.status.success() {
            bail!(
                "distance_peers.py failed ({}):\n{}",
                script.status,
                String::from_utf8_lossy(&script.stderr)
            );
        }
        Ok(String::from_utf8_lossy(&script.stdout).into_owned())
    }

    /// Us, and the other program, by turns.
    fn measure(&self, device: &str) -> Result<Vec<Figure>> {
        let [ours, theirs] = ["hyperblock.csv", "duckdb.csv"].map(|name| self.folder.join(name));
        let n_sides = if self.python.is_some() { 2 } else { 1 };
        let turns = Turns { n_sides, rounds: ROUNDS, warms_up: true, within: None };
        let mut name = String::new();
        let times = turns.take(|side| match (side, &self.python) {
            (1, Some(python)) => {
                let (version, took) = self.duckdb(python, &theirs)?;
                name = version;
                Ok(took)
            }
            _ => self.hyperblock(device, &ours),
        })?;
        let mut times = times.into_iter().map(Times::new);
        let mut figures = Vec::new();
        if let Some(times) = times.next() {
            let pairs = read(&ours)?;
            figures.push(Figure { name: "hyperblock".to_owned(), device: device.to_owned(), times, pairs });
        }
        if let Some(times) = times.next() {
            figures.push(Figure { name, device: "cpu".to_owned(), times, pairs: read(&theirs)? });
        }
        Ok(figures)
    }

    /// One run of ours, from its start to its end; what it says of its stages is printed.
    fn hyperblock(&self, device: &str, output: &Path) -> Result<Duration> {
        let mut command = Command::new(&self.ours.program);
        command.arg("dedupe").arg(&self.table).arg("--rules").arg(&self.rules);
        command.args(["--device", device, "--output"]).arg(output);
        // Where it is started from has nothing to say.
        let folder = Scratch::new()?;
        command.current_dir(&folder.0);
        let start = Instant::now();
        let ran =
            command.output().with_context(|| format!("cannot start {}", self.ours.program.display()))?;
        let took = start.elapsed();
        let errors = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.success(), "{}: {}", self.ours.program.display(), errors.trim());
        let said = summary::parse(&errors).context("what hyperblock says")?;
        let stages = said.stages.iter().map(|(name, seconds)| format!("{name} {seconds:.3}"));
        println!("  {:.3} s: {}", took.as_secs_f64(), stages.collect::<Vec<_>>().join(", "));
        Ok(took)
    }

    /// One run of the other program: its name with its version, and what it took.
    fn duckdb(&self, python: &Path, output: &Path) -> Result<(String, Duration)> {
        // What an earlier run left would be taken for an answer.
        drop(fs::remove_file(output));
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        let northernmost = NORTHERNMOST.to_string();
        let words = [
            "run".as_ref(),
            self.table.as_ref(),
            output.as_ref(),
            "1".as_ref(),
            n_threads.as_ref(),
            northernmost.as_ref(),
        ];
        let printed = self.script(python, &words)?;
        let n_found = read(output)?.len() as u64;
        match peers::parse("duckdb", n_found, |n| n == 1, &printed)
            .context("what distance_peers.py printed")?
        {
            (name, Seen::Times(times)) => {
                println!("  {:.3} s: {name}", times.median());
                Ok((name, Duration::from_secs_f64(times.median())))
            }
            (name, Seen::Nothing(why)) => bail!("{name}: {why}"),
        }
    }

    /// How many pairs only one of both has; an error if one of them is further than a millimetre from the bound.
    fn n_differ(&self, ours: &Pairs, theirs: &Pairs) -> Result<usize> {
        let differing: Pairs = [without(ours, theirs), without(theirs, ours)].concat();
        let is_explained = |&(left, right): &(u32, u32)| {
            let [left, right] = [left, right].map(|id| self.points[id as usize - 1]);
            (haversine(left, right) - KILOMETRES).abs() <= MILLIMETRE
        };
        let wrong = differing.iter().find(|pair| !is_explained(pair));
        ensure!(
            wrong.is_none(),
            "{wrong:?} is not within a millimetre of {KILOMETRES} km, and only one has it"
        );
        Ok(differing.len())
    }
}

/// Kilometres between two places in millionths of a degree.
fn haversine(a: [u32; 2], b: [u32; 2]) -> f64 {
    let [from, to] = [a, b].map(|place| place.map(|millionths| (f64::from(millionths) / 1e6).to_radians()));
    let half = |angle: f64| (angle / 2.0).sin().powi(2);
    let hav = half(to[0] - from[0]) + from[0].cos() * to[0].cos() * half(to[1] - from[1]);
    2.0 * 6371.0088 * hav.sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::haversine;

    #[test]
    fn a_degree_is_as_long_as_it_is() {
        assert!((haversine([47_000_000, 6_000_000], [48_000_000, 6_000_000]) - 111.195_08).abs() < 1e-4);
        assert_eq!(haversine([47_000_000, 6_000_000], [47_000_000, 6_000_000]), 0.0);
    }
}
