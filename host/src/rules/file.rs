//! The rule file: a TOML list of named rules.
//!
//! ```toml
//! [[rules]]
//! name = "same title"
//! when = "jaccard(words(l.title), words(r.title)) >= 0.8"
//! ```
//!
//! A section `[score]` may follow, which says how candidates are scored: `score`.
//! A section `[columns]` says what columns of tables go by which names: `columns`.
//! `[missing]` lists what counts as missing: `missing`.
//! Beside the rules, or instead of them, there may be neighbourhoods: `neighbourhood`. Or all pairs are wanted: `pairs`.
//!
//! The TOML is walked by hand rather than by serde, so that every complaint can say what a rule file looks like and
//! point at the key or the value in question.

mod columns;
mod complaints;
mod missing;
mod neighbourhood;
mod pairs;
mod score;

pub use columns::ColumnEntry;
pub(crate) use columns::lacking;
pub(super) use neighbourhood::NearEntry;
pub use pairs::AllPairs;
pub(super) use score::{AttributeEntry, LevelEntry, ScoreSection};

use super::Side;
use super::literal::Literal;
use super::lookups::{Listed, Lookups, beside};
use super::suggest::nearest;
use super::syntax::{self, Comparison, Complaint, Formula, Parsed, Term, complaint};
use crate::base::control::Control;
use crate::base::error::{Error, Result, RuleError};
use crate::read::table::{Schema, Words};
use missing::MissingEntries;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const SHAPE: &str =
    "a rule is written `[[rules]]`, then `name = \"…\"` and `when = \"…\"` on lines of their own";

/// The longest file, and the longest text in it: what people write is far below, and a slip must not take gigabytes.
const MOST_BYTES: u64 = 1 << 24;
const MOST_TEXT: usize = 1 << 20;

/// The key of the section about what counts as missing.
const MISSING_KEY: &str = "missing";

/// The key of the section about scores.
const SCORE_KEY: &str = "score";

