//! Which rule nearly held on a pair, and by how much what failed of it does, naively.

use super::{measures, numbers, outcome, places, scores, seen};
use hyperblock::rules::{Asked, Condition, Domain, Limit, Measure, OfTexts, Predicate, Rule, Test};

/// A similarity of 1, and how far off is what is missing, or equal or not.
const ONE: i128 = 1_000_000_000;

/// A conjunction that nearly holds.
pub struct Nearest<'a> {
    /// Its rule, by its place in the file.
    pub rule: usize,
    /// All of its predicates.
    pub conjunction: &'a [Predicate],
    /// Its predicates that fail.
    pub failed: Vec<&'a Predicate>,
}

/// The conjunction of which fewest predicates fail on two rows; of several the one that is off by least, then the first. The rules
/// have mirror images if there is one table.
pub fn nearest<'a>(
    rules: &'a [Rule],
    left: &[Option<String>],
    right: &[Option<String>],
) -> Option<Nearest<'a>> {
    let all =
        rules.iter().enumerate().flat_map(|(rule, it)| it.conjunctions.iter().map(move |all| (rule, all)));
    let of = |(rule, conjunction): (usize, &'a Vec<Predicate>)| {
        let fails = |predicate: &&Predicate| outcome(predicate, left, right) != Some(true);
        let failed: Vec<&Predicate> = conjunction.iter().filter(fails).collect();
        let off: i128 = failed.iter().map(|predicate| shortfall(predicate, left, right)).sum();
        (failed.len(), off, Nearest { rule, conjunction, failed })
    };
    let mut best: Option<(usize, i128, Nearest<'a>)> = None;
    for next in all.map(of) {
        if best.as_ref().is_none_or(|best| (next.0, next.1) < (best.0, best.1)) {
            best = Some(next);
        }
    }
    best.map(|(.., nearest)| nearest)
}

/// Both values, if they are there.
fn values(
    predicate: &Predicate,
    left: &[Option<String>],
    right: &[Option<String>],
) -> Option<(String, String, Measure, Domain)> {
    let Test::Compare { left: l, right: r, measure, domain } = &predicate.test else { return None };
    outcome(predicate, left, right)?;
    Some((seen(l, left, *domain)?, seen(r, right, *domain)?, *measure, *domain))
}

/// What a count is; of sets, tokens in common.
fn count(measure: Measure, a: &str, b: &str) -> i128 {
    match measure {
        Measure::Texts(OfTexts::Lcs, _) => measures::lcs(a, b) as i128,
        Measure::Texts(by, _) => measures::edits(a, b, by) as i128,
        Measure::Sets(tokenizer, ..) => measures::common(a, b, tokenizer).expect("there are tokens").0,
        other => panic!("{other:?} counts nothing"),
    }
}

fn is_distance(measure: Measure) -> bool {
    matches!(measure, Measure::Texts(by, _) if by != OfTexts::Lcs)
}

fn difference(a: &str, b: &str, domain: Domain) -> numbers::Number {
    match domain {
        Domain::Date => (i128::from(numbers::day(a) - numbers::day(b)), 0),
        Domain::Number | Domain::Text | Domain::Point => {
            numbers::difference(numbers::parse(a), numbers::parse(b))
        }
    }
}

/// How far a predicate that fails is from holding, in billionths.
fn shortfall(predicate: &Predicate, left: &[Option<String>], right: &[Option<String>]) -> i128 {
    let Some((a, b, measure, domain)) = values(predicate, left, right) else { return ONE };
    match measure {
        Measure::Equal => ONE,
        Measure::Near(limit) => off((places::millimetres(&a, &b), 6), limit),
        Measure::Texts(_, Asked::Similarity(bound)) | Measure::Sets(_, _, Asked::Similarity(bound)) => {
            let least = bound.least.at_scale(9).expect("a bound has at most nine decimals");
            (scores::of_texts(measure, &a, &b).expect("both are there") - least).abs()
        }
        Measure::Texts(_, Asked::Count(bound)) | Measure::Sets(_, _, Asked::Count(bound)) => {
            let bound = i128::from(bound);
            let wanted = match (predicate.negated, is_distance(measure)) {
                (false, _) => bound,
                (true, true) => bound + 1,
                (true, false) => (bound - 1).max(0),
            };
            relative(count(measure, &a, &b), wanted)
        }
        Measure::Difference { least, most } => {
            let (value, ends) = ends(difference(&a, &b, domain), least, most);
            let missed = ends.iter().filter(|end| predicate.negated || !admits(end, value));
            missed.map(|(limit, _)| off(value, *limit)).min().expect("an end is missed")
        }
    }
}

/// How far a number is from one that it should be, as a share of the greater one.
fn relative(is: i128, wanted: i128) -> i128 {
    match is.abs().max(wanted.abs()) {
        0 => 0,
        greatest => ((is - wanted).abs() * ONE / greatest).min(ONE),
    }
}

fn off(value: numbers::Number, limit: Limit) -> i128 {
    let limit = numbers::parse(&limit.at.to_string());
    let scale = limit.1.max(value.1);
    let at = |(digits, own): numbers::Number| digits * 10i128.pow(scale - own);
    relative(at(value), at(limit))
}

