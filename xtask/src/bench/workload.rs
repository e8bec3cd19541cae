//! The scan's workloads: tables, rules, and how many pairs of them are candidates.
//!
//! One for each kind of measure (edit distance, Jaro-Winkler, token sets), one that an equality decides, one of fifty
//! rules, and two across tables: ten rules, and real text. Tables are generated, always the same, but for the real one.

use super::Workload;
use crate::cargo::{root, target};
use crate::r#gen::{self, Command};
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::Result;
use clap::ValueEnum;
use hyperblock::Job;
use std::io::Write;
use std::path::PathBuf;

const SEED: u64 = 1;

/// How many pairs are candidates, by number of records. What is not known is only compared between devices.
const KNOWN: [(Workload, u32, u64); 11] = [
    // Counted once on the CPU, whose comparators are tested against an independent oracle.
    (Workload::Levenshtein, 100_000, 146_209),
    (Workload::Levenshtein, 262_144, 960_094),
    (Workload::JaroWinkler, 262_144, 9_836_049),
    (Workload::Papers, 100_000, 47_578),
    (Workload::Traffic, 20_000, 5_269),
    (Workload::Traffic, 100_000, 27_818),
    (Workload::Traffic, 300_000, 86_897),
    (Workload::Traffic, 1_000_000, 327_417),
    (Workload::Scholar, 61_353, 8_233),
    // Counted once by a program that shares nothing with the engine, and joins instead of scanning.
    (Workload::Jaccard, 100_000, 26_549),
    (Workload::Equality, 1_000_000, 2_895_422),
];

/// Where data sets are, if not beside the checkout.
const DATA: &str = "HYPERBLOCK_DATA";

const LEVENSHTEIN: [&str; 1] = ["levenshtein_similarity(l.name, r.name) >= 0.8"];
const JARO_WINKLER: [&str; 1] = ["jaro_winkler(l.name, r.name) >= 0.9"];
const JACCARD: [&str; 1] = ["jaccard(qgrams(l.title, 3), qgrams(r.title, 3)) >= 0.7"];
const EQUALITY: [&str; 1] = ["l.zip = r.zip AND levenshtein(l.last_name, r.last_name) <= 1"];
/// Equalities over different columns, so that no single one divides the work for all rules. The seventh and the last
/// allow nothing that others do not, as happens in rules that people collect.
const PAPERS: [&str; 10] = [
    "l.venue = r.venue AND l.year = r.year AND jaro_winkler(l.title, r.title) >= 0.9",
    "l.venue = r.venue AND l.year = r.year AND jaro_winkler(l.authors, r.authors) >= 0.92 \
     AND jaro_winkler(l.title, r.title) >= 0.75",
    "l.venue = r.venue AND jaro_winkler(l.title, r.title) >= 0.93",
    "l.venue = r.venue AND jaro_winkler(l.title, r.title) >= 0.85 AND jaro_winkler(l.authors, r.authors) >= 0.85",
    "l.year = r.year AND jaro_winkler(l.title, r.title) >= 0.9 AND jaro_winkler(l.authors, r.authors) >= 0.8",
    "l.year = r.year AND jaro_winkler(l.authors, r.authors) >= 0.95 AND jaro_winkler(l.title, r.title) >= 0.8",
    "l.authors = r.authors AND l.year = r.year AND jaro_winkler(l.title, r.title) >= 0.8",
    "l.title = r.title AND jaro_winkler(l.authors, r.authors) >= 0.7",
    "l.authors = r.authors AND jaro_winkler(l.title, r.title) >= 0.85 AND jaro_winkler(l.venue, r.venue) >= 0.8",
    "l.title = r.title AND l.venue = r.venue AND jaro_winkler(l.authors, r.authors) >= 0.6",
];
/// A file: the rules are many, and have names.
pub(super) const TRAFFIC: &str = include_str!("../../paper/traffic.toml");
const SCHOLAR: [&str; 2] =
    ["jaro_winkler(l.title, r.title) >= 0.9", "jaro_winkler(l.authors, r.authors) >= 0.9"];

/// A workload's files.
pub(crate) struct Files {
    /// The left table, or the only one.
    pub(super) left: PathBuf,
    right: Option<PathBuf>,
    rules: PathBuf,
}

impl Files {
    pub(crate) fn job(&self) -> Job {
        match &self.right {
            None => Job::dedupe(&self.left, &self.rules),
            Some(right) => Job::link(&self.left, right, &self.rules),
        }
    }
}

