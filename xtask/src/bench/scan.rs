//! The scan: all pairs of N distinct names under `levenshtein_similarity(l.name, r.name) >= 0.8`.

use super::measure::{Times, scan};
use super::{ScanArgs, record};
use crate::cargo::target;
use crate::r#gen::names;
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use hyperblock::backend;
use hyperblock::cpu::Cpu;
use hyperblock::{DeviceChoice, Job, Prepared, cuda};

const SEED: u64 = 1;
const RULES: &str = r#"
[[rules]]
name = "alike"
when = "levenshtein_similarity(l.name, r.name) >= 0.8"
"#;

/// How many pairs are alike, by number of names: counted once on the CPU, whose comparators are tested against an
/// independent oracle.
const KNOWN: [(u32, u64); 1] = [(100_000, 146_209)];

pub(super) fn run(args: &ScanArgs) -> Result<()> {
    let job = prepare(args.rows)?;
    let devices = if args.device.is_empty() {
        let gpu = cuda::gpus().is_ok().then(|| "cuda".to_owned());
        [Some("cpu".to_owned()), gpu].into_iter().flatten().collect()
    } else {
        args.device.clone()
    };
    let n_pairs = job.task().n_pairs();
    let mut lines =
        vec!["device,rows,pairs,candidates,runs,median_s,fastest_s,slowest_s,pairs_per_s".to_owned()];
    let mut known = KNOWN.iter().find(|(rows, _)| *rows == args.rows).map(|(_, count)| *count);
    let mut slowest_rate = None;
    for name in devices {
        let choice: DeviceChoice = name.parse().map_err(anyhow::Error::msg)?;
        let device = backend::open(choice, None)?;
        let mut n_found = 0;
        let times = Times::of(|| {
            n_found = scan(&job, job.plan.program(), &*device)?;
            Ok(())
        })?;
        let wanted = *known.get_or_insert(n_found);
        ensure!(n_found == wanted, "{}: {n_found} candidates, but {wanted} are right", device.name());
        let rate = n_pairs as f64 / times.median();
        let ratio = rate / *slowest_rate.get_or_insert(rate);
        println!(
            "{:24} {:8.3} billion pairs a second  ({:.4} s median of {}, {:.4} to {:.4}; {n_found} candidates; {ratio:.1}x)",
            device.name(),
            rate / 1e9,
            times.median(),
            times.n_runs(),
            times.fastest(),
            times.slowest(),
        );
        lines.push(format!(
            "{},{},{n_pairs},{n_found},{},{:.6},{:.6},{:.6},{rate:.0}",
            device.name(),
            args.rows,
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
        ));
    }
    match &args.save {
        Some(folder) => record::save(folder, "scan", &lines),
        None => Ok(()),
    }
}

fn prepare(rows: u32) -> Result<Prepared> {
    let folder = target().join("bench");
    let (table, rules) = (folder.join(format!("names-{rows}.csv")), folder.join("scan.toml"));
    let names = names::draw(rows, SEED)?;
    replace(&table, |file| names::write(&names, file))?;
    std::fs::write(&rules, RULES).with_context(|| format!("cannot write {}", rules.display()))?;
    Ok(Job::dedupe(table, rules).prepare(&Cpu::new())?)
}
