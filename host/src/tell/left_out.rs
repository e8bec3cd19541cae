//! What a guard left out, for people.

use crate::base::shown::shown;
use indicatif::HumanCount;
use std::fmt;

/// The blocks of a rule that were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The rule's name.
    pub rule: String,
    /// Its equalities, as rules write them.
    pub equalities: String,
    /// How many records a block may have.
    pub most: u32,
    /// Their values, with how many records share them, the largest first.
    pub blocks: Vec<(String, u64)>,
}

/// Blocks that are told of where there is little room.
const FEW: usize = 5;

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, equalities, most, blocks } = self;
        let (n, most) = (HumanCount(blocks.len() as u64), HumanCount((*most).into()));
        let are = if blocks.len() == 1 { "block is" } else { "blocks are" };
        write!(f, "{}: {n} {are} left out, of more than {most} records with the same ", shown(rule))?;
        write!(f, "{}: ", shown(equalities))?;
        for (nth, (value, n_records)) in blocks.iter().take(FEW).enumerate() {
            let and = if nth == 0 { "" } else { ", " };
            write!(f, "{and}{} ({})", shown(value), HumanCount(*n_records))?;
        }
        match blocks.len().saturating_sub(FEW) {
            0 => Ok(()),
            more => write!(f, " and {} more", HumanCount(more as u64)),
        }
    }
}
