//! The Python package: its wheel is built, installed beside pinned packages in an [`environment`](mod@environment) of the build folder,
//! and tested. `--bench` measures it beside the command line instead.

mod environment;

#[cfg(feature = "bench")]
pub(crate) use environment::built;
pub(crate) use environment::environment;

use crate::cargo::{at_root, cargo, output, root, run as run_command, target};
use crate::r#gen;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The crate of the native module, which is built by maturin alone.
pub(crate) const PACKAGE: &str = "hyperblock-python";
/// What builds the wheel.
pub(crate) const MATURIN: &str = "maturin==1.16.0";
/// What tests it, in the versions that it was tested with.
const TOOLS: [&str; 4] = [MATURIN, "pytest==9.2.0", "mypy==2.4.1", "tqdm==4.70.1"];
const TABLES: [&str; 5] =
    ["pyarrow==26.0.1", "pandas==3.1.1", "polars==2.1.0", "duckdb==2.0.0", "splink==5.0.0"];
/// The same seed gives the same tables.
const SEED: u64 = 7;

/// What `cargo xtask python` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Time E1 from a table in memory, beside the command line from Parquet, both as they are given to others
    #[arg(long)]
    bench: bool,
    /// With --bench, people in the table
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(100..))]
    rows: u32,
    /// With --bench, runs of each side, by turns, after one that does not count
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// With --bench, also write the figures and the machine to a file in this folder
    #[arg(long, value_name = "DIR", requires = "bench")]
    save: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.bench { bench(args) } else { test() }
}

/// Builds, installs and tests it.
pub(crate) fn test() -> Result<()> {
    if output(at_root("python3").args(["-c", "import venv, ensurepip"])).is_none() {
        println!("ignored: there is no python3 with venv (on Debian, install python3-venv)");
        return Ok(());
    }
    // As tests are built: what is tested is the package, not how fast it is.
    let python = installed("python-tests", "dev", &[&TOOLS[..], &TABLES[..]].concat())?;
    // What its answers are compared with.
    run_command(cargo().args(["build", "--package", "hyperblock"]))?;
    let program = target().join("debug/hyperblock");
    let made = target().join("python-data");
    let (papers, traffic) = (made.join("papers"), made.join("traffic"));
    r#gen::run(&r#gen::Command::Papers { rows: 2_000, seed: SEED, duplicates: 0.5, output: papers })?;
    r#gen::run(&r#gen::Command::Traffic { rows: 3_000, seed: SEED, duplicates: 0.2, output: traffic })?;
    // Not at the root, where the folder of sources would be found first.
    let tests = root().join("python/tests");
    let at = |arguments: &[&str]| {
        let mut command = at_root(&python);
        command.env("HYPERBLOCK_PROGRAM", &program).env("HYPERBLOCK_GENERATED", &made);
        command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&tests).args(arguments);
        command
    };
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    run_command(at(&pytest).arg("."))?;
    run_command(at(&pytest).args(["--doctest-modules", "--pyargs", "hyperblock"]))?;
    let cache = target().join("python-tests/mypy");
    run_command(at(&["-m", "mypy", "--strict", "-p", "hyperblock", "--cache-dir"]).arg(cache))
}

/// The Python of an environment with these packages and the wheel, of that profile.
fn installed(name: &str, profile: &str, packages: &[&str]) -> Result<PathBuf> {
    let python = environment(name, packages)?;
    let wheels = target().join("wheels");
    // One wheel at most, so that there is no choice.
    emptied(&wheels)?;
    let mut build = at_root(&python);
    build.args(["-m", "maturin", "build", "--profile", profile, "--locked"]);
    build.args(["--manifest-path", "python/Cargo.toml", "--interpreter"]).arg(&python);
    run_command(build.arg("--out").arg(&wheels))?;
    let mut install = at_root(&python);
    install.args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]);
    run_command(install.arg(wheel_in(&wheels)?))?;
    Ok(python)
}

/// A folder that has nothing in it, or is not there.
pub(crate) fn emptied(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot empty {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The one wheel of a folder.
pub(crate) fn wheel_in(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut wheels = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let (Some(wheel), true) = (wheels.pop(), wheels.is_empty()) else {
        bail!("{} has not just one wheel", folder.display());
    };
    Ok(wheel)
}

/// Times it beside the command line.
fn bench(args: &Args) -> Result<()> {
    let python = installed("python-bench", "release", &[MATURIN, TABLES[0]])?;
    run_command(cargo().args(["build", "--release", "--package", "hyperblock"]))?;
    let folder = target().join("python-bench-data");
    let (rows, skew) = (args.rows, Some(0.8));
    r#gen::run(&r#gen::Command::People { rows, seed: SEED, duplicates: 0.2, skew, output: folder.clone() })?;
    let mut beside = at_root(&python);
    beside.args(["-I", "-c", include_str!("python/beside.py")]).arg(target().join("release/hyperblock"));
    beside.arg(&folder).arg(folder.join("people.csv")).arg(args.runs.to_string());
    let said = output(&mut beside).context("the runs failed")?;
    let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
    let medians = medians(&lines)?;
    let [program, of_python] =
        ["program", "python"].map(|side| medians.get(side).copied().unwrap_or(f64::NAN));
    println!(
        "E1 over {rows} people: {program:.3} s by the program from Parquet, {of_python:.3} s in Python from memory"
    );
    println!("{:.3} times as long", of_python / program);
    lines[0].insert_str(0, "rows,");
    lines[1..].iter_mut().for_each(|line| line.insert_str(0, &format!("{rows},")));
    match &args.save {
        Some(folder) => record::save(folder, "python", &lines),
        None => Ok(()),
    }
}

/// The median time of each side, all of whose runs found as many pairs.
fn medians(lines: &[String]) -> Result<BTreeMap<&str, f64>> {
    let (mut times, mut known) = (BTreeMap::<&str, Vec<f64>>::new(), None);
    for line in lines.iter().skip(1) {
        let [side, _, seconds, n_pairs] = line.split(',').collect::<Vec<_>>()[..] else {
            bail!("no line of a run: {line}");
        };
        times.entry(side).or_default().push(seconds.parse()?);
        ensure!(*known.get_or_insert(n_pairs) == n_pairs, "{line}: {n_pairs} pairs, but {known:?} before");
    }
    let median = |(side, mut times): (_, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        (side, times[times.len() / 2])
    };
    Ok(times.into_iter().map(median).collect())
}

#[cfg(test)]
mod tests {
    use super::medians;

    #[test]
    fn both_sides_find_the_same() {
        let lines = |all: &[&str]| all.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let said = ["side,run,seconds,pairs", "a,1,3,7", "b,1,9,7", "a,2,1,7", "b,2,8,7", "a,3,2,7"];
        let said = lines(&said);
        let medians_of = medians(&said).unwrap();
        assert_eq!((medians_of["a"], medians_of["b"]), (2.0, 9.0));
        assert!(medians(&lines(&["side,run,seconds,pairs", "a,1,3,7", "b,1,9,8"])).is_err());
    }
}
