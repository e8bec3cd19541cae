//! The package and the program as they are given to others, to be measured: built together, so of the same objects.

use super::{emptied, environment, wheel_in};
use crate::cargo::{at_root, cargo, run as run_command, target};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The program.
pub(super) fn program() -> Result<PathBuf> {
    let both = ["--package", "hyperblock", "--package", "hyperblock-python"];
    run_command(cargo().args(["build", "--release", "--bin", "hyperblock"]).args(both))?;
    Ok(target().join("release/hyperblock"))
}

/// The Python of an environment with these packages, maturin among them, and the wheel.
pub(super) fn installed(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let python = environment(name, packages)?;
    install(&python)?;
    Ok(python)
}

/// Builds the wheel by the maturin of an environment, and installs it there.
pub(super) fn install(python: &Path) -> Result<()> {
    let wheels = target().join("wheels");
    // One wheel at most, so that there is no choice.
    emptied(&wheels)?;
    let mut build = at_root(python);
    build.args(["-m", "maturin", "build", "--locked", "--manifest-path", "python/Cargo.toml", "--release"]);
    run_command(build.arg("--interpreter").arg(python).arg("--out").arg(&wheels))?;
    let mut install = at_root(python);
    install.args(["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps"]);
    run_command(install.arg(wheel_in(&wheels)?))
}
