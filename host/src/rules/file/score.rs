//! The `[score]` section of a rule file.
//!
//! ```toml
//! [score]
//! threshold = 0.75                     # pairs below it are dropped; default 0
//! score = "weighted-mean"              # the default, or "fellegi-sunter"
//! weights = "people.weights.toml"      # for fellegi-sunter: a file beside this one
//! missing = "skip"                     # in a mean, what one record lacks: the default, or "zero"
//! sure = ["l.ssn = r.ssn"]             # what only matches meet: `fit` counts them
//! recall = 0.7                         # the share of matches that meet one of those; default 0.7
//!
//! [[score.attributes]]
//! measure = "jaro_winkler(l.title, r.title)"
//! name = "title"                       # default: the measure
//! weight = 30                          # default 1
//! threshold = 0.5                      # a similarity below it counts as 0; default 0
//! levels = [1, 0.92, 0.8]              # for fellegi-sunter; default [1, 0.9, 0.7], of a condition [1]
//! monotone = true                      # whether a better level weighs at least as much; default true
//! term_frequency = true                # whether a rare value that agrees weighs more; default false
//! least_frequency = 0.0001             # a value that is rarer weighs no more than this; default 0.00001
//!
//! [[score.attributes]]                 # levels may be conditions, also beside numbers: the first that holds counts
//! name = "born"
//! levels = ["l.born = r.born", "levenshtein(l.born, r.born) <= 1"]
//! ```
//!
//! Numbers are the decimals that were written: of a similarity nine places, of a weight six.

use super::{SCORE_KEY, known_keys, string};
use crate::base::decimal::Decimal;
use crate::rules::literal::Literal;
use crate::rules::score::{Missing, ScoreMethod};
use crate::rules::syntax::{self, Comparison, Formula, Measured, Parsed, complaint, parse_measure};
use hyperblock_shared::score::{MOST_ATTRIBUTES, MOST_LEVELS, ONE};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value, and where it stands.
type Value<'a> = Spanned<DeValue<'a>>;

/// How a score is written, for those who wrote it otherwise.
const SHAPE: &str =
    "a score is written `[score]`, then `[[score.attributes]]` with `measure = \"…\"` for each attribute";

/// The digits of a similarity after the point.
const PLACES: u32 = 9;
/// What can be said of what is missing.
const MISSING: &str =
    "write \"skip\", so that it does not count, or \"zero\", so that it counts as not alike";
/// A value is taken to be at least this frequent, if nothing is said: billionths.
const LEAST_FREQUENCY: u32 = ONE / 100_000;
/// The digits of a weight after the point.
const WEIGHT_PLACES: u32 = 6;

/// The section, before it is known what the columns are.
#[derive(Debug)]
pub(in crate::rules) struct ScoreSection {
    pub(in crate::rules) method: ScoreMethod,
    /// Billionths.
    pub(in crate::rules) threshold: u32,
    pub(in crate::rules) missing: Missing,
    /// As it is written.
    pub(in crate::rules) weights: Option<String>,
    /// Where `weights` stands, or else what asks for them.
    pub(in crate::rules) span: Range<usize>,
    pub(in crate::rules) attributes: Vec<AttributeEntry>,
    /// What only matches meet, and where that stands.
    pub(in crate::rules) sure: Vec<(Formula<Comparison>, Range<usize>)>,
    /// Billionths.
    pub(in crate::rules) recall: u32,
}

/// One attribute of it.
#[derive(Debug)]
pub(in crate::rules) struct AttributeEntry {
    pub(in crate::rules) name: String,
    /// What it measures; none if all levels are conditions.
    pub(in crate::rules) measured: Option<Measured>,
    /// Where the measure stands, or else the attribute.
    pub(in crate::rules) span: Range<usize>,
    /// In units that all attributes share; all of them stay below 2^32 together.
    pub(in crate::rules) weight: u32,
    /// Billionths.
    pub(in crate::rules) threshold: u32,
    /// From the best on, at least one.
    pub(in crate::rules) levels: Vec<LevelEntry>,
    /// Whether a better level weighs at least as much.
    pub(in crate::rules) monotone: bool,
    /// The least frequency of a value, in billionths, if frequencies count.
    pub(in crate::rules) term_frequency: Option<u32>,
}

/// What reaches a level.
#[derive(Debug)]
pub(in crate::rules) enum LevelEntry {
    /// Billionths; numbers among levels fall.
    AtLeast(u32),
    /// A condition, and where it stands.
    When(Box<Formula<Comparison>>, Range<usize>),
}