impl Workload {
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Records in the larger table: as many as asked for, where there is a choice.
    pub(crate) fn rows(self, asked: Option<u32>) -> u32 {
        match self {
            Self::Levenshtein | Self::JaroWinkler => asked.unwrap_or(262_144),
            Self::Jaccard | Self::Papers | Self::Traffic => asked.unwrap_or(100_000),
            Self::Equality => asked.unwrap_or(1_000_000),
            Self::Scholar => 61_353,
        }
    }

    /// The right number of candidates.
    pub(super) fn known(self, rows: u32) -> Option<u64> {
        let known = KNOWN.iter().find(|(workload, of, _)| *workload == self && *of == rows);
        known.map(|(.., count)| *count)
    }

    /// Writes the rules, and the tables if they are generated. Nothing if they are not and are not there.
    pub(crate) fn make(self, rows: u32) -> Result<Option<Files>> {
        let folder = target().join("bench").join(format!("{}-{rows}", self.name()));
        let rules = folder.join("rules.toml");
        let text = self.rules();
        replace(&rules, |file| file.write_all(text.as_bytes()))?;
        let table = |name: &str| folder.join(name);
        let (left, right) = match self {
            Self::Levenshtein | Self::JaroWinkler => {
                r#gen::run(&Command::Names { rows, seed: SEED, output: table("names.csv") })?;
                (table("names.csv"), None)
            }
            Self::Jaccard => {
                r#gen::run(&Command::Titles { rows, seed: SEED, output: table("titles.csv") })?;
                (table("titles.csv"), None)
            }
            Self::Equality => {
                let output = folder.clone();
                r#gen::run(&Command::People { rows, seed: SEED, duplicates: 0.2, skew: None, output })?;
                (table("people.csv"), None)
            }
            Self::Papers => {
                r#gen::run(&Command::Papers { rows, seed: SEED, duplicates: 0.5, output: folder.clone() })?;
                (table("tableA.csv"), Some(table("tableB.csv")))
            }
            Self::Traffic => {
                r#gen::run(&Command::Traffic { rows, seed: SEED, duplicates: 0.2, output: folder.clone() })?;
                (table("traffic.csv"), None)
            }
            Self::Scholar => {
                let data = data_sets().join("dblp_scholar_1to1");
                if !data.is_dir() {
                    return Ok(None);
                }
                (data.join("tableA.csv"), Some(data.join("tableB.csv.gz")))
            }
        };
        Ok(Some(Files { left, right, rules }))
    }

    /// The rule file.
    fn rules(self) -> String {
        match self {
            Self::Levenshtein => rule_file(&LEVENSHTEIN),
            Self::JaroWinkler => rule_file(&JARO_WINKLER),
            Self::Jaccard => rule_file(&JACCARD),
            Self::Equality => rule_file(&EQUALITY),
            Self::Papers => rule_file(&PAPERS),
            Self::Traffic => TRAFFIC.to_owned(),
            Self::Scholar => rule_file(&SCHOLAR),
        }
    }
}

/// The folder of data sets.
pub(crate) fn data_sets() -> PathBuf {
    std::env::var_os(DATA).map_or_else(|| root().join("../shared/data"), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::{Workload, data_sets};
    use crate::bench::measure::scan;
    use clap::ValueEnum;
    use hyperblock::device::cpu::Cpu;

    fn n_found(workload: Workload, rows: u32) -> u64 {
        let device = Cpu::new();
        let files = workload.make(rows).unwrap().unwrap();
        let job = files.job().prepare(&device, &hyperblock::Control::default()).unwrap();
        assert!(job.subsumed.is_empty() || workload == Workload::Papers, "{:?}", job.subsumed);
        scan(&job, job.plan.program(), &device).unwrap()
    }

    #[test]
    fn every_workload_finds_some() {
        for &workload in Workload::value_variants() {
            if workload == Workload::Scholar {
                continue; // Large, and not everywhere.
            }
            let n_found = n_found(workload, 400);
            assert!((1..4_000).contains(&n_found), "{}: {n_found}", workload.name());
        }
    }

    /// Of fewer rows than are measured, which is soon done.
    #[test]
    fn fifty_rules_find_as_many_as_are_known() {
        assert_eq!(Some(n_found(Workload::Traffic, 20_000)), Workload::Traffic.known(20_000));
    }

    #[test]
    fn only_generated_tables_have_a_choice_of_size() {
        for &workload in Workload::value_variants() {
            let asked = workload.rows(Some(10)) == 10;
            assert_eq!(asked, workload != Workload::Scholar);
            assert!(workload.rows(None) >= 50_000);
        }
        assert_eq!(Workload::Levenshtein.known(100_000), Some(146_209));
        assert_eq!(Workload::Levenshtein.known(10), None);
        assert!(data_sets().ends_with("data") || std::env::var_os(super::DATA).is_some());
    }
}
