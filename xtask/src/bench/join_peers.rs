//! Our join on the CPU beside those of DuckDB and Polars.
//!
//! All get the same keys, all use as many threads as the machine has, and all must count the same number of
//! pairs, the one that the frequencies of the keys say. The others are installed from PyPI to an environment
//! of their own in the build folder; `join_peers.py` says how they are called. One that takes too long or too
//! much memory is said to.

use super::JoinPeersArgs;
use super::join::exponents;
use super::measure::Times;
use super::peers::{self, Seen};
use crate::cargo::{at_root, target};
use crate::r#gen::zipf::{self, Alphabet, Columns, SEED};
use crate::python::environment;
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::operators::join::{JoinOperator, Output};
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use std::path::Path;

const SCRIPT: &str = concat!(include_str!("limited.py"), include_str!("join_peers.py"));
const PROGRAMS: [&str; 3] = ["duckdb", "polars-streaming", "polars-in-memory"];
const RUNS: usize = 5;
/// What a run may take, and all of them together.
const MOST_SECONDS: u32 = 60;
const MOST_GIGABYTES: u32 = 12;

/// One program on one exponent.
struct Figure {
    name: String,
    seen: Seen,
}

pub(super) fn run(args: &JoinPeersArgs) -> Result<()> {
    let python = environment("join-peers", &["duckdb", "polars", "numpy"])?;
    let alphabet = Alphabet::new(args.rows, SEED);
    let mut lines = vec!["s,program,rows,pairs,runs,median_s,fastest_s,slowest_s,seen".to_owned()];
    for s in exponents(&args.s, || vec![0.0, 0.5, 0.8, 1.0]) {
        let columns = alphabet.draw(s);
        let n_pairs = columns.known().n_pairs;
        println!("s = {s}: {n_pairs} pairs");
        let mut report = |figure: &Figure| {
            println!("  {}", figure.describe());
            lines.push(figure.line(s, args.rows, n_pairs));
        };
        for program in PROGRAMS {
            report(&theirs(&python, program, &columns, n_pairs)?);
        }
        report(&ours(&columns, n_pairs)?);
    }
    match &args.save {
        Some(folder) => record::save(folder, "join-peers", &lines),
        None => Ok(()),
    }
}

fn ours(columns: &Columns, n_pairs: u64) -> Result<Figure> {
    let device = Cpu::new();
    let side = |keys| KeyColumn { keys, rows: None };
    let mut join = device.load_join(side(&columns.left), Some(side(&columns.right)))?;
    let times = Times::of(|| {
        let n_found = join.run(JoinMethod::Skew, Output::Count)?.n_pairs;
        ensure!(n_found == n_pairs, "we count {n_found} pairs, but {n_pairs} are right");
        Ok(())
    })?;
    Ok(Figure { name: format!("hyperblock {}", device.name()), seen: Seen::Times(times) })
}

/// Runs the script over the keys.
fn theirs(python: &Path, program: &str, columns: &Columns, n_pairs: u64) -> Result<Figure> {
    let [left, right] = ["left.bin", "right.bin"].map(|name| target().join("bench").join(name));
    replace(&left, |file| zipf::write(&columns.left, file))?;
    replace(&right, |file| zipf::write(&columns.right, file))?;
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let limits =
        [RUNS.to_string(), n_threads.to_string(), MOST_SECONDS.to_string(), MOST_GIGABYTES.to_string()];
    let script = at_root(python).args(["-c", SCRIPT, program]).args([&left, &right]).args(limits).output()?;
    if !script.status.success() {
        let said = String::from_utf8_lossy(&script.stderr);
        bail!("join_peers.py failed for {program} ({}):\n{said}", script.status);
    }
    parse(program, n_pairs, &String::from_utf8_lossy(&script.stdout))
        .with_context(|| format!("what join_peers.py printed for {program} is not as expected"))
}

fn parse(program: &str, n_pairs: u64, printed: &str) -> Result<Figure> {
    let (name, seen) = peers::parse(program, n_pairs, |n| n == RUNS, printed)?;
    Ok(Figure { name, seen })
}

impl Figure {
    fn describe(&self) -> String {
        match &self.seen {
            Seen::Times(times) => format!(
                "{:28} {:9.4} s median of {}, {:.4} to {:.4}",
                self.name,
                times.median(),
                times.n_runs(),
                times.fastest(),
                times.slowest(),
            ),
            Seen::Nothing(why) => format!("{:28} {why}", self.name),
        }
    }

    fn line(&self, s: f64, rows: u32, n_pairs: u64) -> String {
        let seen = match &self.seen {
            Seen::Times(times) => format!(
                "{},{:.6},{:.6},{:.6},counted",
                times.n_runs(),
                times.median(),
                times.fastest(),
                times.slowest()
            ),
            Seen::Nothing(why) => format!("0,,,,{why}"),
        };
        format!("{s},{},{rows},{n_pairs},{seen}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Seen, parse};

    #[test]
    fn what_the_script_prints_is_read() {
        let figure = parse("duckdb", 7, "1.4.0\n7\n0.5 0.25 0.3 0.4 0.2\n").unwrap();
        assert!(matches!(&figure.seen, Seen::Times(times) if times.median() == 0.3));
        assert_eq!(figure.line(0.5, 10, 7), "0.5,duckdb 1.4.0,10,7,5,0.300000,0.200000,0.500000,counted");
        for wrong in ["", "1.4.0\n", "1.4.0\n8\n1 1 1 1 1\n", "1.4.0\n7\n1 1\n", "1.4.0\n7\n-1 1 1 1 1\n"] {
            assert!(parse("duckdb", 7, wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn why_there_are_no_times_is_told() {
        for why in ["over 60 s", "out of memory (12 GB)"] {
            let figure = parse("polars", 7, &format!("1.35.0\n{why}\n")).unwrap();
            assert_eq!(figure.line(1.0, 10, 7), format!("1,polars 1.35.0,10,7,0,,,,{why}"));
            assert!(figure.describe().ends_with(why));
        }
        assert!(parse("polars", 7, "1.35.0\nsomething else\n").is_err());
    }
}
