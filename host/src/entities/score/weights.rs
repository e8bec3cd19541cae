//! The file of weights: what `hyperblock fit` writes, and a score by Fellegi and Sunter's model reads.
//!
//! ```toml
//! prior = 0.0004                 # the probability that two records match
//!
//! [[attributes]]
//! name = "title"
//! measure = "jaro_winkler_similarity(l.title, r.title)"
//! levels = [                     # as those of the attribute in the rule file
//!     { at_least = 1, m = 0.81, u = 0.0002, matches = 5102, m_between = [0.8, 0.82], … },
//!     { at_least = 0.92, m = 0.15, u = 0.001 },
//!     { below = 0.92, m = 0.04, u = 0.9988 },
//! ]
//! ```
//!
//! A level that is a condition has `when = "…"` for `at_least`, and the last one after it `otherwise = true` for `below`.
//!
//! m is the probability of a level where records match, u where they do not. A file goes with a rule file whose attributes
//! have the same names, measures and levels; one that does not is refused. What `fit` writes beside m and u is the evidence
//! for them: how many matches are expected to have the level, how many pairs were seen to have it, and between which numbers
//! m and u lie 19 times of 20. It is for people; a file that somebody wrote need not have it.

use super::Model;
use super::model::MOST_BITS;
use crate::base::billionths::Billionths;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::base::target::Target;
use crate::rules::{Level, Score, ScoreAttribute};
use std::fmt;
use std::path::Path;
use toml::de::{DeArray, DeTable, DeValue};

/// What to do about a file that will not do.
const FIT: &str = "`hyperblock fit` writes such a file for the rules as they are now";

/// The contents of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The probability that two records match, before anything is known of them.
    pub prior: f64,
    /// In the order of the rule file, if it was written for one.
    pub attributes: Vec<AttributeWeights>,
}

/// The weights of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeWeights {
    /// Its name in the rule file.
    pub name: String,
    /// [`ScoreAttribute::measure`].
    pub measure: String,
    /// From the best to what is below all thresholds.
    pub levels: Vec<LevelWeights>,
}

/// What m and u of a level are known from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// m lies between this, 19 times of 20,
    pub m_from: f64,
    /// and this.
    pub m_to: f64,
    /// Matches that are expected to have the level.
    pub matches: f64,
    /// u lies between this, 19 times of 20,
    pub u_from: f64,
    /// and this.
    pub u_to: f64,
    /// Pairs that were seen to have the level.
    pub pairs: f64,
    /// Whether all pairs were counted. Else a part of them, by chance.
    pub is_counted: bool,
}

/// What reaches a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelName {
    /// A similarity of so many billionths.
    AtLeast(u32),
    /// A condition, as rules write it.
    When(String),
}

impl From<&Level> for LevelName {
    fn from(level: &Level) -> Self {
        match level {
            Level::AtLeast(least) => Self::AtLeast(*least),
            Level::When(_) => Self::When(level.to_string()),
        }
    }
}

/// As a key of the file with its value.
impl fmt::Display for LevelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "at_least = {}", Billionths(*least)),
            Self::When(condition) => write!(f, "when = {}", quoted(condition)),
        }
    }
}

/// The weights of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelWeights {
    /// What reaches it; none for the last one.
    pub name: Option<LevelName>,
    /// How probable it is where records match.
    pub m: f64,
    /// How probable it is where they do not.
    pub u: f64,
    /// How that is known, if `fit` said so just now: it is not read from files.
    pub evidence: Option<Evidence>,
}

impl Weights {
    /// For these attributes, with m and u of each level, the best first: one more than thresholds.
    #[doc(hidden)]
    pub fn new(prior: f64, attributes: &[ScoreAttribute], probabilities: &[Vec<(f64, f64)>]) -> Self {
        let of = |(attribute, levels): (&ScoreAttribute, &Vec<(f64, f64)>)| {
            let names = attribute.levels.iter().map(|level| Some(level.into())).chain([None]);
            let level = |(name, &(m, u))| LevelWeights { name, m, u, evidence: None };
            AttributeWeights {
                name: attribute.name.clone(),
                measure: attribute.measure(),
                levels: names.zip(levels).map(level).collect(),
            }
        };
        Self { prior, attributes: attributes.iter().zip(probabilities).map(of).collect() }
    }

    /// The same with what each level is known from, in the same order.
    #[doc(hidden)]
    pub fn with_evidence(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        let levels = self.attributes.iter_mut().flat_map(|attribute| &mut attribute.levels);
        levels.zip(evidence).for_each(|(level, evidence)| level.evidence = Some(evidence));
        self
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let not_ours = |complaint| Error::Job(format!("{}: {complaint}; {FIT}", path.display()));
        parse(&text).map_err(not_ours)
    }

