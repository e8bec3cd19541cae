//! The wheel that is given to others.
//!
//! It is linked against an old C library by Zig's linker, so that it runs wherever manylinux2014 does, and uses only what every Python
//! from 3.10 on has, which abi3audit looks at. Then it is installed in a clean environment of the newest Python there is, and used.

use super::{ZIG, path_with};
use crate::cargo::{at_root, output, root, run as run_command, target};
use crate::python::{MATURIN, emptied, environment, wheel_in};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// What links it, and what looks at it.
const TOOLS: [&str; 3] = [MATURIN, ZIG, "abi3audit==0.0.26"];
/// Pythons that there may be, the newest first.
const VERSIONS: [&str; 6] = ["3.15", "3.14", "3.13", "3.12", "3.11", "3.10"];
/// A job that needs nothing but the wheel: its table is a file.
const JOB: &str = r#"
import sys
import hyperblock as hb

pairs = hb.dedupe("examples/people/people.csv", "examples/people/rules.toml", device="cpu")
print(f"{hb.__version__} on Python {sys.version.split()[0]}: {len(pairs)} pairs")
assert len(pairs) == pairs.summary["pairs"]["candidates"] > 0
"#;

pub(super) fn build() -> Result<()> {
    let python = environment("dist-tools", &TOOLS)?;
    // One wheel at most, so that there is no choice.
    let wheels = target().join("dist/wheel");
    emptied(&wheels)?;
    let mut build = at_root(&python);
    build.env("PATH", path_with(&python)?);
    build.args(["-m", "maturin", "build", "--release", "--strip", "--locked", "--zig"]);
    build.args(["--compatibility", "manylinux2014", "--manifest-path", "python/Cargo.toml", "--out"]);
    run_command(build.arg(&wheels))?;
    let wheel = &wheel_in(&wheels)?;
    run_command(at_root(&python).args(["-m", "abi3audit", "--strict", "--report"]).arg(wheel))?;
    try_out(wheel)?;
    let size = fs::metadata(wheel)?.len() as f64 / 1e6;
    println!("wrote {} ({size:.1} MB)", wheel.strip_prefix(root()).unwrap_or(wheel).display());
    Ok(())
}

/// Installs the wheel, and nothing else, for the newest Python, and runs a job.
fn try_out(wheel: &Path) -> Result<()> {
    // Where pyenv keeps several, it has to be told which.
    let of = |version: &str| {
        let mut python = at_root(format!("python{version}"));
        python.env("PYENV_VERSION", version);
        python
    };
    let is_there = |version: &&str| output(of(version).args(["-c", "import ensurepip"])).is_some();
    let newest =
        VERSIONS.into_iter().find(is_there).context("there is no Python from 3.10 on with ensurepip")?;
    let clean = target().join("dist-clean");
    run_command(of(newest).args(["-m", "venv", "--clear"]).arg(&clean))?;
    let python = clean.join("bin/python");
    run_command(at_root(&python).args(["-m", "pip", "install", "--quiet", "--no-index"]).arg(wheel))?;
    // From elsewhere than the root, a folder of the name would be found first: the interpreter is told to look nowhere else.
    let said =
        output(at_root(&python).args(["-I", "-c", JOB])).context("the job failed in a clean environment")?;
    println!("{}", said.trim_end());
    ensure!(!said.is_empty(), "the job said nothing");
    Ok(())
}
