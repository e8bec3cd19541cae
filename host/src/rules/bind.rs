//! Rules meet tables: columns are found, types are checked, comparisons become predicates.
//!
//! The types of a CSV file are guessed from its values, so one table may hold zip codes as numbers and the other as
//! text. Equality between the two compares the text as written. Where a number is needed and text is found, the
//! complaint says which value made the column text.

mod lists;
mod made;

use super::file::{AttributeEntry, Entry, LevelEntry, RuleFile};
use super::lookups::Lookups;
use super::normal::{self, MOST_CONJUNCTIONS, NoRule};
use super::score::Level;
use super::score::{Score, ScoreAttribute};
use super::syntax::{
    Asked, Comparison, Complaint, Constant, ConstantValue, Formula, Measured, Parsed, Term, complaint,
};
use super::{Condition, Domain, Measure, Operand, Predicate, Rule, Side, Source, Test, display};
use crate::base::error::{Error, Result};
use crate::read::table::{ColumnSchema, Schema, days};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Gives the rules of a file their meaning over two tables; with `dedupe` over one table twice, where a rule that is
/// not symmetric counts if it holds either way round.
pub fn bind(file: &RuleFile, left: &Schema, right: &Schema, dedupe: bool) -> Result<Vec<Rule>> {
    let tables = Tables { left, right, lookups: file.lookups()? };
    file.check_missing(left, right)?;
    bound(file, |entry| tables.rule(&entry.name, &entry.formula, &entry.span, dedupe))
}

/// All that is wrong with the rules of a file over two tables, and not only what is found first.
pub(crate) fn complaints(file: &RuleFile, left: &Schema, right: &Schema, dedupe: bool) -> Result<Vec<Error>> {
    let tables = Tables { left, right, lookups: file.lookups()? };
    let rules = file.entries().par_iter().with_min_len(PER_THREAD);
    let bound = rules.map(|entry| tables.rule(&entry.name, &entry.formula, &entry.span, dedupe));
    let wrong: Vec<Complaint> = bound.filter_map(Parsed::err).collect();
    Ok(file.errors(wrong))
}

/// What is made of all rules of a file, by all threads.
pub(super) fn bound(
    file: &RuleFile,
    rule: impl Fn(&Entry) -> Parsed<Rule> + Sync + Send,
) -> Result<Vec<Rule>> {
    let bound = file.entries().par_iter().with_min_len(PER_THREAD).map(rule);
    // The first complaint is told, whoever is done first.
    let bound: Vec<Parsed<Rule>> = bound.collect();
    bound.into_iter().collect::<Parsed<_>>().map_err(|complaint| file.error(complaint))
}

/// Rules that a thread takes at a time.
const PER_THREAD: usize = 64;

/// Gives the score of a file, if it has one, its meaning over two tables.
pub fn bind_score(file: &RuleFile, left: &Schema, right: &Schema, dedupe: bool) -> Result<Option<Score>> {
    let Some(section) = file.score() else { return Ok(None) };
    let tables = Tables { left, right, lookups: file.lookups()? };
    let attribute = |entry: &AttributeEntry| {
        let (conjunctions, is_similarity) = match &entry.measured {
            None => (Vec::new(), false),
            Some(Measured { comparison, is_similarity }) => {
                (tables.conjunctions(comparison, &entry.span)?, *is_similarity)
            }
        };
        let level = |level: &LevelEntry| {
            Ok(match level {
                LevelEntry::AtLeast(least) => Level::AtLeast(*least),
                LevelEntry::When(formula, span) => {
                    Level::When(tables.rule("", formula, span, dedupe)?.conjunctions)
                }
            })
        };
        let attribute = ScoreAttribute {
            name: entry.name.clone(),
            conjunctions,
            is_similarity,
            weight: entry.weight,
            threshold: entry.threshold,
            levels: entry.levels.iter().map(level).collect::<Parsed<_>>()?,
            monotone: entry.monotone,
            term_frequency: entry.term_frequency,
        };
        if attribute.term_frequency.is_some() && attribute.agreeing().is_none() {
            let message =
                "frequencies count where both records have the same value, and that is not the best level";
            return Err(complaint(entry.span.clone(), message)
                .help("let the best level be 1, or `l.a = r.a`; or leave `term_frequency` out"));
        }
        Ok(attribute)
    };
    let sure = |(nth, (formula, span)): (usize, &(Formula<Comparison>, Range<usize>))| {
        tables.rule(&format!("sure {}", nth + 1), formula, span, dedupe)
    };
    let sure = section.sure.iter().enumerate().map(sure).collect::<Parsed<_>>();
    let attributes = section.attributes.iter().map(attribute).collect::<Parsed<_>>();
    let folder = file.path().parent().unwrap_or(Path::new(""));
    Ok(Some(Score {
        method: section.method,
        threshold: section.threshold,
        missing: section.missing,
        attributes: attributes.map_err(|complaint| file.error(complaint))?,
        weights: section.weights.as_ref().map(|weights| folder.join(weights)),
        sure: sure.map_err(|complaint| file.error(complaint))?,
        recall: section.recall,
        place: file.rule_error(complaint(section.span.clone(), "")),
    }))
}

