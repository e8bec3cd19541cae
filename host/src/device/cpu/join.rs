//! Joins on the CPU: partitioned by hash, light partitions joined in the cache, heavy keys apart.
//!
//! ```text
//! keys ─► sample ─► partition ─┬─► heavy: products of rows ─────────┬─► a consumer for each thread
//!                              └─► light: a table for each partition ┘
//! ```
//!
//! CSH of 'CPU and GPU Hash Joins on Skewed Data' (2025). A [`sample`] says which keys are heavy.
//! [`partition`] brings every row to its partition, and a heavy key has one of its own. The pairs of a heavy
//! key are then a product ([`heavy`]). Light partitions are small enough for a [`table`] in the cache, and
//! threads take them one by one, the largest first. What becomes of the pairs is up to a [`Consumer`]. Where
//! only their number is wanted there is a shorter way ([`count`]).
//!
//! How many threads there are depends on how much there is to do: a thousand rows are joined before another
//! thread is awake.

mod count;
mod heavy;
mod partition;
mod sample;
mod table;
#[cfg(test)]
mod tests;

use super::Cpu;
use crate::base::error::{Error, Result};
use crate::base::threads::{self, on_each};
use crate::operators::join::buffer::{Room, Writer};
use crate::operators::join::phases::Phases;
use crate::operators::join::{Join, JoinOperator, Joined, Output};
use crate::plan::join::{JoinMethod, KeyColumn};
use heavy::{Products, Rows};
use partition::{Division, partition};
use sample::Heavy;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use table::Table;

impl JoinOperator for Cpu {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        for KeyColumn { keys, rows } in [Some(left), right].into_iter().flatten() {
            if keys.len() >= u32::MAX as usize {
                return Err(Error::Job("too many rows for one join".into()));
            }
            if rows.is_some_and(|rows| rows.len() != keys.len()) {
                return Err(Error::Internal("a side of a join has not as many rows as keys".into()));
            }
        }
        Ok(Box::new(CpuJoin::load(left, right)))
    }
}

/// Where rows with the same key go; one for each thread.
pub(super) trait Consumer: Send {
    /// A right row with left rows of the same key, not necessarily all of them at once.
    fn light(&mut self, lefts: &[u32], right: u32);

    /// Left and right rows of a heavy key, all of them or some: every pair counts.
    fn heavy(&mut self, lefts: &[u32], rights: &[u32]);

    /// Rows of a heavy key, when one side is joined with itself: every pair of different ones counts, once.
    fn within(&mut self, rows: &[u32]);

    /// A light partition, or a piece of a heavy key, is done.
    fn end(&mut self) {}

    /// Whether nobody wants more; asked at least once a partition.
    fn is_done(&self) -> bool {
        false
    }
}

impl Consumer for Writer<'_> {
    fn light(&mut self, lefts: &[u32], right: u32) {
        self.write(lefts, right);
    }

    fn heavy(&mut self, lefts: &[u32], rights: &[u32]) {
        for &right in rights {
            self.write(lefts, right);
        }
    }

    fn within(&mut self, rows: &[u32]) {
        for (ix, &right) in rows.iter().enumerate() {
            self.write(&rows[..ix], right);
        }
    }
}

/// Joins two sides, or one with itself: then each pair of different rows is handed over once, in either
/// order. No row number may stand twice on a side, and a side has fewer than 2^32 rows. There are about
/// `n_pairs` pairs, and they cost more than rows do: so much for threads to share. How many they were is left
/// to the consumers: it is 0 here.
pub(super) fn join<C: Consumer>(
    left: KeyColumn<'_>,
    right: Option<KeyColumn<'_>>,
    method: JoinMethod,
    n_pairs: u64,
    consumer: impl Fn() -> C + Sync,
) -> (Vec<C>, Joined) {
    let n_rows = left.keys.len().max(right.map_or(0, |side| side.keys.len()));
    join_by(&SIZES.of_dear_pairs(n_rows as u64, n_pairs), left, right, method, consumer)
}

/// How large things are.
struct Sizes {
    /// Rows of a light partition, of one side: its table should stay in the cache.
    light: usize,
    /// Rows that make a key heavy.
    heavy: usize,
    /// Left or right rows of a heavy key that are handed over together.
    piece: usize,
    /// Rows, or pairs of a heavy key, that are done about as soon as another thread is awake.
    per_thread: u64,
    /// What pairs cost beyond that, in rows.
    of_pairs: u64,
}

const SIZES: Sizes =
    Sizes { light: 1 << 13, heavy: 1 << 11, piece: 1 << 10, per_thread: 1 << 14, of_pairs: 0 };

/// Dear pairs of a light partition: some milliseconds, so that threads end together.
const DEAR_PAIRS: u64 = 1 << 15;
/// Rows that are partitioned while such a pair is decided.
const ROWS_PER_DEAR_PAIR: u64 = 4;

impl Sizes {
    /// Where pairs cost more than rows, and there are so many: partitions have few of them, rather than few
    /// rows, and it takes fewer rows to make a key heavy.
    fn of_dear_pairs(&self, n_rows: u64, n_pairs: u64) -> Self {
        let light = n_rows.saturating_mul(DEAR_PAIRS) / n_pairs.max(1);
        Self {
            light: light.clamp(self.light as u64 / 64, self.light as u64) as usize,
            heavy: self.heavy / 8,
            piece: self.piece / 8,
            per_thread: self.per_thread,
            of_pairs: n_pairs.saturating_mul(ROWS_PER_DEAR_PAIR),
        }
    }

