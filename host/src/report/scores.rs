//! Scores: how many pairs have about which, and what other thresholds would bring. Bars of the picture are made of whole cells
//! ([`super::cells`]), and thresholds are where cells begin.

use super::cells::{Cell, Grid, rounded};
use super::watching::Watching;
use super::{Outcome, truth};
use crate::base::control::Control;
use crate::base::json::float;
use hyperblock_shared::layout::ScoredPair;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Bars, at most, and thresholds.
const MOST_BINS: i32 = 60;
const MOST_POINTS: usize = 400;
/// How many cells a bar may have.
const WIDTHS: [i32; 14] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
const WIDTHS_OF_MEAN: [i32; 8] = [5, 10, 25, 50, 100, 250, 500, 1000];

pub(super) fn section(watching: &Watching<'_>, outcome: &Outcome<'_>, control: &Control) -> Value {
    let Some(grid) = watching.grid else { return Value::Null };
    let cells: BTreeMap<i32, Cell> = watching.by_score.iter().map(|(cell, of)| (*cell, *of)).collect();
    let has_truth = outcome.truth.is_some();
    let (kind, unit) = if grid.are_weights() { ("weight", Some("bits")) } else { ("score", None) };
    let mut curve = Curve::new(&grid, &cells);
    let is_over = curve.join_entities(watching, control).is_none();
    let mut notes = Vec::new();
    if has_truth {
        notes.extend(truth::decided(outcome.truth));
    }
    if is_over {
        notes.push("There are too many scored pairs to work out entities at each threshold.".to_owned());
    } else {
        notes.push("Entities at a threshold are those that pairs connect (components).".to_owned());
    }
    json!({
        "kind": kind,
        "unit": unit,
        "threshold": float(grid.threshold()),
        "of": cells.values().map(|cell| cell.n).sum::<u64>(),
        "bins": bins(&grid, &cells, has_truth),
        "curve": curve.json(outcome.truth.map(|truth| truth.n_to_find())),
        "decided": notes.join(" "),
    })
}

/// Bars of whole cells, as many as there is room for.
fn bins(grid: &Grid, cells: &BTreeMap<i32, Cell>, has_truth: bool) -> Value {
    let ends = cells.first_key_value().zip(cells.last_key_value());
    let Some(((first, _), (last, _))) = ends else { return json!([]) };
    let [first, last] = [first.div_euclid(2), last.div_euclid(2)];
    let widths = if grid.are_weights() { &WIDTHS[..] } else { &WIDTHS_OF_MEAN[..] };
    let n_bins = |width: i32| last.div_euclid(width) - first.div_euclid(width) + 1;
    let width = widths.iter().copied().find(|&width| n_bins(width) <= MOST_BINS);
    let width = width.unwrap_or_else(|| widths.last().copied().unwrap_or(1));
    let from = first.div_euclid(width);
    let mut bars = vec![Cell::default(); n_bins(width) as usize];
    for (cell, of) in cells {
        bars[(cell.div_euclid(2).div_euclid(width) - from) as usize].extend(of);
    }
    let bar = |(nth, bar): (i32, &Cell)| {
        json!({
            "from": float(grid.begin(nth * width)),
            "to": float(grid.begin((nth + 1) * width)),
            "pairs": bar.n,
            "true": has_truth.then_some(bar.n_true),
        })
    };
    (from..).zip(&bars).map(bar).collect()
}

/// Thresholds, and what they bring.
struct Curve {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    /// The least score, as cells tell them apart, and as people read it.
    cell: i32,
    threshold: f64,
    /// All that reach it.
    reaching: Cell,
    entities: Option<u64>,
}

impl Curve {
    /// Where cells begin, and the threshold; evenly fewer where they are too many.
    fn new(grid: &Grid, cells: &BTreeMap<i32, Cell>) -> Self {
        let own = 2 * grid.place(grid.enough()) + 1;
        let mut all: BTreeMap<i32, Cell> = cells.clone();
        all.entry(own).or_default();
        let mut reaching = Cell::default();
        let mut points: Vec<Point> = Vec::new();
        for (&cell, of) in all.iter().rev() {
            reaching.extend(of);
            points.push(Point { cell, threshold: grid.least(cell), reaching, entities: None });
        }
        points.reverse();
        let every = points.len().div_ceil(MOST_POINTS - 1).max(1);
        let kept = |(nth, point): (usize, Point)| (nth % every == 0 || point.cell == own).then_some(point);
        Self { points: points.into_iter().enumerate().filter_map(kept).collect() }
    }

    /// How many entities there are at each: pairs are joined in the order of their scores.
    fn join_entities(&mut self, watching: &Watching<'_>, control: &Control) -> Option<()> {
        let (grid, job) = (watching.grid?, watching.job());
        let n_records = job.left.n_records() + job.second().map_or(0, |right| right.n_records());
        let mut pairs: Vec<ScoredPair> = watching.pairs.clone()?;
        let n_bytes = u64::from(n_records) * 4 + size_of_val(&pairs[..]) as u64;
        let _held = control.budget().reserve(n_bytes, "entities by threshold").ok()?;
        pairs.par_sort_unstable_by_key(|pair| std::cmp::Reverse(pair.score));
        let mut forest: Vec<u32> = (0..n_records).collect();
        let (mut n_entities, mut next) = (u64::from(n_records), 0);
        for point in self.points.iter_mut().rev() {
            while let Some(pair) = pairs.get(next).filter(|pair| grid.cell(pair.score) >= point.cell) {
                let [a, b] = [root(&mut forest, pair.left), root(&mut forest, pair.right)];
                if a != b {
                    forest[a.max(b) as usize] = a.min(b);
                    n_entities -= 1;
                }
                next += 1;
            }
            point.entities = Some(n_entities);
        }
        Some(())
    }

    fn json(&self, n_to_find: Option<f64>) -> Value {
        let point = |point: &Point| {
            let (found, wrong) = (point.reaching.found(), point.reaching.wrong());
            let precision = n_to_find.filter(|_| found + wrong > 0.0).map(|_| found / (found + wrong));
            let recall = n_to_find.filter(|all| *all > 0.0).map(|all| found / all);
            let f1 = precision.zip(recall).map(|(precision, recall)| {
                if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
            });
            json!({
                "threshold": float(point.threshold),
                "kept": point.reaching.n,
                "precision": precision.map(rounded),
                "recall": recall.map(rounded),
                "f1": f1.map(rounded),
                "entities": point.entities,
            })
        };
        self.points.iter().map(point).collect()
    }
}

/// The root of a record's tree, with the way to it made shorter.
fn root(forest: &mut [u32], mut record: u32) -> u32 {
    while forest[record as usize] != record {
        let above = forest[forest[record as usize] as usize];
        forest[record as usize] = above;
        record = above;
    }
    record
}
