//! NVIDIA's assembler: where it is, and what it says.
//!
//! It needs no GPU and no driver, so CI can ask it what a kernel will take of each GPU, and for the machine code. One
//! release makes the same code everywhere, so one on the path serves only if it is that release. It is the last that knows
//! both the oldest GPUs that we support and the newest. Otherwise it comes from PyPI, into the build folder.

use crate::cargo::{at_root, output, run, target};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The compute capabilities that machine code is made for. Each serves the later minor versions of its major one: 8.6 and
/// 8.9 run code for 8.0. 7.5 has registers that 7.0 lacks.
const CAPABILITIES: [&str; 6] = ["7.0", "7.5", "8.0", "9.0", "10.0", "12.0"];
const PACKAGE: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// Where the package keeps it.
const PLACE: &str = "nvidia/cuda_nvcc/bin/ptxas";

/// The assembler, downloaded if there is none.
pub(super) fn find_or_install() -> Result<PathBuf> {
    let installed = target().join("ptxas").join(PLACE);
    for candidate in [PathBuf::from("ptxas"), installed.clone()] {
        let version = output(at_root(&candidate).arg("--version"));
        if version.is_some_and(|text| is_ours(&text)) {
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

/// A file of PTX, assembled for GPUs of one compute capability.
pub(super) struct Assembled {
    pub(super) capability: &'static str,
    /// What ptxas calls them.
    pub(super) architecture: String,
    /// What ptxas says of the functions.
    pub(super) report: String,
    /// An ELF, which the driver loads.
    pub(super) code: Vec<u8>,
}

/// Assembles a file for all capabilities, as many at a time as there are cores, in a folder that nobody else does it in meanwhile.
pub(super) fn assemble(ptx: &Path, folder: &Path) -> Result<Vec<Assembled>> {
    let ptxas = &find_or_install()?;
    let n_cores = thread::available_parallelism().map_or(1, usize::from);
    let mut assembled = Vec::new();
    for some in CAPABILITIES.chunks(n_cores) {
        let some: Vec<_> = thread::scope(|scope| {
            let assemble = |&capability| scope.spawn(move || assemble_for(ptxas, ptx, capability, folder));
            let threads: Vec<_> = some.iter().map(assemble).collect();
            threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        for one in some {
            assembled.push(one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
    }
    Ok(assembled)
}

fn assemble_for(ptxas: &Path, ptx: &Path, capability: &'static str, folder: &Path) -> Result<Assembled> {
    let architecture = format!("sm_{}", capability.replace('.', ""));
    let cubin = folder.join(format!("kernels.{architecture}.cubin"));
    let mut command = Command::new(ptxas);
    // Some code has these words in it: other ones would make other bytes.
    command.args(["-v", "-arch", &architecture]).arg(ptx).arg("-o").arg(&cubin);
    let output = command.output().context("cannot start ptxas")?;
    let report =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "ptxas refuses {} for {architecture}:\n{report}", ptx.display());
    let code = fs::read(&cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
    Ok(Assembled { capability, architecture, report, code })
}

/// Whether a version, `…, release 12.9, V12.9.86`, is the one that we want.
fn is_ours(version: &str) -> bool {
    let release = version.split(", V").nth(1).and_then(|text| text.split_whitespace().next());
    release.is_some() && release == PACKAGE.split("==").nth(1)
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn one_release_serves() {
        let text = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\nBuild\n";
        assert!(is_ours(text));
        assert!(!is_ours(&text.replace(".86", ".41")));
        assert!(!is_ours("something else"));
    }
}
