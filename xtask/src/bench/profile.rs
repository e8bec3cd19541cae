//! Kernels under NVIDIA's [profiler](crate::ncu), family by family: Table 5 of HyperBlocker (PVLDB 18(2), 2024), for all
//! that there are and not for the scan alone.
//!
//! A family has a job, which other benchmarks measure by the clock, and ways to do it: methods, and the engine with a part
//! switched off ([`jobs`]). For each of them this program is started again below the profiler, and does the job once. What
//! came of it is told kernel by kernel: launches, time on the device, and by that time threads of a warp that are active,
//! branches at which they stay together, and cycles from one instruction of a warp to its next.

mod jobs;

use super::profile_args::{Family, ProfileArgs};
use super::scan::open;
use crate::ncu::{Launch, OURS, Profile, Profiler, by_kernel, devices};
use crate::record;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;

/// What the names of our kernels begin with.
const KERNELS: &str = "hyperblock_";
/// All kernels of a way together.
const ALL: &str = "all";
const HEAD: &str = "family,way,device,rows,kernel,launches,device_s,share,threads_per_warp,\
                    branch_efficiency_percent,cycles_per_instruction";

/// A family's job, done in one way.
struct Work<'a> {
    family: Family,
    way: &'a str,
    rows: u32,
    device: &'a str,
}

pub(super) fn run(args: &ProfileArgs) -> Result<()> {
    if let Some(way) = &args.once {
        return once(way, args);
    }
    let profiler = Profiler::find()?;
    let families = if args.family.is_empty() { Family::value_variants() } else { args.family.as_slice() };
    let mut lines = vec![HEAD.to_owned()];
    println!(
        "{:11}{:18}{:>9}  {:26}{:>9}{:>13}{:>8}{:>9}{:>10}{:>8}",
        "family",
        "way",
        "rows",
        "kernel",
        "launches",
        "device (ms)",
        "share",
        "threads",
        "branches",
        "cycles"
    );
    for device in &devices(&args.on.device)? {
        for &family in families {
            if !family.is_there()? {
                continue;
            }
            for way in family.ways() {
                let rows = args.rows.unwrap_or_else(|| family.rows(way));
                let work = Work { family, way, rows, device };
                let (rows, most) = (rows.to_string(), args.most_launches);
                let launches = profiler
                    .look(&work.words(&family.name(), &rows), OURS, most)
                    .with_context(|| format!("{}, {way}", family.name()))?;
                for (kernel, profile, share) in told(&launches) {
                    work.print(kernel, &profile, share);
                    lines.push(work.line(kernel, &profile, share));
                }
                if launches.len() == most as usize {
                    println!("  only the first {most} launches were looked at (--most-launches)");
                }
            }
            // Each time, as the next family may take long.
            if let Some(folder) = &args.save {
                record::save(folder, "profile", &lines)?;
            }
        }
    }
    Ok(())
}

/// Does a job once: what the profiler looks at.
fn once(way: &str, args: &ProfileArgs) -> Result<()> {
    let ([family], [device], Some(rows)) = (&args.family[..], &open(&args.on.device)?[..], args.rows) else {
        bail!("--once wants one --family, one --device and --rows");
    };
    family.once(way, rows, &**device)
}

/// All kernels together, then each of them, with its share of the time.
fn told(launches: &[Launch]) -> Vec<(&str, Profile, f64)> {
    let all = Profile::of(launches.iter());
    let seconds = all.seconds;
    let own = by_kernel(launches).into_iter().map(|(kernel, profile)| {
        let share = profile.seconds / seconds;
        (kernel.strip_prefix(KERNELS).unwrap_or(kernel), profile, share)
    });
    [(ALL, all, 1.0)].into_iter().chain(own).collect()
}

impl Family {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl Work<'_> {
    /// What this program is asked below the profiler.
    fn words<'a>(&'a self, family: &'a str, rows: &'a str) -> [&'a str; 10] {
        let Self { way, device, .. } = self;
        ["bench", "profile", "--family", family, "--rows", rows, "--device", device, "--once", way]
    }

    fn print(&self, kernel: &str, profile: &Profile, share: f64) {
        let Self { family, way, rows, .. } = self;
        let Profile { n_launches, seconds, .. } = profile;
        let [threads, branches, cycles] = profile.figures(1);
        println!(
            "{:11}{way:18}{rows:>9}  {kernel:26}{n_launches:>9}{:>13.3}{:>7.1}%{threads:>9}{branches:>10}{cycles:>8}",
            family.name(),
            seconds * 1e3,
            share * 1e2,
        );
    }

    fn line(&self, kernel: &str, profile: &Profile, share: f64) -> String {
        let Self { family, way, rows, device } = self;
        let Profile { n_launches, seconds, .. } = profile;
        let figures = profile.figures(3).join(",");
        let family = family.name();
        format!("{family},{way},{device},{rows},{kernel},{n_launches},{seconds:.9},{share:.4},{figures}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Family, HEAD, Work, told};
    use crate::ncu::Launch;
    use crate::{Cli, Command, bench};
    use clap::Parser;

    const WORK: Work<'_> = Work { family: Family::Overlap, way: "noBitmap", rows: 500, device: "cuda:1" };

    #[test]
    fn the_program_below_the_profiler_knows_its_words() {
        let words = WORK.words("overlap", "500");
        let Command::Bench(args) = Cli::parse_from(["xtask"].into_iter().chain(words)).command else {
            panic!("{words:?}");
        };
        let bench::Command::Profile(args) = args.command else { panic!("{words:?}") };
        assert_eq!((args.family, args.rows), (vec![Family::Overlap], Some(500)));
        assert_eq!((args.on.device, args.once.as_deref()), (vec!["cuda:1".to_owned()], Some("noBitmap")));
    }

    #[test]
    fn a_line_for_all_kernels_and_for_each() {
        let launch = |kernel: &str, seconds: f64| Launch {
            kernel: kernel.to_owned(),
            seconds,
            threads: Some(16.0),
            branches: None,
            cycles: Some(8.5),
        };
        let launches = [
            launch("hyperblock_overlap_count", 0.001),
            launch("hyperblock_overlap_probe", 0.002),
            launch("hyperblock_overlap_count", 0.001),
            launch("hyperblock_listed", 0.004),
        ];
        let lines: Vec<String> = told(&launches)
            .iter()
            .map(|(kernel, profile, share)| WORK.line(kernel, profile, *share))
            .collect();
        assert_eq!(
            lines,
            [
                "overlap,noBitmap,cuda:1,500,all,4,0.008000000,1.0000,16.000,,8.500",
                "overlap,noBitmap,cuda:1,500,listed,1,0.004000000,0.5000,16.000,,8.500",
                "overlap,noBitmap,cuda:1,500,overlap_count,2,0.002000000,0.2500,16.000,,8.500",
                "overlap,noBitmap,cuda:1,500,overlap_probe,1,0.002000000,0.2500,16.000,,8.500",
            ]
        );
        assert!(lines.iter().all(|line| line.split(',').count() == HEAD.split(',').count()));
    }
}
