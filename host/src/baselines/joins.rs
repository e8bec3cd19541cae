//! Hash joins of 'CPU and GPU Hash Joins on Skewed Data' (2025), on the CPU.
//!
//! | | heavy keys | tables |
//! |---|---|---|
//! | [`cbase`] | large partitions are broken up, as far as keys differ | a chained one for each partition |
//! | [`cbase_npj`] | nothing | one for all rows, chained, no partitions |
//! | [`csh`] | found by a sample of the left side; joined while the right side is partitioned | as Cbase |
//!
//! Both sides are tuples of a key and a row number, eight bytes, as in the paper. Pairs that are written go to a buffer that
//! is overwritten when it is full, as the engine's own do.

mod cbase;
mod cbase_npj;
mod chained;
mod csh;
mod radix;

use super::sink::Sink;
use crate::base::error::{Error, Result};
use crate::base::names::expected;
use crate::operators::join::buffer::{Room, Writer};
use crate::operators::join::{Join, JoinOperator, Joined, Output};
use crate::plan::join::{JoinMethod, KeyColumn};
use hyperblock_shared::join::MISSING;
use strum::{Display, EnumString, VariantNames};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum Baseline {
    /// The parallel radix join of Balkesen, Teubner, Alonso and Özsu (2013): two passes, a queue of tasks, chained tables.
    Cbase,
    /// Their join without partitions: one table that all threads share.
    CbaseNpj,
    /// The paper's own: Cbase, with heavy keys joined on the way.
    Csh(Detection),
}

/// How CSH finds heavy keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// One of so many left rows is looked at.
    pub one_of: u32,
    /// A key that comes up so often is heavy.
    pub at_least: u32,
}

impl Default for Detection {
    /// As in the paper.
    fn default() -> Self {
        Self { one_of: 100, at_least: 2 }
    }
}

/// A row with its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tuple {
    key: u32,
    row: u32,
}

impl JoinOperator for Baseline {
    /// Makes tuples of both sides.
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        let right =
            right.ok_or_else(|| Error::Job("a baseline joins two sides, not one with itself".into()))?;
        Ok(Box::new(Loaded {
            baseline: *self,
            left: tuples(left),
            right: tuples(right),
            written: Vec::new(),
        }))
    }
}

fn tuples(KeyColumn { keys, rows }: KeyColumn<'_>) -> Vec<Tuple> {
    let row = |place: usize| rows.map_or(place as u32, |rows| rows[place]);
    let tuple = |(place, &key): (usize, &u32)| Tuple { key, row: row(place) };
    keys.iter().enumerate().filter(|(_, key)| **key != MISSING).map(tuple).collect()
}

/// Two sides, as tuples.
struct Loaded {
    baseline: Baseline,
    left: Vec<Tuple>,
    right: Vec<Tuple>,
    /// What the last run wrote, in blocks.
    written: Vec<Vec<(u32, u32)>>,
}

impl Loaded {
    fn run_into<S: Sink>(&self, sink: impl Fn() -> S + Sync) -> (Vec<S>, Joined) {
        let (left, right) = (&self.left[..], &self.right[..]);
        match self.baseline {
            Baseline::Cbase => cbase::join(left, right, sink),
            Baseline::CbaseNpj => cbase_npj::join(left, right, sink),
            Baseline::Csh(detection) => csh::join(left, right, detection, sink),
        }
    }
}

impl Join for Loaded {
    /// The method is not asked: a baseline is one.
    fn run(&mut self, _: JoinMethod, output: Output) -> Result<Joined> {
        self.written.clear();
        let Output::Pairs { capacity } = output else {
            let (counts, joined) = self.run_into(|| 0u64);
            return Ok(Joined { n_pairs: counts.into_iter().sum(), ..joined });
        };
        // CSH has two for each thread: one while it partitions, one when it joins.
        let room = Room::new(capacity, 2 * rayon::current_num_threads());
        let (writers, mut joined) = self.run_into(|| Writer::new(&room, false));
        let mut written = Vec::new();
        for writer in writers {
            let (n_pairs, blocks) = writer.finish();
            joined.n_pairs += n_pairs;
            written.extend(blocks);
        }
        self.written = written;
        Ok(joined)
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        Ok(self.written.concat())
    }
}

/// They are written, over older ones if there are more than fit.
impl Sink for Writer<'_> {
    #[inline]
    fn pair(&mut self, left: u32, right: u32) {
        self.push(left, right);
    }
}

/// Segments of about the same size, one for each thread.
fn segments(tuples: &[Tuple]) -> std::slice::Chunks<'_, Tuple> {
    tuples.chunks(tuples.len().div_ceil(rayon::current_num_threads()).max(1))
}

#[cfg(test)]
mod tests;
