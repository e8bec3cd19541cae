//! Candidates that a device scores where it finds them: who wants no others is given those that are kept.

use super::Prepared;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::entities::score::{Keeping, Kept};
use crate::operators::scan::Told;
use crate::plan::partition::Area;
use crate::run::loaded::Loaded;
use crate::run::schedule;

impl Prepared {
    /// Hands on what is kept of areas, and adds up their candidates by rule, as far as a device does that by itself. The areas
    /// that are left come back.
    pub(super) fn keep_there(
        &self,
        loaded: &mut Loaded<'_>,
        areas: Vec<Area>,
        keeping: &mut Keeping<'_>,
        by_rule: &mut [(String, u64)],
        control: &Control,
        take: &mut dyn FnMut(&[Kept]) -> Result<()>,
    ) -> Result<Vec<Area>> {
        if !loaded.keeps() {
            return Ok(areas);
        }
        let keep = keeping.by_scan(&self.selection)?;
        schedule::run_kept(loaded, areas, &keep, control, &mut |told| {
            keeping.note(&told);
            match told {
                Told::Counted(counts) => {
                    by_rule.iter_mut().zip(counts).for_each(|((_, sum), n)| *sum += n);
                    self.guards.check(by_rule.iter().map(|(_, n)| n).sum())
                }
                Told::Kept(kept) => take(kept),
            }
        })
    }
}
