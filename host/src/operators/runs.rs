//! Runs: the candidates of a task, in order; and those of several as one.
//!
//! Candidates are dealt into ranges of left records, and those of a range by left record, by all threads
//! ([`ranges`](crate::base::ranges)). Then each left record has few, and nothing but those is compared.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::ranges::{self, FEW};
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

/// Sorts candidates by (left, right), of which no two are the same. `room` is where they are dealt to; what is in it is lost.
pub fn sort(found: &mut Vec<Candidate>, room: &mut Vec<Candidate>, control: &Control) -> Result<()> {
    control.check()?;
    if is_sorted(found) {
        return Ok(());
    }
    ranges::sort(found, room, |it| it.left.into(), |a, b| pair(a).cmp(&pair(b)), control)
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
