//! The jobs: what hyperblock is asked, and what it must find.

use super::people;
use crate::bench::job_args::JobName;
use crate::bench::workflow;
use crate::bench::workload::data_sets;
use crate::cargo::{root, target};
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

const E1: [&str; 1] = ["l.zip = r.zip AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8"];
const E2: [&str; 3] = [
    "l.zip = r.zip AND jaro_winkler_similarity(l.last_name, r.last_name) >= 0.9",
    "l.phone = r.phone",
    "l.birth_year = r.birth_year AND jaccard(qgrams(l.description, 3), qgrams(r.description, 3)) >= 0.6",
];
const S1W: [&str; 1] = ["jaccard(words(l.description), words(r.description)) >= 0.8"];
const S1G: [&str; 1] = ["jaccard(qgrams(l.description, 3), qgrams(r.description, 3)) >= 0.7"];
const S1L: [&str; 1] = ["levenshtein_similarity(l.street, r.street) >= 0.7"];

/// Counts that are known, by rows of the table: of people those that the workloads were published with, of songs
/// and CDs those of this project, at commit a0557a2.
const KNOWN: [(JobName, u32, &str, u64); 18] = [
    (JobName::E1, 10_000, "candidates", 1_980),
    (JobName::E1, 100_000, "candidates", 40_237),
    (JobName::E1, 1_000_000, "candidates", 1_191_554),
    (JobName::E2, 10_000, "candidates", 2_202),
    (JobName::E2, 100_000, "candidates", 43_453),
    (JobName::E2, 1_000_000, "candidates", 1_246_644),
    (JobName::S1w, 10_000, "candidates", 930),
    (JobName::S1w, 100_000, "candidates", 9_301),
    (JobName::S1w, 1_000_000, "candidates", 92_561),
    (JobName::S1g, 10_000, "candidates", 1_047),
    (JobName::S1g, 100_000, "candidates", 10_464),
    (JobName::S1l, 100_000, "candidates", 2_726_514),
    (JobName::Songs, 19_375, "candidates", 173_113),
    (JobName::Songs, 19_375, "kept", 14_913),
    (JobName::Songs, 19_375, "entities", 10_356),
    (JobName::Cds, 100_000, "candidates", 3_789_512),
    (JobName::Cds, 100_000, "kept", 11_218),
    (JobName::Cds, 100_000, "entities", 90_066),
];

/// Records of the data set.
const SONGS: u32 = 19_375;

/// A job whose files are there.
pub(super) struct Work {
    name: JobName,
    pub(super) rows: u32,
    pub(super) table: PathBuf,
    rules: PathBuf,
    /// Whether thresholds are those that counts are known for.
    is_as_published: bool,
}

impl Work {
    /// Writes the rules, and the table if it is not there.
    pub(super) fn make(name: JobName, people: u32, cds: u32) -> Result<Self> {
        let (rows, table, rules) = match name {
            JobName::Songs => {
                let table = data_sets().join("musicbrainz_20k").join("table.csv");
                ensure!(table.is_file(), "{} is not there", table.display());
                (SONGS, table, root().join("examples/musicbrainz_20k/rules.toml"))
            }
            JobName::Cds => {
                let (table, rules) = workflow::cds(cds)?;
                (cds, table, rules)
            }
            of_people => {
                let table = people::table(people)?;
                (people, table, write_rules(&name.name(), of_people.conditions())?)
            }
        };
        Ok(Self { name, rows, table, rules, is_as_published: true })
    }

    /// The same job over people, with every threshold so much higher.
    pub(super) fn shifted(&self, by: f64) -> Result<Self> {
        let conditions: Vec<String> =
            self.name.conditions().iter().map(|condition| shift(condition, by)).collect();
        let conditions: Vec<&str> = conditions.iter().map(String::as_str).collect();
        let rules = write_rules(&format!("{}-shifted", self.name()), &conditions)?;
        Ok(Self {
            name: self.name,
            rows: self.rows,
            table: self.table.clone(),
            rules,
            is_as_published: false,
        })
    }

