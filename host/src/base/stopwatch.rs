//! The stopwatch: how long each stage of a job took.
//!
//! Each thread has one clock, and whatever goes on there may enter a stage of it, also within others: a scan hands candidates on
//! to what scores and writes them. Every moment belongs to the innermost stage under way and to no other, so the times of
//! all stages add up to the whole, and none has to be subtracted from another afterwards. What belongs to no stage that has
//! a name is [`OTHER`].
//!
//! A [`Stopwatch`] is a part of that: from when it was started. Those of a job tell of the job; that of the command line is
//! started first of all, and so tells of the whole process.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stage of all that is in no other.
pub const OTHER: &str = "other";

/// In this order stages are told; those that are not among them come after the first ones, as they were entered, and before the last.
const FIRST: [&str; 10] =
    ["open", "read", "encode", "plan", "truth", "sort", "load", "scan", "neighbours", "score"];
const LAST: [&str; 5] = ["cluster", "ids", "errors", "write", OTHER];

/// Where a stage stands.
fn rank(name: &str) -> usize {
    let place = |of: &[&str]| of.iter().position(|other| *other == name);
    let between = FIRST.len();
    place(&FIRST).or_else(|| Some(between + 1 + place(&LAST)?)).unwrap_or(between)
}

/// Times by stage, in the order in which they are told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(Vec<(&'static str, Duration)>);

