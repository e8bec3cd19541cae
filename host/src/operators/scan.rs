//! The scan: the candidates of tasks; or those of them that a score keeps, where they can be scored before they are handed on.

mod parts;

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::Stopwatch;
use crate::base::timeline::Lane;
use crate::encode::{Encoded, Selection};
use crate::operators::runs::sort;
use crate::operators::scores::{Kept, Tests};
use crate::plan::Program;
use crate::plan::partition::Area;
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score;

/// A backend that scans.
pub trait ScanOperator {
    /// Brings a job's columns and path to the device, ready to scan.
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>>;

    /// What it will cut a task into, to have several places share it.
    fn tasks(&self, task: &Task) -> Vec<Task> {
        vec![task.clone()]
    }
}

/// What carries out tasks, with a job loaded. It may be handed to another thread.
pub trait Scan: Send {
    /// What there is to do in an area: listed, unless this does that itself.
    fn task(&self, encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Task> {
        Task::new(encoded, program, area, control)
    }

    /// Appends the task's candidates to `found`, in any order, and stops early once there are more than `most`.
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome>;

    /// The same for who takes candidates as they come, some at a time. Where there are more than can be found at once, none is
    /// handed on.
    fn run_on(&mut self, task: &Task, wanted: &Wanted<'_>, hand_on: HandOn<'_>) -> Result<Outcome> {
        let mut found = Vec::new();
        let outcome = self.run(task, wanted.most, wanted.control, &mut found)?;
        if outcome == Outcome::Done {
            wanted.in_order(&mut found)?;
            hand_on(found);
        }
        Ok(outcome)
    }

    /// The same where more candidates may come than can be held at once: in runs of no more than `most` each, sorted, one of them
    /// for each part that the task has to be cut into, in any order. Where a part has more that cannot be cut, there are too many,
    /// and what was taken is not all. Everything in the task is listed.
    fn run_in_parts(
        &mut self,
        task: Task,
        most: usize,
        control: &Control,
        take: TakeRun<'_>,
    ) -> Result<Outcome> {
        parts::in_parts(task, most, control, take, &mut |task, found| self.run(task, most, control, found))
    }

    /// Whether it scores candidates where it finds them, if there is room for that.
    fn keeps(&self) -> bool {
        false
    }

    /// The same for who wants no more than what a score keeps of the candidates, in order, and how many they are. Where there are
    /// more than can be found at once, or where there is no room to score them, nothing is handed on; in the latter case there is
    /// no outcome either.
    fn run_kept(
        &mut self,
        _task: &Task,
        _keep: &Keep<'_>,
        _control: &Control,
        _hand_on: HandKept<'_>,
    ) -> Result<Option<Outcome>> {
        Ok(None)
    }
}

/// What is to be kept of candidates.
pub struct Keep<'a> {
    /// The columns that scores read, of the whole tables.
    pub encoded: &'a Encoded,
    /// What pairs are scored by.
    pub tests: Tests,
    /// Which scores are enough; no pattern is.
    pub wanted: score::Wanted,
    /// The numbers that records have in the whole tables.
    pub selection: &'a Selection,
    /// Scoring is a stage of its own.
    pub watch: &'a Stopwatch,
}

/// What is told of candidates that are scored where they were found.
pub enum Told<'a> {
    /// How many of a task's candidates name each rule: said once, before anything is scored.
    Counted(&'a [u64]),
    /// Some that are kept, as the whole tables number their records. They come after those before.
    Kept(&'a [Kept]),
}

/// Takes what is told.
pub type HandKept<'a> = &'a mut dyn FnMut(Told<'_>) -> Result<()>;

/// How candidates are wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// At most so many at once.
    pub most: usize,
    /// Whether by (left, right), or as they are found.
    pub is_sorted: bool,
    /// Who may stop it.
    pub control: &'a Control,
}

/// Takes some candidates, and gives something to put the next ones into; nothing, if nobody wants more.
pub type HandOn<'a> = &'a mut dyn FnMut(Vec<Candidate>) -> Option<Vec<Candidate>>;

/// Takes a sorted run of candidates, which is one of several.
pub type TakeRun<'a> = &'a mut dyn FnMut(Vec<Candidate>) -> Result<()>;

impl Wanted<'_> {
    /// Sorts what was found, if that is wanted.
    pub fn in_order(&self, found: &mut Vec<Candidate>) -> Result<()> {
        match self.is_sorted {
            true => self.control.note(Lane::Scan, "sort", || sort(found, &mut Vec::new(), self.control)),
            false => Ok(()),
        }
    }
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All candidates were found.
    Done,
    /// There are more than were allowed; what was found is not all.
    TooMany,
}
