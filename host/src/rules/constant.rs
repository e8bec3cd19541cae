//! Constants, in the order of their domain: text by its characters, numbers and dates by what they stand for.

use super::{Condition, Domain};
use crate::base::decimal::Decimal;
use crate::read::table::days;

/// A place in the order: numbers and days are numbers, constants of text are text. Never compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Point<'a> {
    Number(Decimal),
    Text(&'a str),
}

/// Where a constant of a domain stands.
pub(super) fn point(constant: &str, domain: Domain) -> Option<Point<'_>> {
    match domain {
        Domain::Text => Some(Point::Text(constant)),
        Domain::Number | Domain::Date => number(constant, domain).map(Point::Number),
        // Points have no order, and are compared with no constant.
        Domain::Point => None,
    }
}

/// What a constant stands for, if that is a number or a day.
fn number(constant: &str, domain: Domain) -> Option<Decimal> {
    match domain {
        Domain::Text | Domain::Point => None,
        Domain::Number => Decimal::parse(constant),
        Domain::Date => Decimal::new(days(constant)?.into(), 0),
    }
}

impl Condition {
    /// That a value is one of these constants, of which there is at least one.
    pub(super) fn one_of(constants: Vec<String>, domain: Domain) -> Self {
        let mut keyed: Vec<(Option<Decimal>, String)> =
            constants.into_iter().map(|constant| (number(&constant, domain), constant)).collect();
        keyed.sort_unstable();
        // A date may be written in several ways.
        keyed.dedup_by(|(a, text_a), (b, text_b)| if a.is_some() { a == b } else { text_a == text_b });
        let mut constants: Vec<String> = keyed.into_iter().map(|(_, constant)| constant).collect();
        match constants.len() {
            1 => Self::Is(constants.swap_remove(0)),
            _ => Self::OneOf(constants.into()),
        }
    }
}
