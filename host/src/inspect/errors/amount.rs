//! By how much a predicate fails: in words, and as a number that says which of several rules was nearest.
//!
//! How far a similarity is from its bound is said in billionths. A count or a difference that should be k and is n is
//! |n − k| / max(|n|, |k|) off, and at most 1. Whatever is equal or not, or missing, is off by 1.

use crate::base::decimal::Decimal;
use crate::inspect::why::{Finding, Measured, Verdict};
use crate::rules::{Asked, Bound, Condition, Counted, Limit, Measure, Test};
use hyperblock_shared::score::ONE;

/// How far a predicate that fails is from holding, in billionths.
pub(super) fn shortfall(finding: &Finding) -> u64 {
    let negated = finding.predicate.negated;
    let all = u64::from(ONE);
    let (Test::Compare { measure, .. }, Some(measured), Verdict::Fails) =
        (&finding.predicate.test, &finding.measured, finding.verdict)
    else {
        return all;
    };
    match (measured, measure) {
        (
            Measured::Similarity(ratio) | Measured::Sets(_, Some(ratio)),
            Measure::Texts(_, Asked::Similarity(bound)) | Measure::Sets(_, _, Asked::Similarity(bound)),
        ) => {
            let least = bound.least.at_scale(9).and_then(|least| u64::try_from(least).ok()).unwrap_or(0);
            (ratio.exact.billionths() as u64).abs_diff(least)
        }
        (Measured::Count(counted, n), Measure::Texts(_, Asked::Count(bound))) => {
            off(*n, wanted(*counted, *bound, negated))
        }
        (Measured::Sets(common, None), Measure::Sets(_, _, Asked::Count(bound))) => {
            off(common.tokens.len() as u32, wanted(Counted::Tokens, *bound, negated))
        }
        (Measured::Difference { decimal: Some(decimal), .. }, Measure::Difference { least, most }) => {
            let Some(value) = Decimal::parse(decimal) else { return all };
            let ends = Ends::new(*least, *most);
            let missed = ends.each().filter(|end| negated || !end.admits(value));
            missed.map(|end| apart(value, end.limit.at)).min().unwrap_or(all)
        }
        (Measured::Distance(kilometres), Measure::Near(limit)) => {
            Decimal::parse(kilometres).map_or(all, |value| apart(value, limit.at))
        }
        _ => all,
    }
}

/// The count nearest to one that fails that would do.
fn wanted(counted: Counted, bound: u32, negated: bool) -> u32 {
    match (negated, counted.is_distance()) {
        (false, _) => bound,
        (true, true) => bound.saturating_add(1),
        (true, false) => bound.saturating_sub(1),
    }
}

fn off(n: u32, wanted: u32) -> u64 {
    let greatest = u64::from(n.max(wanted));
    // Nothing is off where both are nothing.
    (u64::from(n.abs_diff(wanted)) * u64::from(ONE)).checked_div(greatest).unwrap_or(0)
}

/// The same of decimals; those that cannot be told apart in so many digits are far apart.
fn apart(value: Decimal, wanted: Decimal) -> u64 {
    let scale = value.scale().max(wanted.scale());
    let apart = || {
        let (value, wanted) = (value.at_scale(scale)?, wanted.at_scale(scale)?);
        let difference = value.checked_sub(wanted)?.unsigned_abs();
        match value.unsigned_abs().max(wanted.unsigned_abs()) {
            0 => Some(0),
            greatest => u64::try_from(difference.checked_mul(ONE.into())? / greatest).ok(),
        }
    };
    apart().unwrap_or(ONE.into()).min(ONE.into())
}

/// What a difference must lie between.
struct Ends {
    least: Option<Limit>,
    most: Option<Limit>,
}

/// One of them.
struct End {
    limit: Limit,
    is_most: bool,
}

impl Ends {
    /// Of an absolute difference there is one that counts.
    fn new(least: Option<Limit>, most: Option<Limit>) -> Self {
        let is_absolute = matches!((least, most), (Some(least), Some(most))
            if least.at == most.at.negated() && least.strict == most.strict);
        Self { least: least.filter(|_| !is_absolute), most }
    }

    fn each(&self) -> impl Iterator<Item = End> {
        let least = self.least.map(|limit| End { limit, is_most: false });
        let most = self.most.map(|limit| End { limit, is_most: true });
        most.into_iter().chain(least)
    }
}

impl End {
    fn admits(&self, value: Decimal) -> bool {
        let order = value.cmp(&self.limit.at);
        let is_within = if self.is_most { order.is_lt() } else { order.is_gt() };
        is_within || (order.is_eq() && !self.limit.strict)
    }