/// A rule file whose rules are parsed, but not yet checked against any table.
#[derive(Debug)]
pub struct RuleFile {
    path: PathBuf,
    source: String,
    entries: Vec<Entry>,
    score: Option<ScoreSection>,
    neighbourhoods: Vec<NearEntry>,
    all: Option<AllPairs>,
    called: Vec<ColumnEntry>,
    missing: MissingEntries,
    lookups: OnceLock<Lookups>,
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
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(Error::io(path))?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(complaint(0..0, "a rule file has at most 16 MiB, and this one has more")
                .help("is it a table? Rules are written in TOML")
                .about(path, String::new()));
        }
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
        match sections(&source) {
            Ok(Sections { entries, neighbourhoods, all, score, called, missing }) => {
                let (path, lookups) = (path.to_owned(), OnceLock::new());
                Ok(Self { path, source, entries, neighbourhoods, all, score, called, missing, lookups })
            }
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

    /// Whether there are none: then there are neighbourhoods, or all pairs are wanted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// That all pairs are wanted, if so.
    pub fn all_pairs(&self) -> Option<&AllPairs> {
        self.all.as_ref()
    }

    /// Every column that a rule, a neighbourhood or the score reads, as written there, each once: no other column need be
    /// loaded.
    pub fn columns(&self) -> impl Iterator<Item = (Side, &str)> {
        let mut seen = HashSet::new();
        let columns = self.terms().flat_map(move |term| {
            let (side, columns) = (term.side, term.made.columns());
            columns.into_iter().map(move |column| (side, column))
        });
        columns.filter(move |column| seen.insert(*column))
    }

    /// All that is compared.
    fn terms(&self) -> impl Iterator<Item = &Term> {
        let of_rules = self.entries.iter().flat_map(|entry| entry.formula.leaves());
        let attributes = self.score.iter().flat_map(|score| &score.attributes);
        let comparisons = of_rules.chain(attributes.flat_map(AttributeEntry::comparisons));
        let sure = self.score.iter().flat_map(|score| &score.sure);
        let comparisons = comparisons.chain(sure.flat_map(|(formula, _)| formula.leaves()));
        let keys = self.neighbourhoods.iter().flat_map(|entry| &entry.keys);
        comparisons.flat_map(Comparison::terms).chain(keys)
    }

    /// The tables that values are looked up in, as the rules name them, and where.
    fn named_tables(&self) -> Vec<(&str, Range<usize>)> {
        self.terms().flat_map(|term| term.made.all_files()).collect()
    }

    /// The files of the tables that values are looked up in: what a job reads besides rules and tables.
    pub fn tables(&self) -> Vec<PathBuf> {
        let mut tables: Vec<PathBuf> =
            self.named_tables().into_iter().map(|(name, _)| beside(&self.path, name)).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// Reads the tables that values are looked up in, if that was not done yet: else, whoever binds the rules does.
    pub fn read_tables(&self, control: &Control) -> Result<()> {
        self.lookups_read(control).map(drop)
    }

    /// What is in the tables that values are looked up in, to go along where their files are not.
    pub(crate) fn listed(&self) -> Result<Listed> {
        Ok(self.lookups()?.listed())
    }

    /// With tables that were [`listed`](Self::listed): no file is read for them.
    pub(crate) fn with_listed(self, listed: Listed) -> Self {
        Self { lookups: OnceLock::from(Lookups::of_listed(listed)), ..self }
    }

    pub(super) fn lookups(&self) -> Result<&Lookups> {
        self.lookups_read(&Control::default())
    }

    fn lookups_read(&self, control: &Control) -> Result<&Lookups> {
        if let Some(lookups) = self.lookups.get() {
            return Ok(lookups);
        }
        let lookups =
            Lookups::read(&self.path, &self.named_tables(), control, |complaint| self.error(complaint))?;
        Ok(self.lookups.get_or_init(|| lookups))
    }

    /// What counts as missing in tables.
    pub(crate) fn missing(&self) -> Words {
        self.missing.words()
    }

    /// An error if something is said of a column that neither table has.
    pub(super) fn check_missing(&self, left: &Schema, right: &Schema) -> Result<()> {
        self.missing.check(left, right).map_err(|complaint| self.error(complaint))
    }

    /// What columns of tables go by which names.
    pub fn called(&self) -> &[ColumnEntry] {
        &self.called
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn score(&self) -> Option<&ScoreSection> {
        self.score.as_ref()
    }

    /// The file itself, which other files are looked for beside.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn neighbourhoods(&self) -> &[NearEntry] {
        &self.neighbourhoods
    }

    /// The error that a complaint about this file becomes.
    pub(super) fn error(&self, complaint: Complaint) -> Error {
        complaint.about(&self.path, self.source.clone())
    }

    /// The same, before it is an error.
    pub(super) fn rule_error(&self, complaint: Complaint) -> RuleError {
        complaint.in_file(&self.path, self.source.clone())
    }
}

impl Complaint {
    fn about(self, path: &Path, source: String) -> Error {
        Error::Rule(Box::new(self.in_file(path, source)))
    }

    fn in_file(self, path: &Path, source: String) -> RuleError {
        let Self { span, message, help } = self;
        RuleError { path: path.to_owned(), source, span, message, help }
    }
}

/// What a rule file is made of.
struct Sections {
    entries: Vec<Entry>,
    neighbourhoods: Vec<NearEntry>,
    all: Option<AllPairs>,
    score: Option<ScoreSection>,
    called: Vec<ColumnEntry>,
    missing: MissingEntries,
}

fn sections(source: &str) -> Parsed<Sections> {
    let document = DeTable::parse(source).map_err(|error| {
        let end = source.len();
        complaint(error.span().unwrap_or(end..end), format!("this is not TOML: {}", error.message()))
    })?;
    let document = document.get_ref();
    known_keys(
        document,
        &["rules", "neighbourhoods", "pairs", columns::KEY, MISSING_KEY, SCORE_KEY],
        "a rule file",
        SHAPE,
    )?;
    let near = document.get("neighbourhoods");
    let entries = match document.get("rules") {
        Some(rules) => entries(source, rules)?,
        None => Vec::new(),
    };
    let mut taken = entries.iter().map(|entry| entry.name.clone()).collect();
    let neighbourhoods = match near {
        Some(list) => neighbourhood::entries(source, list, &mut taken)?,
        None => Vec::new(),
    };
    let all = document.get("pairs").map(pairs::all).transpose()?;
    if all.is_some()
        && let Some(more) = document.get("rules").or(near)
    {
        return Err(complaint(more.span(), "with all pairs, nothing is left for this to find")
            .help("leave it out; or leave `[[pairs]]` out"));
    }
    if entries.is_empty() && neighbourhoods.is_empty() && all.is_none() {
        let span = document.get("rules").or(near).map_or(0..0, Spanned::span);
        return Err(complaint(span, "there are no rules in this file").help(SHAPE));
    }
    let (score, called) = (score::section(document, source)?, columns::section(document)?);
    let missing = document.get(MISSING_KEY).map(missing::section).transpose()?.unwrap_or_default();
    Ok(Sections { entries, neighbourhoods, all, score, called, missing })
}

fn entries(source: &str, rules: &Spanned<DeValue<'_>>) -> Parsed<Vec<Entry>> {
    let not_a_list = || complaint(rules.span(), "`rules` is not a list of tables").help(SHAPE);
    let list = rules.get_ref().as_array().ok_or_else(not_a_list)?;
    let mut entries: Vec<Entry> = Vec::with_capacity(list.len());
    let mut names: HashSet<String> = HashSet::with_capacity(list.len());
    for (number, rule) in (1..).zip(list.iter()) {
        entries.push(entry(source, number, rule, &mut names)?);
    }
    Ok(entries)
}

/// One rule, beside those whose names are taken.
fn entry(
    source: &str,
    number: usize,
    rule: &Spanned<DeValue<'_>>,
    names: &mut HashSet<String>,
) -> Parsed<Entry> {
    let table =
        rule.get_ref().as_table().ok_or_else(|| complaint(rule.span(), "a rule is a table").help(SHAPE))?;
    known_keys(table, &["name", "when"], "a rule", SHAPE)?;
    let (name, name_span) = match table.get("name") {
        Some(name) => (string(name, "name")?.to_owned(), name.span()),
        None => (format!("rule {number}"), rule.span()),
    };
    if name.trim().is_empty() {
        return Err(
            complaint(name_span, "the rule's name is empty").help("give it a name, or leave `name` out")
        );
    }
    if !names.insert(name.clone()) {
        let message = format!("there is a rule `{name}` already");
        return Err(complaint(name_span, message).help("give every rule a name of its own"));
    }
    let missing = || complaint(rule.span(), format!("`{name}` has no `when`")).help(SHAPE);
    let when = table.get("when").ok_or_else(missing)?;
    let literal = Literal::new(source, when.span(), string(when, "when")?);
    let formula = syntax::parse(&literal)?;
    Ok(Entry { name, formula, span: literal.whole() })
}

pub(super) fn string<'a>(value: &'a Spanned<DeValue<'_>>, key: &str) -> Parsed<&'a str> {
    let is = match value.get_ref() {
        DeValue::String(text) if text.len() > MOST_TEXT => {
            let message = format!("`{key}` is longer than {MOST_TEXT} bytes");
            // The first of them will do to find it.
            let start = value.span().start;
            return Err(complaint(start..start, message).help("split it, or take blanks out of it"));
        }
        DeValue::String(text) => return Ok(text),
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Err(complaint(value.span(), format!("`{key}` is {is}, not text")).help("put it in quotes"))
}

pub(super) fn known_keys(table: &DeTable<'_>, known: &[&str], of: &str, shape: &str) -> Parsed<()> {
    // Tables are sorted by key; complain about the first in the file.
    let unknown = table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
    let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
    let complaint = complaint(key.span(), format!("{of} has no key `{}`", key.get_ref()));
    Err(match nearest(key.get_ref(), known.iter().copied()) {
        Some(near) => complaint.help(format!("did you mean `{near}`?")),
        None => complaint.help(shape),
    })
}
