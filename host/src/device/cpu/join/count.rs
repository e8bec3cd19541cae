//! How many pairs a join has. None of them is looked at: of a heavy key, and of a light one, the numbers of
//! its rows are multiplied. So rows have no numbers here, and a tuple is a hash alone.

use super::partition::{Partitioned, partition};
use super::table::Table;
use super::{Sizes, divide, each};
use crate::operators::join::Joined;
use crate::operators::join::phases::Phases;
use crate::plan::join::{JoinMethod, KeyColumn};

pub(super) fn count(
    left: KeyColumn<'_>,
    right: Option<KeyColumn<'_>>,
    method: JoinMethod,
    sizes: &Sizes,
) -> Joined {
    let mut phases = Phases::new();
    let division = divide(left, right, method, sizes);
    phases.end("sample");
    let (left, right) = partition::<u32>(left, right, &division, sizes);
    phases.end("partition");
    let mut n_pairs = division.heavy_partitions().map(|key| product(&left, right.as_ref(), key)).sum();
    phases.end("heavy");
    let order = division.order(&left, right.as_ref());
    let n_rows: usize = order.iter().map(|&(n_rows, _)| n_rows).sum();
    n_pairs += each(sizes.n_threads(n_rows as u64), |next| {
        let mut table = Table::default();
        let mut n_pairs = 0;
        while let Some(&(_, partition)) = order.get(next()) {
            n_pairs += light(&mut table, &left, right.as_ref(), partition, division.bits);
        }
        n_pairs
    })
    .into_iter()
    .sum::<u64>();
    phases.end("light");
    Joined { n_pairs, n_heavy: division.heavy.n_keys(), phases: phases.list }
}

/// The pairs of a heavy key.
fn product(left: &Partitioned<u32>, right: Option<&Partitioned<u32>>, key: usize) -> u64 {
    let n_left = left.len(key) as u64;
    right.map_or(n_left * n_left.saturating_sub(1) / 2, |right| n_left * right.len(key) as u64)
}

/// The pairs of a light partition.
fn light(
    table: &mut Table,
    left: &Partitioned<u32>,
    right: Option<&Partitioned<u32>>,
    partition: usize,
    bits: u32,
) -> u64 {
    let n_left = left.len(partition);
    let Some(right) = right else {
        table.reset(n_left, bits);
        left.segments(partition).for_each(|tuples| table.count(tuples));
        return table.n_pairs_within();
    };
    // The product is the same either way round, and the smaller side has the smaller table.
    let n_right = right.len(partition);
    let (few, many) = if n_left <= n_right { (left, right) } else { (right, left) };
    table.reset(n_left.min(n_right), bits);
    few.segments(partition).for_each(|tuples| table.count(tuples));
    many.segments(partition).map(|tuples| table.n_pairs(tuples)).sum()
}
