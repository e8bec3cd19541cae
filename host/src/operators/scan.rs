//! The scan: the candidates of tasks.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::Program;
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
    /// Appends the task's candidates to `found`, in any order, and stops early once there are more than `most`.
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome>;
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All candidates were found.
    Done,
    /// There are more than were allowed; what was found is not all.
    TooMany,
}
