//! Partition: the pairs of a job, cut into tasks.
//!
//! A task is a stripe: a range of left records against all right ones. Stripes come in ascending order, so each one's
//! sorted candidates can be written as soon as it is done, and memory need not hold more than one stripe's.

use hyperblock_shared::window::{INTERVAL, Task};

/// All pairs of a job; with `half`, of one table with itself, each pair once.
pub fn whole(n_left: u32, n_right: u32, half: bool) -> Task {
    Task { left_from: 0, left_upto: n_left, right_from: 0, right_upto: n_right, half: u32::from(half) }
}

/// Cuts `whole` into stripes of about `most_pairs` pairs, but never narrower than one interval.
pub fn stripes(whole: Task, most_pairs: u64) -> Vec<Task> {
    let mut stripes = Vec::new();
    let mut left_from = whole.left_from;
    while left_from < whole.left_upto {
        // With `half`, records up to the stripe's first have met it before.
        let right_from = if whole.half == 1 { whole.right_from.max(left_from) } else { whole.right_from };
        let n_right = u64::from(whole.right_upto.saturating_sub(right_from)).max(1);
        let n_intervals = (most_pairs / n_right / u64::from(INTERVAL)).max(1);
        let n_left = n_intervals
            .saturating_mul(u64::from(INTERVAL))
            .min(u64::from(whole.left_upto - left_from)) as u32;
        let left_upto = left_from + n_left;
        stripes.push(Task { left_from, left_upto, right_from, ..whole });
        left_from = left_upto;
    }
    stripes
}

/// The two halves of a stripe, in order, or `None` if it is a single left record.
pub fn halves(task: Task) -> Option<[Task; 2]> {
    let middle = task.left_from + (task.left_upto - task.left_from) / 2;
    (middle > task.left_from)
        .then_some([Task { left_upto: middle, ..task }, Task { left_from: middle, ..task }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stripes_hold_all_pairs(n_left in 0u32..3000, n_right in 0u32..3000, half: bool, most in 1u64..2_000_000) {
            let n_right = if half { n_left } else { n_right };
            let whole = whole(n_left, n_right, half);
            let stripes = stripes(whole, most);
            prop_assert_eq!(stripes.iter().map(Task::n_pairs).sum::<u64>(), whole.n_pairs());
            prop_assert!(stripes.windows(2).all(|two| two[0].left_upto == two[1].left_from));
            for [a, b] in stripes.into_iter().filter_map(halves) {
                prop_assert_eq!(a.left_upto, b.left_from);
                let joined = Task { left_upto: b.left_upto, ..a };
                prop_assert_eq!(a.n_pairs() + b.n_pairs(), joined.n_pairs());
            }
        }
    }
}
