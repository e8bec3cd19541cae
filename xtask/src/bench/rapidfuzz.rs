//! Our CPU backend beside rapidfuzz, the fastest library of string similarities that Python has.
//!
//! Both get the same names, both use all cores, and both must find the same number of pairs. rapidfuzz is installed from
//! PyPI to an environment of its own in the build folder; `rapidfuzz.py` says how it is called.

use super::measure::{Times, scan};
use super::{RapidfuzzArgs, Workload};
use crate::cargo::at_root;
use crate::python::environment;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use std::path::Path;
use std::time::Duration;

const SCRIPT: &str = include_str!("rapidfuzz.py");
const WORKLOAD: Workload = Workload::Levenshtein;
const RUNS: usize = 3;

pub(super) fn run(args: &RapidfuzzArgs) -> Result<()> {
    let python = environment("rapidfuzz", &["rapidfuzz", "numpy"])?;
    let files = WORKLOAD.make(args.rows)?.context("names are generated")?;
    let theirs = theirs(&python, &files.left)?;

    let device = Cpu::new();
    let job = files.job().prepare(&device, &Control::default())?;
    let mut n_found = 0;
    let times = Times::of(|| {
        n_found = scan(&job, job.plan.program(), &device)?;
        Ok(())
    })?;
    ensure!(
        n_found == theirs.n_found,
        "{n_found} pairs are alike, but {} say {}",
        theirs.name,
        theirs.n_found
    );
    let ours = Contender { name: format!("hyperblock, {}", device.name()), n_found, times };
    let n_pairs = job.area().n_pairs();
    let mut lines =
        vec!["program,rows,pairs,candidates,runs,median_s,fastest_s,slowest_s,pairs_per_s".to_owned()];
    for side in [&theirs, &ours] {
        println!("{}", side.figures(n_pairs));
        lines.push(side.line(args.rows, n_pairs));
    }
    println!(
        "hyperblock is {:.2} times as fast by medians, {:.2} by best runs",
        theirs.times.median() / ours.times.median(),
        theirs.times.fastest() / ours.times.fastest(),
    );
    match &args.save {
        Some(folder) => record::save(folder, "rapidfuzz", &lines),
        None => Ok(()),
    }
}

/// What one of the two came to.
struct Contender {
    name: String,
    n_found: u64,
    times: Times,
}

impl Contender {
    fn figures(&self, n_pairs: u64) -> String {
        format!(
            "{:28} {:9.4} billion pairs a second  ({:.4} s median of {}, {:.4} to {:.4}; {} candidates)",
            self.name,
            n_pairs as f64 / self.times.median() / 1e9,
            self.times.median(),
            self.times.n_runs(),
            self.times.fastest(),
            self.times.slowest(),
            self.n_found,
        )
    }

    fn line(&self, rows: u32, n_pairs: u64) -> String {
        format!(
            "\"{}\",{rows},{n_pairs},{},{},{:.6},{:.6},{:.6},{:.0}",
            self.name,
            self.n_found,
            self.times.n_runs(),
            self.times.median(),
            self.times.fastest(),
            self.times.slowest(),
            n_pairs as f64 / self.times.median(),
        )
    }
}

/// Runs the script over the names.
fn theirs(python: &Path, names: &Path) -> Result<Contender> {
    let script = at_root(python).args(["-c", SCRIPT]).arg(names).arg(RUNS.to_string()).output()?;
    if !script.status.success() {
        bail!("rapidfuzz.py failed ({}):\n{}", script.status, String::from_utf8_lossy(&script.stderr));
    }
    parse(&String::from_utf8_lossy(&script.stdout))
        .context("rapidfuzz.py printed something else than figures")
}

fn parse(printed: &str) -> Result<Contender> {
    let lines: Vec<&str> = printed.lines().collect();
    let [version, n_found, seconds] = lines[..] else { bail!("{} lines", lines.len()) };
    let seconds = seconds.split(' ').map(|seconds| Ok(Duration::try_from_secs_f64(seconds.parse()?)?));
    let times = seconds.collect::<Result<Vec<_>>>()?;
    ensure!(times.len() == RUNS, "{} runs", times.len());
    Ok(Contender {
        name: format!("rapidfuzz {version}"),
        n_found: n_found.parse()?,
        times: Times::new(times),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_the_script_prints_is_read() {
        let side = parse("3.14.6\n146209\n0.500000 0.250000 0.300000\n").unwrap();
        assert_eq!((side.name.as_str(), side.n_found), ("rapidfuzz 3.14.6", 146_209));
        assert_eq!((side.times.fastest(), side.times.median(), side.times.slowest()), (0.25, 0.3, 0.5));
        for wrong in
            ["", "3.14.6\n146209\n", "3.14.6\n146209\n0.5 0.25\n", "3.14.6\nmany\n1 1 1\n", "a\n1\n-1 1 1\n"]
        {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
