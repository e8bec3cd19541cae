//! The dealer: which place does which task next.
//!
//! Nothing here knows of time, threads or devices: places ask, and say how a task ended. So the same code deals to devices, is
//! tried in all interleavings by a test, and can be replayed over made-up machines.

use crate::base::names::expected;
use std::collections::VecDeque;
use strum::{Display, EnumString, VariantNames};

/// How tasks are dealt to places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum Schedule {
    /// As HyperBlocker does (section 5.3): tasks and places lie on a circle by their hashes, and a task goes to the next
    /// place clockwise that has nothing under way.
    BoundedHash,
    /// Each place has as many tasks in a row as the others, and no more.
    EvenSplit,
    /// Places take turns.
    RoundRobin,
    /// The longest first, to whoever is expected to be done with it first; whoever has nothing left takes from the fullest
    /// queue.
    #[default]
    Steal,
}

/// What a place is told that asks for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To do this task.
    Task(usize),
    /// To ask again when something has changed: others have work under way that may come back.
    Wait,
    /// To go: everything is done, or this place is no longer asked.
    Done,
}

/// How fast a place is expected to be.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// How many times as fast as what is expected of its kind.
    pub times: f64,
    /// Whether it is of the CPU, beside what tasks were planned for.
    pub is_beside: bool,
}

impl Speed {
    /// As was planned.
    pub const PLANNED: Self = Self { times: 1.0, is_beside: false };

    /// What of a task is about places of its kind.
    fn of(self, expected: &Expected) -> f64 {
        expected[usize::from(self.is_beside)] / self.times
    }
}

/// How long a task is expected to take: where it was planned for, and beside that.
pub(super) type Expected = [f64; 2];

/// Who has what, and what is left.
#[derive(Clone, Debug)]
pub struct Dealer {
    schedule: Schedule,
    /// By task.
    expected: Vec<Expected>,
    /// What nobody has yet, in order.
    pending: VecDeque<usize>,
    places: Vec<Place>,
    n_open: usize,
    n_stolen: usize,
}

#[derive(Clone, Debug)]
struct Place {
    queue: VecDeque<usize>,
    under_way: Option<usize>,
    has_failed: bool,
    /// What was said of it, or was seen.
    speed: Speed,
    /// What it was expected to take for what it did, and took.
    done: f64,
    took: f64,
    /// Where it lies on the circle.
    angle: u64,
}

impl Dealer {
    /// Of tasks that are expected to take so long, to places of these speeds.
    pub fn new(schedule: Schedule, expected: Vec<Expected>, speeds: &[Speed]) -> Self {
        let place = |(ix, &speed): (usize, &Speed)| Place {
            queue: VecDeque::new(),
            under_way: None,
            has_failed: false,
            speed,
            done: 0.0,
            took: 0.0,
            angle: angle(!(ix as u64)),
        };
        let places: Vec<Place> = speeds.iter().enumerate().map(place).collect();
        let n_open = expected.len();
        let mut dealer =
            Self { schedule, expected, pending: (0..n_open).collect(), places, n_open, n_stolen: 0 };
        dealer.deal();
        dealer
    }

    /// What the place is to do, which has nothing under way.
    pub fn next(&mut self, place: usize) -> Next {
        if self.n_open == 0 || self.places[place].has_failed {
            return Next::Done;
        }
        let task = match self.schedule {
            Schedule::EvenSplit | Schedule::RoundRobin => self.places[place].queue.pop_front(),
            Schedule::BoundedHash => {
                let own = self.pending.iter().position(|&task| self.first_idle(task) == Some(place));
                own.and_then(|ix| self.pending.remove(ix))
            }
            Schedule::Steal => self.places[place].queue.pop_front().or_else(|| self.steal(place)),
        };
        match task {
            Some(task) => {
                self.places[place].under_way = Some(task);
                Next::Task(task)
            }
            None => Next::Wait,
        }
    }

    /// The place did its task, in so long.
    pub fn done(&mut self, place: usize, took: f64) {
        let Self { places, expected, n_open, .. } = self;
        let it = &mut places[place];
        if let Some(task) = it.under_way.take() {
            *n_open -= 1;
            it.done += Speed { times: 1.0, ..it.speed }.of(&expected[task]);
            it.took += took;
            if it.took > 0.0 && it.done > 0.0 {
                it.speed.times = it.done / it.took;
            }
        }
    }

    /// The place found its task too large. It is several now, which are expected to take so long: the first of their numbers.
    pub fn split(&mut self, place: usize, expected: &[Expected]) -> usize {
        let first = self.expected.len();
        if self.places[place].under_way.take().is_some() {
            self.n_open -= 1;
        }
        self.expected.extend(expected);
        self.n_open += expected.len();
        // They are what was under way: they come before what is not.
        let parts = (first..first + expected.len()).rev();
        match self.schedule {
            Schedule::BoundedHash => parts.for_each(|task| self.pending.push_front(task)),
            Schedule::EvenSplit | Schedule::RoundRobin | Schedule::Steal => {
                parts.for_each(|task| self.places[place].queue.push_front(task));
            }
        }
        first
    }

