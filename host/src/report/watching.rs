//! Watching: what a report has to know of candidates is gathered while they come.
//!
//! Of all of them only numbers stay: how many of each rule, and how many of nearly each score, with what the truth says of them. Pairs
//! stay by tickets ([`super::strata`]), and those whose score is nearest to the threshold. Memory does not grow with candidates, but
//! for the pairs that tell how many entities there would be at other thresholds, which are so many at most.

use super::SEED;
use super::cells::{Cell, Grid};
use super::labels::{Bands, labels};
use super::sample::{DRAWN, ERRORS, NEAR};
use super::strata::{Strata, key};
use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::inspect::errors::{Judged, SomeErrors};
use crate::inspect::sample::Drawn;
use crate::job::Prepared;
use crate::operators::scores::Kept;
use crate::tell::errors::Gathered;
use crate::tell::evaluate::Truth;
use hashbrown::HashMap;
use hyperblock_shared::layout::{Candidate, ScoredPair};
use rayon::prelude::*;

/// Candidates that a thread looks at, at a time.
const AT_ONCE: usize = 1 << 13;
/// The most pairs of which it is worked out how many entities they make at each threshold.
const MOST_PAIRS: usize = 1 << 21;

/// What is known of candidates so far.
pub struct Watching<'a> {
    job: &'a Prepared,
    control: &'a Control,
    key: u64,
    /// How scores are told apart, if there are scores.
    pub(super) grid: Option<Grid>,
    pub(super) bands: Option<Bands>,
    /// By rule.
    pub(super) drawn: Strata,
    /// By band of scores; or by rule, where there are none.
    pub(super) labels: Strata,
    /// How far the score is from the threshold, and the pair: the nearest.
    near: Vec<(u32, Drawn)>,
    pub(super) by_rule: Vec<Cell>,
    pub(super) by_score: HashMap<i32, Cell>,
    /// All scored pairs, unless they are too many.
    pub(super) pairs: Option<Vec<ScoredPair>>,
    held: Vec<Reserved<'a>>,
    gathered: Option<Gathered<'a>>,
}

/// What a thread saw.
#[derive(Default)]
struct Seen {
    by_rule: Vec<Cell>,
    by_score: HashMap<i32, Cell>,
    of_labels: Vec<u64>,
    drawn: Vec<Drawn>,
    labels: Vec<(usize, Drawn)>,
    near: Vec<(u32, Drawn)>,
}

impl<'a> Watching<'a> {
    /// Nothing was seen yet. So many labels are to be asked for.
    pub fn new(
        job: &'a Prepared,
        n_labels: usize,
        truth: Option<&Truth>,
        control: &'a Control,
    ) -> Result<Self> {
        let n_rules = job.names().count();
        let bands = job.scoring().map(Bands::new);
        let n_strata = bands.as_ref().map_or(n_rules, Bands::len);
        let gathered = truth.map(|truth| Gathered::new(truth, control)).transpose()?;
        Ok(Self {
            job,
            control,
            key: key(SEED),
            grid: job.scoring().map(Grid::new),
            bands,
            drawn: Strata::new(n_rules, DRAWN),
            labels: Strata::new(n_strata, n_labels),
            near: Vec::new(),
            by_rule: vec![Cell::default(); n_rules],
            by_score: HashMap::new(),
            pairs: job.scoring().map(|_| Vec::new()),
            held: Vec::new(),
            gathered,
        })
    }

    /// With other tickets: a test draws often.
    #[doc(hidden)]
    pub fn seeded(self, seed: u64) -> Self {
        Self { key: key(seed), ..self }
    }

    /// The pairs to be labelled of what was seen, and how probable it was that each would be.
    #[doc(hidden)]
    pub fn to_be_labelled(&self, n: usize) -> Vec<(Candidate, f64)> {
        let labels = labels(&self.labels, self.bands.as_ref(), n);
        labels.into_iter().map(|label| (label.pair, label.chance)).collect()
    }

