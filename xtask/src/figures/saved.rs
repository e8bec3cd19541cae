//! Results of a GPU, for machines that have none: what a figure was drawn from stays beside it, in `results/figures/gpu/`. Until it was
//! drawn on a machine with a GPU, a file of a benchmark may stand in, which the definition names.

use super::definition::{Device, Run};
use super::rows::Rows;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Keeps what a run of a figure found on a GPU, the `nth` of them.
pub(super) fn keep(figures: &Path, name: &str, nth: usize, rows: &Rows) -> Result<()> {
    let [path, text] = kept(figures, name, nth);
    for (from, to) in rows.files.iter().zip([path, text]) {
        fs::create_dir_all(to.parent().unwrap_or(figures))?;
        fs::copy(from, &to).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

/// What was saved of a run, or nothing. Only rows of a GPU count, and of baselines that have one thread.
pub(super) fn rows(results: &Path, name: &str, nth: usize, run: &Run) -> Result<Option<Rows>> {
    let [mut path, mut text] = kept(&results.join("figures"), name, nth);
    if !path.is_file() {
        let Some(saved) = &run.saved else { return Ok(None) };
        path = results.join(saved);
        text = path.with_extension("txt");
    }
    ensure!(path.is_file(), "saved: there is no {}", path.display());
    let mut rows = Rows::read(&path, &text, Device::Cuda).context("saved")?;
    let is_gpu = |device: &String| device.starts_with("cuda") || device == "cpu (1 thread)";
    rows.rows.retain(|row| row.get("device").or_else(|| row.get("devices")).is_none_or(is_gpu));
    ensure!(!rows.rows.is_empty(), "saved: {} has no rows of a GPU", path.display());
    Ok(Some(Rows { is_saved: true, ..rows }))
}

fn kept(figures: &Path, name: &str, nth: usize) -> [PathBuf; 2] {
    ["csv", "txt"].map(|end| figures.join("gpu").join(format!("{name}-{nth}.{end}")))
}
