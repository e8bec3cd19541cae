//! Ranges of an ordered quantity.

use crate::base::decimal::Decimal;
use crate::rules::Limit;
use crate::rules::constant::Point;

/// From one end to the other; without an end, for ever.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range<'a> {
    pub(super) least: Option<End<'a>>,
    pub(super) most: Option<End<'a>>,
}

/// One range, or the two that stand outside one.
pub(super) type Ranges<'a> = [Option<Range<'a>>; 2];

/// An end of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<'a> {
    at: Point<'a>,
    /// Without the end itself.
    strict: bool,
}

impl<'a> Range<'a> {
    /// Everything.
    pub(super) const ALL: Self = Self { least: None, most: None };

    pub(super) fn only(at: Point<'a>) -> Self {
        let end = Some(End { at, strict: false });
        Self { least: end, most: end }
    }

    pub(super) fn between(least: Point<'a>, most: Point<'a>) -> Self {
        let end = |at| Some(End { at, strict: false });
        Self { least: end(least), most: end(most) }
    }

    pub(super) fn from(at: Point<'a>, strict: bool) -> Self {
        Self { least: Some(End { at, strict }), most: None }
    }

    pub(super) fn upto(at: Point<'a>, strict: bool) -> Self {
        Self { least: None, most: Some(End { at, strict }) }
    }

    pub(super) fn within(least: Option<Limit>, most: Option<Limit>) -> Self {
        let end = |limit: Limit| End { at: Point::Number(limit.at), strict: limit.strict };
        Self { least: least.map(end), most: most.map(end) }
    }

    /// What is not in it, ascending.
    pub(super) fn outside(self) -> Ranges<'a> {
        let below = self.least.map(|end| Self::upto(end.at, !end.strict));
        let above = self.most.map(|end| Self::from(end.at, !end.strict));
        [below, above]
    }

    /// The same of whole numbers, with the ends in it: above 3 is from 4.
    pub(super) fn whole(self) -> Self {
        let closed = |end: End<'a>, inwards: i128| {
            let Point::Number(number) = end.at else { return end };
            let floor = number.floor();
            let at = match (number.is_integer(), inwards) {
                (true, step) => floor.saturating_add(if end.strict { step } else { 0 }),
                (false, 1) => floor.saturating_add(1),
                (false, _) => floor,
            };
            Decimal::new(at, 0).map_or(end, |at| End { at: Point::Number(at), strict: false })
        };
        Self { least: self.least.map(|end| closed(end, 1)), most: self.most.map(|end| closed(end, -1)) }
    }

    /// Whether nothing is in both.
    pub(super) fn is_apart_from(&self, other: &Self) -> bool {
        let below = |most: Option<End<'_>>, least: Option<End<'_>>| match (most, least) {
            (Some(most), Some(least)) => {
                most.at < least.at || (most.at == least.at && (most.strict || least.strict))
            }
            _ => false,
        };
        below(self.most, other.least) || below(other.most, self.least)
    }
}
