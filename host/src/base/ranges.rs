//! Many things in order: dealt into ranges of a number that they have, and those of a range into small groups, which are sorted,
//! by all threads.
//!
//! Each dealing is one pass over memory, the second one within a core's cache. Little is compared after that, so it is sooner done
//! than a quicksort of the whole, and between ranges a job can be stopped.

use super::control::Control;
use super::error::Result;
use super::threads;
use crate::base::gather::Gather;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::mem;
use std::ops::RangeInclusive;
use std::slice::IterMut;

/// Things that a range has, about: fewer are sorted about as soon as another thread is awake.
pub(crate) const FEW: usize = 1 << 14;

/// Things that several threads sort sooner than one.
const MANY: usize = 1 << 18;

/// Ranges that a thread writes to in turn: the ends of more would not stay in its cache.
const MOST_RANGES: usize = 1 << 11;

/// Groups of a range for each thing in it, at most: of more, most would be empty.
const GROUPS_EACH: u64 = 4;

/// Sorts by a number, and where that is the same by `compare`, which knows of the number too. `room` is where things are dealt
/// to; what is in it is lost.
pub(crate) fn sort<T: Copy + Send + Sync>(
    all: &mut Vec<T>,
    room: &mut Vec<T>,
    number: impl Fn(&T) -> u64 + Sync,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
    control: &Control,
) -> Result<()> {
    control.check()?;
    let Some(&one) = all.first() else { return Ok(()) };
    if all.len() <= FEW {
        all.sort_unstable_by(compare);
        return Ok(());
    }
    let numbers = all.par_iter().with_min_len(FEW).map(|it| (number(it), number(it)));
    let (first, last) = numbers.reduce(|| (u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let n_ranges = (all.len() / FEW).next_power_of_two().min(MOST_RANGES);
    let shift = n_bits(last - first).saturating_sub(n_ranges.ilog2());
    let range = |it: &T| ((number(it) - first).unbounded_shr(shift)) as usize;

    // How many each chunk has of each range says where it deals them to: to places of its own.
    let chunk = all.len().div_ceil(4 * threads::n_threads());
    let counted = |chunk: &[T]| {
        let mut counts = vec![0usize; n_ranges];
        chunk.iter().for_each(|it| counts[range(it)] += 1);
        counts
    };
    let counts: Vec<Vec<usize>> = all.par_chunks(chunk).map(counted).gather();
    control.check()?;
    // Memory is touched for the first time here, perhaps: by all threads.
    room.clear();
    room.par_extend(rayon::iter::repeat_n(one, all.len()));
    let mut places: Vec<Vec<IterMut<'_, T>>> = counts.iter().map(|_| Vec::with_capacity(n_ranges)).collect();
    let mut rest: &mut [T] = room;
    for nth in 0..n_ranges {
        for (counts, places) in counts.iter().zip(&mut places) {
            places.push(rest.split_off_mut(..counts[nth]).unwrap_or_default().iter_mut());
        }
    }
    all.par_chunks(chunk).zip(places).for_each(|(chunk, mut places)| {
        for it in chunk {
            if let Some(place) = places[range(it)].next() {
                *place = *it;
            }
        }
    });

    let mut ranges = Vec::with_capacity(n_ranges);
    let mut rest: &mut [T] = room;
    for nth in 0..n_ranges as u64 {
        let n_own = counts.iter().map(|counts| counts[nth as usize]).sum();
        ranges.push((rest.split_off_mut(..n_own).unwrap_or_default(), nth));
    }
    ranges.into_par_iter().filter(|(range, _)| !range.is_empty()).try_for_each(|(range, nth)| {
        control.check()?;
        let from = first + nth.unbounded_shl(shift);
        let upto = from + (last - from).min(1u64.unbounded_shl(shift).wrapping_sub(1));
        in_groups(range, from..=upto, &number, &compare);
        Ok(())
    })?;
    mem::swap(all, room);
    Ok(())
}

/// Sorts the things of a range of numbers.
fn in_groups<T: Copy + Send>(
    range: &mut [T],
    numbers: RangeInclusive<u64>,
    number: &impl Fn(&T) -> u64,
    compare: &(impl Fn(&T, &T) -> Ordering + Sync),
) {
    // One number may have most of them.
    if range.len() > MANY {
        return range.par_sort_unstable_by(compare);
    }
    let first = *numbers.start();
    let n_wanted = (GROUPS_EACH * range.len() as u64).next_power_of_two();
    let shift = n_bits(*numbers.end() - first).saturating_sub(n_wanted.ilog2());
    let group = |it: &T| (number(it) - first).unbounded_shr(shift) as usize;
    // By group: how many it has; then where it begins; and at the end, where it ends.
    let n_groups = (*numbers.end() - first).unbounded_shr(shift) as usize + 1;
    let mut nexts = vec![0u32; n_groups];
    range.iter().for_each(|it| nexts[group(it)] += 1);
    let mut sum = 0;
    for next in &mut nexts {
        sum += mem::replace(next, sum);
    }
    let as_it_was = range.to_vec();
    for it in &as_it_was {
        let next = &mut nexts[group(it)];
        range[*next as usize] = *it;
        *next += 1;
    }
    let mut rest = range;
    let mut from = 0;
    for upto in nexts {
        let group = rest.split_off_mut(..(upto - from) as usize).unwrap_or_default();
        if group.len() > 1 {
            group.sort_unstable_by(compare);
        }
        from = upto;
    }
}

/// Bits of a number.
fn n_bits(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Of numbers that are close to each other or far apart, of which some may be very frequent.
        #[test]
        fn sorted_as_a_whole(
            n in 0usize..100_000, first in any::<u64>(), bits in 0u32..=64, frequent in 1u64..9, seed in 1u64..,
        ) {
            let mut next = random(seed);
            let mut draw = || match next() % frequent {
                0 => first.saturating_add(next().unbounded_shr(64 - bits)),
                _ => first,
            };
            let mut all: Vec<(u64, usize)> = (0..n).rev().map(|nth| (draw(), nth)).collect();
            let mut expected = all.clone();
            expected.sort();
            sort(&mut all, &mut vec![(7, 7); 5], |it| it.0, Ord::cmp, &Control::default()).unwrap();
            prop_assert!(all == expected);
        }
    }

    #[test]
    fn more_than_one_thread_sorts_are_sorted() {
        let mut next = random(7);
        let mut all: Vec<(u64, u64)> =
            (0..MANY as u64 + 70_000).map(|nth| (nth % 70_000 / 69_999, next())).collect();
        let mut expected = all.clone();
        expected.sort();
        sort(&mut all, &mut Vec::new(), |it| it.0, Ord::cmp, &Control::default()).unwrap();
        assert!(all == expected);
    }

    #[test]
    fn stops_when_told() {
        let control = Control::default();
        control.cancel();
        let mut all: Vec<u64> = (0..100_000).rev().collect();
        assert!(sort(&mut all, &mut Vec::new(), |it| *it, Ord::cmp, &control).is_err());
    }
}
