//! A case: a job on paper, to be run on a backend, decided by the oracle, and shown when the two disagree.

use crate::oracle::{self, Found, NICKNAMES, NICKNAMES_FILE, Rows};
use hyperblock::base::error::RuleError;
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::rules::{self, Rule, RuleFile};
use hyperblock::run::loaded::Loaded;
use hyperblock::run::schedule;
use hyperblock::{Candidate, Control, Error, Job, Prepared, Result};
use std::collections::HashSet;
use std::fmt::{self, Write};

/// Tables and rules.
#[derive(Clone)]
pub struct Case {
    /// The left table, or the only one.
    pub left: Sheet,
    /// The right table, if there are two.
    pub right: Option<Sheet>,
    /// What each rule's `when` says; what begins with a bracket is a section of its own, and there is [`MISSING`].
    pub whens: Vec<String>,
}

/// A section about what counts as missing.
pub const MISSING: &str =
    "[missing]\nwords = [\"NA\", \"ab\"]\n[missing.columns]\nn = [\"0\"]\nphones = [\"-\"]\n";

/// What it says: a column, or none for all, and a word.
const MISSING_WORDS: &[(&str, &str)] = &[("", "NA"), ("", "ab"), ("n", "0"), ("phones", "-")];

/// A table of text with a column `id`.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The other columns' names.
    pub header: Vec<String>,
    /// By row: its id.
    pub ids: Vec<String>,
    /// By row: the other columns' values.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Sheet {
    /// A table whose ids count from 1.
    pub fn new(header: &[&str], rows: Vec<Vec<Option<String>>>) -> Self {
        let header = header.iter().map(|&name| name.to_owned()).collect();
        Self { header, ids: (1..=rows.len()).map(|id| id.to_string()).collect(), rows }
    }

    /// The table as CSV.
    pub fn csv(&self) -> String {
        let mut csv = String::new();
        let mut line = |id: &str, fields: &mut dyn Iterator<Item = &str>| {
            csv.push_str(&quoted(id));
            for field in fields {
                csv.push(',');
                csv.push_str(&quoted(field));
            }
            csv.push('\n');
        };
        line("id", &mut self.header.iter().map(String::as_str));
        for (id, row) in self.ids.iter().zip(&self.rows) {
            line(id, &mut row.iter().map(|value| value.as_deref().unwrap_or_default()));
        }
        csv
    }

    /// By row: all columns, the id first, as the engine numbers them.
    pub(crate) fn values(&self) -> Vec<Vec<Option<String>>> {
        let whole = |(id, row): (&String, &Vec<_>)| {
            std::iter::once(Some(id.clone())).chain(row.iter().cloned()).collect()
        };
        self.ids.iter().zip(&self.rows).map(whole).collect()
    }
}

fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

impl Case {
    /// The rules as a rule file.
    pub fn toml(&self) -> String {
        let (sections, whens): (Vec<_>, Vec<_>) = self.whens.iter().partition(|when| when.starts_with('['));
        let mut toml = whens.into_iter().fold(String::new(), |mut toml, when| {
            let escaped = when.replace('\\', "\\\\").replace('"', "\\\"");
            toml.push_str(&format!("[[rules]]\nwhen = \"{escaped}\"\n"));
            toml
        });
        sections.into_iter().for_each(|section| toml.push_str(section));
        toml
    }

    /// By row, the values of a table: without those that count as missing.
    fn values(&self, sheet: &Sheet) -> Vec<Vec<Option<String>>> {
        let mut values = sheet.values();
        if self.whens.iter().any(|when| when == MISSING) {
            for row in &mut values {
                for (name, value) in sheet.header.iter().zip(&mut row[1..]) {
                    let words = MISSING_WORDS.iter().filter(|(column, _)| ["", name].contains(column));
                    if words.into_iter().any(|(_, word)| value.as_deref() == Some(word)) {
                        *value = None;
                    }
                }
            }
        }
        values
    }

    /// Writes the files, and has the engine read, encode and plan them.
    pub fn prepare(&self) -> Result<Paper<'_>> {
        self.prepare_with(&|job| job)
    }

    /// The same, with the job changed first.
    pub fn prepare_with(&self, change: &dyn Fn(Job) -> Job) -> Result<Paper<'_>> {
        self.prepare_on(&Cpu::new(), change)
    }

    /// The same on a device: it may take columns while others are encoded.
    pub fn prepare_on(&self, device: &dyn Backend, change: &dyn Fn(Job) -> Job) -> Result<Paper<'_>> {
        let folder = tempfile::tempdir().map_err(Error::io(&std::env::temp_dir()))?;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(Error::io(&path)).map(|()| path)
        };
        let (left, rules) = (write("left.csv", &self.left.csv())?, write("rules.toml", &self.toml())?);
        if self.whens.iter().any(|when| when.contains("lookup(")) {
            let rows = NICKNAMES.iter().map(|(name, other)| format!("{name},{other}\n"));
            write(NICKNAMES_FILE, &("name,other\n".to_owned() + &rows.collect::<String>()))?;
        }
        let file = RuleFile::read(&rules)?;
        file.read_tables(&Control::default())?;
        let job = match &self.right {
            None => Job::dedupe(&left, &rules),
            Some(right) => Job::link(&left, write("right.csv", &right.csv())?, &rules),
        };
        Ok(Paper { case: self, prepared: change(job).prepare(device, &Control::default())?, rules: file })
    }
}

