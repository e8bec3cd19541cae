//! What a report asks of a job: a run that shows the scores of all candidates, and not of those alone that are kept; and what was
//! encoded.

use super::{Asked, Prepared, Watch};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::Backend;
use crate::rules::Side;
use crate::tell::report::Summary;

impl Prepared {
    /// All that the rules say: the rule, and its predicates as they were encoded.
    pub(crate) fn conjunctions(&self) -> &[(usize, Vec<usize>)] {
        &self.conjunctions
    }

    /// A record of the tables, of those that are compared.
    pub(crate) fn record(&self, side: Side, compared: u32) -> u32 {
        let kept = match side {
            Side::Left => &self.selection.left,
            Side::Right => &self.selection.right,
        };
        kept.as_ref().map_or(compared, |kept| kept[compared as usize])
    }

    /// Compares all pairs on `device` and shows `watch` all candidates, in order, with the score of each, if the rule file has one.
    /// Which of them are kept is for it to tell; the summary does.
    #[doc(hidden)]
    pub fn run_scores(
        &self,
        device: &dyn Backend,
        control: &Control,
        watch: &mut Watch<'_>,
    ) -> Result<Summary> {
        let Some(scoring) = self.scoring() else { return self.run_all(device, control, watch) };
        let asked = Asked { scoring, least: 0, with_all: true };
        let (enough, mut n_kept) = (scoring.enough(), 0);
        let mut summary = self.walk(device, control, Some(asked), "write", &mut |found, scored| {
            n_kept += scored.iter().filter(|(_, score)| *score >= enough).count() as u64;
            watch(found, Some(scored))
        })?;
        if let Some(tally) = &mut summary.scored {
            (tally.n_kept, tally.threshold) = (n_kept, scoring.threshold());
        }
        Ok(summary)
    }
}
