//! Links: of the pairs of two tables those that stay, where a thing is in a table once.
//!
//! One to one is a matching of the greatest weight: no other choice of pairs in which each record is once weighs more
//! together. It is found component by component: by Kuhn's *Hungarian method for the assignment problem* (Naval Research
//! Logistics Quarterly 2, 1955), with shortest augmenting paths, which takes n² m steps for n records of one table and m of
//! the other, and so for components that are not too large. In others pairs are taken by falling weight, as long as both
//! records are free: at least half of the greatest weight. A pair that weighs nothing or less is never worth it.

use super::parts::{Parts, by_score};
use crate::base::error::Result;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::score;
use std::sync::Mutex;

/// The most pairs that two tables' records of a component can form for its matching to be the best: some hundredths of a
/// second.
const MOST_CELLS: usize = 1 << 18;

/// What a pair is worth, by its score.
pub(super) type Worth = fn(u32) -> i64;

/// The pairs of a component that stay.
pub(super) type Choice = fn(&mut [ScoredPair], Worth) -> Vec<ScoredPair>;

/// The pairs that `of` keeps in each component, sorted.
pub(super) fn within(parts: &Parts<'_>, are_weights: bool, of: Choice) -> Result<Vec<ScoredPair>> {
    let worth: Worth =
        if are_weights { |rank| score::weight(rank).into() } else { |billionths| billionths.into() };
    let kept = Mutex::new(Vec::new());
    // Records of the right table are numbered after those of the left one, so they stay right.
    parts.for_each(|pairs| {
        let of_component = of(pairs, worth);
        kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(of_component);
    })?;
    let mut kept = kept.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    kept.sort_unstable_by_key(|pair: &ScoredPair| (pair.left, pair.right));
    Ok(kept)
}

/// The best pair of each left record.
pub(super) fn many_to_one(pairs: &mut [ScoredPair], _: Worth) -> Vec<ScoredPair> {
    by_score(pairs);
    // Stable: the best pair of a record stays its first.
    let mut pairs = pairs.to_vec();
    pairs.sort_by_key(|pair| pair.left);
    pairs.dedup_by_key(|pair| pair.left);
    pairs
}

/// The pairs that are the best of both records.
pub(super) fn best(pairs: &mut [ScoredPair], worth: Worth) -> Vec<ScoredPair> {
    let of_left = many_to_one(pairs, worth);
    let mut of_right = pairs.to_vec();
    of_right.sort_by_key(|pair| pair.right);
    of_right.dedup_by_key(|pair| pair.right);
    of_right.sort_unstable_by_key(|pair| pair.left);
    let is_best = |pair: &ScoredPair| {
        let from = of_right.partition_point(|other| other.left < pair.left);
        of_right[from..].iter().take_while(|other| other.left == pair.left).any(|other| other == pair)
    };
    of_left.into_iter().filter(is_best).collect()
}

/// A matching: the one of the greatest weight, or nearly.
pub(super) fn one_to_one(pairs: &mut [ScoredPair], worth: Worth) -> Vec<ScoredPair> {
    let mut worthy: Vec<ScoredPair> = pairs.iter().filter(|pair| worth(pair.score) > 0).copied().collect();
    if worthy.len() < 2 {
        return worthy;
    }
    let distinct = |of: fn(&ScoredPair) -> u32| {
        let mut records: Vec<u32> = worthy.iter().map(of).collect();
        records.sort_unstable();
        records.dedup();
        records
    };
    let (lefts, rights) = (distinct(|pair| pair.left), distinct(|pair| pair.right));
    if lefts.len() * rights.len() > MOST_CELLS {
        return greedy(&mut worthy);
    }
    let place = |records: &[u32], record: u32| records.partition_point(|&other| other < record);
    let is_turned = lefts.len() > rights.len();
    let (rows, columns) = if is_turned { (&rights, &lefts) } else { (&lefts, &rights) };
    let ends = |pair: &ScoredPair| if is_turned { (pair.right, pair.left) } else { (pair.left, pair.right) };
    let mut worths = vec![0; rows.len() * columns.len()];
    for pair in &worthy {
        let (row, column) = ends(pair);
        worths[place(rows, row) * columns.len() + place(columns, column)] = worth(pair.score);
    }
    let chosen = assignment(&worths, rows.len(), columns.len());
    let is_chosen = |pair: &ScoredPair| {
        let (row, column) = ends(pair);
        chosen[place(rows, row)] == place(columns, column)
    };
    worthy.retain(is_chosen);
    worthy
}

/// Pairs by falling score, as long as both records are free.
fn greedy(pairs: &mut [ScoredPair]) -> Vec<ScoredPair> {
    by_score(pairs);
    let mut taken = hashbrown::HashSet::new();
    let mut is_free = |pair: &&ScoredPair| {
        let is_free = !taken.contains(&pair.left) && !taken.contains(&pair.right);
        if is_free {
            taken.extend([pair.left, pair.right]);
        }
        is_free
    };
    pairs.iter().filter(|pair| is_free(pair)).copied().collect()
}

