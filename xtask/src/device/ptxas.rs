//! NVIDIA's assembler: where it is, and what it says.
//!
//! It needs no GPU and no driver, so CI can ask it what a kernel will take of each GPU. One on the path serves if it is
//! of CUDA 12: older ones have not been tried and CUDA 13 has dropped the oldest GPUs that we support. Otherwise it
//! comes from PyPI, into the build folder.

use crate::cargo::{at_root, output, run, target};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAJOR: u32 = 12;
const PACKAGE: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// Where the package keeps it.
const PLACE: &str = "nvidia/cuda_nvcc/bin/ptxas";

/// The assembler, downloaded if there is none.
pub(super) fn find_or_install() -> Result<PathBuf> {
    let installed = target().join("ptxas").join(PLACE);
    for candidate in [PathBuf::from("ptxas"), installed.clone()] {
        let version = output(at_root(&candidate).arg("--version"));
        if version.and_then(|text| major(&text)) == Some(MAJOR) {
            return Ok(candidate);
        }
    }
    install(&target().join("ptxas"))?;
    ensure!(installed.is_file(), "{PACKAGE} did not bring {PLACE}");
    Ok(installed)
}

/// Into a folder beside it first, so that a download that breaks off leaves nothing behind that looks whole.
fn install(folder: &Path) -> Result<()> {
    println!("installing ptxas: {PACKAGE} from PyPI");
    let partial = folder.with_extension("partial");
    for old in [&partial, folder] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| format!("cannot remove {}", old.display()))?;
        }
    }
    // `--target` leaves the machine's own packages alone, so externally managed Pythons allow it too.
    let pip = |python: &Path| {
        let mut pip = at_root(python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
        // A build folder is no place for advice against installing as root.
        pip.arg(&partial).arg(PACKAGE).env("PIP_ROOT_USER_ACTION", "ignore");
        pip
    };
    let python = Path::new("python3");
    if output(at_root(python).args(["-m", "pip", "--version"])).is_some() {
        run(&mut pip(python))?;
    } else {
        let environment = target().join("ptxas-venv");
        if output(at_root(python).args(["-m", "venv"]).arg(&environment)).is_none() {
            bail!(
                "ptxas comes from PyPI, and python3 has neither pip nor venv. On Debian:\n  \
                 apt-get install python3-pip python3-venv"
            );
        }
        run(&mut pip(&environment.join("bin/python3")))?;
    }
    fs::rename(&partial, folder).with_context(|| format!("cannot write {}", folder.display()))
}

/// Assembles a file for an architecture, to see whether and how it does; returns the report.
pub(super) fn assemble(ptxas: &Path, ptx: &Path, architecture: &str) -> Result<String> {
    let cubin = target().join(format!("kernels.{architecture}.cubin"));
    let mut command = Command::new(ptxas);
    command.args(["-v", "-arch", architecture]).arg(ptx).arg("-o").arg(cubin);
    let output = command.output().context("cannot start ptxas")?;
    let report =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "ptxas refuses {} for {architecture}:\n{report}", ptx.display());
    Ok(report)
}

/// The 12 of `…, release 12.9, V12.9.86`.
fn major(version: &str) -> Option<u32> {
    version.split("release ").nth(1)?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn versions_are_read() {
        let text =
            "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\n";
        assert_eq!(major(text), Some(12));
        assert_eq!(major("something else"), None);
    }
}