    /// From the text of one.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        parse(text).map_err(|complaint| Error::Job(format!("the weights: {complaint}; {FIT}")))
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<()> {
        Target::write(path, self.to_string().as_bytes())
    }

    /// Reads the file that a score asks for.
    pub(super) fn of(score: &Score) -> Result<Self> {
        let Some(path) = &score.weights else {
            let message = "a score by fellegi-sunter needs weights, and no file is named".to_owned();
            return Err(score.complain(message, "write `weights = \"….toml\"`: `hyperblock fit` makes one"));
        };
        match Self::read(path) {
            Ok(weights) => Ok(weights),
            Err(Error::Io { source, .. }) => {
                Err(score.complain(format!("{}: {source}", path.display()), FIT))
            }
            Err(error) => Err(error),
        }
    }

    /// The model of a score, if these are the weights of its attributes.
    pub(super) fn model(&self, score: &Score) -> Result<Model> {
        let path = score.weights.as_deref().unwrap_or(Path::new("the weights")).display();
        let other = |what: String| score.complain(format!("{path}: {what}"), FIT);
        let mut levels = Vec::new();
        for attribute in &score.attributes {
            let name = &attribute.name;
            let own = self.attributes.iter().find(|own| own.name == *name);
            let own = own.ok_or_else(|| other(format!("there are no weights for the attribute `{name}`")))?;
            let measure = attribute.measure();
            if own.measure != measure {
                let is = &own.measure;
                return Err(other(format!("`{name}` was measured by `{is}`, and is now by `{measure}`")));
            }
            let shown = |levels: &[LevelName]| {
                let level = |level: &LevelName| match level {
                    LevelName::AtLeast(least) => Billionths(*least).to_string(),
                    LevelName::When(condition) => quoted(condition),
                };
                format!("[{}]", levels.iter().map(level).collect::<Vec<_>>().join(", "))
            };
            let has: Vec<LevelName> = own.levels.iter().filter_map(|level| level.name.clone()).collect();
            let wanted: Vec<LevelName> = attribute.levels.iter().map(Into::into).collect();
            if has != wanted {
                let (has, wanted) = (shown(&has), shown(&wanted));
                return Err(other(format!("`{name}` had the levels {has}, and has now {wanted}")));
            }
            for (nth, level) in own.levels.iter().enumerate() {
                if (level.m / level.u).log2().abs() > MOST_BITS {
                    let level = attribute.level_name(nth);
                    return Err(other(format!("`{name}`, level {level}, weighs more than {MOST_BITS} bits")));
                }
            }
            levels.push(own.levels.iter().map(|level| (level.m, level.u)).collect::<Vec<_>>());
        }
        Ok(Model::new(self.prior, levels.iter().map(Vec::as_slice)))
    }
}

/// The file's text.
impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# The weights of a score by Fellegi and Sunter's model. m: how probable a level is where records"
        )?;
        writeln!(f, "# match; u: where they do not. The weight of a level is log2(m / u).")?;
        writeln!(f, "prior = {:?}", self.prior)?;
        for AttributeWeights { name, measure, levels } in &self.attributes {
            writeln!(
                f,
                "\n[[attributes]]\nname = {}\nmeasure = {}\nlevels = [",
                quoted(name),
                quoted(measure)
            )?;
            let mut before: Option<&LevelName> = None;
            for LevelWeights { name, m, u, evidence } in levels {
                match (name, before) {
                    (Some(name), _) => write!(f, "    {{ {name}")?,
                    (None, Some(LevelName::AtLeast(least))) => {
                        write!(f, "    {{ below = {}", Billionths(*least))?
                    }
                    (None, _) => write!(f, "    {{ otherwise = true")?,
                }
                before = name.as_ref();
                write!(f, ", m = {m:?}, u = {u:?}")?;
                if let Some(Evidence { m_from, m_to, matches, u_from, u_to, pairs, is_counted }) = evidence {
                    let pairs_are = if *is_counted { "all_pairs" } else { "random_pairs" };
                    write!(f, ", matches = {matches:.1}, m_between = [{m_from:.6}, {m_to:.6}]")?;
                    write!(f, ", {pairs_are} = {pairs:.1}, u_between = [{u_from:.3e}, {u_to:.3e}]")?;
                }
                writeln!(f, " }}, # {:+.2} bits", (m / u).log2())?;
            }
            writeln!(f, "]")?;
        }
        Ok(())
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        char if char.is_control() => format!("\\u{:04x}", u32::from(char)),
        plain => plain.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// What may stand of a level; all behind u is evidence.
