//! Two subjects and an operator: what they say, if they say anything.

use super::op::Op;
use super::quantity::{Number, Outcome, Quantity, Trivial};
use super::term::{Subject, number, pair};
use super::{Asked, Comparison, Complaint, Constant, ConstantValue, Formula, Parsed, Term, complaint};
use crate::rules::{Measure, Side};
use std::ops::Range;

pub(super) fn cross_product(span: Range<usize>) -> Complaint {
    complaint(span, "this compares no columns: a cross product without any predicate")
        .help("compare a column of l with one of r, or leave it out")
}

pub(super) fn compare(a: Subject, op: Op, b: Subject, span: Range<usize>) -> Parsed<Formula<Comparison>> {
    match (a, b) {
        (Subject::Constant(_), Subject::Constant(_)) => Err(cross_product(span)),
        (Subject::Constant(constant), b) => compare(b, op.flipped(), Subject::Constant(constant), span),
        (Subject::Term(a), Subject::Term(b)) => columns(a, op, b, span),
        (Subject::Term(term), Subject::Constant(constant)) => value(term, op, constant, span),
        (Subject::Quantity(quantity, left, right), Subject::Constant(constant)) => {
            let outcome = quantity.compared(op, number_of(constant, quantity)?, &span)?;
            measured(left, right, &span, outcome)
        }
        (set @ Subject::Set(..), _) | (_, set @ Subject::Set(..)) => {
            Err(complaint(span, "sets are not compared this way").help(set.how_to_compare()))
        }
        (measure @ Subject::Quantity(..), _) | (_, measure) => {
            Err(complaint(span, "a measure is compared with a number").help(measure.how_to_compare()))
        }
    }
}

/// `subject BETWEEN low AND high`
pub(super) fn between(
    subject: Subject,
    low: Subject,
    high: Subject,
    span: Range<usize>,
) -> Parsed<Formula<Comparison>> {
    if let (Subject::Constant(low), Subject::Constant(high)) = (&low, &high) {
        let reversed = match (&low.value, &high.value) {
            (ConstantValue::Number(low), ConstantValue::Number(high)) => low > high,
            // Dates, too: they are written with the year first.
            (ConstantValue::Text(low), ConstantValue::Text(high)) => low > high,
            _ => false,
        };
        if reversed {
            return Err(complaint(span, "this is never true: the first of the two is the greater one")
                .help("BETWEEN takes the smaller one first"));
        }
    }
    match (subject, low, high) {
        (Subject::Quantity(quantity, left, right), Subject::Constant(low), Subject::Constant(high)) => {
            let outcome = quantity.between(&number_of(low, quantity)?, &number_of(high, quantity)?)?;
            measured(left, right, &span, outcome)
        }
        (subject, low, high) => Ok(Formula::And(vec![
            compare(subject.clone(), Op::GtEq, low, span.clone())?,
            compare(subject, Op::LtEq, high, span)?,
        ])),
    }
}

/// Two columns. Which one is less says the sign of their difference.
fn columns(a: Term, op: Op, b: Term, span: Range<usize>) -> Parsed<Formula<Comparison>> {
    let turned = a.side == Side::Right;
    let (left, right) = pair(a, b, span.clone())?;
    if matches!(op, Op::Eq | Op::NotEq) {
        let equal = Comparison::Pair { left, right, measure: Measure::Equal, span };
        return Ok(Formula::Leaf(equal).not_if(op == Op::NotEq));
    }
    let zero = (number("0", false, &span)?, span.clone());
    let outcome = Quantity::Difference { turned }.compared(op, zero, &span)?;
    measured(left, right, &span, outcome)
}

fn value(term: Term, op: Op, constant: Constant, span: Range<usize>) -> Parsed<Formula<Comparison>> {
    let empty = constant.value == ConstantValue::Text(String::new());
    if empty && matches!(op, Op::Eq | Op::Lt | Op::LtEq) {
        let message = "this is never true: an empty value is a missing one, and missing is not equal";
        return Err(complaint(span, message)
            .help("for a missing value, write IS NULL; for one that is there, IS NOT NULL"));
    }
    let (asked, negated) = match op {
        Op::Eq | Op::NotEq => (Asked::Is(constant), op == Op::NotEq),
        Op::LtEq | Op::Gt => (Asked::AtMost { constant, strict: false }, op == Op::Gt),
        Op::Lt | Op::GtEq => (Asked::AtMost { constant, strict: true }, op == Op::GtEq),
    };
    Ok(Formula::Leaf(Comparison::Value(term, asked)).not_if(negated))
}

fn number_of(constant: Constant, quantity: Quantity) -> Parsed<Number> {
    match constant.value {
        ConstantValue::Number(number) => Ok((number, constant.span)),
        ConstantValue::Text(_) => {
            Err(complaint(constant.span, "a measure is compared with a number, not a text")
                .help(format!("write it without quotes: {}", quantity.form())))
        }
    }
}

/// Puts the columns into a formula of measures, or complains that it says nothing.
fn measured(left: Term, right: Term, span: &Range<usize>, outcome: Outcome) -> Parsed<Formula<Comparison>> {
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