    /// The job.
    pub(super) fn job(&self) -> &'a Prepared {
        self.job
    }

    /// Those of scored candidates that are kept.
    pub fn kept(&self, scored: &[Kept]) -> Vec<Kept> {
        let enough = self.grid.as_ref().map_or(0, Grid::enough);
        scored.par_iter().with_min_len(AT_ONCE).filter(|(_, score)| *score >= enough).copied().collect()
    }

    /// Some more candidates: those of a job without scores, or all with their scores; and those of them that are kept.
    pub fn look(
        &mut self,
        found: &[Candidate],
        scored: Option<(&[Kept], &[Kept])>,
        truth: Option<&Truth>,
    ) -> Result<()> {
        if let (Some(gathered), Some(truth)) = (&mut self.gathered, truth) {
            gathered.add(found, scored.map(|(_, kept)| kept), truth)?;
        }
        let seen: Vec<Seen> = match scored {
            None => {
                let see = |some: &[Candidate]| self.see(some.iter().map(|pair| (*pair, 0)), truth);
                found.par_chunks(AT_ONCE).map(see).gather()
            }
            Some((scored, _)) => {
                let see = |some: &[Kept]| self.see(some.iter().copied(), truth);
                let seen = scored.par_chunks(AT_ONCE).map(see).gather();
                self.keep(scored);
                seen
            }
        };
        seen.into_iter().for_each(|seen| self.take(seen));
        self.control.check()
    }

    fn see(&self, some: impl Iterator<Item = Kept>, truth: Option<&Truth>) -> Seen {
        let mut seen = Seen {
            by_rule: vec![Cell::default(); self.by_rule.len()],
            of_labels: vec![0; self.labels.counts().len()],
            ..Seen::default()
        };
        let farthest = self.near.last().map(|(far, _)| *far).filter(|_| self.near.len() >= NEAR);
        for (pair, score) in some {
            let drawn = Drawn::new(self.key, pair);
            let rule = pair.rule as usize;
            let verdict = truth.and_then(|truth| {
                Some((truth.verdict(pair.left, pair.right)?, truth.weight(pair.left, pair.right)))
            });
            seen.by_rule[rule].add(verdict);
            if self.drawn.would_stay(rule, &drawn) {
                seen.drawn.push(drawn);
            }
            let stratum = self.bands.as_ref().map_or(rule, |bands| bands.of(score));
            seen.of_labels[stratum] += 1;
            if self.labels.would_stay(stratum, &drawn) {
                seen.labels.push((stratum, drawn));
            }
            if let Some(grid) = &self.grid {
                seen.by_score.entry(grid.cell(score)).or_default().add(verdict);
                let far = score.abs_diff(grid.enough());
                if farthest.is_none_or(|farthest| far < farthest) {
                    seen.near.push((far, drawn));
                }
            }
        }
        nearest(&mut seen.near);
        seen
    }

    fn take(&mut self, seen: Seen) {
        self.by_rule.iter_mut().zip(&seen.by_rule).for_each(|(all, some)| all.extend(some));
        for (rule, cell) in seen.by_rule.iter().enumerate() {
            self.drawn.count(rule, cell.n);
        }
        for (stratum, n) in seen.of_labels.iter().enumerate() {
            self.labels.count(stratum, *n);
        }
        for (cell, some) in &seen.by_score {
            self.by_score.entry(*cell).or_default().extend(some);
        }
        seen.drawn.into_iter().for_each(|drawn| self.drawn.offer(drawn.pair.rule as usize, drawn));
        seen.labels.into_iter().for_each(|(stratum, drawn)| self.labels.offer(stratum, drawn));
        self.near.extend(seen.near);
        nearest(&mut self.near);
    }

    /// Keeps scored pairs for the curve, as long as there is room for them.
    fn keep(&mut self, scored: &[Kept]) {
        let Some(pairs) = &mut self.pairs else { return };
        // A list that grows has room for more.
        let n_bytes = 2 * (scored.len() * size_of::<ScoredPair>()) as u64;
        let reserved = self.control.budget().reserve(n_bytes, "the scored pairs of a report");
        match reserved {
            Ok(reserved) if pairs.len() + scored.len() <= MOST_PAIRS => {
                self.held.push(reserved);
                let first_right = self.job.second().map_or(0, |_| self.job.left.n_records());
                pairs.extend(scored.iter().map(|(pair, score)| ScoredPair {
                    left: pair.left,
                    right: first_right + pair.right,
                    score: *score,
                }));
            }
            _ => {
                self.pairs = None;
                self.held.clear();
            }
        }
    }

    /// The pairs whose score is nearest to the threshold.
    pub(super) fn near(&self) -> impl Iterator<Item = Candidate> {
        self.near.iter().map(|(_, drawn)| drawn.pair)
    }

    /// Some of the errors, if the truth is known.
    pub(super) fn errors(
        &mut self,
        truth: Option<&Truth>,
        entities: Option<&[u32]>,
    ) -> Result<Option<SomeErrors>> {
        let Some((gathered, truth)) = self.gathered.take().zip(truth) else { return Ok(None) };
        let mut judged = Judged { job: self.job, truth, gathered, entities };
        judged.some(ERRORS, self.key, self.control).map(Some)
    }
}

/// Leaves those that are nearest; of equally near ones the lowest tickets.
fn nearest(near: &mut Vec<(u32, Drawn)>) {
    near.sort_unstable();
    near.truncate(NEAR);
}