const LEVEL_KEYS: [&str; 11] = [
    "at_least",
    "below",
    "when",
    "otherwise",
    "m",
    "u",
    "matches",
    "m_between",
    "all_pairs",
    "random_pairs",
    "u_between",
];

/// What is wrong with a file, with the key.
type Parsed<T> = Result<T, String>;

fn parse(text: &str) -> Parsed<Weights> {
    let document = DeTable::parse(text).map_err(|error| format!("this is not TOML: {}", error.message()))?;
    let table = document.get_ref();
    known_keys(table, &["prior", "attributes"], "")?;
    let prior = number(table, "prior", "")?;
    if prior >= 1.0 {
        return Err("`prior` is not below 1".into());
    }
    let attributes = list(table, "attributes", "")?.iter().map(|value| attribute(value.get_ref()));
    Ok(Weights { prior, attributes: attributes.collect::<Parsed<_>>()? })
}

fn attribute(value: &DeValue<'_>) -> Parsed<AttributeWeights> {
    let table = value.as_table().ok_or("an attribute is not a table")?;
    let name = string(table, "name", " of an attribute")?;
    let of = format!(" of the attribute `{name}`");
    known_keys(table, &["name", "measure", "levels"], &of)?;
    let measure = string(table, "measure", &of)?;
    let values = list(table, "levels", &of)?;
    let mut levels: Vec<LevelWeights> = Vec::with_capacity(values.len());
    for (nth, value) in values.iter().enumerate() {
        let level = value.get_ref().as_table().ok_or_else(|| format!("a level{of} is not a table"))?;
        known_keys(level, &LEVEL_KEYS, &format!(" in a level{of}"))?;
        let is_last = nth + 1 == values.len();
        let before = levels.last().and_then(|level: &LevelWeights| level.name.clone());
        let name = match (is_last, before) {
            (false, _) if level.contains_key("when") => Some(LevelName::When(string(level, "when", &of)?)),
            (false, _) => Some(LevelName::AtLeast(threshold(level, "at_least", &of)?)),
            (true, Some(LevelName::When(_))) => {
                get(level, "otherwise", &of)?;
                None
            }
            (true, before) => {
                let below = LevelName::AtLeast(threshold(level, "below", &of)?);
                if before.unwrap_or(LevelName::AtLeast(0)) != below {
                    return Err(format!("the last level{of} is not below the one before"));
                }
                None
            }
        };
        let (m, u) = (number(level, "m", &of)?, number(level, "u", &of)?);
        levels.push(LevelWeights { name, m, u, evidence: None });
    }
    if levels.len() < 2 {
        return Err(format!("there are fewer than two levels{of}"));
    }
    Ok(AttributeWeights { name, measure, levels })
}

fn known_keys(table: &DeTable<'_>, known: &[&str], of: &str) -> Parsed<()> {
    match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
        Some(key) => Err(format!("there is no key `{}`{of}", key.get_ref())),
        None => Ok(()),
    }
}

fn get<'a, 'b>(table: &'a DeTable<'b>, key: &str, of: &str) -> Parsed<&'a DeValue<'b>> {
    table.get(key).map(|value| value.get_ref()).ok_or_else(|| format!("`{key}`{of} is missing"))
}

fn string(table: &DeTable<'_>, key: &str, of: &str) -> Parsed<String> {
    let text = get(table, key, of)?.as_str().ok_or_else(|| format!("`{key}`{of} is not text"))?;
    Ok(text.to_owned())
}

fn list<'a, 'b>(table: &'a DeTable<'b>, key: &str, of: &str) -> Parsed<&'a DeArray<'b>> {
    get(table, key, of)?.as_array().ok_or_else(|| format!("`{key}`{of} is not a list"))
}

/// The digits of a number, as they are written.
fn digits<'a>(table: &'a DeTable<'_>, key: &str, of: &str) -> Parsed<&'a str> {
    match get(table, key, of)? {
        DeValue::Float(float) => Ok(float.as_str()),
        DeValue::Integer(integer) if integer.radix() == 10 => Ok(integer.as_str()),
        _ => Err(format!("`{key}`{of} is not a number")),
    }
}

/// A probability that is not 0.
fn number(table: &DeTable<'_>, key: &str, of: &str) -> Parsed<f64> {
    let number = digits(table, key, of)?.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| format!("`{key}`{of} is not above 0 and at most 1"))
}

/// Billionths.
fn threshold(table: &DeTable<'_>, key: &str, of: &str) -> Parsed<u32> {
    let number = Decimal::parse(digits(table, key, of)?).filter(|number| number.scale() <= 9);
    let number = number.and_then(|number| u32::try_from(number.at_scale(9)?).ok());
    number.ok_or_else(|| format!("`{key}`{of} is not a decimal of at most nine places"))
}
