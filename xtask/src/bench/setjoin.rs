//! Overlap joins: titles with a similar set of q-grams, from similar to very similar, in every way on every
//! device.
//!
//! As figures 5 and 6 of fgssjoin (Quirino and others, 2017): time by threshold, for 2-grams and 3-grams, of
//! the join, of the join without its filters, which is their baseline, and of the scan, which is ours. What
//! is timed begins with encoded columns in memory and ends with all candidates back there. On a GPU the
//! kernels are also timed by its own clock, in runs that are not timed by ours. All ways must find the same
//! number of candidates, the right one where it is known. They take turns, so what else the machine does hits
//! all alike.
//!
//! What the paper compares itself with runs on the CPU beside them, from the same encoded columns to all
//! pairs ([`beside`]), and [`best`] is a table of ratios like its Table 2.

mod beside;
mod best;
pub(super) mod data;
mod report;

use super::measure::{Times, scan};
use super::scan::open;
use super::{SetjoinArgs, SetjoinBaseline, SetjoinData, SetjoinWay};
use crate::cargo::target;
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use beside::{Beside, Collection};
use clap::ValueEnum;
use data::Titles;
use hyperblock::baselines::sets::Baseline;
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
/// What a run may take on a CPU before lower thresholds are left out, or before a baseline is stopped.
const MOST_SECONDS: u32 = 60;
/// Runs that are watched; kernels hardly differ from run to run.
const WATCHED_RUNS: usize = 3;

/// Ours, or what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Ours(SetjoinWay),
    Baseline(Beside),
}

/// One way, on one device, of one rule.
struct Figure {
    data: String,
    rows: u32,
    q: u32,
    threshold: f64,
    kind: BackendKind,
    device: String,
    way: Way,
    seen: Seen,
}

/// What was seen of it.
enum Seen {
    Measured(Measured),
    /// It was stopped after so many seconds.
    Over(u32),
    /// It was too slow for a higher threshold.
    LeftOut,
}

impl Figure {
    fn measured(&self) -> Option<&Measured> {
        match &self.seen {
            Seen::Measured(measured) => Some(measured),
            Seen::Over(_) | Seen::LeftOut => None,
        }
    }
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
    let baselines: Vec<Beside> = args.baseline.iter().map(|baseline| baseline.get()).collect();
    // Those of the CPU take turns with ours there, if that is measured.
    let beside = devices.iter().position(|device| device.kind() == BackendKind::Cpu).unwrap_or(0);
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
            let mut slow: Vec<Vec<Way>> = vec![Vec::new(); devices.len()];
            for threshold in thresholds(&args.threshold, &THRESHOLDS) {
                let work = Work { titles: &titles, q, threshold };
                let mut known = titles.known(q, threshold);
                for (ix, (device, slow)) in devices.iter().zip(&mut slow).enumerate() {
                    let is_here = |baseline: &&Beside| match baseline.kind() {
                        BackendKind::Cpu => ix == beside,
                        BackendKind::Cuda => device.kind() == BackendKind::Cuda,
                    };
                    let here: Vec<Beside> = baselines.iter().filter(is_here).copied().collect();
                    let new = measure(&work, args, &**device, &here, slow, &mut known)?;
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
    best::print(&best::of(&figures));
    Ok(())
}

/// Joins some titles once, by an element and a threshold in the middle: what a profiler looks at.
pub(super) fn once(way: SetjoinWay, rows: u32, device: &dyn Backend) -> Result<()> {
    let titles = SetjoinData::Titles.make(Some(rows))?.context("titles are generated if need be")?;
    let job = way.job(&titles.path, &rule(3, 0.7)?).prepare(device, &Control::default())?;
    scan(&job, job.plan.program(), device)?;
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

/// Each value once, in order of appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut distinct, value| {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
        distinct
    })
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

impl SetjoinBaseline {
    fn get(self) -> Beside {
        match self {
            Self::AllPairs => Beside::Cpu(Baseline::AllPairs),
            Self::Ppjoin => Beside::Cpu(Baseline::Ppjoin),
            Self::Gssjoin => Beside::Cpu(Baseline::Gssjoin),
            Self::GssjoinGpu => Beside::GssjoinOnGpu,
        }
    }
}

impl Way {
    fn name(self) -> String {
        match self {
            Self::Ours(way) => {
                way.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
            }
            Self::Baseline(baseline) => baseline.name(),
        }
    }
}

impl SetjoinWay {
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

/// What is timed.
enum Run<'a> {
    Ours(Box<Prepared>),
    Baseline(Beside, &'a Collection<'a>),
}

impl Run<'_> {
    /// The number of candidates; none if a baseline was stopped after so many seconds.
    fn found(&self, device: &dyn Backend, most_seconds: u32) -> Result<Option<u64>> {
        match self {
            Self::Ours(job) => Ok(Some(scan(job, job.plan.program(), device)?)),
            Self::Baseline(baseline, collection) => collection.found(*baseline, most_seconds),
        }
    }
}

