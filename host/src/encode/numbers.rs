//! Numbers and dates: what is within reach of what.
//!
//! A numeric tolerance is decided here, once per distinct value and exactly, so that kernels only ask whether a code
//! lies in a range. Codes of numbers ascend with the numbers, so what is near enough to a number is one range.

use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::rules::Domain;
use crate::table::days;
use hyperblock_shared::columns::Reach;

/// The number that a text of a number or date domain stands for.
pub(super) fn parse(text: &str, domain: Domain) -> Option<Decimal> {
    match domain {
        Domain::Date => Decimal::new(i128::from(days(text)?), 0),
        Domain::Number | Domain::Text => Decimal::parse(text),
    }
}

/// For each of the ascending `values`, those that differ from it by at most `most` (by less, if `strict`).
pub(super) fn reaches(values: &[Decimal], most: Decimal, strict: bool) -> Result<Vec<Reach>> {
    let scale = values.iter().map(|value| value.scale()).max().unwrap_or(0).max(most.scale());
    let too_long =
        || Error::Job(format!("numbers with up to {scale} decimals are too long to compare; round them"));
    let values: Vec<i128> =
        values.iter().map(|value| value.at_scale(scale)).collect::<Option<_>>().ok_or_else(too_long)?;
    let most = most.at_scale(scale).ok_or_else(too_long)?;
    let (mut from, mut upto) = (0, 0);
    Ok(values
        .iter()
        .map(|value| {
            // Both are differences of an ascending sequence with something not above, respectively not below it.
            let below = |other: i128| value.saturating_sub(other);
            let above = |other: i128| other.saturating_sub(*value);
            let far = |distance: i128| distance > most || (strict && distance == most);
            while from < values.len() && far(below(values[from])) {
                from += 1;
            }
            upto = upto.max(from);
            while upto < values.len() && !far(above(values[upto])) {
                upto += 1;
            }
            Reach { from: from as u32, upto: upto as u32 }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_exact() {
        let values: Vec<_> = ["1.1", "1.2", "1.3"].iter().map(|text| Decimal::parse(text).unwrap()).collect();
        let tenth = Decimal::parse("0.1").unwrap();
        let range = |reach: &Reach| reach.from..reach.upto;
        let got: Vec<_> = reaches(&values, tenth, false).unwrap().iter().map(range).collect();
        assert_eq!(got, [0..2, 0..3, 1..3]);
        let got: Vec<_> = reaches(&values, tenth, true).unwrap().iter().map(range).collect();
        assert_eq!(got, [0..1, 1..2, 2..3]);
    }

    proptest! {
        #[test]
        fn reach_is_what_is_near(
            values in proptest::collection::btree_set(-60i128..60, 0..40), most in 0i128..20, strict: bool,
        ) {
            let values: Vec<i128> = values.into_iter().collect();
            let decimals: Vec<_> = values.iter().map(|&value| Decimal::new(value, 1).unwrap()).collect();
            let reaches = reaches(&decimals, Decimal::new(most, 1).unwrap(), strict).unwrap();
            for (ix, reach) in reaches.iter().enumerate() {
                for (other, value) in values.iter().enumerate() {
                    let distance = (values[ix] - value).abs();
                    let near = if strict { distance < most } else { distance <= most };
                    prop_assert_eq!((reach.from..reach.upto).contains(&(other as u32)), near);
                }
            }
        }
    }
}
