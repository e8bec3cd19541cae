//! Relational operators on the CPU: threads take parts of what is sorted, merged or joined.
//!
//! Where a GPU's blocks share one table, here tuples go to partitions by their hash first, and each has a table of its own
//! that no other thread knows.

mod sort;
mod table;

pub(super) use sort::{radix, sort};
pub(super) use table::{Index, TupleSet};

use super::Cpu;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::threads;
use crate::operators::relations::{LoadFactor, Relations, RelationsOperator, TimedJoin, check_for_set};
use hyperblock_shared::relation::{first_of, mix, n_left_of, second_of, tuple};
use rayon::prelude::*;
use sort::{Parted, segments};
use std::ops::Range;
use std::time::Instant;

/// Words of a part at least: fewer are done before another thread is awake.
const LEAST_PART: usize = 1 << 13;
/// Upper bits of the hash that tell partitions apart.
const PARTITION_BITS: u32 = 6;

/// The length of the parts that so many words are cut into.
fn part_len(n_words: usize) -> usize {
    n_words.div_ceil(4 * threads::n_threads()).max(LEAST_PART)
}

impl RelationsOperator for Cpu {
    fn relations(&self) -> Box<dyn Relations + '_> {
        Box::new(CpuRelations)
    }
}

/// Operators on relations in memory.
struct CpuRelations;

impl Relations for CpuRelations {
    fn sort(&self, tuples: &[u64], bits: &[Range<u32>]) -> Result<Vec<u64>> {
        Ok(sort(tuples, bits))
    }

    fn difference(&self, sorted: &[u64], others: &[u64]) -> Result<Vec<u64>> {
        Ok(difference(sorted, others))
    }

    fn merge(&self, left: &[u64], right: &[u64]) -> Result<Vec<u64>> {
        Ok(merge(left, right))
    }

    fn distinct(&self, tuples: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        check_for_set(tuples)?;
        let class = |tuple: u64| (mix(tuple) >> (u64::BITS - PARTITION_BITS)) as usize;
        let n_classes = 1 << PARTITION_BITS;
        let parts: Vec<Parted> = tuples
            .par_chunks(part_len(tuples.len()))
            .map(|part| Parted::new(part, n_classes, class))
            .gather();
        let distinct = |class: usize| {
            let mut set = TupleSet::new(load);
            let all = segments(&parts, class).flatten().copied();
            all.filter(|&tuple| set.insert(tuple)).collect::<Vec<u64>>()
        };
        Ok((0..n_classes).into_par_iter().map(distinct).gather().concat())
    }

    fn join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<Vec<u64>> {
        Ok(join(outer, &Index::new(inner, load)?))
    }

    fn time_join(&self, outer: &[u64], inner: &[u64], load: LoadFactor) -> Result<TimedJoin> {
        let start = Instant::now();
        let index = Index::new(inner, load)?;
        let built = Instant::now();
        let n_joined = join(outer, &index).len() as u64;
        Ok(TimedJoin { n_joined, build: built - start, join: built.elapsed() })
    }
}

/// Sorted words that are not among sorted others; each once.
pub(super) fn difference(sorted: &[u64], others: &[u64]) -> Vec<u64> {
    let len = part_len(sorted.len());
    let part = |(ix, part): (usize, &[u64])| {
        let mut before = ix.checked_mul(len).and_then(|at| at.checked_sub(1)).and_then(|at| sorted.get(at));
        let first = part.first().map_or(0, |&first| others.partition_point(|&other| other < first));
        let mut rest = others.get(first..).unwrap_or_default();
        let mut kept = Vec::new();
        for word in part {
            rest = skip_below(rest, *word);
            if before != Some(word) && rest.first() != Some(word) {
                kept.push(*word);
            }
            before = Some(word);
        }
        kept
    };
    sorted.par_chunks(len).enumerate().map(part).gather().concat()
}

/// Ascending words without those below one: in ever longer steps, and then by halves.
fn skip_below(words: &[u64], word: u64) -> &[u64] {
    let mut step = 1;
    while words.get(step - 1).is_some_and(|&other| other < word) {
        step *= 2;
    }
    let (from, upto) = (step / 2, step.min(words.len()));
    let n = from + words.get(from..upto).unwrap_or_default().partition_point(|&other| other < word);
    words.get(n..).unwrap_or_default()
}

/// Two sorted arrays as one; equal words once.
pub(super) fn merge(left: &[u64], right: &[u64]) -> Vec<u64> {
    let n_words = left.len() + right.len();
    let len = part_len(n_words);
    // Both are cut where they would part if no word were dropped.
    let cut = |n: usize| {
        let n = n.min(n_words);
        let n_left = n_left_of(n, [left.len(), right.len()], |ix| left[ix], |ix| right[ix]);
        (n_left, n - n_left)
    };
    let part = |ix: usize| {
        let ((from_left, from_right), (upto_left, upto_right)) = (cut(ix * len), cut((ix + 1) * len));
        let last = |words: &[u64], n: usize| n.checked_sub(1).and_then(|at| words.get(at).copied());
        let before = last(left, from_left).max(last(right, from_right));
        merge_part(&left[from_left..upto_left], &right[from_right..upto_right], before)
    };
    (0..n_words.div_ceil(len)).into_par_iter().map(part).gather().concat()
}

fn merge_part(mut left: &[u64], mut right: &[u64], mut before: Option<u64>) -> Vec<u64> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    loop {
        let word = match (left.split_first(), right.split_first()) {
            (Some((&word, rest)), other) if other.is_none_or(|(&other, _)| word <= other) => {
                left = rest;
                word
            }
            (_, Some((&word, rest))) => {
                right = rest;
                word
            }
            _ => return merged,
        };
        if before != Some(word) {
            merged.push(word);
        }
        before = Some(word);
    }
}

/// What an outer relation makes with an indexed one: counted, and then written where it belongs.
pub(super) fn join(outer: &[u64], inner: &Index<'_>) -> Vec<u64> {
    let len = part_len(outer.len());
    let count = |part: &[u64]| part.iter().map(|&outer| inner.rows(second_of(outer)).len()).sum();
    let counts: Vec<usize> = outer.par_chunks(len).map(count).gather();
    let mut joined = vec![0; counts.iter().sum()];
    let mut rest = &mut joined[..];
    let mut places = Vec::with_capacity(counts.len());
    for n in counts {
        let (place, others) = rest.split_at_mut(n);
        places.push(place);
        rest = others;
    }
    outer.par_chunks(len).zip(places).for_each(|(part, place)| {
        let made = part.iter().flat_map(|&outer| {
            inner.rows(second_of(outer)).iter().map(move |&row| tuple(first_of(outer), second_of(row)))
        });
        made.zip(place).for_each(|(made, place)| *place = made);
    });
    joined
}