    /// The place failed, and is asked no more: what it had goes to the others. Whether there are any.
    pub fn failed(&mut self, place: usize) -> bool {
        let it = &mut self.places[place];
        it.has_failed = true;
        let had = it.under_way.take().into_iter().chain(std::mem::take(&mut it.queue));
        self.pending.extend(had.collect::<Vec<_>>());
        self.deal();
        self.places.iter().any(|place| !place.has_failed)
    }

    /// How many tasks were done elsewhere than they were dealt to.
    pub fn n_stolen(&self) -> usize {
        self.n_stolen
    }

    /// Deals what is pending to those who are left.
    fn deal(&mut self) {
        let left: Vec<usize> = (0..self.places.len()).filter(|&ix| !self.places[ix].has_failed).collect();
        if left.is_empty() || self.schedule == Schedule::BoundedHash {
            return;
        }
        let mut tasks: Vec<usize> = self.pending.drain(..).collect();
        match self.schedule {
            Schedule::BoundedHash => {}
            Schedule::EvenSplit => {
                let n_tasks = tasks.len();
                for (nth, task) in tasks.into_iter().enumerate() {
                    self.places[left[nth * left.len() / n_tasks]].queue.push_back(task);
                }
            }
            Schedule::RoundRobin => {
                for (nth, task) in tasks.into_iter().enumerate() {
                    self.places[left[nth % left.len()]].queue.push_back(task);
                }
            }
            Schedule::Steal => {
                tasks.sort_by(|&a, &b| self.expected[b][0].total_cmp(&self.expected[a][0]).then(a.cmp(&b)));
                for task in tasks {
                    let end = |&ix: &usize| self.left_of(ix) + self.places[ix].speed.of(&self.expected[task]);
                    let first = left.iter().copied().min_by(|a, b| end(a).total_cmp(&end(b)));
                    first.into_iter().for_each(|ix| self.places[ix].queue.push_back(task));
                }
            }
        }
    }

    /// The time that a place still needs for what it has.
    fn left_of(&self, place: usize) -> f64 {
        let it = &self.places[place];
        let tasks = it.queue.iter().chain(&it.under_way);
        tasks.map(|&task| it.speed.of(&self.expected[task])).sum::<f64>()
    }

    /// The last task of the place that needs longest for what it has, if this one is expected to be done with it before that
    /// place is with all.
    fn steal(&mut self, thief: usize) -> Option<usize> {
        let others = (0..self.places.len()).filter(|&ix| !self.places[ix].queue.is_empty());
        let fullest = others.max_by(|&a, &b| self.left_of(a).total_cmp(&self.left_of(b)))?;
        let &task = self.places[fullest].queue.back()?;
        let own = self.places[thief].speed.of(&self.expected[task]);
        if own > self.left_of(fullest) {
            return None;
        }
        self.n_stolen += 1;
        self.places[fullest].queue.pop_back()
    }

    /// The first place clockwise of a task that has nothing under way.
    fn first_idle(&self, task: usize) -> Option<usize> {
        let from = angle(task as u64);
        let idle = (0..self.places.len()).filter(|&ix| {
            let it = &self.places[ix];
            !it.has_failed && it.under_way.is_none()
        });
        idle.min_by_key(|&ix| self.places[ix].angle.wrapping_sub(from))
    }
}

