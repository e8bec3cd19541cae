//! Two sides that measured the same, row by row: how many times as long the new one takes.
//!
//! Each round gives a ratio of its own, since what else the machine does hits both runs of a round alike. Their median
//! is told, with the least and the most of them.

use super::rows::Row;
use anyhow::{Result, bail, ensure};

/// A new side that takes so many times as long is slower; less may be chance.
pub(super) const SLOWER: f64 = 1.05;

/// One row of both sides, or of one alone.
#[derive(Debug)]
pub(in crate::bench) struct Compared {
    pub(super) row: Row,
    /// Seconds of the old and of the new side, by round.
    pub(super) seconds: [Vec<f64>; 2],
}

/// What came of two sides, each round by round. Fails if they did not find the same.
pub(in crate::bench) fn compare(sides: &[Vec<Vec<Row>>]) -> Result<Vec<Compared>> {
    let [old, new] = sides else { bail!("{} sides", sides.len()) };
    let mut all: Vec<Compared> = Vec::new();
    for (side, rounds) in [old, new].into_iter().enumerate() {
        for (round, rows) in rounds.iter().enumerate() {
            for row in rows {
                let known = all.iter_mut().find(|compared| compared.row.is_as(row));
                let Some(compared) = known else {
                    let mut seconds = [Vec::new(), Vec::new()];
                    seconds[side].push(row.seconds);
                    all.push(Compared { row: row.clone(), seconds });
                    continue;
                };
                ensure!(
                    compared.row.found_as(row),
                    "{}: {} on the {} side, but {} before",
                    row.label(),
                    row.found(),
                    ["old", "new"][side],
                    compared.row.found()
                );
                let seconds = &mut compared.seconds[side];
                ensure!(seconds.len() <= round, "{}: twice in a round", row.label());
                seconds.push(row.seconds);
            }
        }
    }
    Ok(all)
}

/// How many times as long the new side takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    /// Of the fastest run of each.
    pub(super) fastest: f64,
}

impl Compared {
    /// None, if one side alone has the row, or if a time is too short to be told.
    pub(super) fn ratio(&self) -> Option<Ratio> {
        let [old, new] = &self.seconds;
        if old.iter().chain(new).any(|seconds| *seconds <= 0.0) {
            return None;
        }
        let mut ratios: Vec<f64> = old.iter().zip(new).map(|(old, new)| new / old).collect();
        ratios.sort_by(f64::total_cmp);
        let fastest = |seconds: &[f64]| seconds.iter().copied().fold(f64::INFINITY, f64::min);
        Some(Ratio {
            median: median(&ratios)?,
            least: *ratios.first()?,
            most: *ratios.last()?,
            fastest: fastest(new) / fastest(old),
        })
    }

    /// The median seconds of a side.
    pub(super) fn median(&self, side: usize) -> Option<f64> {
        let mut seconds = self.seconds[side].clone();
        seconds.sort_by(f64::total_cmp);
        median(&seconds)
    }
}

/// Of sorted values; of an even number the mean of the two in the middle.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ratio, compare, median};
    use crate::bench::against::rows::Row;

    fn row(name: &str, found: u32, seconds: f64) -> Row {
        let one = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        Row { names: one("workload", name), counts: one("candidates", &found.to_string()), seconds }
    }

    #[test]
    fn rounds_are_compared_one_by_one() {
        let side = |times: [f64; 3]| times.map(|seconds| vec![row("a", 7, seconds)]).to_vec();
        let compared = compare(&[side([1.0, 2.0, 4.0]), side([1.5, 2.0, 5.0])]).unwrap();
        assert_eq!(compared.len(), 1);
        let ratio = Ratio { median: 1.25, least: 1.0, most: 1.5, fastest: 1.5 };
        assert_eq!(compared[0].ratio(), Some(ratio));
        assert_eq!((compared[0].median(0), compared[0].median(1)), (Some(2.0), Some(2.0)));
    }

    #[test]
    fn what_one_side_has_alone_is_kept() {
        let old = vec![vec![row("a", 7, 1.0), row("b", 8, 2.0)]];
        let new = vec![vec![row("c", 9, 3.0), row("a", 7, 1.0)]];
        let compared = compare(&[old, new]).unwrap();
        let labels: Vec<_> = compared.iter().map(|one| (one.row.label(), one.ratio().is_some())).collect();
        assert_eq!(labels, [("a".to_owned(), true), ("b".to_owned(), false), ("c".to_owned(), false)]);
        assert_eq!((compared[1].median(1), compared[2].median(1)), (None, Some(3.0)));
        let compared = compare(&[vec![vec![row("a", 7, 0.0)]], vec![vec![row("a", 7, 1.0)]]]).unwrap();
        assert_eq!(compared[0].ratio(), None);
    }

    #[test]
    fn both_must_find_the_same() {
        let error = compare(&[vec![vec![row("a", 7, 1.0)]], vec![vec![row("a", 8, 1.0)]]]).unwrap_err();
        assert_eq!(error.to_string(), "a: candidates 8 on the new side, but candidates 7 before");
        // In every round.
        assert!(compare(&[vec![vec![row("a", 7, 1.0)], vec![row("a", 6, 1.0)]], vec![]]).is_err());
        assert!(compare(&[vec![vec![row("a", 7, 1.0), row("a", 7, 1.0)]], vec![]]).is_err());
        assert!(compare(&[vec![]]).is_err());
    }

    #[test]
    fn medians() {
        assert_eq!(
            (median(&[]), median(&[1.0, 2.0]), median(&[1.0, 2.0, 9.0])),
            (None, Some(1.5), Some(2.0))
        );
    }
}
