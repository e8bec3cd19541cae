//! Results that were saved on a machine with a GPU, for one that has none: `results/<machine>/*.csv`.

use super::definition::{Device, Run};
use super::rows::{Rows, Taken, read};
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// What was saved of a run, or nothing where the definition names no file. Only rows of a GPU count.
pub(super) fn rows(results: &Path, run: &Run) -> Result<Option<Rows>> {
    let Some(saved) = &run.saved else { return Ok(None) };
    let path = results.join(saved);
    ensure!(path.is_file(), "saved: there is no {}", path.display());
    let text = run.saved_text.as_ref().map_or_else(|| path.with_extension("txt"), |text| results.join(text));
    let mut rows = read(&path).context("saved")?;
    let is_gpu = |device: &String| device.starts_with("cuda");
    rows.retain(|row| row.get("device").or_else(|| row.get("devices")).is_none_or(is_gpu));
    ensure!(!rows.is_empty(), "saved: {} has no rows of a GPU", path.display());
    Ok(Some(Rows { rows, device: Device::Cuda, taken: Taken::read(&text), is_saved: true }))
}
