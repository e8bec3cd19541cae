//! Two subjects and an operator: what they say, if they say anything.
//!
//! Operators come in many spellings, predicates in few. A distance is at most k, or not; a similarity is at least t,
//! or not. What always or never holds is refused, for nobody writes it on purpose.

use super::term::{Score, Subject, pair};
use super::{Comparison, Complaint, Constant, ConstantValue, Formula, Parsed, Term, complaint};
use crate::decimal::Decimal;
use crate::rules::{Boost, Bound, EditDistance, Limit, Measure, SetSimilarity};
use sqlparser::ast::BinaryOperator;
use std::ops::Range;

/// An operator that compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
}

impl Op {
    pub(super) fn of(op: &BinaryOperator) -> Option<Self> {
        Some(match op {
            BinaryOperator::Eq => Self::Eq,
            BinaryOperator::NotEq => Self::NotEq,
            BinaryOperator::Lt => Self::Lt,
            BinaryOperator::LtEq => Self::LtEq,
            BinaryOperator::Gt => Self::Gt,
            BinaryOperator::GtEq => Self::GtEq,
            _ => return None,
        })
    }

    /// The same, seen from the other side.
    fn flipped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
            same => same,
        }
    }
}

/// A comparison that does not depend on the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trivial {
    Always,
    Never,
}

impl Trivial {
    fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
        }
    }
}

type Outcome<T> = Result<T, Trivial>;

pub(super) fn cross_product(span: Range<usize>) -> Complaint {
    complaint(span, "this compares no columns: a cross product without any predicate")
        .help("compare a column of l with one of r, or leave it out")
}

pub(super) fn compare(a: Subject, op: Op, b: Subject, span: Range<usize>) -> Parsed<Formula<Comparison>> {
    match (a, b) {
        (Subject::Constant(_), Subject::Constant(_)) => Err(cross_product(span)),
        (Subject::Constant(constant), b) => compare(b, op.flipped(), Subject::Constant(constant), span),
        (Subject::Term(a), Subject::Term(b)) => {
            let (left, right) = pair(a, b, span.clone())?;
            equality(op, Comparison::Pair { left, right, measure: Measure::Equal, span: span.clone() }, span)
        }
        (Subject::Term(term), Subject::Constant(constant)) => {
            if op == Op::Eq && constant.value == ConstantValue::Text(String::new()) {
                let message = "this is never true: an empty value is a missing one, and missing is not equal";
                return Err(complaint(span, message).help("to ask for a value that is there, write <> ''"));
            }
            equality(op, Comparison::Is(term, constant), span)
        }
        (Subject::Score(score, left, right), Subject::Constant(constant)) => {
            let number = number(constant, if score == Score::Levenshtein { "<= 2" } else { ">= 0.8" })?;
            measured(
                left,
                right,
                &span,
                match score {
                    Score::Levenshtein => levenshtein(op, number),
                    _ => similarity(score, op, number, &span)?,
                },
            )
        }
        (Subject::Difference(left, right), Subject::Constant(constant)) => {
            let number = number(constant, "<= 2")?;
            measured(left, right, &span, difference(op, number))
        }
        (set @ Subject::Set(..), _) | (_, set @ Subject::Set(..)) => {
            Err(complaint(span, "sets are not compared this way").help(set.how_to_compare()))
        }
        (measure @ (Subject::Score(..) | Subject::Difference(..)), _) | (_, measure) => {
            Err(complaint(span, "a measure is compared with a number").help(measure.how_to_compare()))
        }
    }
}

fn equality(op: Op, comparison: Comparison, span: Range<usize>) -> Parsed<Formula<Comparison>> {
    match op {
        Op::Eq => Ok(Formula::Leaf(comparison)),
        Op::NotEq => Ok(Formula::Leaf(comparison).not()),
        _ => Err(complaint(span, "columns are compared by = and <> alone")
            .help("for numbers and dates that are near each other, write abs(l.x - r.x) <= 2")),
    }
}

fn number(constant: Constant, form: &str) -> Parsed<(Decimal, Range<usize>)> {
    match constant.value {
        ConstantValue::Number(number) => Ok((number, constant.span)),
        ConstantValue::Text(_) => {
            Err(complaint(constant.span, "a measure is compared with a number, not a text")
                .help(format!("write it without quotes: {form}")))
        }
    }
}