/// A case that the engine is ready to run.
pub struct Paper<'a> {
    case: &'a Case,
    /// What the engine made of it.
    pub prepared: Prepared,
    rules: RuleFile,
}

impl<'a> Paper<'a> {
    /// The same case, with the job changed.
    pub fn again(&self, change: &dyn Fn(Job) -> Job) -> Paper<'a> {
        self.case.prepare_with(change).unwrap_or_else(|error| panic!("{error}\n{:?}", self.case))
    }

    /// What the engine finds on a device, in the order it gives it.
    pub fn run(&self, device: &dyn Backend) -> Vec<Found> {
        let ran = self.run_controlled(device, &Control::default());
        ran.unwrap_or_else(|error| panic!("{error}\n{:?}", self.case))
    }

    /// The same under the eyes of somebody, or how it failed.
    pub fn run_controlled(&self, device: &dyn Backend, control: &Control) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        let take = &mut |candidates: &[Candidate]| {
            all.extend_from_slice(candidates);
            Ok(())
        };
        self.prepared.run(device, control, take)?;
        Ok(self.named(Ok(all)))
    }

    /// The same with tasks of at most `most` candidates, a task with more done again in halves.
    pub fn run_in_halves(&self, device: &dyn Backend, most: usize) -> Vec<Found> {
        let mut all = Vec::new();
        let ran = Loaded::new(device, &self.prepared.encoded, self.prepared.plan.program()).and_then(
            |mut loaded| {
                let take = &mut |candidates: &mut [Candidate]| {
                    all.extend_from_slice(candidates);
                    Ok(())
                };
                schedule::run(&mut loaded, vec![self.prepared.area()], most, &Control::default(), take)
            },
        );
        self.named(ran.map(|()| all.iter().map(|found| self.prepared.selection.candidate(found)).collect()))
    }

    fn named(&self, found: Result<Vec<Candidate>>) -> Vec<Found> {
        let found = found.unwrap_or_else(|error| panic!("{error}\n{:?}", self.case));
        let (left, right) = (&self.prepared.left.ids, &self.prepared.right().ids);
        let name = |found: Candidate| (left.text(found.left), right.text(found.right), found.rule as usize);
        found.into_iter().map(name).collect()
    }

    /// What there is to find.
    pub fn oracle(&self) -> Vec<Found> {
        let rules = self.rules_of_two_tables();
        let left = self.case.values(&self.case.left);
        let left = Rows { ids: &self.case.left.ids, values: &left };
        match &self.case.right {
            None => oracle::dedupe(left, &rules),
            Some(right) => {
                oracle::link(left, Rows { ids: &right.ids, values: &self.case.values(right) }, &rules)
            }
        }
    }

    /// What there is to find without blocks of more than so many records.
    pub fn oracle_without_large_blocks(&self, most: usize) -> Vec<Found> {
        let (left, right) = (&self.prepared.left.schema, &self.prepared.right().schema);
        let rules = rules::bind(&self.rules, left, right, self.case.right.is_none());
        let rules = rules.expect("they were bound before");
        let left = self.case.left.values();
        let left = Rows { ids: &self.case.left.ids, values: &left };
        let values = self.case.right.as_ref().map(Sheet::values);
        let right = self.case.right.as_ref().zip(values.as_ref());
        let right = right.map(|(sheet, values)| Rows { ids: &sheet.ids, values });
        oracle::without_large_blocks(left, right, &rules, most)
    }

    /// The rules without the mirror images that deduplication adds: the oracle turns pairs round itself.
    fn rules_of_two_tables(&self) -> Vec<Rule> {
        let (left, right) = (&self.prepared.left.schema, &self.prepared.right().schema);
        rules::bind(&self.rules, left, right, false).expect("they were bound before")
    }

    /// Panics unless the two are the same, in the same order.
    #[track_caller]
    pub fn assert_same(&self, device: &str, wanted: &[Found], got: &[Found]) {
        if wanted == got {
            return;
        }
        let mut message = format!("{device} found {} candidates, not {}\n", got.len(), wanted.len());
        let only = |a: &[Found], b: &[Found]| {
            let b: HashSet<&Found> = b.iter().collect();
            a.iter().filter(|x| !b.contains(x)).cloned().collect::<Vec<_>>()
        };
        let _ = writeln!(message, "wanted, not found: {:?}", only(wanted, got));
        let _ = writeln!(message, "found, not wanted: {:?}", only(got, wanted));
        panic!("{message}(both empty: the order or the number of copies differs)\n{:?}", self.case);
    }
}

/// Whether the engine refuses the rules for a reason that random rules may well give: they can never hold, always do, or
/// come to too many conjunctions.
pub fn is_no_rule(error: &Error) -> bool {
    let reasons = ["can never hold", "is true of every pair", "conjunctions", "is never missing"];
    let excused = |message: &str| reasons.iter().any(|reason| message.contains(reason));
    matches!(error, Error::Rule(rule) if matches!(&**rule, RuleError { message, .. } if excused(message)))
}

/// As the files would be.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\nrules:\n{}\nleft:\n{}", self.toml(), self.left.csv())?;
        self.right.iter().try_for_each(|right| write!(f, "\nright:\n{}", right.csv()))
    }
}
