//! Python with packages from PyPI, in an environment of its own in the build folder: for those we are
//! compared with.

use crate::cargo::{at_root, output, run, target};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// The Python of the environment `name`, with all packages; they are installed if they are not there.
pub(super) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join(name);
    let python = folder.join("bin/python");
    let all = packages.join(", ");
    let ready = || output(at_root(&python).args(["-c", &format!("import {all}")])).is_some();
    if ready() {
        return Ok(python);
    }
    // What a failed attempt left would be taken for an environment.
    run(at_root("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("no environment for Python (on Debian, install python3-venv)")?;
    run(at_root(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
        .with_context(|| format!("cannot install {all} from PyPI"))?;
    ensure!(ready(), "{all} were installed to {}, but cannot be imported", folder.display());
    Ok(python)
}