/// Measures a rule in every way that was not too slow for a higher threshold, and notes which are now.
fn measure(
    work: &Work<'_>,
    args: &SetjoinArgs,
    device: &dyn Backend,
    baselines: &[Beside],
    slow: &mut Vec<Way>,
    known: &mut Option<u64>,
) -> Result<Vec<Figure>> {
    let &Work { titles, q, threshold } = work;
    let ours = if args.way.is_empty() { SetjoinWay::value_variants() } else { &args.way };
    let ours = ours.iter().map(|way| Way::Ours(*way));
    let asked: Vec<Way> = ours.chain(baselines.iter().map(|baseline| Way::Baseline(*baseline))).collect();
    let ways: Vec<Way> = asked.iter().copied().filter(|way| !slow.contains(way)).collect();
    let rules = rule(q, threshold)?;
    let prepare = |way: SetjoinWay| way.job(&titles.path, &rules).prepare(device, &Control::default());
    // What titles are encoded as is the same in every way.
    let encoded = if ways.iter().any(|way| matches!(way, Way::Baseline(_))) {
        Some(prepare(SetjoinWay::Cheapest)?)
    } else {
        None
    };
    let collection = encoded.as_ref().map(Collection::of).transpose()?;
    let mut runs = Vec::new();
    for way in &ways {
        match (way, &collection) {
            (Way::Ours(way), _) => runs.push(Run::Ours(Box::new(prepare(*way)?))),
            (Way::Baseline(baseline), Some(collection)) => runs.push(Run::Baseline(*baseline, collection)),
            (Way::Baseline(_), None) => bail!("a baseline has nothing to join"),
        }
    }
    let for_baselines = args.most_seconds.unwrap_or(MOST_SECONDS);
    let mut is_over = vec![false; runs.len()];
    let mut n_candidates = 0;
    let times = Times::in_turns(runs.len(), LONG, |ix| {
        if is_over[ix] {
            return Ok(());
        }
        let Some(n_found) = runs[ix].found(device, for_baselines)? else {
            is_over[ix] = true;
            return Ok(());
        };
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
    let mut seen = Vec::new();
    for (((way, run), times), is_over) in ways.into_iter().zip(&runs).zip(times).zip(is_over) {
        if is_over {
            slow.push(way);
            seen.push((way, Seen::Over(for_baselines)));
            continue;
        }
        if times.slowest() > most_seconds {
            slow.push(way);
        }
        let kernels = match run {
            Run::Ours(job) => kernels(job, device, times.slowest() > LONG.as_secs_f64())?,
            Run::Baseline(..) => None,
        };
        seen.push((way, Seen::Measured(Measured { n_candidates, times, kernels })));
    }
    let figure = |&way: &Way| {
        let (kind, device) = match way {
            Way::Ours(_) => (device.kind(), device.name()),
            Way::Baseline(baseline) => (baseline.kind(), baseline.device(&device.name())),
        };
        let seen = seen.iter().position(|(other, _)| *other == way).map(|ix| seen.swap_remove(ix).1);
        let seen = seen.unwrap_or(Seen::LeftOut);
        Figure { data: titles.name.clone(), rows: titles.rows, q, threshold, kind, device, way, seen }
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
    use super::{Beside, Seen, Way, Work, measure, qs, thresholds};
    use crate::bench::{Devices, SetjoinArgs, SetjoinData, SetjoinWay};
    use clap::ValueEnum;
    use hyperblock::baselines::sets::Baseline;
    use hyperblock::device::cpu::Cpu;

    fn args(most_seconds: Option<u32>) -> SetjoinArgs {
        let (data, q, threshold, way, baseline) = (vec![], vec![], vec![], vec![], vec![]);
        let (on, rows, save) = (Devices::default(), None, None);
        SetjoinArgs { data, q, threshold, way, baseline, on, rows, most_seconds, save }
    }

    #[test]
    fn every_way_finds_the_same() {
        let titles = SetjoinData::Titles.make(Some(300)).unwrap().unwrap();
        let (mut slow, mut known) = (Vec::new(), None);
        let work = Work { titles: &titles, q: 3, threshold: 0.5 };
        let baselines: Vec<Beside> = Baseline::ALL.iter().map(|baseline| Beside::Cpu(*baseline)).collect();
        let mut measure =
            |known: &mut _| measure(&work, &args(None), &Cpu::new(), &baselines, &mut slow, known);
        let figures = measure(&mut known).unwrap();
        assert_eq!(figures.len(), SetjoinWay::value_variants().len() + Baseline::ALL.len());
        for figure in &figures {
            let measured = figure.measured().unwrap();
            assert_eq!((Some(measured.n_candidates), measured.kernels), (known, None));
        }
        assert!(known.is_some_and(|n_found| (1..300).contains(&n_found)));
        // A count that is not right is found out.
        let wrong = &mut known.map(|n_found| n_found + 1);
        assert!(measure(wrong).is_err());
        assert!(slow.is_empty());
    }

    #[test]
    fn what_was_slow_is_left_out() {
        let titles = SetjoinData::Titles.make(Some(40)).unwrap().unwrap();
        let (mut slow, args) = (Vec::new(), SetjoinArgs { way: vec![SetjoinWay::Scan], ..args(Some(0)) });
        let mut is_measured = |threshold| {
            let work = Work { titles: &titles, q: 2, threshold };
            let figures = measure(&work, &args, &Cpu::new(), &[], &mut slow, &mut None).unwrap();
            assert_eq!(figures.len(), 1);
            figures[0].measured().is_some()
        };
        assert!(is_measured(0.9));
        assert!(!is_measured(0.8));
    }

    #[test]
    fn a_baseline_that_takes_too_long_is_stopped() {
        let titles = SetjoinData::Titles.make(Some(20_000)).unwrap().unwrap();
        let (mut slow, args) = (Vec::new(), SetjoinArgs { way: vec![SetjoinWay::Join], ..args(Some(0)) });
        let mut seen = |threshold| {
            let work = Work { titles: &titles, q: 2, threshold };
            let baselines = [Beside::Cpu(Baseline::Gssjoin)];
            let figures = measure(&work, &args, &Cpu::new(), &baselines, &mut slow, &mut None).unwrap();
            let baseline = figures.into_iter().find(|figure| figure.way == Way::Baseline(baselines[0]));
            baseline.unwrap().seen
        };
        assert!(matches!(seen(0.9), Seen::Over(0)));
        assert!(matches!(seen(0.8), Seen::LeftOut));
    }

    #[test]
    fn thresholds_fall() {
        assert_eq!(thresholds(&[0.5, 0.9, 0.5], &[]), [0.9, 0.5]);
        assert_eq!(thresholds(&[], &[0.8]), [0.8]);
        assert_eq!((qs(&[]), qs(&[3, 1, 3])), (vec![2, 3], vec![1, 3]));
    }
}
