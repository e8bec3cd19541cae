//! The examples: what their rules and scores make of whole data sets is as good as they say.

use super::set;
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::cluster::ClusterMethod;
use hyperblock::{Control, Job, Resolve};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

/// An example, and the least that its entities must come to, pair by pair.
struct Example {
    data_set: &'static str,
    rules: &'static str,
    truth: &'static str,
    method: ClusterMethod,
    source: Option<&'static str>,
    precision: f64,
    recall: f64,
    f1: f64,
}

const fn example(data_set: &'static str, method: ClusterMethod, f1: f64) -> Example {
    let (rules, truth) = ("rules.toml", "matches.csv");
    Example { data_set, rules, truth, method, source: None, precision: 0.0, recall: 0.0, f1 }
}

/// The bounds are a little below what is seen.
const EXAMPLES: [Example; 8] = [
    example("fodors_zagat", ClusterMethod::Components, 0.99),
    example("dblp_acm", ClusterMethod::Complete, 0.99),
    example("dblp_scholar_labelled", ClusterMethod::Center, 0.93),
    example("febrl4", ClusterMethod::Complete, 0.99),
    Example { truth: "truth.csv", ..example("musicbrainz_20k", ClusterMethod::Components, 0.96) },
    Example {
        truth: "truth.csv",
        source: Some("source"),
        ..example("geo_settlements", ClusterMethod::Components, 0.98)
    },
    example("freedb_cds", ClusterMethod::Components, 0.91),
    Example {
        rules: "neighbours.toml",
        precision: 0.95,
        recall: 0.8,
        ..example("freedb_cds", ClusterMethod::Components, 0.89)
    },
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    EXAMPLES.into_iter().map(|example| {
        let is_there = set::folder().join(example.data_set).is_dir();
        let name = format!("examples::{}::{}", example.data_set, example.rules.trim_end_matches(".toml"));
        Trial::test(name, move || holds(&example)).with_ignored_flag(!is_there)
    })
}

fn holds(example: &Example) -> Result<(), Failed> {
    let folder = set::folder().join(example.data_set);
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(example.data_set);
    let rules = rules.join(example.rules);
    let table = folder.join("table.csv");
    let job = if table.exists() {
        Job::dedupe(table, rules)
    } else {
        Job::link(folder.join("tableA.csv"), folder.join("tableB.csv"), rules)
    };
    let mut resolve = Resolve::new(job).method(example.method).truth(folder.join(example.truth));
    if let Some(source) = example.source {
        resolve = resolve.source(source);
    }
    let device = Cpu::new();
    let resolved = resolve.prepare(&device, &Control::default())?.run(&device, &Control::default())?;
    let entities = resolved.summary.steps.last().ok_or("no step was measured")?;
    let seen = entities.quality.pairwise;
    if seen.precision < example.precision || seen.recall < example.recall || seen.f1 < example.f1 {
        return Err(format!("{seen:?}\n{}", resolved.summary).into());
    }
    Ok(())
}