/// What is wrong with a formula that makes no rule, and what to do about it.
pub(super) fn said(reason: &NoRule) -> (String, String) {
    let (message, help) = match reason {
        NoRule::TooMany => (
            format!("the rule comes to more than {MOST_CONJUNCTIONS} conjunctions"),
            "split it into several rules, or take ORs out of its ANDs",
        ),
        NoRule::Never(Some(clash)) => {
            let (one, other) = &**clash;
            return (
                "the rule can never hold".to_owned(),
                format!("`{one}` and `{other}` are never true of the same pair"),
            );
        }
        NoRule::Never(None) => (
            "the rule can never hold".to_owned(),
            "whichever way it is met, two comparisons are asked for that are never true of the same pair",
        ),
        NoRule::Always => (
            "the rule is true of every pair whose values are there".to_owned(),
            "whatever the values are, one of its comparisons is true: ask for more, or leave the rule out",
        ),
    };
    (message, help.to_owned())
}

pub(super) struct Tables<'a> {
    pub(super) left: &'a Schema,
    pub(super) right: &'a Schema,
    pub(super) lookups: &'a Lookups,
}

/// An operand with what is known of its values.
pub(super) struct Bound<'a> {
    pub(super) operand: Operand,
    pub(super) domain: Domain,
    schema: &'a Schema,
    term: &'a Term,
}

impl Tables<'_> {
    /// A rule of this name.
    pub(super) fn rule(
        &self,
        name: &str,
        formula: &Formula<Comparison>,
        span: &Range<usize>,
        dedupe: bool,
    ) -> Parsed<Rule> {
        let formula = formula.try_map(&|comparison| self.predicate(comparison))?;
        let conjunctions = normal::conjunctions(&formula, dedupe).map_err(|reason| {
            let (message, help) = said(&reason);
            complaint(span.clone(), message).help(help)
        })?;
        Ok(Rule { name: name.to_owned(), conjunctions })
    }

    /// What an attribute's comparison comes to; most come to one predicate, which stays as it is.
    fn conjunctions(
        &self,
        comparison: &Formula<Comparison>,
        span: &Range<usize>,
    ) -> Parsed<Vec<Vec<Predicate>>> {
        let formula = comparison.try_map(&|comparison| self.predicate(comparison))?;
        let one = match &formula {
            Formula::Leaf(predicate) => Some(predicate.clone()),
            Formula::Not(inner) => match &**inner {
                Formula::Leaf(predicate) => Some(predicate.opposite()),
                _ => None,
            },
            Formula::And(_) | Formula::Or(_) => None,
        };
        if let Some(predicate) = one {
            return Ok(vec![vec![predicate]]);
        }
        normal::conjunctions(&formula, false).map_err(|reason| {
            let (message, help) = said(&reason);
            complaint(span.clone(), message).help(help)
        })
    }

    pub(super) fn predicate(&self, comparison: &Comparison) -> Parsed<Predicate> {
        let test = match comparison {
            Comparison::Value(term, asked) => self.value(term, asked)?,
            Comparison::Pair { left, right, measure, span } => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                let measure = &lists::settled(&left, &right, *measure, span)?;
                let domain = match measure {
                    Measure::Equal => equality(&left, &right).ok_or_else(|| {
                        let message =
                            format!("{}, and {}: they are never equal", left.holds(), right.holds());
                        complaint(span.clone(), message)
                            .help("compare numbers with numbers and dates with dates")
                    })?,
                    Measure::Difference { .. } => difference(&left, &right, measure)?,
                    Measure::Near(_) => Domain::Point,
                    Measure::Texts(..) | Measure::Sets(..) => Domain::Text,
                };
                Test::Compare { left: left.operand, right: right.operand, domain, measure: *measure }
            }
        };
        Ok(Predicate { test, negated: false })
    }

    pub(super) fn operand<'a>(&'a self, term: &'a Term) -> Parsed<Bound<'a>> {
        let schema = match term.side {
            Side::Left => self.left,
            Side::Right => self.right,
        };
        let (operand, domain) = made::operand(&term.made, schema, self.lookups)?;
        Ok(Bound { operand, domain, schema, term })
    }

    fn value(&self, term: &Term, asked: &Asked) -> Parsed<Test> {
        let bound = self.operand(term)?;
        if bound.operand.is_list() && *asked != Asked::Missing {
            return Err(lists::no_constant(&bound));
        }
        if *asked == Asked::Missing && bound.domain == Domain::Text && bound.operand.is_always_there() {
            return Err(bound.never_missing());
        }
        let condition = match asked {
            Asked::Missing => Condition::Missing,
            Asked::Is(constant) => Condition::Is(bound.constant(constant)?),
            Asked::OneOf(constants) => {
                let constants = constants.iter().map(|constant| bound.constant(constant));
                Condition::one_of(constants.collect::<Parsed<_>>()?, bound.domain)
            }
            Asked::AtMost { constant, strict } => {
                Condition::AtMost { constant: bound.constant(constant)?, strict: *strict }
            }
        };
        Ok(Test::Value { side: term.side, operand: bound.operand, domain: bound.domain, condition })
    }
}

