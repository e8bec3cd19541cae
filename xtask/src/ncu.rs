//! NVIDIA's profiler: this program is started again below Nsight Compute's command line (`ncu`), which tells of every
//! launch of a kernel.
//!
//! The profiler repeats each launch until it has counted everything, and restores memory in between, so times of the
//! whole process mean nothing there; the device's own do. [`printed`] reads what it prints.

mod printed;

pub(crate) use printed::{Launch, Profile, by_kernel};

use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::Command;

/// Where the profiler is: on the path, or where CUDA is installed.
const PROFILERS: [&str; 2] = ["ncu", "/usr/local/cuda/bin/ncu"];
/// All kernels of ours, by what their names begin with.
pub(crate) const OURS: &str = "regex:^hyperblock";

/// The profiler, which is there.
pub(crate) struct Profiler(&'static str);

impl Profiler {
    pub(crate) fn find() -> Result<Self> {
        let runs = |program: &&str| Command::new(program).arg("--version").output().is_ok();
        PROFILERS.into_iter().find(runs).map(Self).context(
            "kernels are profiled by ncu, the command line of NVIDIA Nsight Compute: it is neither on the PATH nor in \
             /usr/local/cuda/bin",
        )
    }

    /// What these kernels do when this program is started with these words: their first launches, at most so many.
    pub(crate) fn look(&self, words: &[&str], kernels: &str, most_launches: u32) -> Result<Vec<Launch>> {
        let Self(profiler) = self;
        let this = std::env::current_exe().context("cannot find this program")?;
        let output = command(profiler, &this, words, (kernels, most_launches))
            .output()
            .with_context(|| format!("cannot start {profiler}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let said: Vec<&str> =
                printed.lines().filter(|line| printed::is_complaint(line)).chain(errors.lines()).collect();
            bail!("{profiler} failed ({}): {}", output.status, said.join(" "));
        }
        printed::parse(&printed)
    }
}

/// The GPUs among the devices that are asked for; if none are asked for, the first one.
pub(crate) fn devices(asked: &[String]) -> Result<Vec<String>> {
    let devices = match asked {
        [] => vec!["cuda".to_owned()],
        asked => asked.iter().filter(|device| device.starts_with("cuda")).cloned().collect(),
    };
    ensure!(!devices.is_empty(), "the profiler looks at GPUs only: --device cuda");
    Ok(devices)
}

/// The profiler, and this program below it.
fn command(profiler: &str, this: &Path, words: &[&str], (kernels, most_launches): (&str, u32)) -> Command {
    let mut command = Command::new(profiler);
    // Clocks as they are when nobody looks.
    command.args(["--clock-control", "none", "--csv", "--page", "raw"]);
    command.args(["--kernel-name", kernels, "--launch-count", &most_launches.to_string()]);
    command.args(["--metrics", &printed::METRICS.join(",")]);
    command.arg(this).args(words);
    command
}

#[cfg(test)]
mod tests {
    use super::{OURS, command, devices};
    use std::path::Path;

    #[test]
    fn this_program_is_started_below_the_profiler() {
        let command = command("ncu", Path::new("/xtask"), &["ablate", "--once", "noSeq"], (OURS, 64));
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        let ours = words.iter().position(|word| word == "/xtask").unwrap();
        assert_eq!(words[ours + 1..], ["ablate", "--once", "noSeq"]);
        assert!(words[..ours].iter().any(|word| word.contains("gpu__time_duration.sum,smsp__")), "{words:?}");
        assert!(words[..ours].windows(2).any(|pair| pair == ["--launch-count", "64"]), "{words:?}");
    }

    #[test]
    fn only_gpus_are_profiled() {
        let asked = |names: &[&str]| devices(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(asked(&[]).unwrap(), ["cuda"]);
        assert_eq!(asked(&["cpu", "cuda:1"]).unwrap(), ["cuda:1"]);
        assert!(asked(&["cpu"]).is_err());
    }
}