    /// What is wrong with a value that this end is to admit, or with `negated` that it is not.
    fn complaint(&self, negated: bool) -> &'static str {
        match (self.is_most, self.limit.strict, negated) {
            (true, false, false) | (false, true, true) => "above",
            (true, true, false) => "not below",
            (true, false, true) => "not above",
            (true, true, true) | (false, false, false) => "below",
            (false, true, false) => "not above",
            (false, false, true) => "not below",
        }
    }
}

/// By how much a predicate fails, for people.
pub(super) fn said(finding: &Finding) -> String {
    let negated = finding.predicate.negated;
    let (is_left, is_right) = (finding.left == Some(None), finding.right == Some(None));
    let (measure, is_days) = match &finding.predicate.test {
        Test::Value { condition: Condition::Missing, .. } => {
            let side = if finding.left.is_some() { "left" } else { "right" };
            return format!("the {side} value is {}missing", if negated { "" } else { "not " });
        }
        Test::Value { .. } if finding.verdict != Verdict::Missing => return "does not hold".to_owned(),
        Test::Value { .. } => return missing(is_left, is_right),
        Test::Compare { measure, .. } => match &finding.measured {
            Some(Measured::Difference { is_days, .. }) => (measure, *is_days),
            _ => (measure, false),
        },
    };
    let similarity = |bound: &Bound| match (bound.strict, negated) {
        (false, false) => "below",
        (true, false) => "not above",
        (false, true) => "not below",
        (true, true) => "above",
    };
    let count = |counted: Counted| match (counted.is_distance(), negated) {
        (true, false) => "above",
        (true, true) => "not above",
        (false, false) => "below",
        (false, true) => "not below",
    };
    let name = |asked| measure.function(asked).unwrap_or_default();
    match (&finding.measured, measure) {
        _ if is_left || is_right => missing(is_left, is_right),
        (Some(Measured::Sets(common, _)), _) if finding.verdict == Verdict::Missing => {
            missing(common.n_left == 0, common.n_right == 0)
        }
        (_, Measure::Equal) => if negated { "equal" } else { "not equal" }.to_owned(),
        (
            Some(Measured::Similarity(ratio) | Measured::Sets(_, Some(ratio))),
            Measure::Texts(_, asked @ Asked::Similarity(bound))
            | Measure::Sets(_, _, asked @ Asked::Similarity(bound)),
        ) => {
            let cut = if ratio.is_cut { "…" } else { "" };
            let (name, how) = (name(*asked), similarity(bound));
            format!("{name} is {}{cut}, {how} {}", ratio.decimal, bound.least)
        }
        (Some(Measured::Count(counted, n)), Measure::Texts(_, asked @ Asked::Count(bound))) => {
            format!("{} is {n}, {} {bound}", name(*asked), count(*counted))
        }
        (Some(Measured::Sets(common, None)), Measure::Sets(_, _, asked @ Asked::Count(bound))) => {
            let n = common.tokens.len();
            format!("{} is {n}, {} {bound}", name(*asked), count(Counted::Tokens))
        }
        (Some(Measured::Difference { decimal: Some(decimal), .. }), Measure::Difference { least, most }) => {
            let unit = match decimal.as_str() {
                _ if !is_days => "",
                "1" | "-1" => " day",
                _ => " days",
            };
            let ends = Ends::new(*least, *most);
            let value = Decimal::parse(decimal);
            let missed: Vec<String> = ends
                .each()
                .filter(|end| negated || value.is_none_or(|value| !end.admits(value)))
                .map(|end| format!("{} {}", end.complaint(negated), end.limit.at))
                .collect();
            format!("the difference is {decimal}{unit}, {}", missed.join(" and "))
        }
        (Some(Measured::Distance(kilometres)), Measure::Near(limit)) => {
            let how = End { limit: *limit, is_most: true }.complaint(negated);
            format!("the distance is {kilometres} km, {how} {}", limit.at)
        }
        _ => "does not hold".to_owned(),
    }
}

fn missing(is_left: bool, is_right: bool) -> String {
    match (is_left, is_right) {
        (true, true) => "both values are missing",
        (true, false) => "the left value is missing",
        (false, _) => "the right value is missing",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_numbers_are_apart() {
        let decimal = |text| Decimal::parse(text).unwrap();
        for (value, wanted, billionths) in [
            ("4", "2", 500_000_000),
            ("0.3", "0.2", 333_333_333),
            ("-5", "3", 1_000_000_000),
            ("0", "0", 0),
            ("31", "31", 0),
            ("1e35", "0.000000000000000000000000000000000001", 1_000_000_000),
        ] {
            assert_eq!(apart(decimal(value), decimal(wanted)), billionths, "{value} {wanted}");
        }
        assert_eq!([off(0, 0), off(4, 2), off(1, 2)], [0, 500_000_000, 500_000_000]);
    }
}
