//! Reach: which blocks of a grid may have pairs with each other, by what stands at their ends.

use super::alike::Alike;
use super::grid::{By, Place};
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::rules::{Limit, Measure, Predicate, Test};

/// What doubles may be off by, as a part of the numbers themselves.
const SLACK: f64 = 1e-9;

/// Which blocks are within reach of each other.
pub(super) enum Reach {
    All,
    Lengths(Box<Alike>),
    /// Left numbers less right ones, at least and at most; of one table, either way round.
    Numbers {
        least: f64,
        most: f64,
        is_one_table: bool,
    },
}

impl Reach {
    pub(super) fn new(by: By, predicates: &[Predicate], is_one_table: bool) -> Result<Self> {
        let measure = |ix: u32| match &predicates[ix as usize].test {
            Test::Compare { measure: Measure::Difference { least, most }, .. } => Ok((*least, *most)),
            _ => Err(Error::Internal(format!("`{}` bounds no difference", predicates[ix as usize]))),
        };
        let double = |at: Decimal| at.to_string().parse::<f64>().ok();
        let of = |limit: Option<Limit>, none: f64| limit.and_then(|limit| double(limit.at)).unwrap_or(none);
        Ok(match by {
            By::Ids => Self::All,
            By::Lengths(ix) => Self::Lengths(Box::new(Alike::new(&predicates[ix as usize], 1)?)),
            By::Numbers(ix) => {
                let (least, most) = measure(ix)?;
                let (least, most) = (of(least, f64::NEG_INFINITY), of(most, f64::INFINITY));
                Self::Numbers { least, most, is_one_table }
            }
        })
    }

    /// Whether a left block may have pairs with a right one.
    pub(super) fn has(&self, bounds: &[Vec<Place>; 2], blocks: [usize; 2]) -> Result<bool> {
        // From the one to the other, both included.
        let ends = [0, 1].map(|side: usize| {
            let (bounds, block) = (&bounds[side], blocks[side]);
            let from = block.checked_sub(1).map_or(f64::NEG_INFINITY, |before| bounds[before].0);
            (from, bounds.get(block).map_or(f64::INFINITY, |bound| bound.0))
        });
        match self {
            Self::All => Ok(true),
            Self::Lengths(alike) => {
                let [shorter, longer] = if ends[0].1 <= ends[1].1 { ends } else { [ends[1], ends[0]] };
                // If two lengths do not go together, none do that are further apart.
                match shorter.1 < longer.0 {
                    true => alike.go_together(shorter.1 as u32, longer.0 as u32),
                    false => Ok(true),
                }
            }
            Self::Numbers { least, most, is_one_table } => {
                let is_within = |left: (f64, f64), right: (f64, f64)| {
                    let all = [left.0, left.1, right.0, right.1, *least, *most];
                    let all = all.into_iter().filter(|end| end.is_finite());
                    let slack = SLACK * all.fold(0.0, |all: f64, end| all.max(end.abs()));
                    left.1 - right.0 >= least - slack && left.0 - right.1 <= most + slack
                };
                Ok(is_within(ends[0], ends[1]) || *is_one_table && is_within(ends[1], ends[0]))
            }
        }
    }
}
