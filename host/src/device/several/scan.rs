//! A scan at several places: tasks there, and their runs as one.

use super::Several;
use super::dealer::Expected;
use super::round::{Nth, Part, share, share_with};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::operators::runs::{merge, sort};
use crate::operators::scan::{Outcome, Scan, ScanOperator, TakeRun};
use crate::plan::Program;
use crate::plan::partition::Area;
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;

impl Part for Task {
    /// Its access paths are noted.
    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn expected(&self) -> Expected {
        let taking = self.taking();
        [taking.planned, taking.beside]
    }

    fn pays_beside(&self) -> bool {
        Self::pays_beside(self)
    }

    fn cut(self, n: usize) -> Vec<Self> {
        Self::cut(self, n)
    }
}

impl ScanOperator for Several {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        let scans = self.load_all(|place| place.device.load(encoded, program))?;
        Ok(Box::new(SeveralScan { several: self, program, scans, room: Vec::new() }))
    }

    fn tasks(&self, task: &Task) -> Vec<Task> {
        let all = vec![Some(()); self.places.len()];
        self.cut(task.clone(), &self.taking_part(task, &all))
    }
}

struct SeveralScan<'a> {
    several: &'a Several,
    program: &'a Program,
    /// By place: the job there; none, where it failed.
    scans: Vec<Option<Box<dyn Scan + 'a>>>,
    room: Vec<Candidate>,
}

impl Scan for SeveralScan<'_> {
    /// Where one place does all of it, it may list that itself; what several share is listed here.
    fn task(&self, encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Task> {
        let task = Task::unlisted(encoded, program, area, control)?;
        let taking_part = self.several.taking_part(&task, &self.scans);
        let mut scans = self.scans.iter().zip(taking_part).filter(|(_, takes_part)| *takes_part);
        match (scans.next(), scans.next()) {
            (Some((Some(scan), _)), None) if self.several.partitions.is_none() => {
                scan.task(encoded, program, area, control)
            }
            _ => Ok(task.listed(encoded, program, control)?.into_owned()),
        }
    }

    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let (most, program) = (most.saturating_sub(found.len()), self.program);
        let run = |task: &Task, nth: Nth, scan: &mut Box<dyn Scan + '_>| {
            run_one((task, program), nth, most, control, scan)
        };
        match share(self.several, task.clone(), &mut self.scans, most, control, &run)? {
            None => Ok(Outcome::TooMany),
            Some(runs) => {
                let runs = [std::mem::take(found)].into_iter().chain(runs.into_iter().map(|(_, run)| run));
                *found = merge(runs.collect(), &mut self.room, control)?;
                Ok(Outcome::Done)
            }
        }
    }

    /// Places find runs beside each other, and what they have found waits for whoever takes it.
    fn run_in_parts(
        &mut self,
        task: Task,
        most: usize,
        control: &Control,
        take: TakeRun<'_>,
    ) -> Result<Outcome> {
        let n_places = self.scans.iter().flatten().count().max(1);
        let (most, program) = ((most / n_places).max(1), self.program);
        let run = |task: &Task, nth: Nth, scan: &mut Box<dyn Scan + '_>| {
            run_one((task, program), nth, most, control, scan)
        };
        share_with(self.several, task, &mut self.scans, usize::MAX, control, &run, &mut |(_, run)| take(run))
    }
}

/// A task at a place: its run, sorted; or the one that was kept of it.
fn run_one(
    (task, program): (&Task, &Program),
    Nth { ix, n }: Nth,
    most: usize,
    control: &Control,
    scan: &mut Box<dyn Scan + '_>,
) -> Result<(Outcome, Vec<Candidate>)> {
    // Parts of tasks are as large as there happened to be room for.
    let kept = control.kept().filter(|_| ix < n).map(|kept| (kept, task.name(ix, n)));
    if let Some((kept, name)) = &kept
        && let Some(run) = kept.run(name, most)
    {
        control.advance(task.n_pairs);
        control.compare(task.compared(program));
        return Ok((Outcome::Done, run));
    }
    let (mut run, mut room) = (Vec::new(), Vec::new());
    let outcome = scan.run(task, most, control, &mut run)?;
    if outcome == Outcome::Done {
        control.note(Lane::here(), "sort", || sort(&mut run, &mut room, control))?;
        kept.map_or(Ok(()), |(kept, name)| kept.keep(&name, &run))?;
    }
    Ok((outcome, run))
}
