//! Measures of two columns, and what it means to compare one with a number.
//!
//! Operators come in many spellings, predicates in few: a distance is at most k, or not; a similarity is at least t, or
//! not. For each measure it is enough to know what "at most a number" and "below a number" mean; all operators, and
//! BETWEEN, follow from the two. What always or never holds is refused, for nobody writes it on purpose.

use super::op::Op;
use super::{Formula, Parsed, complaint};
use crate::base::decimal::Decimal;
use crate::base::sphere::{Within, within};
use crate::rules::measure::{Counted, Form, Row};
use crate::rules::{Asked, Bound, Limit, Measure, OfSets, OfTexts, Tokenizer};
use std::ops::Range;

/// A measure that has not been compared with a number yet.
#[derive(Clone, Copy)]
pub(super) enum Quantity {
    /// A number of edits, or of tokens in common.
    Count(Function, Counted),
    /// Between 0 and 1.
    Similarity(Function),
    /// `abs(l.x - r.x)`
    Distance,
    /// `l.x - r.x`, or, if `turned`, `r.x - l.x`.
    Difference { turned: bool },
    /// `distance_km(l.lat, l.lon, r.lat, r.lon)`
    Kilometres,
}

/// A measure of the table, with its operands.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) row: &'static Row,
    pub(super) of: Operands,
}

/// What a measure is of.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    Texts(OfTexts),
    Sets(Tokenizer, OfSets),
}

impl Function {
    /// What one of its functions gives.
    pub(super) fn quantity(self, form: Form) -> Quantity {
        match form {
            Form::Count(counted) => Quantity::Count(self, counted),
            Form::Similarity => Quantity::Similarity(self),
        }
    }

    /// The measure, asked for something.
    pub(super) fn asked(self, asked: Asked<Bound>) -> Measure {
        match self.of {
            Operands::Texts(by) => Measure::Texts(by, asked),
            Operands::Sets(tokenizer, by) => Measure::Sets(tokenizer, by, asked),
        }
    }
}

/// A number, and where it stands.
pub(super) type Number = (Decimal, Range<usize>);

/// A comparison that does not depend on the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trivial {
    Always,
    Never,
}

/// What a comparison with a number comes to.
pub(super) type Outcome = Result<Formula<Measure>, Trivial>;

impl Quantity {
    /// What to compare it with, for people.
    pub(super) fn form(self) -> &'static str {
        match self {
            Self::Count(_, counted) => counted.example(),
            Self::Distance | Self::Difference { .. } => "<= 2",
            Self::Kilometres => "<= 1.5",
            Self::Similarity(_) => ">= 0.8",
        }
    }

    /// What an operator and a number say of it; `span` is all of that.
    pub(super) fn compared(self, op: Op, number: Number, span: &Range<usize>) -> Parsed<Outcome> {
        if matches!((self, op), (Self::Similarity(_), Op::Eq | Op::NotEq)) {
            return Err(complaint(span.clone(), "a similarity is compared by >=, >, <= or <")
                .help(format!("write >= {}", number.0)));
        }
        if matches!((self, op), (Self::Kilometres, Op::Eq | Op::NotEq)) {
            return Err(complaint(span.clone(), "a distance on the sphere is compared by <=, <, >= or >")
                .help(format!("write <= {}", number.0)));
        }
        Ok(match op {
            Op::LtEq => self.at_most(&number)?,
            Op::Lt => self.below(&number)?,
            Op::Gt => not(self.at_most(&number)?),
            Op::GtEq => not(self.below(&number)?),
            Op::Eq => self.between(&number, &number)?,
            Op::NotEq => not(self.between(&number, &number)?),
        })
    }

    /// That it lies between two numbers, or is one of them.
    pub(super) fn between(self, low: &Number, high: &Number) -> Parsed<Outcome> {
        let limit = |at| Some(Limit { at, strict: false });
        Ok(match self {
            Self::Difference { turned: false } => {
                Ok(Formula::Leaf(Measure::Difference { least: limit(low.0), most: limit(high.0) }))
            }
            Self::Difference { turned: true } => Ok(Formula::Leaf(Measure::Difference {
                least: limit(high.0.negated()),
                most: limit(low.0.negated()),
            })),
            _ => both(self.at_most(high)?, not(self.below(low)?)),
        })
    }

    fn at_most(self, (number, place): &Number) -> Parsed<Outcome> {
        Ok(match self {
            Self::Count(function, counted) if counted.is_distance() => at_most(function, number.floor()),
            Self::Count(function, counted) => {
                not(at_least(function, whole(function, counted, *number, place)?.saturating_add(1)))
            }
            Self::Distance => distance(*number, false),
            Self::Difference { turned } => difference(*number, false, turned),
            Self::Kilometres => kilometres(*number, false),
            Self::Similarity(function) => not(function.reaches(*number, true, place)?),
        })
    }

    fn below(self, (number, place): &Number) -> Parsed<Outcome> {
        Ok(match self {
            Self::Count(function, counted) if counted.is_distance() => {
                at_most(function, number.floor() - i128::from(number.is_integer()))
            }
            Self::Count(function, counted) => {
                not(at_least(function, whole(function, counted, *number, place)?))
            }
            Self::Distance => distance(*number, true),
            Self::Difference { turned } => difference(*number, true, turned),
            Self::Kilometres => kilometres(*number, true),
            Self::Similarity(function) => not(function.reaches(*number, false, place)?),
        })
    }
}

