//! What it takes to know what a predicate costs: measured, and predicted.
//!
//! As Exp-4 (3) of HyperBlocker (PVLDB 18(2), 2024), over the predicates of the ten rules for DBLP-ACM. An *actual* cost is
//! a timing of the predicate on the job's own records and device, as for `--cost measured`; an *estimated* one is what the
//! network says of its features, as for `--cost model`. Beside it: how near the order by estimated costs comes to that by
//! actual ones, as NDCG.

use crate::bench::measure::Times;
use crate::bench::stand_in::{self, GENERATED_PAPERS};
use crate::bench::workload::data_sets;
use crate::cargo::root;
use crate::{ndcg, record};
use anyhow::Result;
use hyperblock::operators::Backend;
use hyperblock::plan::cost::{self, CostModel};
use hyperblock::run::measured::measured;
use hyperblock::{Control, Job, Prepared};
use std::path::Path;

const DATA: &str = "dblp_acm";
const SEED: u64 = 1;
/// Seconds for a predicate in the paper: actual, estimated.
const PAPER: [f64; 2] = [0.8, 0.007];

/// What all predicates of a job took together.
struct Figures {
    n_predicates: usize,
    actual: Times,
    estimated: Times,
    ndcg: f64,
}

pub(super) fn run(device: &dyn Backend, is_generated: bool, save: Option<&Path>) -> Result<()> {
    let folder = data_sets().join(DATA);
    let (data, [left, right]) = match is_generated {
        true => {
            let [left, right, _] = stand_in::papers()?;
            (GENERATED_PAPERS, [left, right])
        }
        false if !folder.is_dir() => {
            println!("{DATA}: left out, it is not in {}", data_sets().display());
            return Ok(());
        }
        false => (DATA, ["tableA.csv", "tableB.csv"].map(|name| folder.join(name))),
    };
    let rules = root().join("xtask/paper").join(format!("{DATA}.toml"));
    let job = Job::link(left, right, rules);
    let figures = measure(&job.prepare(device, &Control::default())?, device)?;
    let Figures { n_predicates, actual, estimated, ndcg } = &figures;
    println!("{data}, {n_predicates} predicates on {}: for a predicate", device.name());
    let mut lines = vec!["data,device,predicates,cost,runs,median_s,predicate_s,paper_s,ndcg".to_owned()];
    let told = [("actual", actual, PAPER[0], 1.0), ("estimated", estimated, PAPER[1], *ndcg)];
    for (what, times, paper, ndcg) in told {
        let (median, n_runs) = (times.median(), times.n_runs());
        let each = median / (*n_predicates).max(1) as f64;
        println!("  {what:10} {each:12.6} s  (the paper's {paper} s)");
        lines.push(format!(
            "{data},{},{n_predicates},{what},{n_runs},{median:.9},{each:.9},{paper},{ndcg:.4}",
            device.name()
        ));
    }
    let (ours, paper) = (actual.median() / estimated.median(), PAPER[0] / PAPER[1]);
    println!("  estimated {ours:.0} times as fast (the paper's {paper:.0}), NDCG {ndcg:.4}");
    save.map_or(Ok(()), |folder| record::save(folder, "planning-costs", &lines))
}

fn measure(job: &Prepared, device: &dyn Backend) -> Result<Figures> {
    let model = CostModel::builtin(device.kind())?.on(device.figures());
    let (mut actual_costs, mut estimated_costs) = (Vec::new(), Vec::new());
    let actual = Times::of(|| {
        actual_costs = measured(device, &job.encoded, SEED)?;
        Ok(())
    })?;
    let estimated = Times::of(|| {
        estimated_costs = cost::costs(&model, &job.encoded);
        Ok(())
    })?;
    let ndcg = ndcg::ndcg(&estimated_costs, &actual_costs);
    Ok(Figures { n_predicates: job.encoded.predicates.len(), actual, estimated, ndcg })
}

#[cfg(test)]
mod tests {
    use super::measure;
    use crate::bench::Workload;
    use hyperblock::Control;
    use hyperblock::device::cpu::Cpu;

    #[test]
    fn estimates_are_sooner_there() {
        let device = Cpu::new();
        let files = Workload::Papers.make(120).unwrap().unwrap();
        let job = files.job().prepare(&device, &Control::default()).unwrap();
        let figures = measure(&job, &device).unwrap();
        assert!(figures.n_predicates > 5, "{}", figures.n_predicates);
        assert!(figures.estimated.median() < figures.actual.median());
        assert!((0.5..=1.0).contains(&figures.ndcg), "{}", figures.ndcg);
    }
}
