//! The kernels under NVIDIA's profiler: for every data set and variant, this program is started again below `ncu` and
//! scans once.
//!
//! The profiler repeats each launch until it has counted everything, and restores memory in between, so times of the
//! whole process mean nothing there; the device's own do.

use super::data::{Part, name};
use super::ncu::{self, METRICS, Profile};
use super::timing::{Jobs, access, plan};
use super::{Args, Data};
use crate::bench::measure::scan;
use crate::bench::scan::open;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::plan::cost::BackendKind;
use std::path::Path;
use std::process::Command;

/// Where the profiler is: on the path, or where CUDA is installed.
const PROFILERS: [&str; 2] = ["ncu", "/usr/local/cuda/bin/ncu"];
/// Launches that are looked at. A scan has some for each rule, and more only of tables larger than any here.
const MOST_LAUNCHES: &str = "64";
/// What the names of our kernels begin with.
const KERNELS: &str = "regex:^hyperblock";

/// Profiles every variant on every data set.
pub(super) fn run(data: &[Data], args: &Args) -> Result<()> {
    let profiler = profiler()?;
    let devices = match &args.on.device[..] {
        [] => vec!["cuda".to_owned()],
        asked => asked.iter().filter(|device| device.starts_with("cuda")).cloned().collect(),
    };
    ensure!(!devices.is_empty(), "the profiler looks at GPUs only: --device cuda");
    let head = "data,device,rows,variant,launches,device_s,slowdown,threads_per_warp,branch_efficiency_percent,\
                cycles_per_instruction";
    let mut lines = vec![head.to_owned()];
    println!(
        "{:12}{:>9}  {:14}{:>9}{:>13}{:>10}{:>9}{:>10}{:>8}",
        "data", "rows", "variant", "launches", "device (ms)", "slowdown", "threads", "branches", "cycles"
    );
    for device in &devices {
        for &data in data {
            for size in data.sizes(BackendKind::Cuda, args.rows) {
                let mut full = None;
                for part in size.parts {
                    let profile = profile(profiler, (data, size.rows, part), device, args)?;
                    let slowdown = profile.seconds / *full.get_or_insert(profile.seconds);
                    show(data, size.rows, part, &profile, slowdown);
                    lines.push(line(data, device, size.rows, part, &profile, slowdown));
                }
            }
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "ablate-profile", &lines),
        None => Ok(()),
    }
}

/// Scans a data set once, with a part switched off: what the profiler looks at.
pub(super) fn once(data: &[Data], variant: &str, args: &Args) -> Result<()> {
    let part: Part = match variant {
        "full" => None,
        variant => Some(variant.parse().map_err(anyhow::Error::msg)?),
    };
    let ([data], [device], Some(rows)) = (data, &open(&args.on.device)?[..], args.rows) else {
        bail!("--once wants one --data, one --device and --rows");
    };
    let jobs = Jobs::new(&data.make(rows)?, &[part], &**device)?;
    let job = jobs.of(part);
    scan(job, plan(job, part, access(args)?)?.program(), &**device)?;
    Ok(())
}

fn profiler() -> Result<&'static str> {
    let runs = |program: &&str| Command::new(program).arg("--version").output().is_ok();
    PROFILERS.into_iter().find(runs).context(
        "--profile needs ncu, the command line of NVIDIA Nsight Compute: it is neither on the PATH nor in /usr/local/cuda/bin",
    )
}

fn profile(
    profiler: &str,
    (data, rows, part): (Data, u32, Part),
    device: &str,
    args: &Args,
) -> Result<Profile> {
    let what = || format!("{}, {}", data.name(), name(part));
    let this = std::env::current_exe().context("cannot find this program")?;
    let output = command(profiler, &this, (data, rows, part), device)
        .args(["--access", &args.access])
        .output()
        .with_context(|| format!("cannot start {profiler}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> =
            printed.lines().filter(|line| ncu::is_complaint(line)).chain(errors.lines()).collect();
        bail!("{}: {profiler} failed ({}): {}", what(), output.status, said.join(" "));
    }
    ncu::parse(&printed).with_context(what)
}

/// The profiler, and this program below it.
fn command(profiler: &str, this: &Path, (data, rows, part): (Data, u32, Part), device: &str) -> Command {
    let mut command = Command::new(profiler);
    // Clocks as they are when nobody looks.
    command.args(["--clock-control", "none", "--csv", "--page", "raw"]);
    command.args([
        "--kernel-name",
        KERNELS,
        "--launch-count",
        MOST_LAUNCHES,
        "--metrics",
        &METRICS.join(","),
    ]);
    command.arg(this).args(["ablate", "--data", &data.name(), "--rows", &rows.to_string()]);
    command.args(["--device", device, "--once", &name(part)]);
    command
}

fn show(data: Data, rows: u32, part: Part, profile: &Profile, slowdown: f64) {
    let Profile { n_launches, seconds, threads, branches, cycles } = profile;
    let [threads, branches, cycles] = [threads, branches, cycles].map(|value| known(*value, 1));
    println!(
        "{:12}{rows:>9}  {:14}{n_launches:>9}{:>13.3}{slowdown:>10.2}{threads:>9}{branches:>10}{cycles:>8}",
        data.name(),
        name(part),
        seconds * 1e3,
    );
}

fn line(data: Data, device: &str, rows: u32, part: Part, profile: &Profile, slowdown: f64) -> String {
    let Profile { n_launches, seconds, threads, branches, cycles } = profile;
    let [threads, branches, cycles] = [threads, branches, cycles].map(|value| known(*value, 3));
    let (data, part) = (data.name(), name(part));
    format!(
        "{data},{device},{rows},{part},{n_launches},{seconds:.9},{slowdown:.3},{threads},{branches},{cycles}"
    )
}

/// A number, or nothing.
fn known(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::{command, line};
    use crate::ablate::Data;
    use crate::ablate::ncu::Profile;
    use hyperblock::plan::Variant;
    use std::path::Path;

    #[test]
    fn the_profiler_starts_this_program_with_one_variant() {
        let command =
            command("ncu", Path::new("/xtask"), (Data::People05, 100, Some(Variant::NoSeq)), "cuda:1");
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        let ours = words.iter().position(|word| word == "/xtask").unwrap();
        let wanted =
            ["ablate", "--data", "people-0.5", "--rows", "100", "--device", "cuda:1", "--once", "noSeq"];
        assert_eq!(words[ours + 1..], wanted);
        assert!(words[..ours].iter().any(|word| word.contains("gpu__time_duration.sum,smsp__")), "{words:?}");
    }

    #[test]
    fn what_is_not_known_is_empty() {
        let profile = Profile {
            n_launches: 2,
            seconds: 0.0125,
            threads: Some(24.0),
            branches: None,
            cycles: Some(9.5),
        };
        let line = line(Data::Names, "cuda", 10, None, &profile, 1.0);
        assert_eq!(line, "names,cuda,10,full,2,0.012500000,1.000,24.000,,9.500");
    }
}
