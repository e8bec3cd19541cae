//! Sorted neighbourhoods, naively: all keys of both tables in a list, sorted, and every two places of it
//! looked at.

use super::{Found, Rows, holds, in_order, order, seen};
use hyperblock::rules::{Neighbourhood, Rule};
use std::collections::HashMap;

/// All candidates of rules and neighbourhoods, those of one table if there is no right one, sorted by id. A
/// neighbourhood is the witness after all rules, and before all later neighbourhoods. `rules` are those of
/// two tables.
pub fn with_neighbours(
    left: Rows<'_>,
    right: Option<Rows<'_>>,
    rules: &[Rule],
    neighbourhoods: &[Neighbourhood],
) -> Vec<Found> {
    let is_one = right.is_none();
    let right = right.unwrap_or(left);
    let (lefts, rights) = (in_order(left.ids), in_order(right.ids));
    let mut near = HashMap::new();
    for (witness, neighbourhood) in (rules.len()..).zip(neighbourhoods) {
        for pair in pairs(left, (!is_one).then_some(right), neighbourhood) {
            near.entry(pair).or_insert(witness);
        }
    }
    let mut found = Vec::new();
    for (a, &l) in lefts.iter().enumerate() {
        for (b, &r) in rights.iter().enumerate().filter(|(b, _)| !is_one || a < *b) {
            let (one, other) = (&left.values[l], &right.values[r]);
            let rule = rules
                .iter()
                .position(|rule| holds(rule, one, other) || (is_one && holds(rule, other, one)))
                .or_else(|| near.get(&(a, b)).copied());
            found.extend(rule.map(|rule| (left.ids[l].clone(), right.ids[r].clone(), rule)));
        }
    }
    found
}

/// The pairs of one neighbourhood, by the records' places in the order of their ids.
fn pairs(left: Rows<'_>, right: Option<Rows<'_>>, neighbourhood: &Neighbourhood) -> Vec<(usize, usize)> {
    let (list, window) = (sorted(left, right, neighbourhood), neighbourhood.window);
    let mut pairs = Vec::new();
    for (place, &(_, a, side_a)) in list.iter().enumerate() {
        for &(_, b, side_b) in list.iter().skip(place + 1).take(window as usize - 1) {
            match right {
                None => pairs.push((a.min(b), a.max(b))),
                Some(_) if side_a < side_b => pairs.push((a, b)),
                Some(_) if side_b < side_a => pairs.push((b, a)),
                Some(_) => {}
            }
        }
    }
    pairs
}

/// The records with a key, in its order: the key, the record's place in the order of the ids, and 1 for the right table.
fn sorted(
    left: Rows<'_>,
    right: Option<Rows<'_>>,
    neighbourhood: &Neighbourhood,
) -> Vec<(String, usize, usize)> {
    let Neighbourhood { keys, domain, .. } = neighbourhood;
    let mut list = Vec::new();
    for (side, rows) in [Some(left), right].into_iter().enumerate().filter_map(|(side, it)| Some((side, it?)))
    {
        for (number, &row) in in_order(rows.ids).iter().enumerate() {
            list.extend(seen(&keys[side], &rows.values[row], *domain).map(|key| (key, number, side)));
        }
    }
    list.sort_by(|(a, number_a, side_a), (b, number_b, side_b)| {
        order(a, b, *domain).then((number_a, side_a).cmp(&(number_b, side_b)))
    });
    list
}

/// How many places apart two records stand, if both have a key. Of one table both ids are of it.
pub fn distance(
    left: Rows<'_>,
    right: Option<Rows<'_>>,
    neighbourhood: &Neighbourhood,
    (l, r): (&str, &str),
) -> Option<usize> {
    let list = sorted(left, right, neighbourhood);
    let place = |rows: Rows<'_>, id: &str, side: usize| {
        let number = in_order(rows.ids).iter().position(|&row| rows.ids[row] == id)?;
        list.iter().position(|(_, own, own_side)| (*own, *own_side) == (number, side))
    };
    let (one, other) = (place(left, l, 0)?, place(right.unwrap_or(left), r, usize::from(right.is_some()))?);
    Some(one.abs_diff(other))
}
