//! The pairs inside entities that do not match, in order: their number grows with the square of an entity's records, so they
//! are never all held.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::tell::evaluate::Truth;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

/// Pairs that are looked up at once.
const AT_ONCE: u64 = 1 << 20;
/// No rule: the pair is not kept.
pub(super) const NO_RULE: u32 = u32::MAX;

/// Entities, with the records that may be the right ones of pairs.
pub(super) struct Inside<'a> {
    /// Of each record its entity; right records come after left ones.
    entities: &'a [u32],
    n_left: u32,
    is_one_table: bool,
    /// By entity: where its records begin.
    starts: Vec<u32>,
    /// By entity, in order: records of the right table, or of the only one.
    members: Vec<u32>,
    truth: &'a Truth,
    /// Those that are kept and do not match, in order.
    kept: &'a [Candidate],
}

impl<'a> Inside<'a> {
    pub(super) fn new(
        entities: &'a [u32],
        n_left: u32,
        is_one_table: bool,
        truth: &'a Truth,
        kept: &'a [Candidate],
    ) -> Self {
        let rights = if is_one_table { entities } else { &entities[n_left as usize..] };
        let mut starts = vec![0u32; entities.len() + 1];
        rights.iter().for_each(|&entity| starts[entity as usize + 1] += 1);
        (1..starts.len()).for_each(|entity| starts[entity] += starts[entity - 1]);
        let mut next = starts.clone();
        let mut members = vec![0; rights.len()];
        for (right, &entity) in (0..).zip(rights) {
            members[next[entity as usize] as usize] = right;
            next[entity as usize] += 1;
        }
        Self { entities, n_left, is_one_table, starts, members, truth, kept }
    }

    /// The records that make a pair with a left one, which is on the left.
    fn partners(&self, left: u32) -> &[u32] {
        let entity = self.entities[left as usize] as usize;
        let all = &self.members[self.starts[entity] as usize..self.starts[entity + 1] as usize];
        let first = if self.is_one_table { all.partition_point(|&right| right <= left) } else { 0 };
        &all[first..]
    }

    /// Whether the result has a pair.
    pub(super) fn has(&self, [left, right]: [u32; 2]) -> bool {
        let right = if self.is_one_table { right } else { self.n_left + right };
        self.entities[left as usize] == self.entities[right as usize]
    }

    /// Hands on the pairs that do not match, some at a time.
    pub(super) fn for_each(
        &self,
        control: &Control,
        take: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<()> {
        let wrong = |left: u32| {
            let is_wrong = move |right: &&u32| self.truth.verdict(left, **right) == Some(false);
            let named = move |&right: &u32| {
                let own = self.kept.binary_search_by_key(&(left, right), |pair| (pair.left, pair.right));
                Candidate { left, right, rule: own.map_or(NO_RULE, |place| self.kept[place].rule) }
            };
            self.partners(left).iter().filter(is_wrong).map(named)
        };
        let mut first = 0;
        while first < self.n_left {
            control.check()?;
            let (mut n, mut end) = (0, first);
            while end < self.n_left && n < AT_ONCE {
                n += self.partners(end).len() as u64;
                end += 1;
            }
            let some: Vec<Candidate> = (first..end).into_par_iter().flat_map_iter(wrong).collect();
            take(&some)?;
            first = end;
        }
        Ok(())
    }
}
