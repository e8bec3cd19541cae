//! Exactness on real tables: the CPU backend against the oracle, on public data sets that lie beside the checkout.
//!
//! The data is not part of the repository. Where it is absent every trial is reported as ignored, never as passed.

use hyperblock::backend::Backend;
use hyperblock::cpu::Cpu;
use hyperblock::cuda::{self, Cuda};
use hyperblock_tests::case::{Case, Sheet};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

fn main() {
    let arguments = Arguments::from_args();
    let trial = |name: &str, data_set: &'static str, whens: &'static [&'static str]| {
        let folder = folder().join(data_set);
        Trial::test(name, move || check(&folder, whens))
            .with_ignored_flag(!self::folder().join(data_set).is_dir())
    };
    let trials = vec![
        trial(
            "restaurants",
            "restaurants_864",
            &[
                "l.phone = r.phone",
                "levenshtein_similarity(lower(l.name), lower(r.name)) >= 0.75 AND lower(l.city) = lower(r.city)",
                "jaccard(words(l.addr), words(r.addr)) >= 0.6 AND NOT l.type <> r.type",
            ],
        ),
        trial(
            "restaurants_of_two_guides",
            "fodors_zagat",
            &[
                "jaro_winkler_similarity(l.name, r.name) >= 0.9 AND levenshtein(l.phone, r.phone) <= 4",
                "substr(l.phone, 1, 3) = substr(r.phone, 1, 3) AND jaccard(qgrams(lower(l.addr), 3), qgrams(lower(r.addr), 3)) >= 0.6",
            ],
        ),
        trial(
            "census",
            "census_841",
            &[
                "l.surname = r.surname AND l.first_name = r.first_name",
                "soundex(l.surname) = soundex(r.surname) AND levenshtein(l.street, r.street) <= 2",
                "l.first_name = r.middle_initial OR substr(l.first_name, 1, 1) = r.middle_initial AND l.house_number = r.house_number",
            ],
        ),
        trial(
            "febrl",
            "febrl1",
            &[
                "l.date_of_birth = r.date_of_birth",
                "jaro_winkler_similarity(l.surname, r.surname) >= 0.85 AND l.postcode = r.postcode",
                "abs(l.date_of_birth - r.date_of_birth) <= 100 AND l.suburb = r.suburb AND l.given_name <> r.given_name",
            ],
        ),
        trial("laptops", "notebooks_x2", &["jaccard(words(lower(l.title)), words(lower(r.title))) >= 0.5"]),
        trial(
            "storage",
            "altosight_x4",
            &[
                "abs(l.price - r.price) <= 0.5 AND levenshtein_similarity(l.brand, r.brand) >= 0.8",
                "l.size = r.size AND jaccard(qgrams(lower(l.name), 2), qgrams(lower(r.name), 2)) > 0.6",
            ],
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// The folder of data sets, beside the checkout.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data")
}

fn check(folder: &Path, whens: &[&str]) -> Result<(), Failed> {
    let whens = whens.iter().map(|&when| when.to_owned()).collect();
    let case = if folder.join("table.csv").exists() {
        Case { left: sheet(&folder.join("table.csv"))?, right: None, whens }
    } else {
        let (left, right) = (sheet(&folder.join("tableA.csv"))?, sheet(&folder.join("tableB.csv"))?);
        Case { left, right: Some(right), whens }
    };
    let paper = case.prepare()?;
    let wanted = paper.oracle();
    if wanted.is_empty() {
        return Err("rules without candidates test little".into());
    }
    let mut devices: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new())];
    if cuda::gpus().is_ok() {
        devices.push(Box::new(Cuda::open(0)?));
    }
    for device in devices {
        let found = paper.run(&*device);
        if found != wanted {
            return Err(
                format!("{} found {} candidates, not {}", device.name(), found.len(), wanted.len()).into()
            );
        }
    }
    Ok(())
}

fn sheet(path: &Path) -> Result<Sheet, Failed> {
    let mut reader = csv::Reader::from_path(path)?;
    let header = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
    let mut sheet = Sheet { header, ids: Vec::new(), rows: Vec::new() };
    for record in reader.records() {
        let record = record?;
        let mut fields = record.iter().map(|field| (!field.is_empty()).then(|| field.to_owned()));
        sheet.ids.push(fields.next().flatten().ok_or("a row without an id")?);
        sheet.rows.push(fields.collect());
    }
    Ok(sheet)
}
