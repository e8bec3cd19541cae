//! A job, loaded: whole if it fits into the device's memory, else piece by piece.

use super::pieces::{Pieces, n_bytes};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::operators::runs::sort;
use crate::operators::scan::{HandKept, HandOn, Keep, Outcome, Scan, TakeRun, Wanted};
use crate::plan::Program;
use crate::plan::partition::Area;
use hyperblock_shared::layout::Candidate;

/// A job on a device, ready to run areas of it.
pub struct Loaded<'a>(Held<'a>);

enum Held<'a> {
    Whole(Whole<'a>),
    Pieces(Pieces<'a>),
}

/// A job that is on a device as a whole.
pub(super) struct Whole<'a> {
    scan: Box<dyn Scan + 'a>,
    encoded: &'a Encoded,
    program: &'a Program,
}

impl Whole<'_> {
    /// Hands the area's candidates on; none, if there are more than can be found at once.
    pub(super) fn run_on(
        &mut self,
        area: &Area,
        wanted: &Wanted<'_>,
        hand_on: HandOn<'_>,
    ) -> Result<Outcome> {
        let control = wanted.control;
        let task = control
            .note(Lane::Scan, "prepare", || self.scan.task(self.encoded, self.program, area, control))?;
        control.note(Lane::Scan, "find", || self.scan.run_on(&task, wanted, hand_on))
    }
}

impl<'a> Loaded<'a> {
    /// Brings a job to a device, or what there is room for at a time.
    pub fn new(device: &'a dyn Backend, encoded: &'a Encoded, program: &'a Program) -> Result<Self> {
        if fits(device, encoded)? {
            return Self::whole(device, encoded, program);
        }
        let budget = device.memory_for_columns()?;
        tracing::info!("{} bytes do not fit into {budget}: the job is loaded in pieces", encoded.n_bytes());
        Ok(Self(Held::Pieces(Pieces { device, encoded, program, budget })))
    }

    /// The same, where it is known that there is room for all.
    pub(super) fn whole(device: &'a dyn Backend, encoded: &'a Encoded, program: &'a Program) -> Result<Self> {
        Ok(Self(Held::Whole(Whole { scan: device.load(encoded, program)?, encoded, program })))
    }

    /// Appends the area's candidates to `found`, in any order, and stops early once there are more than `most`.
    pub fn run(
        &mut self,
        area: &Area,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        match &mut self.0 {
            Held::Whole(Whole { scan, encoded, program }) => {
                scan.run(&scan.task(encoded, program, area, control)?, most, control, found)
            }
            Held::Pieces(pieces) => pieces.run(area, most, control, found),
        }
    }

    /// The same where all of them may be more than fits into memory: hands them on in sorted runs of no more than `most` each, in any order.
    /// Where that cannot be, there are too many, and what was taken is not all.
    pub(super) fn run_in_parts(
        &mut self,
        area: &Area,
        most: usize,
        control: &Control,
        take: TakeRun<'_>,
    ) -> Result<Outcome> {
        let mut found = Vec::new();
        let (scan, encoded, program) = match &mut self.0 {
            Held::Whole(Whole { scan, encoded, program }) => (scan, *encoded, *program),
            Held::Pieces(pieces) => {
                pieces.run_in_parts(area, most, control, take)?;
                return Ok(Outcome::Done);
            }
        };
        let mut whole = |outcome: Outcome, mut found: Vec<Candidate>| {
            if outcome == Outcome::Done {
                sort(&mut found, &mut Vec::new(), control)?;
                take(found)?;
            }
            Ok(outcome)
        };
        let mut task = control.note(Lane::Scan, "prepare", || scan.task(encoded, program, area, control))?;
        if !task.unlisted.is_empty() {
            // What a device lists itself cannot be cut.
            let before = control.mark();
            let outcome = scan.run(&task, most, control, &mut found)?;
            if outcome == Outcome::Done {
                return whole(outcome, found);
            }
            control.back_to(before);
            task = task.listed(encoded, program, control)?.into_owned();
        }
        drop(found);
        control.note(Lane::Scan, "find", || scan.run_in_parts(task, most, control, take))
    }

    /// The job, unless it is on the device piece by piece.
    pub(super) fn as_whole(&mut self) -> Option<&mut Whole<'a>> {
        match &mut self.0 {
            Held::Whole(whole) => Some(whole),
            Held::Pieces(_) => None,
        }
    }

    /// Whether candidates are scored where they are found, if there is room for that.
    pub fn keeps(&self) -> bool {
        matches!(&self.0, Held::Whole(whole) if whole.scan.keeps())
    }

    /// Hands on what is kept of the area's candidates; nothing, if there are more than can be found at once, or if they cannot be
    /// scored where they are found. Then there is no outcome, either.
    pub fn run_kept(
        &mut self,
        area: &Area,
        keep: &Keep<'_>,
        control: &Control,
        hand_on: HandKept<'_>,
    ) -> Result<Option<Outcome>> {
        let Some(Whole { scan, encoded, program }) = self.as_whole() else { return Ok(None) };
        let task = control.note(Lane::Scan, "prepare", || scan.task(encoded, program, area, control))?;
        control.note(Lane::Scan, "find", || scan.run_kept(&task, keep, control, hand_on))
    }
}

/// Whether a device can hold a job whole.
pub(super) fn fits(device: &dyn Backend, encoded: &Encoded) -> Result<bool> {
    Ok(n_bytes(encoded) <= device.memory_for_columns()?)
}
