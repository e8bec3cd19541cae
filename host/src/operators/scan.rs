//! The scan: the candidates of tasks.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::operators::runs::sort;
use crate::plan::Program;
use crate::plan::partition::Area;
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;

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
}

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