impl Bound<'_> {
    /// What is said of who asks whether it is missing, if it never is. Of numbers and dates it may be: what is written there
    /// counts, and may be none.
    fn never_missing(&self) -> Complaint {
        let shown = display::Sided(self.term.side, &self.operand);
        let message = format!(
            "`{shown}` is never missing: a constant stands in, so IS NULL is never true of it, and IS NOT NULL always"
        );
        complaint(self.term.span.clone(), message)
            .help("leave the comparison out, or ask it of the columns: l.a IS NULL")
    }

    /// A constant that its values can be compared with.
    fn constant(&self, constant: &Constant) -> Parsed<String> {
        let wrong = |help: String| {
            let is = if matches!(constant.value, ConstantValue::Text(_)) { "a text" } else { "a number" };
            Err(complaint(constant.span.clone(), format!("{}, and this is {is}", self.holds())).help(help))
        };
        match (self.domain, &constant.value) {
            (Domain::Text, ConstantValue::Text(text)) => Ok(text.clone()),
            (Domain::Text, ConstantValue::Number(number)) => wrong(format!("quote it: '{number}'")),
            (Domain::Number, ConstantValue::Number(number)) => Ok(number.to_string()),
            (Domain::Number, ConstantValue::Text(_)) => wrong("write a number, without quotes".to_owned()),
            (Domain::Date, ConstantValue::Text(text)) if days(text).is_some() => Ok(text.clone()),
            (Domain::Date, ConstantValue::Text(_)) => {
                let message = format!("{}, and this is not a date", self.holds());
                Err(complaint(constant.span.clone(), message).help("write it as '2020-12-31'"))
            }
            (Domain::Date, ConstantValue::Number(_)) => wrong("write a date: '2020-12-31'".to_owned()),
            (Domain::Point, _) => wrong("compare it with another place".to_owned()),
        }
    }

    /// "`l.year` holds text (row 17 holds `c. 1999`)"
    pub(super) fn holds(&self) -> String {
        let what = match self.domain {
            _ if self.operand.is_list() => "lists",
            Domain::Text => "text",
            Domain::Number => "numbers",
            Domain::Date => "dates",
            Domain::Point => "places",
        };
        let shown = display::Sided(self.term.side, &self.operand);
        let column = self.column();
        match column.map(|column| column.why_text.as_ref().filter(|_| !self.operand.is_list())) {
            None => format!("`{shown}` gives {what}"),
            Some(Some(why)) => format!("`{shown}` holds {what} ({why})"),
            Some(None) => format!("`{shown}` holds {what}"),
        }
    }

    /// The column that it is, if it is one as it is.
    fn column(&self) -> Option<&ColumnSchema> {
        let Operand { columns, source, transforms } = &self.operand;
        match source {
            Source::Column(place) | Source::List(place) if transforms.is_empty() => {
                self.schema.columns.get(columns.get(*place)?.place)
            }
            _ => None,
        }
    }
}

/// What equality compares, or `None` if it makes no sense.
pub(super) fn equality(left: &Bound<'_>, right: &Bound<'_>) -> Option<Domain> {
    match (left.domain, right.domain) {
        (left, right) if left == right => Some(left),
        (Domain::Text, _) | (_, Domain::Text) => Some(Domain::Text),
        _ => None,
    }
}

fn difference(left: &Bound<'_>, right: &Bound<'_>, measure: &Measure) -> Parsed<Domain> {
    if let Some(text) = [left, right].into_iter().find(|bound| bound.domain == Domain::Text) {
        let asking = match measure {
            Measure::Difference { least: Some(least), most: Some(most) } if least.at == most.at.negated() => {
                "abs"
            }
            _ => "a difference or an order",
        };
        let message = format!("{asking} needs numbers or dates, and {}", text.holds());
        return Err(complaint(text.term.span.clone(), message).help(match text.column().is_some() {
            true => "mend the table, or compare the text by levenshtein",
            false => "compare columns alone, or their year",
        }));
    }
    if left.domain == right.domain {
        return Ok(left.domain);
    }
    let message = format!("{}, and {}: they have no difference", left.holds(), right.holds());
    Err(complaint(right.term.span.clone(), message).help("compare numbers with numbers and dates with dates"))
}
