//! Looking on while candidates are found: at each rule by itself, and at the errors.

use super::errors::Judged;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::stopwatch::time;
use crate::base::target::Target;
use crate::job::{EachRule, Prepared};
use crate::operators::Backend;
use crate::operators::scores::Kept;
use crate::tell::errors::Gathered;
use crate::tell::evaluate::Truth;
use crate::tell::report::Summary;
use hyperblock_shared::layout::Candidate;
use std::path::Path;

/// Who looks on while candidates are found.
pub struct Lookers<'a> {
    job: &'a Prepared,
    each_rule: Option<EachRule<'a>>,
    errors: Option<(Target, Gathered<'a>)>,
}

impl<'a> Lookers<'a> {
    /// Those that were asked for: the errors go to a file, by this truth.
    pub fn new(
        job: &'a Prepared,
        errors: Option<&Path>,
        each_rule: bool,
        truth: Option<&Truth>,
        control: &'a Control,
    ) -> Result<Self> {
        let each_rule = each_rule.then(|| EachRule::new(job, control)).transpose()?;
        let gathered =
            |(path, truth): (&Path, &Truth)| Ok((Target::create(path)?, Gathered::new(truth, control)?));
        Ok(Self { job, each_rule, errors: errors.zip(truth).map(gathered).transpose()? })
    }

    /// Whether there are any: they want all candidates, also those that are not kept.
    pub fn are_there(&self) -> bool {
        self.each_rule.is_some() || self.errors.is_some()
    }

    /// Shows them candidates, and those of them that are kept, unless all are.
    pub fn look(&mut self, found: &[Candidate], kept: Option<&[Kept]>, truth: Option<&Truth>) -> Result<()> {
        if let Some(each_rule) = &mut self.each_rule {
            time("rules", || each_rule.add(found, truth))?;
        }
        match (&mut self.errors, truth) {
            (Some((_, gathered)), Some(truth)) => time("errors", || gathered.add(found, kept, truth)),
            _ => Ok(()),
        }
    }

    /// Has them tell what they saw, of a result that is pairs, or entities. A file of errors is whole then, and comes back to be
    /// put in its place.
    pub fn tell(
        self,
        truth: Option<&Truth>,
        entities: Option<&[u32]>,
        summary: &mut Summary,
        (device, control): (&dyn Backend, &Control),
    ) -> Result<Option<Target>> {
        if let Some(each_rule) = self.each_rule {
            time("rules", || each_rule.tell(truth, summary));
        }
        let Some(((target, gathered), truth)) = self.errors.zip(truth) else { return Ok(None) };
        let judged = Judged { job: self.job, truth, gathered, entities };
        let (target, counts) = time("errors", || judged.write_at(target, device, control))?;
        summary.errors = Some(counts);
        Ok(Some(target))
    }
}
