//! Overlap joins: titles with a similar set of q-grams, from similar to very similar, in every way on every
//! device.
//!
//! As figures 5 and 6 of fgssjoin (Quirino and others, 2017): time by threshold, for 2-grams and 3-grams, of
//! the join, of the join without its filters, which is their baseline, and of the scan, which is ours. What
//! is timed begins with encoded columns in memory and ends with all candidates back there. On a GPU the
//! kernels are also timed by its own clock, in runs that are not timed by ours. All ways must find the same
//! number of candidates, the right one where it is known. They take turns, so what else the machine does hits
//! all alike.

pub(super) mod data;
mod report;

use super::measure::{Times, scan};
use super::scan::open;
use super::{SetjoinArgs, SetjoinData, SetjoinWay};
use crate::cargo::target;
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use data::Titles;
use hyperblock::operators::Backend;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::{ScanOptions, SimilarityChoice, Variant};
use hyperblock::{Control, Job, Prepared};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Characters in an element, and similarities, if nothing else is said.
pub(super) const QS: [u32; 2] = [2, 3];
pub(super) const THRESHOLDS: [f64; 5] = [0.9, 0.8, 0.7, 0.6, 0.5];
/// What takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(2);
/// What a run may take on a CPU before lower thresholds are left out.
const MOST_SECONDS: u32 = 60;
/// Runs that are watched; kernels hardly differ from run to run.
const WATCHED_RUNS: usize = 3;

/// One way, on one device, of one rule.
struct Figure {
    data: String,
    rows: u32,
    q: u32,
    threshold: f64,
    kind: BackendKind,
    device: String,
    way: SetjoinWay,
    /// None, if it was left out.
    measured: Option<Measured>,
}

struct Measured {
    n_candidates: u64,
    times: Times,
    /// All kernels of a run, if the device has a clock: the median in seconds.
    kernels: Option<f64>,
}

/// Titles under a rule.
struct Work<'a> {
    titles: &'a Titles,
    q: u32,
    threshold: f64,
}

pub(super) fn run(args: &SetjoinArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let data = if args.data.is_empty() { SetjoinData::value_variants() } else { args.data.as_slice() };
    let mut figures = Vec::new();
    for device in &devices {
        println!("{}: {}", device.kind(), device.name());
    }
    report::print_head();
    for &data in data {
        let Some(titles) = data.make(args.rows)? else {
            println!("{}: left out, {} is not there", data.name(), data.source().display());
            continue;
        };
        for q in qs(&args.q) {
            // By device: ways that took too long already.
            let mut slow: Vec<Vec<SetjoinWay>> = vec![Vec::new(); devices.len()];
            for threshold in thresholds(&args.threshold, &THRESHOLDS) {
                let work = Work { titles: &titles, q, threshold };
                let mut known = titles.known(q, threshold);
                for (device, slow) in devices.iter().zip(&mut slow) {
                    let new = measure(&work, args, &**device, slow, &mut known)?;
                    report::print(&new);
                    figures.extend(new);
                }
            }
        }
        // Each time, as the next data set may take long.
        if let Some(folder) = &args.save {
            report::save(folder, &figures)?;
        }
    }
    Ok(())
}

fn qs(asked: &[u32]) -> Vec<u32> {
    let mut qs = if asked.is_empty() { QS.to_vec() } else { asked.to_vec() };
    qs.sort_unstable();
    qs.dedup();
    qs
}

/// Those that are asked for, or the others; each once, falling, so that what takes longer comes later.
pub(super) fn thresholds(asked: &[f64], others: &[f64]) -> Vec<f64> {
    let mut thresholds = if asked.is_empty() { others.to_vec() } else { asked.to_vec() };
    thresholds.sort_by(|a, b| b.total_cmp(a));
    thresholds.dedup();
    thresholds
}

/// Writes the rule that titles are joined by.
pub(super) fn rule(q: u32, threshold: f64) -> Result<PathBuf> {
    let condition =
        format!("jaccard(qgrams(lower(l.title), {q}), qgrams(lower(r.title), {q})) >= {threshold}");
    let path = target().join("bench").join("setjoin").join(format!("rules-{q}-{threshold}.toml"));
    let text = rule_file(&[&condition]);
    replace(&path, |file| file.write_all(text.as_bytes()))?;
    Ok(path)
}

impl SetjoinWay {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn job(self, table: &Path, rules: &Path) -> Job {
        let (similarity, variants) = match self {
            Self::Join => (SimilarityChoice::Join, vec![]),
            Self::Dense => (SimilarityChoice::Dense, vec![]),
            Self::NoFilter => (SimilarityChoice::Join, vec![Variant::NoFilter]),
            Self::NoBitmap => (SimilarityChoice::Join, vec![Variant::NoBitmap]),
            Self::Scan => (SimilarityChoice::Sweep, vec![]),
            Self::Cheapest => (SimilarityChoice::Cheapest, vec![]),
        };
        let options = ScanOptions { similarity, ..ScanOptions::default() };
        Job::dedupe(table, rules).scan_options(options).variants(variants)
    }
}

