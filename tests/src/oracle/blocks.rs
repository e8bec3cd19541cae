//! Large blocks left out, naively: for each conjunction and each record, who shares the values of its equalities is counted.

use super::{Found, Rows, equal, in_order, outcome, seen};
use hyperblock::rules::{Domain, Measure, Operand, Predicate, Rule, Test};

/// All candidates of rules, those of one table if there is no right one, but that no conjunction is about values of its own
/// equalities that more than `most` records share. `rules` have mirror images if there is one table.
pub fn without_large_blocks(
    left: Rows<'_>,
    right: Option<Rows<'_>>,
    rules: &[Rule],
    most: usize,
) -> Vec<Found> {
    let is_one = right.is_none();
    let right = right.unwrap_or(left);
    let mut found = Vec::new();
    let (lefts, rights) = (in_order(left.ids), in_order(right.ids));
    for (a, &l) in lefts.iter().enumerate() {
        let is_small = |conjunction: &Vec<Predicate>| {
            let equalities = equalities(conjunction);
            let Some(own) = values(&equalities, &left.values[l], true).filter(|_| !equalities.is_empty())
            else {
                return true;
            };
            let shares = |row: &Vec<Option<String>>, is_left: bool| {
                values(&equalities, row, is_left).is_some_and(|other| is_same(&equalities, &own, &other))
            };
            let of_left = left.values.iter().filter(|row| shares(row, true)).count();
            let of_right = right.values.iter().filter(|row| shares(row, false));
            // A record of one table counts once.
            of_left + of_right.filter(|row| !(is_one && shares(row, true))).count() <= most
        };
        let small: Vec<Vec<&Vec<Predicate>>> =
            rules.iter().map(|rule| rule.conjunctions.iter().filter(|it| is_small(it)).collect()).collect();
        for &r in rights.iter().skip(if is_one { a + 1 } else { 0 }) {
            let holds =
                |predicate: &Predicate| outcome(predicate, &left.values[l], &right.values[r]) == Some(true);
            let rule = small.iter().position(|all| all.iter().any(|one| one.iter().all(holds)));
            found.extend(rule.map(|rule| (left.ids[l].clone(), right.ids[r].clone(), rule)));
        }
    }
    found
}

/// What is compared, left and right, and what kind of value it is.
type Equality<'a> = (&'a Operand, &'a Operand, Domain);

fn equalities(conjunction: &[Predicate]) -> Vec<Equality<'_>> {
    let mut all = Vec::new();
    for Predicate { test, negated } in conjunction {
        if let (Test::Compare { left, right, domain, measure: Measure::Equal }, false) = (test, negated) {
            all.push((left, right, *domain));
        }
    }
    all
}

fn values(equalities: &[Equality<'_>], row: &[Option<String>], is_left: bool) -> Option<Vec<String>> {
    equalities.iter().map(|(l, r, domain)| seen(if is_left { l } else { r }, row, *domain)).collect()
}

fn is_same(equalities: &[Equality<'_>], a: &[String], b: &[String]) -> bool {
    equalities.iter().zip(a.iter().zip(b)).all(|((.., domain), (a, b))| equal(a, b, *domain))
}