/// Puts the columns into a formula of measures, or complains that it says nothing.
fn measured(
    left: Term,
    right: Term,
    span: &Range<usize>,
    outcome: Outcome<Formula<Measure>>,
) -> Parsed<Formula<Comparison>> {
    let formula = outcome.map_err(|trivial| match trivial {
        Trivial::Always => complaint(span.clone(), "this is true wherever both values are there")
            .help("leave it out, or compare with another number"),
        Trivial::Never => complaint(span.clone(), "this is never true").help("compare with another number"),
    })?;
    formula.try_map(&|measure| {
        let (left, right, measure) = (left.clone(), right.clone(), *measure);
        Ok(Comparison::Pair { left, right, measure, span: span.clone() })
    })
}

fn not(formula: Outcome<Formula<Measure>>) -> Outcome<Formula<Measure>> {
    formula.map(Formula::not).map_err(Trivial::not)
}

/// What an operator says of a distance, given what `at_most` and `below` the number mean.
fn distance(op: Op, at_most: Outcome<Measure>, below: Outcome<Measure>) -> Outcome<Formula<Measure>> {
    let leaf = |measure: Outcome<Measure>| measure.map(Formula::Leaf);
    match op {
        Op::LtEq => leaf(at_most),
        Op::Lt => leaf(below),
        Op::Gt => not(leaf(at_most)),
        Op::GtEq => not(leaf(below)),
        Op::Eq => match (at_most, below) {
            (Ok(at_most), Ok(below)) if at_most != below => {
                Ok(Formula::And(vec![Formula::Leaf(at_most), Formula::Leaf(below).not()]))
            }
            (at_most, Err(Trivial::Never)) => leaf(at_most),
            _ => Err(Trivial::Never),
        },
        Op::NotEq => not(distance(Op::Eq, at_most, below)),
    }
}

fn levenshtein(op: Op, (number, _): (Decimal, Range<usize>)) -> Outcome<Formula<Measure>> {
    let at_most = |edits: i128| match u32::try_from(edits) {
        Ok(edits) => Ok(Measure::Edits(EditDistance::Levenshtein, edits)),
        Err(_) if edits < 0 => Err(Trivial::Never),
        Err(_) => Err(Trivial::Always),
    };
    let floor = number.floor();
    distance(op, at_most(floor), at_most(if number.is_integer() { floor - 1 } else { floor }))
}

fn difference(op: Op, (number, _): (Decimal, Range<usize>)) -> Outcome<Formula<Measure>> {
    let within = |strict| Measure::Difference {
        least: Some(Limit { at: number.negated(), strict }),
        most: Some(Limit { at: number, strict }),
    };
    let at_most = if number.is_negative() { Err(Trivial::Never) } else { Ok(within(false)) };
    let below = if number.is_negative() || is_zero(number) { Err(Trivial::Never) } else { Ok(within(true)) };
    distance(op, at_most, below)
}

fn similarity(
    score: Score,
    op: Op,
    (least, place): (Decimal, Range<usize>),
    span: &Range<usize>,
) -> Parsed<Outcome<Formula<Measure>>> {
    if least.is_negative() || least.floor() > 1 || (least.floor() == 1 && !least.is_integer()) {
        return Err(complaint(place, "a similarity lies between 0 and 1").help("write, say, >= 0.8"));
    }
    if least.scale() > 9 {
        return Err(complaint(place, "a similarity is compared with at most nine decimals").help("round it"));
    }
    let reaches = |strict| {
        let bound = Bound { least, strict };
        Formula::Leaf(match score {
            Score::Levenshtein | Score::LevenshteinSimilarity => {
                Measure::EditSimilarity(EditDistance::Levenshtein, bound)
            }
            Score::JaroWinklerSimilarity => Measure::Jaro(Boost::Winkler, bound),
            Score::Jaccard(tokenizer) => Measure::Sets(tokenizer, SetSimilarity::Jaccard, bound),
        })
    };
    let at_least = || if is_zero(least) { Err(Trivial::Always) } else { Ok(reaches(false)) };
    let above = || if least.floor() == 1 { Err(Trivial::Never) } else { Ok(reaches(true)) };
    Ok(match op {
        Op::GtEq => at_least(),
        Op::Gt => above(),
        Op::Lt => not(at_least()),
        Op::LtEq => not(above()),
        Op::Eq | Op::NotEq => {
            return Err(complaint(span.clone(), "a similarity is compared by >=, >, <= or <")
                .help(format!("write >= {least}")));
        }
    })
}

fn is_zero(number: Decimal) -> bool {
    number.floor() == 0 && number.is_integer()
}