/// A place on the circle: the finaliser of SplitMix64.
fn angle(number: u64) -> u64 {
    let mut word = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use strum::VariantNames;

    fn schedules() -> impl Iterator<Item = Schedule> {
        Schedule::VARIANTS.iter().map(|name| name.parse().unwrap())
    }

    /// Tasks that take places of all kinds as long.
    fn alike(expected: &[f64]) -> Vec<Expected> {
        expected.iter().map(|&expected| [expected; 2]).collect()
    }

    fn speeds(times: &[f64]) -> Vec<Speed> {
        times.iter().map(|&times| Speed { times, is_beside: false }).collect()
    }

    /// What the places of a made-up run are about: those that ask, and those with a task.
    #[derive(Clone)]
    struct World {
        dealer: Dealer,
        has: Vec<Option<usize>>,
        gone: Vec<bool>,
        n_done: Vec<u32>,
        n_failures: usize,
        n_splits: usize,
    }

    impl World {
        fn new(
            schedule: Schedule,
            expected: &[f64],
            times: &[f64],
            [n_failures, n_splits]: [usize; 2],
        ) -> Self {
            Self {
                dealer: Dealer::new(schedule, alike(expected), &speeds(times)),
                has: vec![None; times.len()],
                gone: vec![false; times.len()],
                n_done: vec![0; expected.len()],
                n_failures,
                n_splits,
            }
        }

        /// Goes on in all ways that there are; how many ways it was to the end.
        fn explore(self) -> u64 {
            let mut n_ends = 0;
            let mut moved = false;
            for place in (0..self.has.len()).filter(|&place| !self.gone[place]) {
                match self.has[place] {
                    None => {
                        let mut next = self.clone();
                        match next.dealer.next(place) {
                            // Somebody else has to do something first.
                            Next::Wait => continue,
                            Next::Done => next.gone[place] = true,
                            Next::Task(task) => {
                                assert_eq!(next.n_done[task], 0, "done already");
                                assert!(!next.has.contains(&Some(task)), "done by somebody else");
                                next.has[place] = Some(task);
                            }
                        }
                        moved = true;
                        n_ends += next.explore();
                    }
                    Some(task) => {
                        moved = true;
                        let mut done = self.clone();
                        done.has[place] = None;
                        done.n_done[task] += 1;
                        done.dealer.done(place, 1.0);
                        n_ends += done.explore();
                        if self.n_splits > 0 {
                            let mut split = self.clone();
                            split.n_splits -= 1;
                            split.has[place] = None;
                            assert_eq!(split.dealer.split(place, &alike(&[0.5, 0.5])), split.n_done.len());
                            // What was split is never done itself: its parts are.
                            split.n_done[task] = 1;
                            split.n_done.extend([0, 0]);
                            n_ends += split.explore();
                        }
                        if self.n_failures > 0 {
                            let mut failed = self.clone();
                            failed.n_failures -= 1;
                            failed.has[place] = None;
                            failed.gone[place] = true;
                            let is_left = failed.gone.iter().any(|gone| !gone);
                            let goes_on = failed.dealer.failed(place);
                            // A place that went because all was done has not failed.
                            if goes_on && is_left {
                                n_ends += failed.explore();
                            }
                        }
                    }
                }
            }
            if !moved {
                assert!(self.gone.iter().all(|&gone| gone), "all wait for each other");
                assert!(self.n_done.iter().all(|&n| n == 1), "{:?}", self.n_done);
                n_ends += 1;
            }
            n_ends
        }
    }

    #[test]
    fn no_interleaving_loses_a_task_or_does_one_twice() {
        for schedule in schedules() {
            for (n_places, n_tasks, events) in [
                (1, 3, [0, 1]),
                (2, 0, [1, 0]),
                (2, 1, [1, 1]),
                (2, 2, [0, 1]),
                (2, 3, [1, 0]),
                (2, 4, [0, 0]),
                (3, 2, [2, 0]),
                (3, 3, [1, 0]),
            ] {
                let expected: Vec<f64> = [3.0, 1.0, 2.0, 1.0][..n_tasks].to_vec();
                for times in [vec![1.0; n_places], (1..=n_places).map(|n| (n * n) as f64).collect()] {
                    assert!(World::new(schedule, &expected, &times, events).explore() > 0);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn all_is_done_whoever_is_slow_or_fails(
            expected in proptest::collection::vec(0.0f64..100.0, 0..40),
            times in proptest::collection::vec(0.1f64..50.0, 1..6),
            turns in proptest::collection::vec((0usize..6, 0u8..20), 400),
            schedule in 0usize..4,
        ) {
            let schedule: Schedule = Schedule::VARIANTS[schedule].parse().unwrap();
            let mut dealer = Dealer::new(schedule, alike(&expected), &speeds(&times));
            let mut has: Vec<Option<usize>> = vec![None; times.len()];
            let mut alive = vec![true; times.len()];
            let mut n_done = vec![0; expected.len()];
            let round = (0..).map(|ix: usize| (ix % times.len(), 1u8)).take(100 * (expected.len() + 1));
            for (place, what) in turns.into_iter().map(|(place, what)| (place % times.len(), what)).chain(round) {
                match has[place] {
                    _ if !alive[place] => {}
                    None => if let Next::Task(task) = dealer.next(place) { has[place] = Some(task) },
                    Some(_) if what == 0 && alive.iter().filter(|alive| **alive).count() > 1 => {
                        alive[place] = false;
                        has[place] = None;
                        dealer.failed(place);
                    }
                    Some(task) => {
                        n_done[task] += 1;
                        has[place] = None;
                        dealer.done(place, f64::from(what));
                    }
                }
            }
            prop_assert!(n_done.iter().all(|&n| n == 1), "{:?}", n_done);
        }
    }

    #[test]
    fn a_slow_place_does_not_hold_up_a_fast_one() {
        // One of them is expected to do all ten in the time in which the other one does one.
        let mut dealer = Dealer::new(Schedule::Steal, alike(&[1.0; 10]), &speeds(&[100.0, 1.0]));
        assert_eq!(dealer.next(1), Next::Wait);
        assert!((0..10).all(|_| {
            let task = dealer.next(0);
            dealer.done(0, 0.01);
            matches!(task, Next::Task(_))
        }));
        assert_eq!((dealer.next(0), dealer.next(1)), (Next::Done, Next::Done));
    }

    #[test]
    fn a_place_beside_is_given_what_suits_it() {
        // Of the first, the place beside would do a hundredth in the time; of the second, all.
        let tasks = vec![[1.0, 100.0], [1.0, 1.0]];
        let beside = Speed { times: 1.0, is_beside: true };
        let mut dealer = Dealer::new(Schedule::Steal, tasks, &[Speed::PLANNED, beside]);
        assert_eq!((dealer.next(0), dealer.next(1)), (Next::Task(0), Next::Task(1)));
    }
}
