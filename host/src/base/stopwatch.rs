//! The stopwatch: how long each stage of a job took.
//!
//! Stages may be entered within others: a scan hands candidates on to what scores and writes them. Every moment belongs to
//! the innermost stage under way and to no other, so the times of all stages add up to the whole, and none has to be
//! subtracted from another afterwards.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Times by stage, in the order in which they are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(Vec<(&'static str, Duration)>);

impl Stages {
    /// Adds to a stage's time; a new name comes last.
    #[doc(hidden)]
    pub fn add(&mut self, name: &'static str, time: Duration) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => *sum += time,
            None => self.0.push((name, time)),
        }
    }

    /// Adds all times of others.
    #[doc(hidden)]
    pub fn extend(&mut self, others: &Self) {
        others.iter().for_each(|(name, time)| self.add(name, time));
    }

    /// Names and times.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        self.0.iter().copied()
    }

    /// What a stage took; nothing, if there was none of that name.
    pub fn of(&self, name: &str) -> Duration {
        self.iter().filter(|(other, _)| *other == name).map(|(_, time)| time).sum()
    }

    /// All of them together.
    pub fn total(&self) -> Duration {
        self.iter().map(|(_, time)| time).sum()
    }
}

impl FromIterator<(&'static str, Duration)> for Stages {
    fn from_iter<T: IntoIterator<Item = (&'static str, Duration)>>(times: T) -> Self {
        let mut stages = Self::default();
        times.into_iter().for_each(|(name, time)| stages.add(name, time));
        stages
    }
}

/// `1.25 s (read 0.25 s, scan 1.00 s)`.
impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages: Vec<_> = self.iter().map(|(name, time)| format!("{name} {}", seconds(time))).collect();
        write!(f, "{} ({})", seconds(self.total()), stages.join(", "))
    }
}

/// A clock that is always in one stage, or in none.
#[derive(Debug)]
pub struct Stopwatch(RefCell<Running>);

#[derive(Debug)]
struct Running {
    stages: Stages,
    /// Stages under way, the innermost last.
    entered: Vec<&'static str>,
    since: Instant,
    /// When it was in which stage.
    spans: Vec<StageSpan>,
}

/// A stage, and from when to when the clock was in it.
pub type StageSpan = (&'static str, Instant, Instant);

impl Default for Stopwatch {
    /// Stages are told in the order in which they are entered.
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Stopwatch {
    /// A clock in no stage. Stages are told in this order, also those that are never entered.
    pub fn new(names: &[&'static str]) -> Self {
        let stages = Stages(names.iter().map(|name| (*name, Duration::ZERO)).collect());
        let (entered, spans) = (Vec::new(), Vec::new());
        Self(RefCell::new(Running { stages, entered, since: Instant::now(), spans }))
    }

    /// Enters a stage, until what is returned goes.
    pub fn enter(&self, name: &'static str) -> Entered<'_> {
        let mut running = self.0.borrow_mut();
        running.note();
        running.entered.push(name);
        set_under_way(Some(name));
        Entered(self)
    }

    /// Does something within a stage.
    pub fn time<T>(&self, name: &'static str, act: impl FnOnce() -> T) -> T {
        let _entered = self.enter(name);
        act()
    }

    /// The times until now.
    pub fn stages(&self) -> Stages {
        let mut running = self.0.borrow_mut();
        running.note();
        running.stages.clone()
    }

    /// When it was in which stage, until now.
    pub fn spans(&self) -> Vec<StageSpan> {
        let mut running = self.0.borrow_mut();
        running.note();
        running.spans.clone()
    }
}

impl Running {
    /// Gives the time since the last look to the stage that it belongs to.
    fn note(&mut self) {
        let now = Instant::now();
        if let Some(name) = self.entered.last() {
            self.stages.add(name, now - self.since);
            match self.spans.last_mut() {
                Some((last, _, upto)) if last == name && *upto == self.since => *upto = now,
                _ => self.spans.push((name, self.since, now)),
            }
        }
        self.since = now;
    }
}

/// A stage under way.
#[must_use = "the stage ends when this goes"]
#[derive(Debug)]
pub struct Entered<'a>(&'a Stopwatch);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut running = self.0.0.borrow_mut();
        running.note();
        running.entered.pop();
        set_under_way(running.entered.last().copied());
    }
}

/// The stage that was last entered, by whichever clock: for a message when there is no time to ask around.
static UNDER_WAY: Mutex<Option<&'static str>> = Mutex::new(None);

fn set_under_way(name: Option<&'static str>) {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = name;
}

/// The stage that is under way, if any. Takes no memory and does not wait.
pub fn under_way() -> Option<&'static str> {
    *UNDER_WAY.try_lock().ok()?
}

/// A time, for people.
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn each_moment_belongs_to_the_innermost_stage() {
        const TICK: Duration = Duration::from_millis(20);
        let start = Instant::now();
        let watch = Stopwatch::new(&["read", "scan", "write"]);
        watch.time("scan", || {
            sleep(TICK);
            watch.time("score", || watch.time("write", || sleep(3 * TICK)));
        });
        let whole = start.elapsed();
        let stages = watch.stages();
        assert_eq!(
            stages.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["read", "scan", "write", "score"]
        );
        assert_eq!(stages.of("read"), Duration::ZERO);
        assert!(stages.of("scan") >= TICK && stages.of("write") >= 3 * TICK);
        assert!(stages.of("score") < TICK, "what is within a stage is not counted twice");
        assert!(stages.total() <= whole);
    }

    #[test]
    fn times_are_told_in_order() {
        let mut stages = Stages::default();
        stages.add("read", Duration::from_millis(250));
        stages.add("scan", Duration::from_secs(1));
        stages.add("read", Duration::from_millis(1250));
        assert_eq!(stages.to_string(), "2.50 s (read 1.50 s, scan 1.00 s)");
        assert_eq!(Stages::default().to_string(), "0.0 ms ()");
    }
}
