//! Numbers and dates: what is within reach of what.
//!
//! A numeric tolerance is decided here, once per distinct value and exactly, so that kernels only ask whether a code
//! lies in a range. Codes of numbers ascend with the numbers, so what is near enough to a number is one range.

use crate::base::decimal::Decimal;
use crate::read::table::days;
use crate::rules::{Domain, Limit};
use hyperblock_shared::columns::Reach;

/// The number that a text of a number or date domain stands for.
pub(crate) fn parse(text: &str, domain: Domain) -> Option<Decimal> {
    match domain {
        Domain::Date => Decimal::new(i128::from(days(text)?), 0),
        Domain::Number | Domain::Text => Decimal::parse(text),
        // A place is two of them.
        Domain::Point => None,
    }
}

/// For each of the ascending `values`, which of them it may be compared with: those for which its difference from them is
/// at least `least` and at most `most`.
pub(super) fn reaches(values: &[Decimal], least: Option<Limit>, most: Option<Limit>) -> Vec<Reach> {
    let limits = || [least, most].into_iter().flatten().map(|limit| limit.at);
    let scale = values.iter().copied().chain(limits()).map(Decimal::scale).max().unwrap_or(0);
    let fits = |number: Decimal| number.at_scale(scale).is_some();
    if values.iter().copied().chain(limits()).all(fits) {
        // No number has more than 36 digits and no difference more than 38: nothing saturates that is compared.
        let at = |number: Decimal| number.at_scale(scale).unwrap_or_default();
        return within(values, least, most, at, i128::saturating_sub);
    }
    by_parts(values, least, most)
}

/// The same where very large numbers stand beside very small ones: wholes and fractions are subtracted apart.
fn by_parts(values: &[Decimal], least: Option<Limit>, most: Option<Limit>) -> Vec<Reach> {
    within(values, least, most, Decimal::parts, |(a, a_fraction), (b, b_fraction)| {
        let fraction = a_fraction - b_fraction;
        (a - b + fraction.div_euclid(Decimal::ONE_OF_FRACTION), fraction.rem_euclid(Decimal::ONE_OF_FRACTION))
    })
}

/// The same over numbers as `of` gives them, with their differences.
fn within<T: Ord + Copy>(
    values: &[Decimal],
    least: Option<Limit>,
    most: Option<Limit>,
    of: impl Fn(Decimal) -> T,
    minus: impl Fn(T, T) -> T,
) -> Vec<Reach> {
    let values: Vec<T> = values.iter().map(|value| of(*value)).collect();
    let at = |limit: Option<Limit>| limit.map(|Limit { at, strict }| (of(at), strict));
    let (least, most) = (at(least), at(most));
    // A difference falls as the other value rises: too large at first, then within the limits, then too small.
    let too_large = |difference: T| match most {
        Some((at, strict)) => difference > at || (strict && difference == at),
        None => false,
    };
    let too_small = |difference: T| match least {
        Some((at, strict)) => difference < at || (strict && difference == at),
        None => false,
    };
    let reach = |value: &T| {
        let from = values.partition_point(|other| too_large(minus(*value, *other)));
        let upto = values.partition_point(|other| !too_small(minus(*value, *other)));
        Reach { from: from as u32, upto: upto.max(from) as u32 }
    };
    values.iter().map(reach).collect()
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
        let within = |strict| {
            let limit = |at| Some(Limit { at, strict });
            reaches(&values, limit(tenth.negated()), limit(tenth))
        };
        let got: Vec<_> = within(false).iter().map(range).collect();
        assert_eq!(got, [0..2, 0..3, 1..3]);
        let got: Vec<_> = within(true).iter().map(range).collect();
        assert_eq!(got, [0..1, 1..2, 2..3]);
    }

    #[test]
    fn large_beside_small() {
        let values: Vec<_> =
            ["-1e35", "0", "1e-36", "1", "1e35"].iter().map(|text| Decimal::parse(text).unwrap()).collect();
        let limit = |text| Some(Limit { at: Decimal::parse(text).unwrap(), strict: false });
        let ranges = |least, most| -> Vec<_> {
            reaches(&values, least, most).iter().map(|reach| reach.from..reach.upto).collect()
        };
        assert_eq!(ranges(limit("-1e-36"), limit("1e-36")), [0..1, 1..3, 1..3, 3..4, 4..5]);
        assert_eq!(ranges(limit("1e35"), None), [0..0, 0..1, 0..1, 0..1, 0..2]);
    }

    proptest! {
        #[test]
        fn reach_is_what_is_near(
            values in proptest::collection::btree_set(-60i128..60, 0..40),
            least in proptest::option::of((-20i128..20, any::<bool>())),
            most in proptest::option::of((-20i128..20, any::<bool>())),
        ) {
            let values: Vec<i128> = values.into_iter().collect();
            let decimals: Vec<_> = values.iter().map(|&value| Decimal::new(value, 1).unwrap()).collect();
            let limit = |limit: Option<(i128, bool)>| {
                limit.map(|(at, strict)| Limit { at: Decimal::new(at, 1).unwrap(), strict })
            };
            let (least_at, most_at) = (limit(least), limit(most));
            let reaches = reaches(&decimals, least_at, most_at);
            prop_assert_eq!(&by_parts(&decimals, least_at, most_at), &reaches);
            for (ix, reach) in reaches.iter().enumerate() {
                for (other, value) in values.iter().enumerate() {
                    let difference = values[ix] - value;
                    let above = least.is_none_or(|(at, strict)| difference > at || (!strict && difference == at));
                    let below = most.is_none_or(|(at, strict)| difference < at || (!strict && difference == at));
                    prop_assert_eq!((reach.from..reach.upto).contains(&(other as u32)), above && below);
                }
            }
        }
    }
}