/// By row: its column, such that all together are worth the most; there are no more rows than columns. A pair that is not
/// there is worth nothing, and standing there is standing alone.
fn assignment(worths: &[i64], n_rows: usize, n_columns: usize) -> Vec<usize> {
    // Rows and columns from 1; column 0 is where a path begins. Costs are what worths lack.
    let cost = |row: usize, column: usize| -worths[(row - 1) * n_columns + column - 1];
    let (mut of_rows, mut of_columns) = (vec![0i64; n_rows + 1], vec![0i64; n_columns + 1]);
    let mut row_of = vec![0; n_columns + 1];
    for first in 1..=n_rows {
        row_of[0] = first;
        let mut least = vec![i64::MAX; n_columns + 1];
        let mut before = vec![0; n_columns + 1];
        let mut is_reached = vec![false; n_columns + 1];
        let mut at = 0;
        // The shortest path to a column that is free.
        while row_of[at] != 0 {
            is_reached[at] = true;
            let row = row_of[at];
            let (mut step, mut next) = (i64::MAX, 0);
            for column in (1..=n_columns).filter(|&column| !is_reached[column]) {
                let reduced = cost(row, column) - of_rows[row] - of_columns[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, at);
                }
                if least[column] < step {
                    (step, next) = (least[column], column);
                }
            }
            for column in 0..=n_columns {
                if is_reached[column] {
                    of_rows[row_of[column]] += step;
                    of_columns[column] -= step;
                } else if least[column] != i64::MAX {
                    least[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[before[at]];
            at = before[at];
        }
    }
    let mut columns = vec![0; n_rows];
    for (column, &row) in row_of.iter().enumerate().skip(1).filter(|(_, row)| **row != 0) {
        columns[row - 1] = column - 1;
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIRST_RIGHT: u32 = 100;

    fn pairs() -> impl Strategy<Value = Vec<ScoredPair>> {
        let pair = (0..5u32, 0..5u32, 1..9u32);
        let pair =
            pair.prop_map(|(left, right, score)| ScoredPair { left, right: FIRST_RIGHT + right, score });
        prop::collection::vec(pair, 1..14).prop_map(|mut pairs| {
            pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
            pairs.dedup_by_key(|pair| (pair.left, pair.right));
            pairs
        })
    }

    fn total(pairs: &[ScoredPair]) -> u32 {
        pairs.iter().map(|pair| pair.score).sum()
    }

    fn is_matching(pairs: &[ScoredPair]) -> bool {
        let records: Vec<u32> = pairs.iter().flat_map(|pair| [pair.left, pair.right]).collect();
        records.iter().collect::<hashbrown::HashSet<_>>().len() == records.len()
    }

    /// Every choice of pairs.
    fn exhaustive(pairs: &[ScoredPair]) -> u32 {
        let choices = (0..1u32 << pairs.len()).map(|chosen| {
            let taken = |(ix, pair): (usize, &ScoredPair)| (chosen >> ix & 1 == 1).then_some(*pair);
            pairs.iter().enumerate().filter_map(taken).collect::<Vec<_>>()
        });
        choices.filter(|choice| is_matching(choice)).map(|choice| total(&choice)).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_other_matching_weighs_more(mut pairs in pairs()) {
            let links = one_to_one(&mut pairs, |score| score.into());
            prop_assert!(is_matching(&links) && links.iter().all(|link| pairs.contains(link)));
            prop_assert_eq!(total(&links), exhaustive(&pairs));
            let greedy = greedy(&mut pairs);
            prop_assert!(is_matching(&greedy) && 2 * total(&greedy) >= exhaustive(&pairs));
        }

        #[test]
        fn the_best_of_each_record(mut pairs in pairs()) {
            let all = pairs.clone();
            let better = |a: &ScoredPair, b: &ScoredPair| (b.score, a.left, a.right) < (a.score, b.left, b.right);
            let is_best = |pair: &ScoredPair, of: fn(&ScoredPair) -> u32| {
                all.iter().filter(|other| of(other) == of(pair)).all(|other| other == pair || better(pair, other))
            };
            let lefts: Vec<ScoredPair> = all.iter().filter(|pair| is_best(pair, |pair| pair.left)).copied().collect();
            prop_assert_eq!(&many_to_one(&mut pairs, |score| score.into()), &lefts);
            let both: Vec<ScoredPair> = lefts.into_iter().filter(|pair| is_best(pair, |pair| pair.right)).collect();
            prop_assert_eq!(best(&mut pairs, |score| score.into()), both);
        }
    }

    #[test]
    fn what_weighs_less_than_nothing_is_left() {
        let pair =
            |left, right, weight| ScoredPair { left, right: FIRST_RIGHT + right, score: score::rank(weight) };
        let mut pairs = [pair(0, 0, 20), pair(0, 1, 5), pair(1, 0, 5), pair(2, 2, -1)];
        // Twenty is more than five and five.
        assert_eq!(one_to_one(&mut pairs, |rank| score::weight(rank).into()), [pairs[0]]);
    }
}
