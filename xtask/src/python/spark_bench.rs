//! The package on Spark, measured: how even tasks are where a fifth of all people share a zip code, what cover and solve take beside one
//! machine, Splink on the same Spark, and what a billion records would take by those rates.

use super::spark::{PACKAGES, spark};
use super::{Args, MATURIN, SEED, released};
use crate::cargo::{at_root, output, target};
use crate::r#gen;
use crate::record;
use anyhow::{Context, Result};

const SPLINK: &str = "splink==5.0.0";
/// People that Splink is given: of more, its joins take long on two cores.
const MOST_FOR_SPLINK: u32 = 200_000;

/// Measures it.
pub(super) fn bench(args: &Args) -> Result<()> {
    let python = spark(&[&PACKAGES[..], &[MATURIN, SPLINK][..]].concat(), "python-spark-bench")?;
    released::install(&python)?;
    let folder = target().join("python-spark-data");
    let rows = args.rows;
    r#gen::run(&r#gen::Command::People {
        rows,
        seed: SEED,
        duplicates: 0.2,
        skew: None,
        output: folder.clone(),
    })?;
    let mut script = at_root(&python);
    script
        .args(["-c", include_str!("spark_bench.py")])
        .arg(folder.join("work"))
        .arg(folder.join("people.csv"));
    script.arg(rows.min(MOST_FOR_SPLINK).to_string());
    let said = output(&mut script).context("the runs failed")?;
    // Spark draws bars on lines of their own.
    let lines: Vec<String> =
        said.lines().filter(|line| line.split(',').count() == 3).map(str::to_owned).collect();
    lines.iter().for_each(|line| println!("{line}"));
    match &args.save {
        Some(folder) => record::save(folder, "spark", &lines),
        None => Ok(()),
    }
}
