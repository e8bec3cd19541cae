//! Real tables: public data sets that lie beside the checkout, whole or cut. Candidates are those of the oracle and the
//! same under every plan, plans do about what they are expected to do, and examples are as good as they say.
//!
//! The data is not part of the repository. Where it is absent every trial is reported as ignored, never as passed.

mod clusters;
mod drafts;
mod estimates;
mod examples;
mod graphs;
mod labels;
mod samples;
mod set;
mod updates;
mod variants;

use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::device::cuda::Cuda;
use hyperblock::operators::Backend;
use hyperblock_tests::case::{Case, Sheet};
use libtest_mimic::{Arguments, Failed, Trial};
use set::DataSet;
use std::path::Path;

fn main() {
    let arguments = Arguments::from_args();
    let trial = |name: &str, data_set: &'static str, whens: &'static [&'static str]| {
        let folder = set::folder().join(data_set);
        Trial::test(name, move || check(&folder, whens))
            .with_ignored_flag(!set::folder().join(data_set).is_dir())
    };
    let mut trials = vec![
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
    let all = set::all();
    for data in all.iter().chain([&set::traffic()]) {
        let of_all = |what: &str, check: fn(&DataSet) -> Result<(), Failed>| {
            let data = data.clone();
            Trial::test(format!("{what}::{}", data.name), move || check(&data))
        };
        let trials_of_all = [
            of_all("variants", |data| variants::same_candidates(data, n_records(data))),
            of_all("oracle", variants::as_the_oracle),
        ];
        trials.extend(trials_of_all.map(|trial| trial.with_ignored_flag(!data.is_there())));
    }
    trials.extend(graphs::trials());
    trials.extend(examples::trials());
    trials.extend(updates::trials());
    trials.extend(labels::trials());
    trials.extend(samples::trials());
    trials.extend(drafts::trials());
    let is_any_there = all.iter().any(DataSet::is_there);
    let hold = move || estimates::hold(&all);
    trials.insert(0, Trial::test("estimates", hold).with_ignored_flag(!is_any_there));
    let is_there = set::folder().join(clusters::NAME).is_dir();
    trials.push(Trial::test("clusters", clusters::settlements).with_ignored_flag(!is_there));
    trials.push(Trial::test("rules_for_every_data_set", rules_for_all).with_ignored_flag(!is_any_there));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Records of each table: fewer where values are long or data sets are many.
fn n_records(data: &DataSet) -> usize {
    match data.name.as_str() {
        name if name.starts_with("autofj/") => 120,
        "abt_buy" | "patstat_applicants" | "freedb_cds" | "freedb_cds_raw" | "notebooks_x2" => 300,
        _ => 600,
    }
}

/// Graphs are no tables.
fn rules_for_all() -> Result<(), Failed> {
    let known = set::all();
    for name in set::names(&set::folder()) {
        let folder = set::folder().join(&name);
        if folder.is_dir() && name != "graphs" && !known.iter().any(|data| data.folder.starts_with(&folder)) {
            return Err(format!("there are no rules for {name}").into());
        }
    }
    Ok(())
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
    Ok(set::sheet(std::fs::File::open(path)?)?)
}
