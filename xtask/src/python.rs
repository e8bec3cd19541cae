//! The Python package: its wheel is built, installed beside pinned packages in an environment of the build folder, and tested.

use crate::cargo::{at_root, cargo, output, root, run as run_command, target};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The crate of the native module, which is built by maturin alone.
pub(crate) const PACKAGE: &str = "hyperblock-python";

/// What builds the wheel.
pub(crate) const MATURIN: &str = "maturin==1.16.0";
/// What tests it, in the versions that it was tested with.
const TOOLS: [&str; 4] = [MATURIN, "pytest==9.2.0", "mypy==2.4.1", "tqdm==4.70.1"];
const TABLES: [&str; 5] =
    ["pyarrow==26.0.1", "pandas==3.1.1", "polars==2.1.0", "duckdb==2.0.0", "splink==5.0.0"];

/// Builds, installs and tests it.
pub(crate) fn run() -> Result<()> {
    let folder = target().join("python-tests");
    let python = folder.join("bin/python");
    if output(at_root("python3").args(["-c", "import venv, ensurepip"])).is_none() {
        println!("ignored: there is no python3 with venv (on Debian, install python3-venv)");
        return Ok(());
    }
    environment(Path::new("python3"), &folder, &TOOLS.iter().chain(&TABLES).copied().collect::<Vec<_>>())?;
    let wheels = target().join("wheels");
    // One wheel at most, so that there is no choice.
    let _ = fs::remove_dir_all(&wheels);
    let mut build = at_root(&python);
    // As tests are built: what is tested is the package, not how fast it is.
    build.args(["-m", "maturin", "build", "--profile", "dev", "--strip", "--locked"]);
    build.args(["--manifest-path", "python/Cargo.toml", "--interpreter"]).arg(&python);
    run_command(build.arg("--out").arg(&wheels))?;
    let mut install = at_root(&python);
    install.args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]);
    run_command(install.args(wheels_in(&wheels)?))?;
    // What its answers are compared with.
    run_command(cargo().args(["build", "--package", "hyperblock"]))?;
    let program = target().join("debug/hyperblock");
    // Not at the root, where the folder of sources would be found first.
    let tests = root().join("python/tests");
    let at = |arguments: &[&str]| {
        let mut command = at_root(&python);
        command.current_dir(&tests).env("HYPERBLOCK_PROGRAM", &program).args(arguments);
        command
    };
    run_command(&mut at(&["-m", "pytest", "-q", "-p", "no:cacheprovider", "."]))?;
    run_command(&mut at(&[
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--doctest-modules",
        "--pyargs",
        "hyperblock",
    ]))?;
    let cache = folder.join("mypy");
    run_command(at(&["-m", "mypy", "--strict", "-p", "hyperblock", "--cache-dir"]).arg(cache))
}

/// An environment with these packages, made anew if it has others.
pub(crate) fn environment(python: &Path, folder: &Path, packages: &[&str]) -> Result<()> {
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).ok().as_deref() == Some(&packages.join("\n")) {
        return Ok(());
    }
    run_command(at_root(python).args(["-m", "venv", "--clear"]).arg(folder))?;
    run_command(at_root(folder.join("bin/python")).args(["-m", "pip", "install", "--quiet"]).args(packages))
        .context("cannot install the packages that the tests need from PyPI")?;
    Ok(fs::write(&installed, packages.join("\n"))?)
}

pub(crate) fn wheels_in(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}
