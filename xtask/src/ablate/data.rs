//! The data sets: tables, rules, and how many rows of them each kind of device is given.
//!
//! Names and titles are led by a similarity of values that are all different, papers by equalities of ten rules. People
//! have both kinds of leads, over values that many of them share: the more skew, the more uneven the work of blocks, and
//! the more records stand behind a distinct name.

use super::Data;
use crate::bench::Workload;
use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::paths::rule_file;
use crate::replace::replace;
use anyhow::{Context, Result};
use clap::ValueEnum;
use hyperblock::Job;
use hyperblock::plan::Variant;
use hyperblock::plan::cost::BackendKind;
use std::io::Write;

const SEED: u64 = 1;

/// What is switched off.
pub(super) const VARIANTS: [Variant; 7] = [
    Variant::NoSeq,
    Variant::NoPsw,
    Variant::NoStealing,
    Variant::NoQueue,
    Variant::NoHo,
    Variant::NoDictionary,
    Variant::NoFilter,
];

/// The first rule is led by its equality. The others of the second let too many pairs through to lead it, so that
/// falls to the names. The years keep the candidates few: sorting them is no part of the engine to switch off.
const PEOPLE: [&str; 2] = [
    "l.zip = r.zip AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8 \
     AND abs(l.birth_year - r.birth_year) <= 1",
    "levenshtein(l.last_name, r.last_name) <= 1 AND left(l.first_name, 1) = left(r.first_name, 1) \
     AND l.birth_year = r.birth_year",
];

/// A variant, or everything switched on.
pub(super) type Part = Option<Variant>;

/// A variant's name, as `--variant` writes it.
pub(super) fn name(part: Part) -> String {
    part.map_or_else(|| "full".to_owned(), |variant| variant.to_string())
}

/// A table of a size, and what is measured on it; the first is the engine with all its parts.
pub(super) struct Size {
    pub(super) rows: u32,
    pub(super) parts: Vec<Part>,
}

impl Data {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Writes the tables and the rules.
    pub(super) fn make(self, rows: u32) -> Result<Job> {
        let workload = |workload: Workload| {
            let files = workload.make(rows)?.context("its tables are always generated")?;
            Ok(files.job())
        };
        match self {
            Self::Names => workload(Workload::Levenshtein),
            Self::Titles => workload(Workload::Jaccard),
            Self::Papers => workload(Workload::Papers),
            Self::People0 => self.people(rows, 0.0),
            Self::People05 => self.people(rows, 0.5),
            Self::People08 => self.people(rows, 0.8),
            Self::People1 => self.people(rows, 1.0),
        }
    }

    fn people(self, rows: u32, skew: f64) -> Result<Job> {
        let folder = target().join("ablate").join(format!("{}-{rows}", self.name()));
        let rules = folder.join("rules.toml");
        replace(&rules, |file| file.write_all(rule_file(&PEOPLE).as_bytes()))?;
        let (table, skew) = (folder.join("people.csv"), Some(skew));
        r#gen::run(&Command::People { rows, seed: SEED, duplicates: 0.2, skew, output: folder })?;
        Ok(Job::dedupe(table, rules))
    }

    /// What a device of this kind is given to do, if not so many rows are asked for. Everything is measured on one table;
    /// but where its pairs are too many to compare all of them by their values, that is measured on a smaller one.
    pub(super) fn sizes(self, kind: BackendKind, asked: Option<u32>, variants: &[Variant]) -> Vec<Size> {
        let rows = asked.unwrap_or_else(|| self.rows(kind));
        let few = rows.min(self.few_rows(kind));
        let all = [None].into_iter().chain(variants.iter().copied().map(Some));
        if few == rows || !variants.contains(&Variant::NoFilter) {
            return vec![Size { rows, parts: all.collect() }];
        }
        let (unfiltered, others) = all.partition(|part| *part == Some(Variant::NoFilter));
        let with_full = |parts: Vec<Part>| [None].into_iter().chain(parts).collect();
        vec![Size { rows, parts: others }, Size { rows: few, parts: with_full(unfiltered) }]
    }

    fn rows(self, kind: BackendKind) -> u32 {
        match (kind, self) {
            (BackendKind::Cpu, Self::Names | Self::Titles) => 20_000,
            (BackendKind::Cpu, Self::Papers) => 5_000,
            (BackendKind::Cpu, _) => 30_000,
            (BackendKind::Cuda, Self::Names) => 200_000,
            (BackendKind::Cuda, Self::Titles | Self::Papers) => 100_000,
            (BackendKind::Cuda, _) => 300_000,
        }
    }

    /// As many rows as have no more pairs than a device of this kind compares by their values in some seconds.
    pub(super) fn few_rows(self, kind: BackendKind) -> u32 {
        let most_pairs: f64 = match kind {
            BackendKind::Cpu => 1e7,
            BackendKind::Cuda => 2e9,
        };
        let is_across = self == Self::Papers;
        (most_pairs * if is_across { 1.0 } else { 2.0 }).sqrt() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Data, VARIANTS};
    use clap::ValueEnum;
    use hyperblock::plan::Variant;
    use hyperblock::plan::cost::BackendKind;

    #[test]
    fn all_variants_are_measured_once_beside_the_full_system() {
        for &data in Data::value_variants() {
            for kind in [BackendKind::Cpu, BackendKind::Cuda] {
                for asked in [None, Some(100), Some(1_000_000)] {
                    let sizes = data.sizes(kind, asked, &VARIANTS);
                    assert!(sizes.iter().all(|size| size.parts[0].is_none()));
                    let parts: Vec<Variant> =
                        sizes.iter().flat_map(|size| &size.parts).copied().flatten().collect();
                    assert_eq!(parts, VARIANTS);
                    assert_eq!(sizes[0].rows, asked.unwrap_or(sizes[0].rows));
                    assert_eq!(sizes.len(), if asked == Some(100) { 1 } else { 2 });
                    assert!(sizes.iter().all(|size| size.rows <= sizes[0].rows));
                    // The small table is for one of them alone.
                    assert_eq!(data.sizes(kind, asked, &VARIANTS[..3]).len(), 1);
                }
            }
        }
    }
}