/// Measures a rule in every way that was not too slow for a higher threshold, and notes which are now.
fn measure(
    work: &Work<'_>,
    args: &SetjoinArgs,
    device: &dyn Backend,
    slow: &mut Vec<SetjoinWay>,
    known: &mut Option<u64>,
) -> Result<Vec<Figure>> {
    let &Work { titles, q, threshold } = work;
    let asked = if args.way.is_empty() { SetjoinWay::value_variants() } else { &args.way };
    let ways: Vec<SetjoinWay> = asked.iter().copied().filter(|way| !slow.contains(way)).collect();
    let rules = rule(q, threshold)?;
    let prepare =
        |way: &SetjoinWay| Ok(way.job(&titles.path, &rules).prepare(device, &Control::default())?);
    let jobs = ways.iter().map(prepare).collect::<Result<Vec<Prepared>>>()?;
    let mut n_candidates = 0;
    let times = Times::in_turns(ways.len(), LONG, |ix| {
        let n_found = scan(&jobs[ix], jobs[ix].plan.program(), device)?;
        n_candidates = *known.get_or_insert(n_found);
        ensure!(
            n_found == n_candidates,
            "{}, {q}-grams, {threshold}, {} on {}: {n_found} candidates, but {n_candidates} are right",
            titles.name,
            ways[ix].name(),
            device.name(),
        );
        Ok(())
    })?;
    let most_seconds = match (args.most_seconds, device.kind()) {
        (Some(asked), _) => f64::from(asked),
        (None, BackendKind::Cpu) => f64::from(MOST_SECONDS),
        (None, BackendKind::Cuda) => f64::INFINITY,
    };
    let mut measured = Vec::new();
    for ((way, job), times) in ways.into_iter().zip(&jobs).zip(times) {
        if times.slowest() > most_seconds {
            slow.push(way);
        }
        let kernels = kernels(job, device, times.slowest() > LONG.as_secs_f64())?;
        measured.push((way, Measured { n_candidates, times, kernels }));
    }
    let figure = |&way: &SetjoinWay| Figure {
        data: titles.name.clone(),
        rows: titles.rows,
        q,
        threshold,
        kind: device.kind(),
        device: device.name(),
        way,
        measured: measured.iter().position(|(other, _)| *other == way).map(|ix| measured.swap_remove(ix).1),
    };
    Ok(asked.iter().map(figure).collect())
}

/// How long the kernels of a run take by the device's clock. None on a CPU, which has no kernels.
fn kernels(job: &Prepared, device: &dyn Backend, is_long: bool) -> Result<Option<f64>> {
    if device.kind() == BackendKind::Cpu {
        return Ok(None);
    }
    let mut totals = Vec::new();
    for _ in 0..if is_long { 1 } else { WATCHED_RUNS } {
        let control = Control::watching();
        job.run(device, &control, &mut |_| Ok(()))?;
        totals.push(control.latencies().kernels.total());
    }
    // Later runs are not watched.
    device.watch(None);
    let median = Times::new(totals).median();
    Ok((median > 0.0).then_some(median))
}

#[cfg(test)]
mod tests {
    use super::{Work, measure, qs, thresholds};
    use crate::bench::{Devices, SetjoinArgs, SetjoinData, SetjoinWay};
    use clap::ValueEnum;
    use hyperblock::device::cpu::Cpu;

    fn args(most_seconds: Option<u32>) -> SetjoinArgs {
        let (data, q, threshold, way) = (vec![], vec![], vec![], vec![]);
        SetjoinArgs { data, q, threshold, way, on: Devices::default(), rows: None, most_seconds, save: None }
    }

    #[test]
    fn every_way_finds_the_same() {
        let titles = SetjoinData::Titles.make(Some(300)).unwrap().unwrap();
        let (mut slow, mut known) = (Vec::new(), None);
        let work = Work { titles: &titles, q: 3, threshold: 0.5 };
        let figures = measure(&work, &args(None), &Cpu::new(), &mut slow, &mut known).unwrap();
        assert_eq!(figures.len(), SetjoinWay::value_variants().len());
        for figure in &figures {
            let measured = figure.measured.as_ref().unwrap();
            assert_eq!((Some(measured.n_candidates), measured.kernels), (known, None));
        }
        assert!(slow.is_empty() && known.is_some_and(|n_found| (1..300).contains(&n_found)));
        // A count that is not right is found out.
        let wrong = &mut known.map(|n_found| n_found + 1);
        assert!(measure(&work, &args(None), &Cpu::new(), &mut slow, wrong).is_err());
    }

    #[test]
    fn what_was_slow_is_left_out() {
        let titles = SetjoinData::Titles.make(Some(40)).unwrap().unwrap();
        let (mut slow, args) = (Vec::new(), SetjoinArgs { way: vec![SetjoinWay::Scan], ..args(Some(0)) });
        let mut is_measured = |threshold| {
            let work = Work { titles: &titles, q: 2, threshold };
            let figures = measure(&work, &args, &Cpu::new(), &mut slow, &mut None).unwrap();
            assert_eq!(figures.len(), 1);
            figures[0].measured.is_some()
        };
        assert!(is_measured(0.9));
        assert!(!is_measured(0.8));
    }

    #[test]
    fn thresholds_fall() {
        assert_eq!(thresholds(&[0.5, 0.9, 0.5], &[]), [0.9, 0.5]);
        assert_eq!(thresholds(&[], &[0.8]), [0.8]);
        assert_eq!((qs(&[]), qs(&[3, 1, 3])), (vec![2, 3], vec![1, 3]));
    }
}
