//! Candidates as record batches: pushed to who takes them, or pulled by who asks for them.
//!
//! A job pushes: it is a scan, and hands on what it finds. Whoever would rather pull has it run on a thread of its own that waits
//! when so many batches are not yet taken.

use super::Prepared;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stopwatch::{Stopwatch, time};
use crate::base::threads::Threads;
use crate::operators::Backend;
use crate::operators::scores::Kept;
use crate::rules::ScoreMethod;
use crate::tell::evaluate::Truth;
use crate::tell::output::{Rows, ScoredRows};
use crate::tell::report::Summary;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use hyperblock_shared::layout::Candidate;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Who looks on while candidates become batches.
#[doc(hidden)]
pub type Looking<'a> = dyn FnMut(&[Candidate], Option<&[Kept]>, Option<&Truth>) -> Result<()> + 'a;

/// Rows of a batch.
const ROWS: usize = 1 << 16;

impl Prepared {
    /// The columns of what [`run_batches`](Self::run_batches) hands on.
    pub fn schema(&self) -> SchemaRef {
        match self.are_weights() {
            None => self.rows().schema(),
            Some(are_weights) => ScoredRows { candidates: self.rows(), are_weights }.schema(),
        }
    }

    /// Runs the job on `device`, and hands its candidates to `sink`, in order, as record batches; scored, and those alone that are
    /// kept, if the rules have a score.
    pub fn run_batches(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<Summary> {
        self.batches(device, control, (None, None), sink)
    }

    /// The same, measured against the truth, while somebody looks on.
    fn batches(
        &self,
        device: &dyn Backend,
        control: &Control,
        (mut truth, mut looking): (Option<&mut Truth>, Option<&mut Looking<'_>>),
        sink: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<Summary> {
        let watch = Stopwatch::default();
        control.begin_comparing(self.n_to_compare(), "pairs");
        let mut summary = match self.are_weights() {
            None => {
                let rows = self.rows();
                self.run(device, control, &mut |found| {
                    if let Some(truth) = &mut truth {
                        time("truth", || truth.count(found));
                    }
                    if let Some(looking) = &mut looking {
                        looking(found, None, truth.as_deref())?;
                    }
                    hand_on(&rows, found, sink)
                })
            }
            Some(are_weights) => {
                let rows = ScoredRows { candidates: self.rows(), are_weights };
                let is_watched = looking.is_some();
                let mut take = |found: &[Candidate], kept: &[Kept]| {
                    if let Some(truth) = &mut truth {
                        time("truth", || {
                            let kept: Vec<Candidate> = kept.iter().map(|(candidate, _)| *candidate).collect();
                            truth.count(&kept);
                        });
                    }
                    if let Some(looking) = &mut looking {
                        looking(found, Some(kept), truth.as_deref())?;
                    }
                    hand_on(&rows, kept, sink)
                };
                match is_watched {
                    true => {
                        self.run_all(device, control, &mut |all, kept| take(all, kept.unwrap_or_default()))
                    }
                    false => self.run_scored(device, control, &mut |kept| take(&[], kept)),
                }
            }
        }?;
        summary.quality = truth.map(|truth| time("truth", || truth.quality()));
        summary.stages = self.stages().clone();
        summary.stages.extend(&watch.stages());
        Ok(summary)
    }

    /// Whether scores are weights, if there are scores.
    fn are_weights(&self) -> Option<bool> {
        self.scoring().map(|scoring| scoring.method() == ScoreMethod::FellegiSunter)
    }
}

fn hand_on<R: Rows>(
    rows: &R,
    found: &[R::Row],
    sink: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let internal = |error| Error::Internal(format!("candidates are no batch: {error}"));
    found.chunks(ROWS).try_for_each(|some| sink(rows.batch(some).map_err(internal)?))
}

/// Everything that a job found, in memory: it can be read as often as somebody likes.
#[derive(Clone, Debug)]
pub struct Found {
    /// The columns.
    pub schema: SchemaRef,
    /// The candidates, in order.
    pub batches: Vec<RecordBatch>,
    /// What the job did.
    pub summary: Summary,
}

impl Found {
    /// Runs the job.
    pub fn of(job: &Prepared, device: &dyn Backend, control: &Control) -> Result<Self> {
        Self::measured(job, device, control, None)
    }

    /// The same; the summary then says how good what was found is, by this truth.
    pub fn measured(
        job: &Prepared,
        device: &dyn Backend,
        control: &Control,
        truth: Option<&mut Truth>,
    ) -> Result<Self> {
        Self::watched(job, device, control, truth, None)
    }

    /// The same while somebody looks on: at all candidates, at those that are kept, unless all are, and at the truth.
    #[doc(hidden)]
    pub fn watched(
        job: &Prepared,
        device: &dyn Backend,
        control: &Control,
        truth: Option<&mut Truth>,
        watch: Option<&mut Looking<'_>>,
    ) -> Result<Self> {
        let (mut batches, mut held) = (Vec::new(), Vec::new());
        let summary = job.batches(device, control, (truth, watch), &mut |batch: RecordBatch| {
            held.push(control.budget().reserve(batch.get_array_memory_size() as u64, "the pairs")?);
            batches.push(batch);
            Ok(())
        })?;
        Ok(Self { schema: job.schema(), batches, summary })
    }
}

/// A job that runs on a thread of its own while its batches are pulled. Dropped before its end, it is cancelled.
#[derive(Debug)]
pub struct Pull {
    schema: SchemaRef,
    batches: Option<Receiver<RecordBatch>>,
    running: Option<JoinHandle<Result<Summary>>>,
    control: Arc<Control>,
}

impl Pull {
    /// Starts the job on these threads. So many batches wait at most.
    pub fn start(
        job: Prepared,
        device: Box<dyn Backend>,
        control: Arc<Control>,
        threads: Arc<Threads>,
        most_waiting: usize,
    ) -> Result<Self> {
        let schema = job.schema();
        let (taken, batches) = sync_channel(most_waiting);
        let of_job = control.clone();
        let run = move || {
            let mut take = |batch| taken.send(batch).map_err(|_| Error::Interrupted);
            threads.run(|| of_job.guard(|| job.run_batches(&*device, &of_job, &mut take)))
        };
        let running = thread::Builder::new().name("job".into()).spawn(run).map_err(Error::no_thread)?;
        Ok(Self { schema, batches: Some(batches), running: Some(running), control })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch; none, if there are no more. Whether all were found, [`finish`](Self::finish) says.
    pub fn pull(&mut self) -> Option<RecordBatch> {
        self.batches.as_ref()?.recv().ok()
    }

    /// What the job did. Batches that were not pulled are let go of.
    pub fn finish(mut self) -> Result<Summary> {
        while self.pull().is_some() {}
        self.joined().unwrap_or(Err(Error::Interrupted))
    }

    fn joined(&mut self) -> Option<Result<Summary>> {
        // Whoever waits for room is told that nobody takes anything any more.
        self.batches = None;
        Some(self.running.take()?.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        self.control.cancel();
        self.batches = None;
        // Whatever it ended in, nobody asks any more.
        let _ = self.running.take().map(JoinHandle::join);
    }
}
