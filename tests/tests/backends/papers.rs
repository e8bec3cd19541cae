//! How a trial holds a device to the oracle, or to the CPU where the oracle would take too long.

use crate::bench::Device;
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::cost::{BackendKind, CostModel, CostSource};
use hyperblock::plan::work::{N_UNITS, Unit};
use hyperblock_tests::case::{Case, Paper};
use hyperblock_tests::generate::{cases, for_cases};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Runs `check` over random cases of up to so many rows.
pub(crate) fn for_random_cases(n_cases: u32, most_rows: usize, check: impl Fn(&Paper<'_>)) {
    for_cases(n_cases, &cases(most_rows), check);
}

pub(crate) fn prepare(case: &Case) -> Paper<'_> {
    case.prepare().unwrap_or_else(|error| panic!("{error}\n{case:?}"))
}

pub(crate) fn assert_exact(paper: &Paper<'_>, device: &Device) {
    paper.assert_same(&device.name(), &paper.oracle(), &paper.run(&**device));
}

/// Where the oracle would take too long, the CPU backend stands in, which other trials hold to the oracle.
pub(crate) fn assert_as_on_the_cpu(case: &Case, device: &Device) {
    let paper = prepare(case);
    let wanted = paper.run(&Cpu::new());
    assert!(!wanted.is_empty(), "a case without candidates tests little");
    let got = paper.run(&**device);
    // Too large to print: say where they part.
    let parted = wanted.iter().zip(&got).position(|(wanted, got)| wanted != got);
    if let Some(ix) = parted {
        panic!("row {ix}: wanted {:?}, got {:?}", wanted[ix], got[ix]);
    }
    assert_eq!(wanted.len(), got.len(), "candidates wanted, and got");
}

/// Costs by which a path takes what it looks at, and nothing is lost by beginning one: so small tables take paths of all
/// kinds.
pub(crate) fn by_pairs() -> CostSource {
    static FOLDER: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = folder.path().join("pairs.toml");
        let mut model = CostModel::builtin(BackendKind::Cpu).unwrap_or_else(|error| panic!("{error}"));
        model.rates = [0.0; N_UNITS];
        model.rates[Unit::Screened as usize] = 1.0;
        model.rates[Unit::Passed as usize] = 60.0;
        fs::write(&file, model.to_string()).unwrap_or_else(|error| panic!("{error}"));
        (folder, file)
    });
    CostSource::File(file.clone())
}
