//! Errors to look at: the pairs that match and are not in a result, and those that are in it and do not match, each with the
//! reason, and what both records say.
//!
//! ```text
//! candidates, as they come ─► gathered ─┬─► missed ─► which rule nearly held? ─┬─► rows
//! entities, if there are any ───────────┴─► wrong ────────────────────────────┘
//! ```
//!
//! The text of the tables was let go of long before. The records that errors are about are read again, and they alone are encoded:
//! predicates are evaluated over them as every backend does, and measured as [`why`](super::why) does.

mod amount;
mod examiner;
mod inside;
mod row;
mod rows;
mod some;
mod told;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::target::Target;
use crate::encode::encode;
use crate::entities::score::Scores;
use crate::inspect::why::{Look, Part, accessed, archived};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::rules::{RuleSet, ScoreMethod};
use crate::tell::errors::{Cause, ErrorCounts, Gathered, Missed};
use crate::tell::evaluate::Truth;
use crate::tell::output::{IdColumn, Output, SourceColumn, ValueColumns};
use examiner::{Chosen, Examiner};
use hyperblock_shared::layout::Candidate;
use inside::{Inside, NO_RULE};
use rayon::prelude::*;
use row::ErrorRow;
use rows::ErrorRows;
use std::path::Path;
use told::Told;

pub(crate) use some::{Closely, Reason, RuleVerdict, SomeErrors};

/// Errors that are made into rows at once.
const AT_ONCE: usize = 1 << 16;
/// Errors that a thread takes at a time.
const PER_THREAD: usize = 1 << 8;

/// What a job came to, beside what really matches.
pub struct Judged<'a> {
    /// The job; records are to be looked at ([`Job::looked_at`](crate::job::Job::looked_at)).
    pub job: &'a Prepared,
    /// What matches.
    pub truth: &'a Truth,
    /// What became of candidates.
    pub gathered: Gathered<'a>,
    /// Of each record its entity, if that is what the result is. Else it is the pairs that are kept.
    pub entities: Option<&'a [u32]>,
}

impl Judged<'_> {
    /// The pairs that are missed, once candidates are in order; and what is within entities, if these are the result.
    fn missed(&self) -> (Option<Inside<'_>>, Vec<Missed>) {
        let Self { job, truth, gathered, entities } = self;
        let (n_left, is_one_table) = (job.left.n_records(), job.second().is_none());
        let inside =
            entities.map(|entities| Inside::new(entities, n_left, is_one_table, truth, gathered.wrong()));
        let missed = gathered.missed(|pair, is_kept| match &inside {
            Some(inside) => inside.has(pair),
            None => is_kept,
        });
        (inside, missed)
    }

    /// Writes the errors to a file: first the pairs that are missed, then those that are wrong, in order. Its name says the format, as
    /// that of other outputs does.
    pub fn write(self, path: &Path, device: &dyn Backend, control: &Control) -> Result<ErrorCounts> {
        let (target, counts) = self.write_at(Target::create(path)?, device, control)?;
        target.finish()?;
        Ok(counts)
    }

    /// The same at a place that was made ready before. The file is whole then, and has yet to be put in its place.
    #[doc(hidden)]
    pub fn write_at(
        mut self,
        target: Target,
        device: &dyn Backend,
        control: &Control,
    ) -> Result<(Target, ErrorCounts)> {
        self.gathered.sort();
        let (inside, missed) = self.missed();
        let Self { job, gathered, .. } = &self;
        let is_one_table = job.second().is_none();
        let n_left = job.left.n_records();
        let wrong = |take: &mut dyn FnMut(&[Candidate]) -> Result<()>| match &inside {
            Some(inside) => inside.for_each(control, take),
            None => gathered.wrong().chunks(AT_ONCE).try_for_each(take),
        };
        let new = || Concerned::new(n_left, job.second().map(|right| right.n_records()));
        let (mut all, mut unfound) = (new(), new());
        for Missed { left, right, witness, .. } in &missed {
            all.add(*left, *right);
            if witness.is_none() {
                unfound.add(*left, *right);
            }
        }
        wrong(&mut |pairs| {
            pairs.iter().for_each(|pair| all.add(pair.left, pair.right));
            Ok(())
        })?;
        let [lefts, rights] = all.records();
        let rights = if is_one_table { &lefts } else { &rights };
        let (left, right) = job.text_of([&lefts, rights], control)?;
        let part = Part { left, right };
        let n_bytes = part.left.n_bytes() + part.right.as_ref().map_or(0, |right| right.n_bytes());
        let _held = control.budget().hold(2 * n_bytes, "the records that errors are about")?;
        let chosen = Chosen { part: &part, records: [&lefts, rights] };
        // Only of pairs that nothing found it is asked what might have.
        let unfound = unfound.records();
        let unfound = [&unfound[0], if is_one_table { &unfound[0] } else { &unfound[1] }];
        let looked_at = chosen.part_of(unfound)?;
        // Their own conjunctions: those of the plan know of blocks that are left out.
        let rules = RuleSet::new(job.plan.rules.clone());
        let encoded = encode(&looked_at.left, looked_at.right.as_ref(), &rules.predicates, control)?;
        let archive = archived(&encoded)?;
        let examiner = Examiner {
            rules: &rules,
            owners: rules.owners().collect(),
            chosen: Chosen { part: &looked_at, records: unfound.map(Vec::as_slice) },
            encoded: &encoded,
            walk: accessed(&archive)?.walk(),
            looks: rules.predicates.iter().map(Look::new).collect::<Result<_>>()?,
        };
        let (scoring, told) = (job.scoring(), Told::new(job));
        let values = rows::values(&part, &job.left)?;
        let rows = ErrorRows {
            left: IdColumn::new(&job.left.ids),
            right: IdColumn::new(&job.right().ids),
            sources: SourceColumn::new(&job.left.ids),
            chosen,
            examiner: &examiner,
            told: &told,
            are_weights: scoring.map(|scoring| scoring.method() == ScoreMethod::FellegiSunter),
            values: ValueColumns { values: &values, ids: [&part.left.ids, &part.right().ids] },
        };
        let mut making = Making {
            reasons: Reasons { job, examiner: &examiner, told: &told },
            scores: scoring.map(|scoring| scoring.load(device)).transpose()?,
            output: Output::create_at(target, rows, control)?,
            counts: ErrorCounts::default(),
            control,
        };
        missed.chunks(AT_ONCE).try_for_each(|some| making.missed(some))?;
        wrong(&mut |pairs| pairs.chunks(AT_ONCE).try_for_each(|some| making.wrong(some)))?;
        Ok((making.output.written()?, making.counts))
    }
}