impl Stages {
    /// Adds to a stage's time.
    #[doc(hidden)]
    pub fn add(&mut self, name: &'static str, time: Duration) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => *sum += time,
            None => {
                let place = self.0.partition_point(|(other, _)| rank(other) <= rank(name));
                self.0.insert(place, (name, time));
            }
        }
    }

    /// What came to them since they were as they were `before`.
    fn since(&self, before: &Self) -> Self {
        let is_new = |name: &str, time: Duration| time > before.of(name) || !before.has(name);
        let entered = self.iter().filter(|(name, time)| is_new(name, *time));
        entered.map(|(name, time)| (name, time - before.of(name))).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.iter().any(|(other, _)| other == name)
    }

    /// Adds all times of others.
    #[doc(hidden)]
    pub fn extend(&mut self, others: &Self) {
        others.iter().for_each(|(name, time)| self.add(name, time));
    }

    /// What they leave of a whole that they are parts of is [`OTHER`].
    pub(crate) fn fill(&mut self, whole: Duration) {
        self.add(OTHER, whole.saturating_sub(self.total()));
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

/// A part of a thread's clock: from when it was started. As long as it is there, all that is in no stage is in [`OTHER`].
#[derive(Debug)]
pub struct Stopwatch {
    begun: Instant,
    before: Stages,
    _other: Entered<'static>,
}

/// A stage, and from when to when the clock was in it.
pub type StageSpan = (&'static str, Instant, Instant);

impl Default for Stopwatch {
    /// Started now.
    fn default() -> Self {
        let other = enter(OTHER);
        let (begun, before) = CLOCK.with_borrow(|clock| (clock.since, clock.stages.clone()));
        Self { begun, before, _other: other }
    }
}

impl Stopwatch {
    /// Enters a stage, until what is returned goes.
    pub fn enter(&self, name: &'static str) -> Entered<'_> {
        enter(name)
    }

    /// Does something within a stage.
    pub fn time<T>(&self, name: &'static str, act: impl FnOnce() -> T) -> T {
        time(name, act)
    }

    /// The times since it was started.
    pub fn stages(&self) -> Stages {
        CLOCK.with_borrow_mut(|clock| {
            clock.note();
            clock.stages.since(&self.before)
        })
    }

    /// When the clock was in which stage since.
    pub fn spans(&self) -> Vec<StageSpan> {
        CLOCK.with_borrow_mut(|clock| {
            clock.note();
            let spans = clock.spans.iter().filter(|(.., upto)| *upto > self.begun);
            spans.map(|&(name, from, upto)| (name, from.max(self.begun), upto)).collect()
        })
    }
}

/// Enters a stage of this thread's clock, until what is returned goes: for those whom nobody gave a stopwatch.
pub fn enter(name: &'static str) -> Entered<'static> {
    CLOCK.with_borrow_mut(|clock| {
        if clock.entered.is_empty() {
            // Of what was before, nobody can ask any more.
            *clock = Clock::default();
        }
        clock.note();
        clock.entered.push(name);
        set_under_way(Some(name));
        Entered { depth: clock.entered.len() - 1, _of: PhantomData }
    })
}

/// Does something within a stage of this thread's clock.
pub fn time<T>(name: &'static str, act: impl FnOnce() -> T) -> T {
    let _entered = enter(name);
    act()
}

/// All times of this thread's clock, from when it was in a stage first: of the whole process, if it was in one from the beginning.
pub fn whole() -> Stages {
    CLOCK.with_borrow_mut(|clock| {
        clock.note();
        clock.stages.clone()
    })
}

/// When this thread's clock was in which stage, from its beginning.
pub(crate) fn spans() -> Vec<(&'static str, Duration, Duration)> {
    CLOCK.with_borrow_mut(|clock| {
        clock.note();
        let Some(&(_, begun, _)) = clock.spans.first() else { return Vec::new() };
        clock.spans.iter().map(|&(name, from, upto)| (name, from - begun, upto - begun)).collect()
    })
}

thread_local! {
    static CLOCK: RefCell<Clock> = RefCell::default();
}

/// A clock that is always in one stage, or in none.
#[derive(Debug)]
struct Clock {
    stages: Stages,
    /// Stages under way, the innermost last.
    entered: Vec<&'static str>,
    since: Instant,
    /// When it was in which stage.
    spans: Vec<StageSpan>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { stages: Stages::default(), entered: Vec::new(), since: Instant::now(), spans: Vec::new() }
    }
}

impl Clock {
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

/// A stage under way, on the thread that entered it.
#[must_use = "the stage ends when this goes"]
#[derive(Debug)]
pub struct Entered<'a> {
    /// How many stages it is within.
    depth: usize,
    _of: PhantomData<(&'a Stopwatch, *const ())>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        CLOCK.with_borrow_mut(|clock| {
            clock.note();
            clock.entered.truncate(self.depth);
            set_under_way(clock.entered.last().copied());
        });
    }
}

/// The stage that was last entered, by whichever clock: for a message when there is no time to ask around.
static UNDER_WAY: Mutex<Option<&'static str>> = Mutex::new(None);

fn set_under_way(name: Option<&'static str>) {
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = name.filter(|name| *name != OTHER);
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
        let watch = Stopwatch::default();
        sleep(TICK);
        watch.time("scan", || {
            sleep(TICK);
            watch.time("score", || time("write", || sleep(3 * TICK)));
        });
        let stages = watch.stages();
        let whole = start.elapsed();
        assert_eq!(
            stages.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["scan", "score", "write", OTHER]
        );
        assert!(stages.of("scan") >= TICK && stages.of("write") >= 3 * TICK && stages.of(OTHER) >= TICK);
        assert!(stages.of("score") < TICK, "what is within a stage is not counted twice");
        assert!(stages.total() <= whole && stages.total() > whole - TICK, "nothing is left out");
    }

    #[test]
    fn a_part_of_a_clock_tells_of_itself_alone() {
        const TICK: Duration = Duration::from_millis(10);
        let whole = Stopwatch::default();
        whole.time("read", || sleep(2 * TICK));
        let (stages, spans) = {
            let part = Stopwatch::default();
            sleep(TICK);
            part.time("scan", || sleep(TICK));
            (part.stages(), part.spans())
        };
        let told: Vec<_> = stages.iter().map(|(name, _)| name).collect();
        assert_eq!(told, ["scan", OTHER]);
        let spans: Duration = spans.iter().map(|(_, from, upto)| *upto - *from).sum();
        assert!(spans >= stages.total() && spans < stages.total() + TICK);
        assert!(whole.stages().total() >= 2 * TICK + stages.total());
        drop(whole);
        // Threads live longer than jobs.
        assert_eq!(Stopwatch::default().stages().of("read"), Duration::ZERO);
    }

    #[test]
    fn what_unwinds_leaves_its_stages() {
        let watch = Stopwatch::default();
        let unwound = std::panic::catch_unwind(|| time("scan", || time("write", || panic!("a defect"))));
        assert!(unwound.is_err());
        let before = watch.stages().of("scan");
        sleep(Duration::from_millis(5));
        assert_eq!(watch.stages().of("scan"), before);
    }

    #[test]
    fn times_are_told_in_order() {
        let mut stages = Stages::default();
        stages.add("write", Duration::from_millis(5));
        stages.add("keep", Duration::from_millis(7));
        stages.add("scan", Duration::from_secs(1));
        stages.add("read", Duration::from_millis(250));
        stages.add("curve", Duration::ZERO);
        stages.add("read", Duration::from_millis(1250));
        assert_eq!(
            stages.to_string(),
            "2.51 s (read 1.50 s, scan 1.00 s, keep 7.0 ms, curve 0.0 ms, write 5.0 ms)"
        );
        assert_eq!(Stages::default().to_string(), "0.0 ms ()");
    }
}
