//! The kernels under NVIDIA's [profiler](crate::ncu): for every data set and variant, this program is started again below
//! it and scans once.

use super::data::{Part, name};
use super::timing::{Jobs, access, plan};
use super::{Args, Data};
use crate::bench::measure::scan;
use crate::bench::scan::open;
use crate::ncu::{Profile, Profiler, devices};
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::plan::cost::BackendKind;

/// The kernels that look at pairs. What makes lists and indexes for them has many short ones, which are the same in every variant.
const KERNELS: &str =
    "regex:^hyperblock_(scan|residual|listed|join_light|join_heavy|overlap_probe|overlap_dense)";
/// Launches that are looked at. A scan has some for each rule, and more only of tables larger than any here.
const MOST_LAUNCHES: u32 = 256;

/// Profiles every variant on every data set.
pub(super) fn run(data: &[Data], args: &Args) -> Result<()> {
    let profiler = Profiler::find()?;
    let devices = devices(&args.on.device)?;
    let variants = args.variants()?;
    let head = "data,device,rows,variant,launches,device_s,slowdown,threads_per_warp,branch_efficiency_percent,\
                cycles_per_instruction";
    let mut lines = vec![head.to_owned()];
    println!(
        "{:12}{:>9}  {:14}{:>9}{:>13}{:>10}{:>9}{:>10}{:>8}",
        "data", "rows", "variant", "launches", "device (ms)", "slowdown", "threads", "branches", "cycles"
    );
    for device in &devices {
        for &data in data {
            for size in data.sizes(BackendKind::Cuda, args.rows, &variants) {
                let mut full = None;
                for part in size.parts {
                    let profile = profile(&profiler, (data, size.rows, part), device, args)?;
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

fn profile(
    profiler: &Profiler,
    (data, rows, part): (Data, u32, Part),
    device: &str,
    args: &Args,
) -> Result<Profile> {
    let (data, rows, part) = (data.name(), rows.to_string(), name(part));
    let words = words((&data, &rows, &part), device, &args.access);
    let launches =
        profiler.look(&words, KERNELS, MOST_LAUNCHES).with_context(|| format!("{data}, {part}"))?;
    let is_all = launches.len() < MOST_LAUNCHES as usize;
    ensure!(
        is_all,
        "{data}, {part}: more than {MOST_LAUNCHES} launches, of which the rest would not be seen"
    );
    Ok(Profile::of(launches.iter()))
}

/// What this program is asked below the profiler.
fn words<'a>(
    (data, rows, part): (&'a str, &'a str, &'a str),
    device: &'a str,
    access: &'a str,
) -> [&'a str; 11] {
    ["ablate", "--data", data, "--rows", rows, "--device", device, "--access", access, "--once", part]
}

fn show(data: Data, rows: u32, part: Part, profile: &Profile, slowdown: f64) {
    let Profile { n_launches, seconds, .. } = profile;
    let [threads, branches, cycles] = profile.figures(1);
    println!(
        "{:12}{rows:>9}  {:14}{n_launches:>9}{:>13.3}{slowdown:>10.2}{threads:>9}{branches:>10}{cycles:>8}",
        data.name(),
        name(part),
        seconds * 1e3,
    );
}

fn line(data: Data, device: &str, rows: u32, part: Part, profile: &Profile, slowdown: f64) -> String {
    let Profile { n_launches, seconds, .. } = profile;
    let [threads, branches, cycles] = profile.figures(3);
    let (data, part) = (data.name(), name(part));
    format!(
        "{data},{device},{rows},{part},{n_launches},{seconds:.9},{slowdown:.3},{threads},{branches},{cycles}"
    )
}

#[cfg(test)]
mod tests {
    use super::{line, words};
    use crate::Cli;
    use crate::ablate::Data;
    use crate::ncu::Profile;
    use clap::Parser;

    #[test]
    fn the_program_below_the_profiler_knows_its_words() {
        let words = words(("people-0.5", "100", "noSeq"), "cuda:1", "sweep");
        let crate::Command::Ablate(args) = Cli::parse_from(["xtask"].into_iter().chain(words)).command else {
            panic!("{words:?}");
        };
        assert_eq!((args.data, args.rows), (vec![Data::People05], Some(100)));
        assert_eq!((args.on.device, args.once.as_deref()), (vec!["cuda:1".to_owned()], Some("noSeq")));
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
