//! Clustering: pairs into entities on every device, and beside scipy.
//!
//! Connected components of random pairs, of which most are within one giant component or, where they are few,
//! in trees; and of pairs as entity resolution has them, within many small entities. What is timed begins
//! with the pairs loaded, and ends with the components, where they were loaded. Other programs begin with the
//! pairs in memory, and make of them what they need. The methods that look at scores, and the bit matrix, are
//! timed with their transfers, on few records. All devices must find the same number of entities, and so must
//! scipy.

mod data;
mod peers;

use super::graph_args::{ClusterArgs, ClusterWorkload};
use super::measure::Times;
use super::scan::open;
use crate::record;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use data::Pairs;
use hyperblock::Control;
use hyperblock::entities::cluster::{ClusterMethod, cluster};
use hyperblock::operators::Backend;
use hyperblock::operators::components::Phases;
use hyperblock::plan::cost::BackendKind;
use std::time::Duration;

/// Pairs for all devices, and for GPUs, if there is one.
const PAIRS: [u64; 2] = [10_000_000, 100_000_000];
/// Records that random pairs are of.
const RECORDS: u32 = 20_000_000;
/// Records on which all methods are tried: as many as a bit matrix takes 50 MB for.
const FEW_RECORDS: u32 = 20_000;

/// One method of one program or device, on some pairs.
struct Figure {
    program: String,
    method: ClusterMethod,
    times: Times,
}

/// What was printed of some pairs, and goes on file.
struct Report<'a> {
    workload: ClusterWorkload,
    pairs: &'a Pairs,
    n_entities: Option<u64>,
    lines: &'a mut Vec<String>,
}

pub(super) fn run(args: &ClusterArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let has_gpu = devices.iter().any(|device| device.kind() == BackendKind::Cuda);
    let mut lines =
        vec!["workload,method,program,records,pairs,entities,runs,median_s,fastest_s,slowest_s".to_owned()];
    let workloads =
        if args.workload.is_empty() { ClusterWorkload::value_variants() } else { &args.workload[..] };
    let sizes = match args.pairs {
        Some(n_pairs) => vec![n_pairs],
        None if has_gpu => PAIRS.to_vec(),
        None => PAIRS[..1].to_vec(),
    };
    for &workload in workloads {
        for &n_pairs in &sizes {
            let pairs = Pairs::new(workload, n_pairs, args.records.unwrap_or(RECORDS));
            let mut report = Report::new(workload, &pairs, &mut lines);
            for device in &devices {
                components(&**device, &mut report)?;
            }
            // What scipy takes minutes for says nothing more.
            if !args.no_peers && n_pairs <= PAIRS[0] {
                peers::scipy(&mut report)?;
            }
        }
    }
    let pairs = Pairs::new(ClusterWorkload::Entities, FEW_RECORDS.into(), FEW_RECORDS);
    for method in ClusterMethod::ALL {
        let mut report = Report::new(ClusterWorkload::Entities, &pairs, &mut lines);
        for device in &devices {
            whole(&**device, method, &mut report)?;
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "cluster", &lines),
        None => Ok(()),
    }
}

/// Makes entities of pairs once: what a profiler looks at.
pub(super) fn once(method: ClusterMethod, n_pairs: u32, device: &dyn Backend) -> Result<()> {
    let Pairs { n_records, scored } = Pairs::new(ClusterWorkload::Entities, n_pairs.into(), n_pairs);
    cluster(device, n_records, &scored, method, &Control::default())?;
    Ok(())
}

/// The components of loaded pairs.
fn components(device: &dyn Backend, report: &mut Report<'_>) -> Result<()> {
    let Pairs { n_records, scored } = report.pairs;
    let mut loaded = device.load_components(*n_records, scored)?;
    let mut phases = Phases::new();
    let times = Times::of(|| {
        phases = loaded.run(&Control::default())?;
        Ok(())
    })?;
    let n_entities = n_entities(&loaded.labels()?);
    report.add(Figure { program: device.name(), method: ClusterMethod::Components, times }, n_entities)?;
    println!("    {}", describe(&phases));
    Ok(())
}

/// A method as callers have it, from pairs in memory to entities in memory.
fn whole(device: &dyn Backend, method: ClusterMethod, report: &mut Report<'_>) -> Result<()> {
    let Pairs { n_records, scored } = report.pairs;
    let mut entities = Vec::new();
    let times = Times::of(|| {
        entities = cluster(device, *n_records, scored, method, &Control::default())?;
        Ok(())
    })?;
    report.add(Figure { program: device.name(), method, times }, n_entities(&entities))
}

/// An entity is named by one of its own.
fn n_entities(labels: &[u32]) -> u64 {
    (0..).zip(labels).filter(|(record, label)| record == *label).count() as u64
}

/// How long each phase took, all of a name together.
fn describe(phases: &Phases) -> String {
    let mut sums: Vec<(&str, Duration)> = Vec::new();
    for (name, took) in phases {
        match sums.iter_mut().find(|sum| sum.0 == *name) {
            Some(sum) => sum.1 += *took,
            None => sums.push((name, *took)),
        }
    }
    let shown: Vec<_> =
        sums.iter().map(|(name, took)| format!("{name} {:.3} ms", took.as_secs_f64() * 1e3)).collect();
    shown.join(", ")
}

impl<'a> Report<'a> {
    fn new(workload: ClusterWorkload, pairs: &'a Pairs, lines: &'a mut Vec<String>) -> Self {
        println!("{}: {} pairs of {} records", name(workload), pairs.scored.len(), pairs.n_records);
        Self { workload, pairs, n_entities: None, lines }
    }

    /// Takes note of a figure, unless its entities are others than before.
    fn add(&mut self, figure: Figure, n_entities: u64) -> Result<()> {
        let Figure { program, method, times } = figure;
        let known = *self.n_entities.get_or_insert(n_entities);
        ensure!(n_entities == known, "{program}: {n_entities} entities by {method}, but {known} before");
        let n_pairs = self.pairs.scored.len();
        println!(
            "  {program:28} {method:10} {:10.4} ms median of {}, {:.1} million pairs a second, {n_entities} entities",
            times.median() * 1e3,
            times.n_runs(),
            n_pairs as f64 / times.median() / 1e6,
        );
        self.lines.push(format!(
            "{},{method},{program},{},{n_pairs},{n_entities},{},{:.6},{:.6},{:.6}",
            name(self.workload),
            self.pairs.n_records,
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest()
        ));
        Ok(())
    }
}

fn name(workload: ClusterWorkload) -> String {
    workload.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Report, components, describe, whole};
    use crate::bench::cluster::data::Pairs;
    use crate::bench::graph_args::ClusterWorkload;
    use hyperblock::device::cpu::Cpu;
    use hyperblock::entities::cluster::ClusterMethod;
    use std::time::Duration;

    #[test]
    fn figures_agree_or_fail() {
        let pairs = Pairs::new(ClusterWorkload::Random, 500, 300);
        let mut lines = Vec::new();
        let mut report = Report::new(ClusterWorkload::Random, &pairs, &mut lines);
        components(&Cpu::new(), &mut report).unwrap();
        whole(&Cpu::new(), ClusterMethod::TiledFw, &mut report).unwrap();
        assert!(whole(&Cpu::new(), ClusterMethod::Complete, &mut report).is_err());
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("random,components,cpu ("));
    }

    #[test]
    fn phases_are_summed() {
        let phases = [("a", 1), ("b", 2), ("a", 3)].map(|(name, ms)| (name, Duration::from_millis(ms)));
        assert_eq!(describe(&phases.to_vec()), "a 4.000 ms, b 2.000 ms");
    }
}
