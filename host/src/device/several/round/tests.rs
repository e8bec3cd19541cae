//! Work that is too large wherever it is tried, and has to be split: nobody waits for ever.

use super::*;
use crate::device::cpu::Cpu;
use crate::device::several::dealer::Schedule;
use std::sync::mpsc;
use std::time::Duration;

/// A part that is too large until it was split so often.
#[derive(Clone)]
struct Large(u32);

impl Part for Large {
    fn kind(&self) -> Option<&'static str> {
        Some("large")
    }

    fn expected(&self) -> Expected {
        [1000.0; 2]
    }

    fn pays_beside(&self) -> bool {
        true
    }

    fn cut(self, n: usize) -> Vec<Self> {
        match self.0.checked_sub(1) {
            Some(left) => vec![Self(left); n],
            None => vec![self],
        }
    }
}

/// How many runs there are of so many parts that are split twice each.
fn n_runs(schedule: Schedule, n_places: usize, n_parts: usize) -> usize {
    let place = || -> (Box<dyn Backend>, Option<usize>) { (Box::new(Cpu::new()), Some(1)) };
    let places = (0..n_places).map(|_| place()).collect();
    let several = Several::new(places, schedule, Some(n_parts)).unwrap();
    let work = |part: &Large, _: Nth, (): &mut ()| {
        // So that others wait by then.
        thread::sleep(Duration::from_millis(3));
        Ok(if part.0 > 0 { (Outcome::TooMany, Vec::new()) } else { (Outcome::Done, vec![()]) })
    };
    let mut held = vec![Some(()); n_places];
    let control = Control::default();
    share(&several, Large(3), &mut held, usize::MAX, &control, &work).unwrap().unwrap().len()
}

/// Parts may belong to a place that waits, when the one that split them has to wait, too.
#[test]
fn places_that_wait_hear_of_parts() {
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        for schedule in [Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin, Schedule::Steal] {
            for (n_places, n_parts) in [2, 3].into_iter().flat_map(|n| (1..5).map(move |parts| (n, parts))) {
                let _ = sender.send((n_parts, n_runs(schedule, n_places, n_parts)));
            }
        }
    });
    for nth in 0..32 {
        let (n_parts, n_runs) =
            ended.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("job {nth} does not end"));
        assert_eq!(n_runs, 4 * n_parts);
    }
}
