//! The Python package: its wheel is built, installed beside pinned packages in an environment of the build folder, and tested.

use crate::cargo::{at_root, output, root, run as run_command, target};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The crate of the native module, which is built by maturin alone.
pub(crate) const PACKAGE: &str = "hyperblock-python";

/// What builds the wheel, and what tests it, in the versions that it was tested with.
const TOOLS: [&str; 4] = ["maturin==1.15.0", "pytest==8.4.2", "mypy==1.18.2", "tqdm==4.67.1"];
const TABLES: [&str; 4] = ["pyarrow==22.0.0", "pandas==2.3.3", "polars==1.35.2", "duckdb==1.4.2"];

/// Builds, installs and tests it.
pub(crate) fn run() -> Result<()> {
    let folder = target().join("python-tests");
    let python = folder.join("bin/python");
    if output(at_root("python3").args(["-c", "import venv, ensurepip"])).is_none() {
        println!("ignored: there is no python3 with venv (on Debian, install python3-venv)");
        return Ok(());
    }
    let pinned = TOOLS.iter().chain(&TABLES).copied().collect::<Vec<_>>();
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).ok().as_deref() != Some(&pinned.join("\n")) {
        run_command(at_root("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        run_command(at_root(&python).args(["-m", "pip", "install", "--quiet"]).args(&pinned))
            .context("cannot install the packages that the tests need from PyPI")?;
        fs::write(&installed, pinned.join("\n"))?;
    }
    let wheels = target().join("wheels");
    // One wheel at most, so that there is no choice.
    let _ = fs::remove_dir_all(&wheels);
    let mut build = at_root(&python);
    build.args(["-m", "maturin", "build", "--release", "--locked", "--manifest-path", "python/Cargo.toml"]);
    run_command(build.arg("--interpreter").arg(&python).arg("--out").arg(&wheels))?;
    let mut install = at_root(&python);
    install.args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]);
    run_command(install.args(wheels_in(&wheels)?))?;
    // Not at the root, where the folder of sources would be found first.
    let tests = root().join("python/tests");
    let at = |arguments: &[&str]| {
        let mut command = at_root(&python);
        command.current_dir(&tests).args(arguments);
        command
    };
    run_command(&mut at(&["-m", "pytest", "-q", "."]))?;
    run_command(&mut at(&["-m", "pytest", "-q", "--doctest-modules", "--pyargs", "hyperblock"]))?;
    run_command(&mut at(&["-m", "mypy", "--strict", "-p", "hyperblock"]))
}

fn wheels_in(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}
