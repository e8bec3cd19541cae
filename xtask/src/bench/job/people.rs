//! The table of people that published counts are of: made by the script gen_people.py of the workloads, which stand
//! beside the data sets.
//!
//! A machine without Python's numpy may have the table itself, beside the script, packed or not.

use crate::bench::workload::data_sets;
use crate::cargo::{at_root, run, target};
use crate::python::environment;
use crate::replace::replace;
use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::path::PathBuf;

const SCRIPT: &str = "gen_people.py";
/// The exponent of zip codes and last names.
const SKEW: &str = "0.8";

/// The table, or why there is none.
pub(super) fn table(rows: u32) -> Result<PathBuf> {
    let workloads = data_sets().with_file_name("workloads");
    let name = format!("people_n{rows}_s{SKEW}.csv");
    let folder = target().join("bench").join("people");
    let made = folder.join(&name);
    for table in [workloads.join(&name), made.clone()] {
        if table.is_file() {
            return Ok(table);
        }
    }
    let packed = workloads.join(format!("{name}.gz"));
    if packed.is_file() {
        let mut rows = MultiGzDecoder::new(File::open(&packed)?);
        replace(&made, |file| std::io::copy(&mut rows, file).map(drop))?;
        return Ok(made);
    }
    let script = workloads.join(SCRIPT);
    script.is_file().then_some(()).with_context(|| format!("{} is not there", script.display()))?;
    // It writes other files too, and not at once.
    let unfinished = folder.join(format!("unfinished-{}", std::process::id()));
    let python = environment("people-python", &["numpy"])?;
    let made_by = run(at_root(python)
        .arg(&script)
        .args(["--n", &rows.to_string(), "--s", SKEW, "--out"])
        .arg(&unfinished));
    let moved = made_by.and_then(|()| Ok(std::fs::rename(unfinished.join(&name), &made)?));
    drop(std::fs::remove_dir_all(&unfinished));
    moved.with_context(|| format!("{SCRIPT} made no table"))?;
    Ok(made)
}