impl AttributeEntry {
    /// All comparisons that it is made of.
    pub(in crate::rules) fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        let of_levels = self.levels.iter().filter_map(|level| match level {
            LevelEntry::AtLeast(_) => None,
            LevelEntry::When(formula, _) => Some(&**formula),
        });
        let measure = self.measured.iter().map(|measured| &measured.comparison);
        measure.chain(of_levels).flat_map(Formula::leaves)
    }
}

/// Reads the section, if there is one.
pub(super) fn section(document: &DeTable<'_>, source: &str) -> Parsed<Option<ScoreSection>> {
    let Some(value) = document.get(SCORE_KEY) else { return Ok(None) };
    let not_a_table = || complaint(value.span(), "`score` is not a table").help(SHAPE);
    let table = value.get_ref().as_table().ok_or_else(not_a_table)?;
    let keys = ["threshold", "score", "weights", "attributes", "sure", "recall", "missing"];
    known_keys(table, &keys, "a score", SHAPE)?;
    let method = match table.get("score") {
        None => ScoreMethod::WeightedMean,
        Some(value) => match string(value, "score")? {
            "weighted-mean" => ScoreMethod::WeightedMean,
            "fellegi-sunter" => ScoreMethod::FellegiSunter,
            other => {
                return Err(complaint(value.span(), format!("there is no score `{other}`"))
                    .help("write \"weighted-mean\" or \"fellegi-sunter\""));
            }
        },
    };
    let missing = match table.get("missing") {
        None => Missing::default(),
        Some(value) => {
            let wrong = |message: String| complaint(value.span(), message).help(MISSING);
            if method == ScoreMethod::FellegiSunter {
                return Err(wrong(
                    "`missing` is about means; what is missing has no weight in a model".into(),
                ));
            }
            let text = string(value, "missing")?;
            text.parse().map_err(|_| wrong(format!("`missing` is `{text}`")))?
        }
    };
    let weights =
        table.get("weights").map(|value| string(value, "weights").map(str::to_owned)).transpose()?;
    let place = table.get("weights").or(table.get("score")).map_or_else(|| value.span(), Spanned::span);
    Ok(Some(ScoreSection {
        method,
        threshold: billionths(table.get("threshold"), "threshold")?.unwrap_or(0),
        missing,
        weights,
        span: place,
        attributes: attributes(table, value.span(), method, source)?,
        sure: sure(table, source)?,
        recall: recall(table)?,
    }))
}

fn sure(table: &DeTable<'_>, source: &str) -> Parsed<Vec<(Formula<Comparison>, Range<usize>)>> {
    const FORM: &str = "write what only matches meet, as in a rule's `when`: [\"l.ssn = r.ssn\"]";
    let Some(value) = table.get("sure") else { return Ok(Vec::new()) };
    let list = value.get_ref().as_array();
    let list = list.ok_or_else(|| complaint(value.span(), "`sure` is not a list").help(FORM))?;
    let when = |value: &Value<'_>| {
        let literal = Literal::new(source, value.span(), string(value, "sure")?);
        Ok((syntax::parse(&literal)?, literal.whole()))
    };
    list.iter().map(when).collect()
}

fn recall(table: &DeTable<'_>) -> Parsed<u32> {
    let value = table.get("recall");
    match (billionths(value, "recall")?, value) {
        (None, _) => Ok(ONE / 10 * 7),
        (Some(0), Some(value)) => {
            let message = "`recall` is 0: then there is nothing to count";
            Err(complaint(value.span(), message)
                .help("write the share of matches that `sure` finds, say 0.7"))
        }
        (Some(recall), _) => Ok(recall),
    }
}

fn attributes(
    table: &DeTable<'_>,
    section: Range<usize>,
    method: ScoreMethod,
    source: &str,
) -> Parsed<Vec<AttributeEntry>> {
    let none = |span| complaint(span, "the score has no attributes").help(SHAPE);
    let value = table.get("attributes").ok_or_else(|| none(section))?;
    let not_a_list = || complaint(value.span(), "`attributes` is not a list of tables").help(SHAPE);
    let list = value.get_ref().as_array().ok_or_else(not_a_list)?;
    if list.is_empty() {
        return Err(none(value.span()));
    }
    let (mut attributes, mut weights) = (Vec::with_capacity(list.len()), Vec::new());
    for value in list.iter() {
        if attributes.len() == MOST_ATTRIBUTES {
            let message = format!("a score has at most {MOST_ATTRIBUTES} attributes");
            return Err(complaint(value.span(), message).help("leave out what tells least"));
        }
        let (entry, weight) = attribute(value, method, source, &attributes)?;
        attributes.push(entry);
        weights.push(weight);
    }
    for (entry, weight) in attributes.iter_mut().zip(in_one_unit(&weights)?) {
        entry.weight = weight;
    }
    Ok(attributes)
}

