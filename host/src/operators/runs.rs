//! Runs: the candidates of a task, in order; and those of several as one.
//!
//! Candidates are dealt into ranges of left records, then sorted a range at a time, by all threads. Dealing is one pass over memory, and ranges fit into a core's cache. Nothing is compared before that, so it is faster than
//! a quicksort of the whole, and between ranges a job can be stopped.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::threads;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;
use std::mem;

/// Candidates that are sorted about as soon as another thread is awake.
const FEW: usize = 1 << 14;

/// Candidates that several threads sort sooner than one.
const MANY: usize = 1 << 18;

/// Places that a thread writes to in turn: more would not stay in its cache.
const MOST_RANGES: usize = 1 << 11;

/// Sorts candidates by (left, right), of which no two are the same. `room` is where they are dealt to; what is in it is lost.
pub fn sort(found: &mut Vec<Candidate>, room: &mut Vec<Candidate>, control: &Control) -> Result<()> {
    control.check()?;
    if is_sorted(found) {
        return Ok(());
    }
    if found.len() <= FEW {
        found.sort_unstable_by_key(pair);
        return Ok(());
    }
    let lefts = found.par_iter().map(|it| (it.left, it.left));
    let (first, last) = lefts.reduce(|| (u32::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let n_ranges = (found.len() / FEW).next_power_of_two().min(MOST_RANGES);
    let n_bits = u32::BITS - (last - first).leading_zeros();
    let shift = n_bits.saturating_sub(n_ranges.ilog2());
    let range = |it: &Candidate| ((it.left - first) >> shift) as usize;

    // How many each chunk has of each range says where it deals them to: to a slice of its own.
    let chunk = found.len().div_ceil(4 * threads::n_threads());
    let counted = |chunk: &[Candidate]| {
        let mut counts = vec![0usize; n_ranges];
        chunk.iter().for_each(|it| counts[range(it)] += 1);
        counts
    };
    let counts: Vec<Vec<usize>> = found.par_chunks(chunk).map(counted).collect();
    control.check()?;
    // Memory is touched for the first time here, perhaps: by all threads.
    room.clear();
    room.par_extend(rayon::iter::repeat_n(Candidate { left: 0, right: 0, rule: 0 }, found.len()));
    let mut slices: Vec<Vec<&mut [Candidate]>> =
        counts.iter().map(|_| Vec::with_capacity(n_ranges)).collect();
    let mut rest: &mut [Candidate] = room;
    for nth in 0..n_ranges {
        for (counts, slices) in counts.iter().zip(&mut slices) {
            slices.push(rest.split_off_mut(..counts[nth]).unwrap_or_default());
        }
    }
    found.par_chunks(chunk).zip(slices).for_each(|(chunk, mut slices)| {
        for it in chunk {
            let slice = &mut slices[range(it)];
            if let Some(place) = mem::take(slice).split_first_mut() {
                *place.0 = *it;
                *slice = place.1;
            }
        }
    });

    let mut ranges = Vec::with_capacity(n_ranges);
    let mut rest: &mut [Candidate] = room;
    for nth in 0..n_ranges {
        let n_own = counts.iter().map(|counts| counts[nth]).sum();
        ranges.push(rest.split_off_mut(..n_own).unwrap_or_default());
    }
    ranges.into_par_iter().try_for_each(|range| {
        control.check()?;
        match range.len() {
            // One left record may have most of them.
            n if n > MANY => range.par_sort_unstable_by_key(pair),
            // What was several runs is found in order here and there, and merged.
            _ => range.sort_by_key(pair),
        }
        Ok(())
    })?;
    mem::swap(found, room);
    Ok(())
}

/// Whether they are in order already, as a device may have brought them.
fn is_sorted(found: &[Candidate]) -> bool {
    let chunks = found.par_chunks(FEW).all(|chunk| chunk.is_sorted_by_key(pair));
    chunks && (FEW..found.len()).step_by(FEW).all(|ix| pair(&found[ix - 1]) <= pair(&found[ix]))
}

/// Puts runs together, which have no pair in common.
pub fn merge(
    runs: Vec<Vec<Candidate>>,
    room: &mut Vec<Candidate>,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let mut runs = runs.into_iter().filter(|run| !run.is_empty());
    let mut merged = runs.next().unwrap_or_default();
    runs.for_each(|run| merged.par_extend(run));
    sort(&mut merged, room, control)?;
    Ok(merged)
}

/// What candidates are sorted by. A pair is found once, so its rule need not be compared.
pub(crate) fn pair(candidate: &Candidate) -> u64 {
    u64::from(candidate.left) << 32 | u64::from(candidate.right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Different pairs in a random order, with lefts that some have more of than others.
    fn shuffled(n: usize, n_left: u32, first: u32) -> Vec<Candidate> {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let left = |draw: u64| first + ((draw % u64::from(n_left)) * (draw >> 32 & 7) / 7) as u32;
        let one =
            |right: usize| Candidate { left: left(next()), right: right as u32, rule: right as u32 % 3 };
        let mut all: Vec<Candidate> = (0..n).map(one).collect();
        all.reverse();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sorted_as_a_whole(n in 0usize..200_000, n_left in 1u32..100_000, first in 0u32..2_000_000_000) {
            let mut found = shuffled(n, n_left, first);
            let mut expected = found.clone();
            expected.sort_by_key(pair);
            let mut room = vec![Candidate { left: 7, right: 7, rule: 7 }; 5];
            sort(&mut found, &mut room, &Control::default()).unwrap();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn stops_when_told() {
        let control = Control::default();
        control.cancel();
        assert!(sort(&mut shuffled(100_000, 10, 0), &mut Vec::new(), &control).is_err());
    }

    #[test]
    fn all_of_one_record() {
        for left in [0, u32::MAX] {
            let mut found: Vec<_> =
                (0..100_000).rev().map(|right| Candidate { left, right, rule: 0 }).collect();
            sort(&mut found, &mut Vec::new(), &Control::default()).unwrap();
            assert!(found.is_sorted_by_key(pair));
        }
    }
}
