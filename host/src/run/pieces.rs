//! Pieces: a scan on a device that cannot hold the whole job.
//!
//! An area is cut into blocks of left by right records until the part of the encoding that a block needs fits into the
//! device's memory; the blocks are loaded and scanned one after the other. Slower than a job that fits, never refused.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::operators::runs::sort;
use crate::operators::scan::{Outcome, TakeRun};
use crate::plan::Program;
use crate::plan::partition::{Area, blocks, whole};
use crate::plan::sweep::{Block, LIST_BYTES_PER_RECORD};
use hyperblock_shared::layout::Candidate;
use std::ops::Range;

/// What a device needs to hold of a job at once: its columns, and the two lists of a sweep.
pub(super) fn n_bytes(encoded: &Encoded) -> u64 {
    encoded.n_bytes() + LIST_BYTES_PER_RECORD * (u64::from(encoded.n_left) + u64::from(encoded.n_right))
}

/// A job on a device that has room for so many bytes of it.
pub(super) struct Pieces<'a> {
    pub(super) device: &'a dyn Backend,
    pub(super) encoded: &'a Encoded,
    pub(super) program: &'a Program,
    pub(super) budget: u64,
}

impl Pieces<'_> {
    /// Appends the area's candidates to `found`, in any order, and stops early once there are more than `most`.
    pub(super) fn run(
        &self,
        area: &Area,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let mut todo = blocks(area);
        while let Some(block) = todo.pop() {
            control.check()?;
            match self.part(&block, control) {
                None => todo.extend(block.cut()),
                Some(part) => {
                    if self.run_block(&block, &part, most, control, found)? == Outcome::TooMany {
                        return Ok(Outcome::TooMany);
                    }
                }
            }
        }
        Ok(Outcome::Done)
    }

    /// The same where all of them may be more than fits into memory: in sorted runs of no more than `most` each, in any order.
    pub(super) fn run_in_parts(
        &self,
        area: &Area,
        most: usize,
        control: &Control,
        take: TakeRun<'_>,
    ) -> Result<()> {
        let mut todo = blocks(area);
        while let Some(block) = todo.pop() {
            control.check()?;
            let Some(part) = self.part(&block, control) else {
                todo.extend(block.cut());
                continue;
            };
            let (mut found, before) = (Vec::new(), control.mark());
            // A single pair has at most one: nothing is left to cut.
            let most = if block.is_one_pair() { usize::MAX } else { most };
            match self.run_block(&block, &part, most, control, &mut found)? {
                Outcome::Done => {
                    sort(&mut found, &mut Vec::new(), control)?;
                    take(found)?;
                }
                Outcome::TooMany => {
                    control.back_to(before);
                    todo.extend(block.cut());
                }
            }
        }
        Ok(())
    }

    /// What a block needs, if a device can hold it, or the block cannot be cut. What is far too large is not made first.
    fn part(&self, block: &Block, control: &Control) -> Option<Encoded> {
        let Block { left, right, .. } = block;
        let lists = LIST_BYTES_PER_RECORD * (left.len() + right.len()) as u64;
        let fits = |n_bytes: u64| n_bytes + lists <= self.budget || block.is_one_pair();
        if !fits(self.encoded.n_bytes_of(left, right)) {
            return None;
        }
        let restrict = || self.encoded.restrict(left.clone(), right.clone());
        Some(control.note(Lane::Scan, "restrict", restrict)).filter(|part| fits(part.n_bytes()))
    }

    fn run_block(
        &self,
        block: &Block,
        part: &Encoded,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let Block { left, right, .. } = block;
        if let Some(kept) = control.kept() {
            // Records are numbered from 0 within each block.
            kept.within(format!("{}-{}-{}-{}-in-", left.start, left.end, right.start, right.end));
        }
        let program = self.program.over(part)?;
        let first = found.len();
        let most = most.saturating_sub(first);
        let mut scan = control.note(Lane::Scan, "load", || self.device.load(part, &program))?;
        let task = scan.task(part, &program, &block.area(), control)?;
        let outcome = control.note(Lane::Scan, "find", || scan.run(&task, most, control, found))?;
        for candidate in &mut found[first..] {
            candidate.left += left.start;
            candidate.right += right.start;
        }
        Ok(outcome)
    }
}

/// Smaller and smaller blocks.
trait Cut: Sized {
    fn is_one_pair(&self) -> bool;
    fn area(&self) -> Area;
    fn cut(self) -> Vec<Self>;
}

impl Cut for Block {
    fn is_one_pair(&self) -> bool {
        self.left.len() <= 1 && self.right.len() <= 1
    }

    /// The block as an area over records numbered from 0.
    fn area(&self) -> Area {
        let (n_left, n_right) = (self.left.end - self.left.start, self.right.end - self.right.start);
        whole(n_left, n_right, self.half)
    }

    /// Smaller blocks with the same pairs.
    fn cut(self) -> Vec<Self> {
        let halves = |range: &Range<u32>| {
            let middle = range.start + (range.end - range.start) / 2;
            (range.start..middle, middle..range.end)
        };
        let Self { left, right, half } = self;
        if half {
            let (first, second) = halves(&left);
            return vec![
                Self { left: first.clone(), right: first.clone(), half },
                Self { left: first, right: second.clone(), half: false },
                Self { left: second.clone(), right: second, half },
            ];
        }
        if left.len() > right.len() {
            let (first, second) = halves(&left);
            return vec![
                Self { left: first, right: right.clone(), half },
                Self { left: second, right, half },
            ];
        }
        let (first, second) = halves(&right);
        vec![Self { left: left.clone(), right: first, half }, Self { left, right: second, half }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn blocks_hold_each_pair_once(
            left_from in 0u32..12, lefts in 0u32..15, right_from in 0u32..12, rights in 0u32..15, half in 0u32..2,
        ) {
            let area = Area {
                left_from, left_upto: left_from + lefts, right_from, right_upto: right_from + rights, half,
            };
            let mut seen = BTreeSet::new();
            for block in blocks(&area).into_iter().flat_map(Block::cut) {
                for pair in block.left.clone().flat_map(|l| block.right.clone().map(move |r| (l, r))) {
                    if !block.half || pair.0 < pair.1 {
                        prop_assert!(seen.insert(pair));
                    }
                }
            }
            let all = (area.left_from..area.left_upto)
                .flat_map(|l| (area.right_from..area.right_upto).map(move |r| (l, r)))
                .filter(|&(l, r)| area.holds(l, r));
            prop_assert_eq!(seen, all.collect::<BTreeSet<_>>());
        }
    }
}