/// A weight, and where it or its attribute stands.
type Weight = (Decimal, Range<usize>);

fn attribute(
    value: &Value<'_>,
    method: ScoreMethod,
    source: &str,
    before: &[AttributeEntry],
) -> Parsed<(AttributeEntry, Weight)> {
    let not_a_table = || complaint(value.span(), "an attribute is a table").help(SHAPE);
    let table = value.get_ref().as_table().ok_or_else(not_a_table)?;
    let keys =
        ["measure", "weight", "threshold", "levels", "name", "monotone", "term_frequency", "least_frequency"];
    known_keys(table, &keys, "an attribute", SHAPE)?;
    let is_by_conditions = || {
        let list = table.get("levels").and_then(|levels| levels.get_ref().as_array());
        list.is_some_and(|list| !list.is_empty() && list.iter().all(|level| level.get_ref().is_str()))
    };
    let (measured, text, span) = match table.get("measure") {
        Some(measure) => {
            let text = string(measure, "measure")?;
            let measured = parse_measure(&Literal::new(source, measure.span(), text))?;
            (Some(measured), text, measure.span())
        }
        None if is_by_conditions() => (None, "", value.span()),
        None => return Err(complaint(value.span(), "the attribute has no `measure`").help(SHAPE)),
    };
    let (name, place) = match table.get("name") {
        Some(name) => (string(name, "name")?.to_owned(), name.span()),
        None => (text.split_whitespace().collect::<Vec<_>>().join(" "), span.clone()),
    };
    if name.trim().is_empty() {
        let message = "the attribute's name is empty";
        let help = match measured {
            Some(_) => "give it a name, or leave `name` out",
            None => "an attribute without a measure has a `name`",
        };
        return Err(complaint(place, message).help(help));
    }
    if before.iter().any(|entry| entry.name == name) {
        let message = format!("there is an attribute `{name}` already");
        return Err(complaint(place, message).help("give every attribute a name of its own"));
    }
    let weight = match table.get("weight") {
        None => (Decimal::ONE, value.span()),
        Some(value) => (weight(value)?, value.span()),
    };
    let is_similarity = measured.as_ref().is_some_and(|measured| measured.is_similarity);
    let levels = match table.get("levels") {
        Some(value) => levels(value, measured.as_ref().map(|_| is_similarity), method, source)?,
        None if is_similarity => [ONE, ONE / 10 * 9, ONE / 10 * 7].map(LevelEntry::AtLeast).into(),
        None => vec![LevelEntry::AtLeast(ONE)],
    };
    let threshold = billionths(table.get("threshold"), "threshold")?.unwrap_or(0);
    let flag = |key: &str, default: bool| match table.get(key) {
        None => Ok(default),
        Some(value) => value.get_ref().as_bool().ok_or_else(|| {
            complaint(value.span(), format!("`{key}` is not true or false"))
                .help(format!("leave it out, or write {}", !default))
        }),
    };
    let monotone = flag("monotone", true)?;
    let term_frequency = match (flag("term_frequency", false)?, table.get("least_frequency")) {
        (true, least) => Some(billionths(least, "least_frequency")?.unwrap_or(LEAST_FREQUENCY)),
        (false, None) => None,
        (false, Some(least)) => {
            let message = "`least_frequency` says nothing without `term_frequency`";
            return Err(complaint(least.span(), message).help("write `term_frequency = true` too"));
        }
    };
    Ok((
        AttributeEntry { name, measured, span, weight: 0, threshold, levels, monotone, term_frequency },
        weight,
    ))
}

