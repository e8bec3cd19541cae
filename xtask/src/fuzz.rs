//! `cargo xtask fuzz`: damaged files of every kind, for as long as asked.
//!
//! The targets are tests (`tests/tests/fuzz`), which read their corpus. Here they go on from it by chance, one target after the
//! other, each on all cores. The build is that of the tests, where sums that overflow are seen.

use crate::cargo::{cargo, run as run_command, target};
use anyhow::{Context, Result, ensure};

const TARGETS: [&str; 13] = [
    "csv", "parquet", "arrow", "edges", "pairs", "truth", "rules", "scores", "weights", "blocks", "runs",
    "manifest", "cache",
];

/// What `cargo xtask fuzz` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long, in all
    #[arg(long, value_name = "N", default_value_t = 9.0)]
    minutes: f64,
    /// What to read: csv, parquet, arrow, edges, pairs, truth, rules, scores, weights, blocks, runs, manifest, cache
    /// [default: all]
    #[arg(value_name = "TARGET", value_parser = clap::builder::PossibleValuesParser::new(TARGETS))]
    targets: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.minutes > 0.0, "--minutes: more than 0");
    let all: Vec<String> = TARGETS.map(str::to_owned).to_vec();
    let targets = if args.targets.is_empty() { &all } else { &args.targets };
    let seconds = (args.minutes * 60.0 / targets.len() as f64).ceil() as u64;
    let test = ["test", "--quiet", "--package", "hyperblock-tests", "--all-features", "--test", "fuzz"];
    run_command(cargo().args(test).arg("--no-run"))?;
    let folder = target().join("fuzz");
    for name in targets {
        println!("\n== {name}, {seconds} s");
        let mut search = cargo();
        search.args(test).args(["--", "--exact", name, "--nocapture"]);
        search.env("HYPERBLOCK_FUZZ_SECONDS", seconds.to_string());
        run_command(&mut search)
            .with_context(|| format!("`{name}` found something; what it read is in {}", folder.display()))?;
    }
    println!("\nNothing was found.");
    Ok(())
}
