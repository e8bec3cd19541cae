//! Who runs when: all sides once a round, in turns, as long as there is time.
//!
//! Every other round goes backwards (old new, new old, old new): a machine that gets slower from run to run, or faster,
//! would be to the good of the same side each time.

use anyhow::Result;
use std::time::{Duration, Instant};

/// How often sides run.
#[derive(Clone, Copy, Debug)]
pub(in crate::bench) struct Turns {
    pub(in crate::bench) n_sides: usize,
    /// Rounds at most.
    pub(in crate::bench) rounds: usize,
    /// Whether there is a round before that is not counted.
    pub(in crate::bench) warms_up: bool,
    /// No round begins that would not end by then, but for the first.
    pub(in crate::bench) within: Option<Duration>,
}

impl Turns {
    /// What came of every side, round by round.
    pub(in crate::bench) fn take<T>(self, mut run: impl FnMut(usize) -> Result<T>) -> Result<Vec<Vec<T>>> {
        let start = Instant::now();
        let mut all: Vec<Vec<T>> = (0..self.n_sides).map(|_| Vec::new()).collect();
        if self.warms_up {
            for side in 0..self.n_sides {
                run(side)?;
            }
        }
        for round in 0..self.rounds {
            let began = start.elapsed();
            for turn in 0..self.n_sides {
                let side = if round % 2 == 0 { turn } else { self.n_sides - 1 - turn };
                let result = run(side)?;
                all[side].push(result);
            }
            // The next one takes as long.
            let ends = start.elapsed() + (start.elapsed() - began);
            if self.within.is_some_and(|within| ends > within) {
                break;
            }
        }
        Ok(all)
    }
}

/// Time for several things in a row: what one leaves over is for those after it.
#[derive(Clone, Copy, Debug)]
pub(in crate::bench) struct Budget {
    end: Option<Instant>,
}

impl Budget {
    pub(in crate::bench) fn new(seconds: Option<u32>) -> Self {
        Self { end: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds.into())) }
    }

    /// For the next of so many.
    pub(in crate::bench) fn share(self, n_left: usize) -> Option<Duration> {
        let n_left = u32::try_from(n_left.max(1)).unwrap_or(u32::MAX);
        self.end.map(|end| end.saturating_duration_since(Instant::now()) / n_left)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Turns};
    use std::time::Duration;

    fn order(turns: Turns) -> (String, Vec<usize>) {
        let mut order = String::new();
        let all = turns.take(|side| {
            order.push(['A', 'B', 'C'][side]);
            Ok(side)
        });
        (order, all.unwrap().iter().map(Vec::len).collect())
    }

    #[test]
    fn sides_take_turns() {
        let turns = Turns { n_sides: 2, rounds: 3, warms_up: false, within: None };
        assert_eq!(order(turns), ("ABBAAB".to_owned(), vec![3, 3]));
        assert_eq!(order(Turns { warms_up: true, ..turns }), ("ABABBAAB".to_owned(), vec![3, 3]));
        assert_eq!(order(Turns { n_sides: 1, ..turns }), ("AAA".to_owned(), vec![3]));
        assert!(turns.take::<()>(|_| anyhow::bail!("broken")).is_err());
    }

    #[test]
    fn there_is_one_round_in_any_case() {
        let turns = Turns { n_sides: 2, rounds: 9, warms_up: false, within: Some(Duration::ZERO) };
        assert_eq!(order(turns), ("AB".to_owned(), vec![1, 1]));
        let hour = Some(Duration::from_secs(3600));
        assert_eq!(order(Turns { within: hour, ..turns }).1, [9, 9]);
    }

    #[test]
    fn time_is_shared() {
        assert_eq!(Budget::new(None).share(3), None);
        let share = Budget::new(Some(90)).share(3).unwrap();
        assert!((Duration::from_secs(29)..=Duration::from_secs(30)).contains(&share), "{share:?}");
        assert_eq!(Budget::new(Some(0)).share(0), Some(Duration::ZERO));
    }
}
