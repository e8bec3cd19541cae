//! The Python package: put beside pinned packages in an [`environment`](mod@environment) of the build folder, and tested, also
//! [`on Spark`](mod@spark). `--bench` measures its wheel instead: beside the command line, or with `--spark` beside Splink.

#[cfg(feature = "bench")]
mod beside;
mod environment;
#[cfg(feature = "bench")]
mod released;
mod spark;
#[cfg(feature = "bench")]
mod spark_bench;

#[cfg(feature = "bench")]
pub(crate) use environment::built;
pub(crate) use environment::environment;

use crate::cargo::{at_root, output, root, run as run_command, target};
use crate::r#gen;
use crate::tested;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// What builds the wheel.
pub(crate) const MATURIN: &str = "maturin==1.16.0";
/// What tests it, in the versions that it was tested with.
const TOOLS: [&str; 3] = ["pytest==9.2.0", "mypy==2.4.1", "tqdm==4.70.1"];
const TABLES: [&str; 5] =
    ["pyarrow==26.0.1", "pandas==3.1.1", "polars==2.1.0", "duckdb==2.0.0", "splink==5.0.0"];
/// Whose measures a page of the book sets beside ours.
const MEASURES: [&str; 2] = ["rapidfuzz==3.14.6", "jellyfish==1.3.0"];
/// Puts a folder of sources, and a module, where packages are.
const PUT: &str = r#"
import shutil, sys, sysconfig
from pathlib import Path

sources, module = sys.argv[1:]
package = Path(sysconfig.get_path("platlib"), "hyperblock")
shutil.rmtree(package, ignore_errors=True)
shutil.copytree(sources, package, ignore=shutil.ignore_patterns("__pycache__"))
shutil.copy(module, package / "_native.abi3.so")
"#;
/// The same seed gives the same tables.
const SEED: u64 = 7;

/// What `cargo xtask python` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Time E1 from a table in memory, beside the command line from Parquet, both as they are given to others
    #[arg(long)]
    bench: bool,
    /// Only on Spark, beside Sail and a cluster of two executors; with --bench, skew, overhead and Splink there
    #[arg(long)]
    spark: bool,
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
    match (args.bench, args.spark) {
        (false, false) => test(),
        (false, true) => test_on_spark(),
        (true, _) => bench(args),
    }
}

#[cfg(feature = "bench")]
fn bench(args: &Args) -> Result<()> {
    if args.spark { spark_bench::bench(args) } else { beside::bench(args) }
}

#[cfg(not(feature = "bench"))]
fn bench(_: &Args) -> Result<()> {
    crate::cargo::again()
}

/// Builds and tests it.
pub(crate) fn test() -> Result<()> {
    if !has_python() {
        return Ok(());
    }
    let python = environment("python-tests", &[&TOOLS[..], &TABLES[..], &MEASURES[..]].concat())?;
    tested::build()?;
    put(&python)?;
    let made = target().join("python-data");
    let (papers, traffic) = (made.join("papers"), made.join("traffic"));
    r#gen::run(&r#gen::Command::Papers { rows: 2_000, seed: SEED, duplicates: 0.5, output: papers })?;
    r#gen::run(&r#gen::Command::Traffic { rows: 3_000, seed: SEED, duplicates: 0.2, output: traffic })?;
    // Not at the root, where the folder of sources would be found first.
    let tests = root().join("python/tests");
    let at = |arguments: &[&str]| {
        let mut command = at_root(&python);
        // Its answers are compared with those of the program.
        command.env(tested::PROGRAM, tested::program()).env("HYPERBLOCK_GENERATED", &made);
        command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&tests).args(arguments);
        command
    };
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    run_command(at(&pytest).args([".", "--ignore", "spark"]))?;
    run_command(at(&pytest).args(["--doctest-modules", "--pyargs", "hyperblock"]))?;
    let cache = target().join("python-tests/mypy");
    run_command(at(&["-m", "mypy", "--strict", "-p", "hyperblock", "--cache-dir"]).arg(cache))
}

/// The same on Spark.
pub(crate) fn test_on_spark() -> Result<()> {
    if has_python() { spark::test() } else { Ok(()) }
}

/// Whether there is a Python that makes environments; if not, that is told.
fn has_python() -> bool {
    let has_python = output(at_root("python3").args(["-c", "import venv, ensurepip"])).is_some();
    if !has_python {
        println!("ignored: there is no python3 with venv (on Debian, install python3-venv)");
    }
    has_python
}

/// Puts the package into an environment as its wheel would, with the module that is tested.
fn put(python: &Path) -> Result<()> {
    let mut put = at_root(python);
    put.args(["-I", "-c", PUT]).arg(root().join("python/hyperblock")).arg(tested::module());
    run_command(&mut put)
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
