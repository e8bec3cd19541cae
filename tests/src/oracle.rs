//! The oracle: a double loop over all pairs that decides every predicate on strings, as the definitions say.
//!
//! It shares no code with the engine: no codes, no symbols, no thresholds of the kernels. From the engine it takes the
//! rules' form alone ([`hyperblock::rules`]), and those without what the engine adds for deduplication: here a pair of
//! one table is simply tried both ways round. `measures` holds the similarities, `numbers` decimals and dates,
//! `values` the transforms, `several` several tables, `blocks` what is left out, `neighbours` what is sorted, `scores` what
//! attributes come to, `errors` what nearly held.

mod blocks;
pub mod errors;
mod measures;
mod neighbours;
mod numbers;
mod places;
pub mod scores;
mod several;
mod values;

pub use blocks::without_large_blocks;
pub use neighbours::{distance, with_neighbours};
pub use several::several;
pub use values::{NICKNAMES, NICKNAMES_FILE};

use hyperblock::rules::{
    Asked, Condition, Domain, Limit, Measure, OfSets, Operand, Predicate, Rule, Side, Test,
};
use std::cmp::Ordering;

/// A table as rows of text. Missing is `None`, or empty.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// By row: its id.
    pub ids: &'a [String],
    /// By row, by column.
    pub values: &'a [Vec<Option<String>>],
}

/// A candidate: left id, right id, and the first rule that holds, by its place in the file.
pub type Found = (String, String, usize);

/// All candidates across two tables, sorted by left id, then right.
pub fn link(left: Rows<'_>, right: Rows<'_>, rules: &[Rule]) -> Vec<Found> {
    let mut found = Vec::new();
    for l in in_order(left.ids) {
        for r in in_order(right.ids) {
            let rule = rules.iter().position(|rule| holds(rule, &left.values[l], &right.values[r]));
            found.extend(rule.map(|rule| (left.ids[l].clone(), right.ids[r].clone(), rule)));
        }
    }
    found
}

/// All candidates within one table, each unordered pair once, the lower id left. `rules` are those of two tables: that
/// they count either way round is seen to here.
pub fn dedupe(table: Rows<'_>, rules: &[Rule]) -> Vec<Found> {
    let order = in_order(table.ids);
    let mut found = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        for &b in &order[place + 1..] {
            let (one, other) = (&table.values[a], &table.values[b]);
            let rule = rules.iter().position(|rule| holds(rule, one, other) || holds(rule, other, one));
            found.extend(rule.map(|rule| (table.ids[a].clone(), table.ids[b].clone(), rule)));
        }
    }
    found
}

/// The rows by ascending id: by value if all ids are integers as one writes them, else by text.
pub fn in_order(ids: &[String]) -> Vec<usize> {
    let canonical = |id: &String| id.parse::<i64>().ok().filter(|number| number.to_string() == *id);
    let mut rows: Vec<usize> = (0..ids.len()).collect();
    match ids.iter().map(canonical).collect::<Option<Vec<i64>>>() {
        Some(numbers) => rows.sort_by_key(|&row| numbers[row]),
        None => rows.sort_by_key(|&row| ids[row].chars().collect::<Vec<_>>()),
    }
    rows
}

fn holds(rule: &Rule, left: &[Option<String>], right: &[Option<String>]) -> bool {
    rule.conjunctions
        .iter()
        .any(|conjunction| conjunction.iter().all(|predicate| outcome(predicate, left, right) == Some(true)))
}

/// SQL's three values: `None` if something is missing, and then the negation has no outcome either.
fn outcome(predicate: &Predicate, left: &[Option<String>], right: &[Option<String>]) -> Option<bool> {
    let outcome = match &predicate.test {
        Test::Value { side, operand, domain, condition } => {
            let value = seen(operand, if *side == Side::Left { left } else { right }, *domain);
            match condition {
                Condition::Missing => value.is_none(),
                Condition::Is(constant) => equal(&value?, constant, *domain),
                Condition::OneOf(constants) => {
                    let value = value?;
                    constants.iter().any(|constant| equal(&value, constant, *domain))
                }
                Condition::AtMost { constant, strict } => {
                    let order = order(&value?, constant, *domain);
                    if *strict { order.is_lt() } else { order.is_le() }
                }
            }
        }
        Test::Compare { left: of_left, right: of_right, domain, measure } => {
            let (a, b) = (seen(of_left, left, *domain)?, seen(of_right, right, *domain)?);
            compare(*measure, &a, &b, *domain)?
        }
    };
    Some(outcome != predicate.negated)
}

/// What a comparison sees of a record: where numbers or dates are compared, what is none counts as missing.
fn seen(operand: &Operand, row: &[Option<String>], domain: Domain) -> Option<String> {
    values::value(operand, row).filter(|value| match domain {
        Domain::Text => true,
        Domain::Number => numbers::is_number(value),
        Domain::Date => numbers::is_date(value),
        Domain::Point => places::is_place(value),
    })
}

fn equal(a: &str, b: &str, domain: Domain) -> bool {
    order(a, b, domain).is_eq()
}

fn order(a: &str, b: &str, domain: Domain) -> Ordering {
    match domain {
        Domain::Text => a.chars().cmp(b.chars()),
        Domain::Number => numbers::order(numbers::parse(a), numbers::parse(b)),
        Domain::Date => numbers::day(a).cmp(&numbers::day(b)),
        Domain::Point => panic!("places have no order"),
    }
}

/// `None` if a set is empty: that too is a missing value.
fn compare(measure: Measure, a: &str, b: &str, domain: Domain) -> Option<bool> {
    Some(match measure {
        Measure::Equal => equal(a, b, domain),
        Measure::Texts(by, Asked::Count(bound)) => measures::count_holds(by, a, b, bound as usize),
        Measure::Texts(by, Asked::Similarity(bound)) => numbers::reaches(measures::of_texts(by, a, b), bound),
        Measure::Sets(tokenizer, by, Asked::Similarity(bound)) => {
            let fraction = measures::of_sets(by, measures::common(a, b, tokenizer)?);
            match by {
                // Squared: c² / (|A| |B|) against the square of the bound.
                OfSets::Cosine => numbers::reaches_squared(fraction, bound),
                _ => numbers::reaches(fraction, bound),
            }
        }
        Measure::Sets(tokenizer, _, Asked::Count(least)) => {
            measures::common(a, b, tokenizer)?.0 >= i128::from(least)
        }
        Measure::Difference { least, most } => {
            let difference = match domain {
                Domain::Date => (i128::from(numbers::day(a) - numbers::day(b)), 0),
                Domain::Number | Domain::Text | Domain::Point => {
                    numbers::difference(numbers::parse(a), numbers::parse(b))
                }
            };
            let against = |limit: Limit| numbers::order(difference, numbers::parse(&limit.at.to_string()));
            least.is_none_or(|limit| against(limit).is_gt() || (!limit.strict && against(limit).is_eq()))
                && most
                    .is_none_or(|limit| against(limit).is_lt() || (!limit.strict && against(limit).is_eq()))
        }
        Measure::Near(limit) => places::are_within(a, b, limit),
    })
}