    pub(super) fn name(&self) -> String {
        self.name.name()
    }

    /// What hyperblock is asked, but for device and output.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let verb = match self.name {
            JobName::Songs | JobName::Cds => "resolve",
            _ => "dedupe",
        };
        vec![verb.into(), self.table.clone().into(), "--rules".into(), self.rules.clone().into()]
    }

    /// Fails if a count that is known is another one.
    pub(super) fn check(&self, counts: &[(&'static str, u64)]) -> Result<()> {
        let known = |(name, rows, ..): &&(JobName, u32, &str, u64)| {
            self.is_as_published && *name == self.name && *rows == self.rows
        };
        for (_, _, what, right) in KNOWN.iter().filter(known) {
            let found = counts.iter().find(|(name, _)| name == what).map(|(_, n)| *n);
            ensure!(
                found == Some(*right),
                "{}: {} {what}, but {right} are right",
                self.name(),
                found.map_or_else(|| "no".to_owned(), |n| n.to_string())
            );
        }
        Ok(())
    }
}

/// Writes the rules of a job over people.
fn write_rules(name: &str, conditions: &[&str]) -> Result<PathBuf> {
    let rules = target().join("bench").join("people").join(format!("{name}.toml"));
    replace(&rules, |file| file.write_all(rule_file(conditions).as_bytes()))?;
    Ok(rules)
}

/// A condition with its threshold, if it has one at its end, so much higher.
pub(crate) fn shift(condition: &str, by: f64) -> String {
    const AT_LEAST: &str = " >= ";
    let shifted = condition.rsplit_once(AT_LEAST).and_then(|(measure, threshold)| {
        let threshold: f64 = threshold.parse().ok()?;
        Some(format!("{measure}{AT_LEAST}{:.9}", threshold + by))
    });
    shifted.unwrap_or_else(|| condition.to_owned())
}

impl JobName {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Of jobs over people; others have none here.
    pub(crate) const fn conditions(self) -> &'static [&'static str] {
        match self {
            Self::E1 => &E1,
            Self::E2 => &E2,
            Self::S1w => &S1W,
            Self::S1g => &S1G,
            Self::S1l => &S1L,
            Self::Songs | Self::Cds => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{E2, S1W, Work, shift};
    use crate::bench::job_args::JobName;

    fn work(name: JobName, rows: u32) -> Work {
        let (table, rules) = ("table.csv".into(), "rules.toml".into());
        Work { name, rows, table, rules, is_as_published: true }
    }

    #[test]
    fn wrong_counts_are_found_out() {
        let songs = |kept| [("candidates", 173_113), ("kept", kept), ("entities", 10_356)];
        assert!(work(JobName::Songs, 19_375).check(&songs(14_913)).is_ok());
        let error = work(JobName::Songs, 19_375).check(&songs(14_914)).unwrap_err();
        assert_eq!(error.to_string(), "songs: 14914 kept, but 14913 are right");
        let error = work(JobName::E1, 10_000).check(&[]).unwrap_err();
        assert_eq!(error.to_string(), "e1: no candidates, but 1980 are right");
        assert!(work(JobName::E1, 10_001).check(&[("candidates", 5)]).is_ok());
        let shifted = Work { is_as_published: false, ..work(JobName::E1, 10_000) };
        assert!(shifted.check(&[("candidates", 5)]).is_ok());
    }

    #[test]
    fn thresholds_are_shifted() {
        let [names, phones, _] = E2;
        let lower = "l.zip = r.zip AND jaro_winkler_similarity(l.last_name, r.last_name) >= 0.899999999";
        assert_eq!(shift(names, -1e-9), lower);
        assert_eq!(shift(phones, -1e-9), phones);
        assert!(shift(S1W[0], 1e-9).ends_with(" >= 0.800000001"));
    }

    #[test]
    fn entities_are_resolved() {
        assert_eq!(work(JobName::S1g, 10).arguments(), ["dedupe", "table.csv", "--rules", "rules.toml"]);
        assert_eq!(work(JobName::Cds, 10).arguments()[0], "resolve");
    }
}
