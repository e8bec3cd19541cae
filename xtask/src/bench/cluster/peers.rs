//! scipy's connected components of the same pairs, where Python is there and PyPI has it.

use super::{Figure, Report};
use crate::bench::peers::{Seen, parse};
use crate::cargo::{at_root, target};
use crate::python::environment;
use crate::replace::replace;
use anyhow::{Context, Result, bail};
use hyperblock::entities::cluster::ClusterMethod;
use std::io::Write;

const SCRIPT: &str = include_str!("../cluster_peers.py");
const RUNS: usize = 3;

/// Measures it; where it cannot be had, that is said.
pub(super) fn scipy(report: &mut Report<'_>) -> Result<()> {
    let python = match environment("cluster-peers", &["scipy", "numpy"]) {
        Ok(python) => python,
        Err(error) => {
            println!("  scipy is left out: {error:#}");
            return Ok(());
        }
    };
    let path = target().join("bench").join("pairs.bin");
    replace(&path, |file| {
        report.pairs.scored.iter().try_for_each(|pair| {
            file.write_all(&pair.left.to_le_bytes())?;
            file.write_all(&pair.right.to_le_bytes())
        })
    })?;
    let numbers = [report.pairs.n_records.to_string(), RUNS.to_string()];
    let script = at_root(&python).args(["-c", SCRIPT]).arg(&path).args(numbers).output()?;
    if !script.status.success() {
        bail!("cluster_peers.py failed ({}):\n{}", script.status, String::from_utf8_lossy(&script.stderr));
    }
    let n_entities = report.n_entities.context("nothing is known of these pairs")?;
    let printed = String::from_utf8_lossy(&script.stdout);
    match parse("scipy", n_entities, |n| n == RUNS, &printed).context("what cluster_peers.py printed")? {
        (program, Seen::Times(times)) => {
            report.add(Figure { program, method: ClusterMethod::Components, times }, n_entities)
        }
        (program, Seen::Nothing(why)) => {
            println!("  {program}: {why}");
            Ok(())
        }
    }
}