/// Levels of an attribute that is measured by a similarity or not, or by nothing.
fn levels(
    value: &Value<'_>,
    is_similarity: Option<bool>,
    method: ScoreMethod,
    source: &str,
) -> Parsed<Vec<LevelEntry>> {
    const FORM: &str = "write falling thresholds, the best level's first: [1, 0.9, 0.7]";
    let not_a_list = || complaint(value.span(), "`levels` is not a list").help(FORM);
    let list = value.get_ref().as_array().ok_or_else(not_a_list)?;
    let mut levels: Vec<LevelEntry> = Vec::new();
    let mut lowest = None;
    for value in list.iter() {
        if let Some(text) = value.get_ref().as_str() {
            if method == ScoreMethod::WeightedMean {
                let message = "a mean has no levels, so that a level cannot be a condition";
                return Err(complaint(value.span(), message).help("write `score = \"fellegi-sunter\"`"));
            }
            let literal = Literal::new(source, value.span(), text);
            levels.push(LevelEntry::When(Box::new(syntax::parse(&literal)?), literal.whole()));
            continue;
        }
        let level = billionths(Some(value), "a level")?.unwrap_or(0);
        if level == 0 || lowest.is_some_and(|before| before <= level) {
            let message = if level == 0 { "a level is above 0" } else { "levels fall" };
            return Err(complaint(value.span(), message).help(FORM));
        }
        lowest = Some(level);
        levels.push(LevelEntry::AtLeast(level));
    }
    let is_right = |n: usize| (1..=MOST_LEVELS).contains(&n);
    if !is_right(levels.len()) {
        let message = format!("an attribute has 1 to {MOST_LEVELS} levels, and here are {}", levels.len());
        return Err(complaint(value.span(), message).help(FORM));
    }
    if is_similarity == Some(false) && !matches!(levels[..], [LevelEntry::AtLeast(ONE)]) {
        let message = "a condition holds or does not: its level is 1";
        return Err(complaint(value.span(), message)
            .help("leave `levels` out; or leave `measure` out, and write all conditions as levels"));
    }
    Ok(levels)
}

/// A decimal between 0 and 1, in billionths, if there is one.
fn billionths(value: Option<&Value<'_>>, key: &str) -> Parsed<Option<u32>> {
    let Some(value) = value else { return Ok(None) };
    let number = number(value, key)?;
    if number.is_negative() || number > Decimal::ONE {
        let message = format!("{} lies between 0 and 1", quoted(key));
        return Err(complaint(value.span(), message).help("write, say, 0.8"));
    }
    if number.scale() > PLACES {
        let message = format!("{} has at most nine decimals", quoted(key));
        return Err(complaint(value.span(), message).help("round it"));
    }
    // At most 1, and at most nine places.
    Ok(number.at_scale(PLACES).and_then(|digits| u32::try_from(digits).ok()))
}

fn weight(value: &Value<'_>) -> Parsed<Decimal> {
    let weight = number(value, "weight")?;
    if weight <= Decimal::ZERO {
        return Err(complaint(value.span(), "a weight is above 0")
            .help("leave the attribute out if it is not to count"));
    }
    if weight.scale() > WEIGHT_PLACES {
        return Err(complaint(value.span(), "a weight has at most six decimals").help("round it"));
    }
    Ok(weight)
}

/// Weights as whole numbers of the largest unit that they all are multiples of.
fn in_one_unit(weights: &[Weight]) -> Parsed<Vec<u32>> {
    let scale = weights.iter().map(|(weight, _)| weight.scale()).max().unwrap_or(0);
    let too_many = |place: &Range<usize>| {
        complaint(place.clone(), "the weights have too many digits together")
            .help("write them with fewer digits, such as 20, 30 and 25")
    };
    let mut whole = Vec::with_capacity(weights.len());
    for (weight, place) in weights {
        let digits = weight.at_scale(scale).and_then(|digits| u64::try_from(digits).ok());
        whole.push(digits.ok_or_else(|| too_many(place))?);
    }
    let unit = whole.iter().copied().fold(0, common_divisor).max(1);
    let mut sum = 0u32;
    let mut in_units = Vec::with_capacity(whole.len());
    for (digits, (_, place)) in whole.into_iter().zip(weights) {
        let weight = u32::try_from(digits / unit).map_err(|_| too_many(place))?;
        sum = sum.checked_add(weight).ok_or_else(|| too_many(place))?;
        in_units.push(weight);
    }
    Ok(in_units)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

fn number(value: &Value<'_>, key: &str) -> Parsed<Decimal> {
    let parse = |text: &str| Decimal::parse(text.strip_prefix('+').unwrap_or(text));
    let (number, is) = match value.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => (parse(integer.as_str()), "a number"),
        DeValue::Float(float) => (parse(float.as_str()), "a number"),
        DeValue::Integer(_) => (None, "not a decimal"),
        DeValue::String(_) => (None, "text"),
        _ => (None, "something else"),
    };
    number.ok_or_else(|| match is {
        "a number" => complaint(value.span(), format!("cannot read {} as a number", quoted(key)))
            .help("a number has at most 36 digits"),
        "text" => complaint(value.span(), format!("{} is text, not a number", quoted(key)))
            .help("write it without quotes"),
        _ => complaint(value.span(), format!("{} is not a number", quoted(key))).help("write, say, 0.8"),
    })
}

/// A key in quotes; what is no key stands as it is.
fn quoted(key: &str) -> String {
    if key.contains(' ') { key.to_owned() } else { format!("`{key}`") }
}