/// What is compared with which ends, of which the flag says whether it is the upper one; absolute values with one alone.
fn ends(
    value: numbers::Number,
    least: Option<Limit>,
    most: Option<Limit>,
) -> (numbers::Number, Vec<(Limit, bool)>) {
    if let (Some(low), Some(high)) = (least, most)
        && low.at.to_string() == high.at.negated().to_string()
        && low.strict == high.strict
    {
        return ((value.0.abs(), value.1), vec![(high, true)]);
    }
    let high = most.map(|limit| (limit, true));
    (value, high.into_iter().chain(least.map(|limit| (limit, false))).collect())
}

fn admits((limit, is_most): &(Limit, bool), value: numbers::Number) -> bool {
    let order = numbers::order(value, numbers::parse(&limit.at.to_string()));
    let within = if *is_most { order.is_lt() } else { order.is_gt() };
    within || (order.is_eq() && !limit.strict)
}

/// What is to be said of a predicate that fails: a text, or for a similarity what stands around its decimals, and its billionths.
#[derive(Debug)]
pub enum Said {
    /// All of it.
    Whole(String),
    /// A similarity.
    Similarity([String; 2], i128),
}

/// By how much a predicate fails.
pub fn said(predicate: &Predicate, left: &[Option<String>], right: &[Option<String>]) -> Said {
    let negated = predicate.negated;
    let sql = predicate.to_string();
    let name = sql.split('(').next().unwrap_or_default().to_owned();
    let missing = |left: bool, right: bool| match (left, right) {
        (true, true) => "both values are missing",
        (true, false) => "the left value is missing",
        (false, _) => "the right value is missing",
    };
    let of_sides = |l: bool, r: bool| Said::Whole(missing(l, r).to_owned());
    let (l, r, measure, domain) = match &predicate.test {
        Test::Value { side, operand, domain, condition } => {
            let is_left = *side == hyperblock::rules::Side::Left;
            let is_missing = seen(operand, if is_left { left } else { right }, *domain).is_none();
            let side = if is_left { "left" } else { "right" };
            return match (condition, is_missing) {
                (Condition::Missing, true) => Said::Whole(format!("the {side} value is missing")),
                (Condition::Missing, false) => Said::Whole(format!("the {side} value is not missing")),
                (_, true) => of_sides(is_left, !is_left),
                (_, false) => Said::Whole("does not hold".to_owned()),
            };
        }
        Test::Compare { left: l, right: r, domain, measure } => {
            (seen(l, left, *domain), seen(r, right, *domain), *measure, *domain)
        }
    };
    let (Some(a), Some(b)) = (&l, &r) else { return of_sides(l.is_none(), r.is_none()) };
    if let (Measure::Sets(tokenizer, ..), None) = (measure, outcome(predicate, left, right)) {
        // A set with itself has tokens, or is none.
        let is_empty = |value: &str| measures::common(value, value, tokenizer).is_none();
        return of_sides(is_empty(a), is_empty(b));
    }
    let at_least = |strict: bool| match (strict, negated) {
        (false, false) => "below",
        (true, false) => "not above",
        (false, true) => "not below",
        (true, true) => "above",
    };
    let at_most = |strict: bool| match (strict, negated) {
        (false, false) => "above",
        (true, false) => "not below",
        (false, true) => "not above",
        (true, true) => "below",
    };
    match measure {
        Measure::Near(limit) => {
            let millimetres = places::millimetres(a, b);
            let kilometres = format!("{}.{:06}", millimetres / 1_000_000, millimetres % 1_000_000);
            Said::Whole(format!("the distance is {kilometres} km, {} {}", at_most(limit.strict), limit.at))
        }
        Measure::Equal => Said::Whole(if negated { "equal" } else { "not equal" }.to_owned()),
        Measure::Texts(_, Asked::Similarity(bound)) | Measure::Sets(_, _, Asked::Similarity(bound)) => {
            let behind = format!(", {} {}", at_least(bound.strict), bound.least);
            let billionths = scores::of_texts(measure, a, b).expect("both are there");
            Said::Similarity([format!("{name} is "), behind], billionths)
        }
        Measure::Texts(_, Asked::Count(bound)) | Measure::Sets(_, _, Asked::Count(bound)) => {
            let how = if is_distance(measure) { at_most(false) } else { at_least(false) };
            Said::Whole(format!("{name} is {}, {how} {bound}", count(measure, a, b)))
        }
        Measure::Difference { least, most } => {
            let (value, ends) = ends(difference(a, b, domain), least, most);
            let shown = shown(value);
            let unit = match (domain, shown.as_str()) {
                (Domain::Date, "1" | "-1") => " day",
                (Domain::Date, _) => " days",
                _ => "",
            };
            let missed = ends.iter().filter(|end| negated || !admits(end, value));
            let missed: Vec<String> = missed
                .map(|(limit, is_most)| {
                    let how = if *is_most { at_most(limit.strict) } else { at_least(limit.strict) };
                    format!("{how} {}", limit.at)
                })
                .collect();
            Said::Whole(format!("the difference is {shown}{unit}, {}", missed.join(" and ")))
        }
    }
}

/// As few digits as it takes.
fn shown((mut digits, mut scale): numbers::Number) -> String {
    while scale > 0 && digits % 10 == 0 {
        (digits, scale) = (digits / 10, scale - 1);
    }
    if scale == 0 {
        return digits.to_string();
    }
    let (sign, unit) = (if digits < 0 { "-" } else { "" }, 10i128.pow(scale));
    let digits = digits.abs();
    format!("{sign}{}.{:0width$}", digits / unit, digits % unit, width = scale as usize)
}
