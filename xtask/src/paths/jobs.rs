//! The jobs that paths are timed on: generated tables of some sizes under rules of every kind.

use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::replace::replace;
use anyhow::Result;
use hyperblock::Job;
use std::io::Write;

const SEED: u64 = 3;

/// A job, and whether rates may be fitted to it.
pub(crate) struct PathJob {
    pub(crate) name: String,
    pub(crate) job: Job,
    pub(crate) is_for_training: bool,
}

/// Rules over people.
const OF_PEOPLE: [&[&str]; 9] = [
    &["levenshtein_similarity(l.last_name, r.last_name) >= 0.8"],
    &["jaro_winkler(l.email, r.email) >= 0.92"],
    &["l.zip = r.zip AND levenshtein(l.last_name, r.last_name) <= 1"],
    &["l.last_name = r.last_name AND jaro_winkler(l.first_name, r.first_name) >= 0.85"],
    &["jaccard(qgrams(l.street, 3), qgrams(r.street, 3)) >= 0.7"],
    &["l.city = r.city AND jaccard(words(l.street), words(r.street)) >= 0.6"],
    &["abs(l.birth_year - r.birth_year) <= 1 AND levenshtein_similarity(l.email, r.email) >= 0.8"],
    &["l.phone = r.phone"],
    &["l.email = r.email", "l.birth_date = r.birth_date AND jaro_winkler(l.last_name, r.last_name) >= 0.85"],
];

/// Rules over two tables of papers.
const OF_PAPERS: [&[&str]; 7] = [
    &["jaro_winkler(l.title, r.title) >= 0.92"],
    &["jaccard(words(l.title), words(r.title)) >= 0.7"],
    &["levenshtein_similarity(l.title, r.title) >= 0.8 AND l.year = r.year"],
    &["l.venue = r.venue AND jaro_winkler(l.authors, r.authors) >= 0.9"],
    &["cosine(qgrams(l.title, 3), qgrams(r.title, 3)) >= 0.8 AND abs(l.year - r.year) <= 1"],
    &["jaccard(qgrams(l.title, 3), qgrams(r.title, 3)) >= 0.6"],
    &["dice(qgrams(l.title, 2), qgrams(r.title, 2)) >= 0.65"],
];

/// Rows of generated tables.
const ROWS: [u32; 4] = [1_000, 4_000, 16_000, 60_000];

/// Generated jobs: every rule with every size, by turns to train on and to judge by.
pub(crate) fn generated(most_rows: u32) -> Result<Vec<PathJob>> {
    let mut all = Vec::new();
    for (nth_size, &rows) in ROWS.iter().enumerate().filter(|(_, rows)| **rows <= most_rows) {
        let folder = target().join("paths").join(rows.to_string());
        let (people, skewed, papers) = (folder.join("people"), folder.join("skewed"), folder.join("papers"));
        for (output, skew) in [(&people, None), (&skewed, Some(0.9))] {
            let output = output.clone();
            r#gen::run(&Command::People { rows, seed: SEED, duplicates: 0.2, skew, output })?;
        }
        r#gen::run(&Command::Papers { rows, seed: SEED, duplicates: 0.5, output: papers.clone() })?;
        for (nth, whens) in OF_PEOPLE.into_iter().chain(OF_PAPERS).enumerate() {
            let rules = folder.join(format!("rules-{nth}.toml"));
            replace(&rules, |file| file.write_all(rule_file(whens).as_bytes()))?;
            // Every other rule about people meets keys that very many records have.
            let (table, job) = match nth < OF_PEOPLE.len() {
                true if (nth + nth_size) % 2 == 0 => {
                    ("people", Job::dedupe(people.join("people.csv"), rules))
                }
                true => ("skewed", Job::dedupe(skewed.join("people.csv"), rules)),
                false => ("papers", Job::link(papers.join("tableA.csv"), papers.join("tableB.csv"), rules)),
            };
            let name = format!("{table} {rows} {}", whens.join(" OR "));
            all.push(PathJob { name, job, is_for_training: (nth + nth_size / 2) % 2 == 0 });
        }
    }
    Ok(all)
}

/// The text of a file of rules, with these conditions.
pub(crate) fn rule_file(conditions: &[&str]) -> String {
    let rule = |condition: &&str| format!("[[rules]]\nwhen = \"{condition}\"\n\n");
    conditions.iter().map(rule).collect()
}