/// The records that errors are about.
struct Concerned {
    left: Vec<bool>,
    /// Of two tables.
    right: Option<Vec<bool>>,
}

impl Concerned {
    fn new(n_left: u32, n_right: Option<u32>) -> Self {
        let none = |n: u32| vec![false; n as usize];
        Self { left: none(n_left), right: n_right.map(none) }
    }

    fn add(&mut self, left: u32, right: u32) {
        self.left[left as usize] = true;
        self.right.as_mut().unwrap_or(&mut self.left)[right as usize] = true;
    }

    /// By table, in order.
    fn records(self) -> [Vec<u32>; 2] {
        let records =
            |are: Vec<bool>| (0..).zip(are).filter(|(_, is)| *is).map(|(record, _)| record).collect();
        [records(self.left), records(self.right.unwrap_or_default())]
    }
}

/// What errors are explained by.
#[derive(Clone, Copy)]
struct Reasons<'a> {
    job: &'a Prepared,
    examiner: &'a Examiner<'a>,
    told: &'a Told<'a>,
}

impl Reasons<'_> {
    /// Why a pair is missed.
    fn missed(self, missed: &Missed, scratch: &mut [u64]) -> Result<ErrorRow> {
        let &Missed { left, right, witness, is_kept } = missed;
        let row = |cause, rule, conjunction| ErrorRow { left, right, cause, rule, conjunction, score: 0 };
        if let Some(witness) = witness {
            let cause = if is_kept { Cause::Split } else { Cause::TooLow };
            return Ok(row(cause, self.job.named(witness), None));
        }
        let lost = || Error::Internal(format!("records {left} and {right} are in no pair, and a rule holds"));
        let Some((nearest, n_failed)) = self.examiner.nearest([left, right], scratch)? else {
            let window = self.told.nearest_window([left, right]).ok_or_else(lost)?;
            return Ok(row(Cause::Window, Some(window), None));
        };
        let cause = match n_failed {
            0 if self.job.most_in_block().is_none() => return Err(lost()),
            0 => Cause::Block,
            _ => Cause::NoRule,
        };
        Ok(row(cause, Some(self.examiner.owners[nearest] as u32), Some(nearest as u32)))
    }
}

/// Errors on their way to the file.
struct Making<'a> {
    reasons: Reasons<'a>,
    scores: Option<Scores<'a>>,
    output: Output<'a, ErrorRows<'a>>,
    counts: ErrorCounts,
    control: &'a Control,
}

impl Making<'_> {
    /// Some pairs that are missed.
    fn missed(&mut self, missed: &[Missed]) -> Result<()> {
        let (reasons, control) = (self.reasons, self.control);
        let examine = |some: &[Missed]| {
            control.check()?;
            let mut scratch = reasons.examiner.scratch();
            some.iter().map(|missed| reasons.missed(missed, &mut scratch)).collect::<Result<Vec<_>>>()
        };
        let rows = missed.par_chunks(PER_THREAD).map(examine).gather_all()?;
        self.write(rows.concat())
    }

    /// Some pairs that are wrong.
    fn wrong(&mut self, wrong: &[Candidate]) -> Result<()> {
        let job = self.reasons.job;
        let kept = if self.scores.is_some() { Cause::Score } else { Cause::Rule };
        let row = |&Candidate { left, right, rule }: &Candidate| {
            let is_kept = rule != NO_RULE;
            let (cause, rule) = if is_kept { (kept, job.named(rule)) } else { (Cause::Joined, None) };
            ErrorRow { left, right, cause, rule, conjunction: None, score: 0 }
        };
        self.write(wrong.iter().map(row).collect())
    }

    fn write(&mut self, mut rows: Vec<ErrorRow>) -> Result<()> {
        if let Some(scores) = &mut self.scores {
            let pair = |row: &ErrorRow| Candidate { left: row.left, right: row.right, rule: 0 };
            let pairs: Vec<Candidate> = rows.iter().map(pair).collect();
            let scores = scores.score(&pairs, self.control)?;
            rows.iter_mut().zip(scores).for_each(|(row, score)| row.score = score);
        }
        rows.iter().for_each(|row| self.counts.add(row.cause));
        self.output.write(&rows)
    }
}
