//! Python with packages from PyPI, in an environment of its own in the build folder: for our package, and for those we are
//! compared with.

use crate::cargo::{at_root, output, run, target};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// The Python of the environment `name`, with all packages; they are installed if they are not there.
pub(crate) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    built(name, &[], packages)
}

/// The same where PyPI has only sources: they are built with `tools`, of versions that still know them.
pub(crate) fn built(name: &str, tools: &[&str], packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join(name);
    let python = folder.join("bin/python");
    let all = packages.join(", ");
    let ready = || output(at_root(&python).args(["-c", &imports(packages)])).is_some();
    if ready() {
        return Ok(python);
    }
    // What a failed attempt left would be taken for an environment.
    run(at_root("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("no environment for Python (on Debian, install python3-venv)")?;
    let install = |more: &[&str]| {
        // Tools are named each time, so that nothing replaces them.
        pip(at_root(&python).args(["-m", "pip", "install", "--quiet"]).args(tools).args(more))
    };
    match tools {
        [] => install(packages),
        _ => install(&[]).and_then(|()| install(&[&["--no-build-isolation"], packages].concat())),
    }
    .with_context(|| format!("cannot install {all} from PyPI"))?;
    ensure!(ready(), "{all} were installed to {}, but cannot be imported", folder.display());
    Ok(python)
}

/// What a package is imported as, if it is no program of cargo's. It may stand with the versions that will do; in brackets are its extras,
/// and what follows a dash is how it was built.
fn module(package: &str) -> Option<&str> {
    let is_program = package.starts_with("cargo-");
    package.split(['<', '=', '>', '-', '[']).next().filter(|_| !is_program)
}

/// What Python does if all packages are there, in their versions where one alone will do.
fn imports(packages: &[&str]) -> String {
    let mut lines = vec!["from importlib.metadata import version".to_owned()];
    for package in packages {
        lines.extend(module(package).map(|module| format!("import {module}")));
        if let Some((name, version)) = package.split_once("==") {
            let name = name.split('[').next().unwrap_or_default();
            lines.push(format!("assert version('{name}') == '{version}'"));
        }
    }
    lines.join("\n")
}

/// Runs pip. What it says is shown, and if it fails, its last error is ours.
fn pip(command: &mut Command) -> Result<()> {
    let pip = command.output().context("cannot start pip")?;
    let said = String::from_utf8_lossy(&pip.stderr);
    eprint!("{said}");
    ensure!(pip.status.success(), "{}", last_error(&said).unwrap_or("pip failed"));
    Ok(())
}

fn last_error(said: &str) -> Option<&str> {
    said.lines().rev().find_map(|line| line.strip_prefix("ERROR: ").or(line.strip_prefix("error: ")))
}

#[cfg(test)]
mod tests {
    use super::{imports, last_error};

    #[test]
    fn versions_are_looked_at() {
        let lines = [
            "from importlib.metadata import version",
            "import numpy",
            "import stringzillas",
            "assert version('stringzillas-cpus') == '5.3.2'",
            "import dask",
            "assert version('dask') == '1'",
            "assert version('cargo-zigbuild') == '0.24.0'",
        ];
        let packages =
            ["numpy<2", "stringzillas-cpus==5.3.2", "dask[dataframe]==1", "cargo-zigbuild==0.24.0"];
        assert_eq!(imports(&packages), lines.join("\n"));
    }

    #[test]
    fn the_last_error_is_told() {
        let said = "error: subprocess-exited\n  error: inner\nERROR: no wheels\nnote: a new release of pip\n";
        assert_eq!(last_error(said), Some("no wheels"));
        assert_eq!(last_error("note: all is well\n"), None);
    }
}