    /// Threads that are of use.
    fn n_threads(&self, n: u64) -> usize {
        (n / self.per_thread).clamp(1, threads::n_threads() as u64) as usize
    }
}

fn join_by<C: Consumer>(
    sizes: &Sizes,
    left: KeyColumn<'_>,
    right: Option<KeyColumn<'_>>,
    method: JoinMethod,
    consumer: impl Fn() -> C + Sync,
) -> (Vec<C>, Joined) {
    let mut phases = Phases::new();
    let division = divide(left, right, method, sizes);
    phases.end("sample");
    let (left, right) = partition::<u64>(left, right, &division, sizes);
    let left_rows = Rows::new(&left, &division);
    let right_rows = right.as_ref().map(|right| Rows::new(right, &division));
    let n_heavy = division.heavy.n_keys();
    let products = Products::new(&left_rows, right_rows.as_ref(), n_heavy, sizes.piece);
    let order = division.order(&left, right.as_ref());
    phases.end("partition");
    let n_rows: usize = order.iter().map(|&(n_rows, _)| n_rows).sum();
    let of_pairs = products.n_pairs().saturating_add(sizes.of_pairs);
    let n_threads = sizes.n_threads((n_rows as u64).saturating_add(of_pairs));
    let since = Instant::now();
    let done = each(n_threads, |next| {
        let mut consumer = consumer();
        let mut table = Table::default();
        let mut heavy = Duration::ZERO;
        loop {
            // Products are numbered first, then partitions.
            let task = next();
            if consumer.is_done() {
                break;
            }
            if task < products.n_tasks() {
                products.run(task, &mut consumer);
                heavy = since.elapsed();
            } else if let Some(&(_, partition)) = order.get(task - products.n_tasks()) {
                table.reset(left.len(partition), division.bits);
                left.segments(partition).for_each(|tuples| table.fill(tuples));
                table.group(left.segments(partition));
                light(&mut table, right.iter().flat_map(|right| right.segments(partition)), &mut consumer);
                if right.is_none() {
                    within(&table, &mut consumer);
                }
            } else {
                break;
            }
            consumer.end();
        }
        (consumer, heavy)
    });
    let heavy = done.iter().map(|&(_, heavy)| heavy).max().unwrap_or_default();
    phases.list.push(("heavy", heavy));
    phases.list.push(("light", since.elapsed().saturating_sub(heavy)));
    let consumers = done.into_iter().map(|(consumer, _)| consumer).collect();
    (consumers, Joined { n_pairs: 0, n_heavy, phases: phases.list })
}

/// A light partition's right rows, with the left ones of the table.
fn light<'a>(table: &mut Table, rights: impl Iterator<Item = &'a [u64]>, consumer: &mut impl Consumer) {
    for tuples in rights {
        table.probe(tuples, |lefts, right| consumer.light(lefts, right));
    }
}

/// The pairs of different rows within a table.
fn within(table: &Table, consumer: &mut impl Consumer) {
    for rows in table.groups() {
        for (ix, &right) in rows.iter().enumerate().skip(1) {
            consumer.light(&rows[..ix], right);
        }
    }
}

/// Which keys go where.
fn divide(left: KeyColumn<'_>, right: Option<KeyColumn<'_>>, method: JoinMethod, sizes: &Sizes) -> Division {
    let heavy = match (method, right) {
        (JoinMethod::Plain, _) => Heavy::none(),
        (JoinMethod::Skew, None) => Heavy::sample(&[left], sizes),
        (JoinMethod::Skew, Some(right)) => Heavy::sample(&[left, right], sizes),
    };
    Division::new(left.keys.len().max(right.map_or(0, |side| side.keys.len())), heavy, sizes)
}

/// Does the same on so many threads, which take numbers from 0 on, each only once.
fn each<R: Send>(n_threads: usize, work: impl Fn(&dyn Fn() -> usize) -> R + Sync) -> Vec<R> {
    let taken = AtomicUsize::new(0);
    let next = || taken.fetch_add(1, Relaxed);
    on_each(n_threads, || work(&next))
}

/// Two columns of keys, or one.
pub(super) struct CpuJoin<'a> {
    left: KeyColumn<'a>,
    right: Option<KeyColumn<'a>>,
    /// What the last run wrote, in blocks.
    written: Vec<Vec<(u32, u32)>>,
}

impl<'a> CpuJoin<'a> {
    pub(super) fn load(left: KeyColumn<'a>, right: Option<KeyColumn<'a>>) -> Self {
        Self { left, right, written: Vec::new() }
    }

    fn run_by(&mut self, sizes: &Sizes, method: JoinMethod, output: Output) -> Joined {
        self.written.clear();
        let Output::Pairs { capacity } = output else {
            return count::count(self.left, self.right, method, sizes);
        };
        let room = Room::new(capacity, threads::n_threads());
        let writer = || Writer::new(&room, self.right.is_none());
        let (writers, mut joined) = join_by(sizes, self.left, self.right, method, writer);
        for writer in writers {
            let (n_pairs, blocks) = writer.finish();
            joined.n_pairs += n_pairs;
            self.written.extend(blocks);
        }
        joined
    }
}

impl Join for CpuJoin<'_> {
    fn run(&mut self, method: JoinMethod, output: Output) -> Result<Joined> {
        Ok(self.run_by(&SIZES, method, output))
    }

    fn pairs(&self) -> Result<Vec<(u32, u32)>> {
        Ok(self.written.concat())
    }
}