impl Function {
    /// That its similarity is at least a number; above it, if `strict`.
    fn reaches(self, least: Decimal, strict: bool, place: &Range<usize>) -> Parsed<Outcome> {
        if least.is_negative() || least.floor() > 1 || (least.floor() == 1 && !least.is_integer()) {
            let complaint = complaint(place.clone(), "a similarity lies between 0 and 1");
            return Err(complaint.help("write, say, >= 0.8"));
        }
        if least.scale() > 9 {
            let message = "a similarity is compared with at most nine decimals";
            return Err(complaint(place.clone(), message).help("round it"));
        }
        Ok(match strict {
            false if is_zero(least) => Err(Trivial::Always),
            true if least.floor() == 1 => Err(Trivial::Never),
            _ => Ok(Formula::Leaf(self.asked(Asked::Similarity(Bound { least, strict })))),
        })
    }
}

/// That it counts at most so many.
fn at_most(function: Function, most: i128) -> Outcome {
    match u32::try_from(most) {
        Ok(most) => Ok(Formula::Leaf(function.asked(Asked::Count(most)))),
        Err(_) if most < 0 => Err(Trivial::Never),
        Err(_) => Err(Trivial::Always),
    }
}

/// That it counts at least so many.
fn at_least(function: Function, least: i128) -> Outcome {
    match u32::try_from(least) {
        Ok(least) if least > 0 => Ok(Formula::Leaf(function.asked(Asked::Count(least)))),
        _ if least <= 0 => Err(Trivial::Always),
        _ => Err(Trivial::Never),
    }
}

/// Numbers or dates at most so far apart; nearer, if `strict`.
fn distance(most: Decimal, strict: bool) -> Outcome {
    if most.is_negative() || (strict && is_zero(most)) {
        return Err(Trivial::Never);
    }
    let limit = |at| Some(Limit { at, strict });
    Ok(Formula::Leaf(Measure::Difference { least: limit(most.negated()), most: limit(most) }))
}

/// The left minus the right one (if `turned`, the other way round) at most so much; less, if `strict`.
fn difference(most: Decimal, strict: bool, turned: bool) -> Outcome {
    Ok(Formula::Leaf(match turned {
        false => Measure::Difference { least: None, most: Some(Limit { at: most, strict }) },
        true => Measure::Difference { least: Some(Limit { at: most.negated(), strict }), most: None },
    }))
}

/// Points at most so many kilometres apart; nearer, if `strict`.
fn kilometres(most: Decimal, strict: bool) -> Outcome {
    match within(most, strict) {
        Within::Nothing => Err(Trivial::Never),
        Within::Everything => Err(Trivial::Always),
        Within::Chord(_) => Ok(Formula::Leaf(Measure::Near(Limit { at: most, strict }))),
    }
}

fn whole(function: Function, counted: Counted, number: Decimal, place: &Range<usize>) -> Parsed<i128> {
    if number.is_integer() {
        return Ok(number.floor());
    }
    let Row { similarity, .. } = function.row;
    let name = function.row.name(Form::Count(counted));
    let message = format!("{name} counts the {} in common, and this is a fraction", counted.noun());
    Err(complaint(place.clone(), message)
        .help(format!("write a whole number, or, for a share, {similarity}(…) >= {number}")))
}

fn not(outcome: Outcome) -> Outcome {
    outcome.map(Formula::not).map_err(|trivial| match trivial {
        Trivial::Always => Trivial::Never,
        Trivial::Never => Trivial::Always,
    })
}

fn both(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Err(Trivial::Never), _) | (_, Err(Trivial::Never)) => Err(Trivial::Never),
        (Err(Trivial::Always), other) | (other, Err(Trivial::Always)) => other,
        // Between two numbers with no whole one between them.
        (Ok(a), Ok(b)) if a.clone().not() == b => Err(Trivial::Never),
        (Ok(a), Ok(b)) => Ok(Formula::And(vec![a, b])),
    }
}

fn is_zero(number: Decimal) -> bool {
    number.floor() == 0 && number.is_integer()
}
