//! Several tables as one, naively: each pair of records tried, with what table each is of beside it.

use super::{Found, Rows, equal, holds, in_order, order, outcome, seen};
use hyperblock::rules::{Domain, Measure, Neighbourhood, Operand, Predicate, Rule, Test};
use std::collections::HashMap;

/// The records of several tables, numbered by table, then by id.
struct Records<'a> {
    /// By record: its table, its number there, its id, its values.
    all: Vec<(usize, usize, &'a String, &'a [Option<String>])>,
    across: bool,
}

/// All candidates of rules and neighbourhoods, by number. With `across` those of different tables alone, with the record of the
/// earlier table left; else a rule counts either way round. `rules` are those of two tables. Of a conjunction with equalities
/// nothing counts that is about values of them which more than `most` records share, if that is given; `rules` then have mirror
/// images, if they count either way round.
pub fn several(
    tables: &[(&str, Rows<'_>)],
    across: bool,
    rules: &[Rule],
    neighbourhoods: &[Neighbourhood],
    most: Option<usize>,
) -> Vec<Found> {
    let mut all = Vec::new();
    for (table, (_, rows)) in tables.iter().enumerate() {
        let records = in_order(rows.ids).into_iter().enumerate();
        all.extend(records.map(|(nth, row)| (table, nth, &rows.ids[row], &rows.values[row][..])));
    }
    let records = Records { all, across };
    let mut near = HashMap::new();
    for (witness, neighbourhood) in (rules.len()..).zip(neighbourhoods) {
        for pair in records.near(neighbourhood) {
            near.entry(pair).or_insert(witness);
        }
    }
    let name = |record: usize| {
        let (table, _, id, _) = records.all[record];
        format!("{}:{id}", tables[table].0)
    };
    let mut found = Vec::new();
    for a in 0..records.all.len() {
        for b in a + 1..records.all.len() {
            if records.are_apart(a, b) {
                let rule = rules.iter().position(|rule| records.hold(rule, a, b, most));
                let rule = rule.or_else(|| near.get(&(a, b)).copied());
                found.extend(rule.map(|rule| (name(a), name(b), rule)));
            }
        }
    }
    found
}

impl Records<'_> {
    /// Whether two records may make a pair.
    fn are_apart(&self, a: usize, b: usize) -> bool {
        !self.across || self.all[a].0 != self.all[b].0
    }

    fn hold(&self, rule: &Rule, a: usize, b: usize, most: Option<usize>) -> bool {
        match most {
            None => {
                holds(rule, self.all[a].3, self.all[b].3)
                    || (!self.across && holds(rule, self.all[b].3, self.all[a].3))
            }
            Some(most) => self.holds_in_small(rule, a, b, most),
        }
    }

    /// The same where blocks of more than so many records are left out.
    fn holds_in_small(&self, rule: &Rule, l: usize, r: usize, most: usize) -> bool {
        let holds = |predicate: &Predicate| outcome(predicate, self.all[l].3, self.all[r].3) == Some(true);
        let is_small = |conjunction: &Vec<Predicate>| {
            let equalities = equalities(conjunction);
            equalities.is_empty() || self.n_sharing(&equalities, l) <= most
        };
        rule.conjunctions.iter().any(|conjunction| conjunction.iter().all(holds) && is_small(conjunction))
    }

    /// How many records share the values that a left record has, on the side or sides that they may stand on.
    fn n_sharing(&self, equalities: &[(&Operand, &Operand, Domain)], left: usize) -> usize {
        let values = |record: usize, is_left: bool| -> Option<Vec<String>> {
            let row = self.all[record].3;
            equalities.iter().map(|(l, r, domain)| seen(if is_left { l } else { r }, row, *domain)).collect()
        };
        let Some(own) = values(left, true) else { return 0 };
        let shares = |record: usize, is_left: bool| {
            let is_same = |other: Vec<String>| {
                equalities
                    .iter()
                    .zip(own.iter().zip(&other))
                    .all(|((.., domain), (a, b))| equal(a, b, *domain))
            };
            self.may_stand(record, is_left) && values(record, is_left).is_some_and(is_same)
        };
        (0..self.all.len()).filter(|&record| shares(record, true) || shares(record, false)).count()
    }

    /// Whether there is a record that one may make a pair with on that side.
    fn may_stand(&self, record: usize, is_left: bool) -> bool {
        let table = self.all[record].0;
        let others = || self.all.iter().map(|other| other.0);
        !self.across || others().any(|other| if is_left { other > table } else { other < table })
    }

    /// The pairs of one neighbourhood.
    fn near(&self, neighbourhood: &Neighbourhood) -> Vec<(usize, usize)> {
        let Neighbourhood { keys, domain, window, .. } = neighbourhood;
        let mut list = Vec::new();
        for (record, (table, nth, _, row)) in self.all.iter().enumerate() {
            // Of equal keys, tables take turns where pairs are of different ones.
            let turn = if self.across { (*nth, *table) } else { (record, 0) };
            list.extend(seen(&keys[0], row, *domain).map(|key| (key, turn, record)));
        }
        list.sort_by(|a, b| order(&a.0, &b.0, *domain).then(a.1.cmp(&b.1)));
        let mut pairs = Vec::new();
        for (place, (.., a)) in list.iter().enumerate() {
            for (.., b) in list.iter().skip(place + 1).take(*window as usize - 1) {
                if self.are_apart(*a, *b) {
                    pairs.push((*a.min(b), *a.max(b)));
                }
            }
        }
        pairs
    }
}

fn equalities(conjunction: &[Predicate]) -> Vec<(&Operand, &Operand, Domain)> {
    let equality = |predicate| match predicate {
        &Predicate {
            test: Test::Compare { ref left, ref right, domain, measure: Measure::Equal },
            negated: false,
        } => Some((left, right, domain)),
        _ => None,
    };
    conjunction.iter().filter_map(equality).collect()
}
