//! The rule file: a TOML list of named rules.
//!
//! ```toml
//! [[rules]]
//! name = "same title"
//! when = "jaccard(words(l.title), words(r.title)) >= 0.8"
//! ```
//!
//! The TOML is walked by hand rather than by serde, so that every complaint can say what a rule file looks like and
//! point at the key or the value in question.

use super::Side;
use super::literal::Literal;
use super::suggest::nearest;
use super::syntax::{self, Comparison, Complaint, Formula, Parsed, complaint};
use crate::error::{Error, Result, RuleError};
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const SHAPE: &str =
    "a rule is written `[[rules]]`, then `name = \"…\"` and `when = \"…\"` on lines of their own";

/// A rule file whose rules are parsed, but not yet checked against any table.
#[derive(Debug)]
pub struct RuleFile {
    path: PathBuf,
    source: String,
    entries: Vec<Entry>,
}

/// One rule of the file.
#[derive(Debug)]
pub(super) struct Entry {
    /// As the file names it, or `rule N`.
    pub(super) name: String,
    /// What its `when` says.
    pub(super) formula: Formula<Comparison>,
    /// Where its `when` stands.
    pub(super) span: Range<usize>,
}

impl RuleFile {
    /// Reads a rule file.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        match String::from_utf8(bytes) {
            Ok(source) => Self::parse(path, source),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let source = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let end = start + char::REPLACEMENT_CHARACTER.len_utf8();
                Err(complaint(start..end, "this is not UTF-8")
                    .help("save the rule file as UTF-8")
                    .about(path, source))
            }
        }
    }

    /// Parses the text of a rule file; `path` is for messages alone.
    pub fn parse(path: &Path, source: String) -> Result<Self> {
        match entries(&source) {
            Ok(entries) => Ok(Self { path: path.to_owned(), source, entries }),
            Err(complaint) => Err(complaint.about(path, source)),
        }
    }

    /// The rules' names, in file order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: a file without rules is an error.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Every column that a rule reads, as written there, each once: no other column need be loaded.
    pub fn columns(&self) -> impl Iterator<Item = (Side, &str)> {
        let mut seen = HashSet::new();
        let comparisons = self.entries.iter().flat_map(|entry| entry.formula.leaves());
        let columns =
            comparisons.flat_map(|comparison| comparison.terms().map(|term| (term.side, term.name.as_str())));
        columns.filter(move |column| seen.insert(*column))
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The error that a complaint about this file becomes.
    pub(super) fn error(&self, complaint: Complaint) -> Error {
        complaint.about(&self.path, self.source.clone())
    }
}

impl Complaint {
    fn about(self, path: &Path, source: String) -> Error {
        let Self { span, message, help } = self;
        Error::Rule(Box::new(RuleError { path: path.to_owned(), source, span, message, help }))
    }
}

fn entries(source: &str) -> Parsed<Vec<Entry>> {
    let document = DeTable::parse(source).map_err(|error| {
        let end = source.len();
        complaint(error.span().unwrap_or(end..end), format!("this is not TOML: {}", error.message()))
    })?;
    known_keys(document.get_ref(), &["rules"], "a rule file")?;
    let no_rules = |span| complaint(span, "there are no rules in this file").help(SHAPE);
    let rules = document.get_ref().get("rules").ok_or_else(|| no_rules(0..0))?;
    let not_a_list = || complaint(rules.span(), "`rules` is not a list of tables").help(SHAPE);
    let list = rules.get_ref().as_array().ok_or_else(not_a_list)?;
    if list.is_empty() {
        return Err(no_rules(rules.span()));
    }
    let mut entries: Vec<Entry> = Vec::with_capacity(list.len());
    for (number, rule) in (1..).zip(list.iter()) {
        let table = rule
            .get_ref()
            .as_table()
            .ok_or_else(|| complaint(rule.span(), "a rule is a table").help(SHAPE))?;
        known_keys(table, &["name", "when"], "a rule")?;
        let (name, name_span) = match table.get("name") {
            Some(name) => (string(name, "name")?.to_owned(), name.span()),
            None => (format!("rule {number}"), rule.span()),
        };
        if name.trim().is_empty() {
            return Err(
                complaint(name_span, "the rule's name is empty").help("give it a name, or leave `name` out")
            );
        }
        if entries.iter().any(|entry| entry.name == name) {
            let message = format!("there is a rule `{name}` already");
            return Err(complaint(name_span, message).help("give every rule a name of its own"));
        }
        let missing = || complaint(rule.span(), format!("`{name}` has no `when`")).help(SHAPE);
        let when = table.get("when").ok_or_else(missing)?;
        let literal = Literal::new(source, when.span(), string(when, "when")?);
        let formula = syntax::parse(&literal)?;
        entries.push(Entry { name, formula, span: literal.whole() });
    }
    Ok(entries)
}

fn string<'a>(value: &'a Spanned<DeValue<'_>>, key: &str) -> Parsed<&'a str> {
    let is = match value.get_ref() {
        DeValue::String(text) => return Ok(text),
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Err(complaint(value.span(), format!("`{key}` is {is}, not text")).help("put it in quotes"))
}

fn known_keys(table: &DeTable<'_>, known: &[&str], of: &str) -> Parsed<()> {
    // Tables are sorted by key; complain about the first in the file.
    let unknown = table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
    let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
    let complaint = complaint(key.span(), format!("{of} has no key `{}`", key.get_ref()));
    Err(match nearest(key.get_ref(), known.iter().copied()) {
        Some(near) => complaint.help(format!("did you mean `{near}`?")),
        None => complaint.help(SHAPE),
    })
}
