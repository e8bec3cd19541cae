//! How far a job is: a bar on a terminal, lines of JSON for programs, nothing in a pipe.

use super::bar::set_bar;
use super::say::to_people;
use clap::ValueEnum;
use hyperblock::Control;
use hyperblock::base::progress::Progress;
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Thread, park_timeout};
use std::time::{Duration, Instant};

/// How progress is shown.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Show {
    /// A bar, if standard error is a terminal
    #[default]
    Auto,
    /// A line of JSON on standard error, each second and when a stage begins
    Json,
    /// Nothing
    None,
}

/// How often somebody looks, and how often a line is printed at least.
const TICK: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(1);
/// What is shown while nothing has begun, and when all is done.
const START: &str = "start";
const END: &str = "end";

/// Shows how far `work` is.
pub(crate) fn watch<T>(show: Show, control: &Control, work: impl FnOnce() -> T) -> T {
    let mut watcher = match show {
        Show::None => return work(),
        Show::Json => Watcher::Lines(None),
        Show::Auto => {
            let bar = ProgressBar::new(0);
            if bar.is_hidden() {
                return work();
            }
            let style = ProgressStyle::with_template("{prefix} {wide_bar} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            set_bar(Some(bar.clone()));
            Watcher::Bar(bar)
        }
    };
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let look = || {
            let mut clock = Clock::new();
            while !is_done.load(Relaxed) {
                watcher.show(&clock.look(control.progress()));
                park_timeout(TICK);
            }
            watcher.end(&clock.look(Progress { stage: Some(END), ..control.progress() }));
        };
        // Without a thread to spare there is nothing to see.
        let looking = thread::Builder::new().name("progress".into()).spawn_scoped(scope, look);
        let _done = Done { is_done: &is_done, looking: looking.ok().map(|looking| looking.thread().clone()) };
        work()
    })
}

/// Says that the work is done, also if it ends in a panic: the thread that looks is waited for.
struct Done<'a> {
    is_done: &'a AtomicBool,
    looking: Option<Thread>,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Relaxed);
        self.looking.iter().for_each(Thread::unpark);
    }
}

/// Where a job is, and since when.
struct Seen {
    progress: Progress,
    /// The stage that is under way, or was last.
    stage: &'static str,
    /// Since the job began.
    elapsed: Duration,
    /// How long the rest of what is under way will take, if it goes on like this.
    left: Option<Duration>,
}

/// Times what is under way.
struct Clock {
    start: Instant,
    stage: &'static str,
    /// What is counted, and since when.
    counted: (&'static str, u64, Instant),
}

impl Clock {
    fn new() -> Self {
        let start = Instant::now();
        Self { start, stage: START, counted: ("", 0, start) }
    }

    fn look(&mut self, progress: Progress) -> Seen {
        let now = Instant::now();
        let Progress { things, n_all, n_done, stage, .. } = progress;
        self.stage = stage.unwrap_or(self.stage);
        if (self.counted.0, self.counted.1) != (things, n_all) {
            self.counted = (things, n_all, now);
        }
        let took = now - self.counted.2;
        let share = n_done as f64 / n_all.max(1) as f64;
        let left = (share > 0.0 && took > TICK).then(|| took.mul_f64((1.0 - share) / share));
        Seen { progress, stage: self.stage, elapsed: now - self.start, left }
    }
}

enum Watcher {
    Bar(ProgressBar),
    /// The stage that was last printed, and when.
    Lines(Option<(&'static str, Duration)>),
}

impl Watcher {
    fn show(&mut self, seen: &Seen) {
        match self {
            Self::Bar(bar) => draw(bar, seen),
            Self::Lines(last) => {
                let is_due = |(stage, at): &(&'static str, Duration)| {
                    *stage != seen.stage || seen.elapsed.saturating_sub(*at) >= LINE
                };
                if last.as_ref().is_none_or(is_due) {
                    print(seen);
                    *last = Some((seen.stage, seen.elapsed));
                }
            }
        }
    }

    fn end(&mut self, seen: &Seen) {
        match self {
            Self::Bar(bar) => {
                set_bar(None);
                bar.finish_and_clear();
            }
            Self::Lines(_) => print(seen),
        }
    }
}

fn draw(bar: &ProgressBar, seen: &Seen) {
    let Progress { n_done, n_all, things, path, .. } = &seen.progress;
    bar.set_prefix(match path {
        Some((nth, n)) if *n > 1 => format!("{} (path {nth} of {n})", seen.stage),
        _ => seen.stage.to_owned(),
    });
    // A bar of nothing would be full.
    bar.set_length((*n_all).max(1));
    bar.set_position(*n_done);
    let of = match (*n_all, *things) {
        (0, _) => String::new(),
        (_, "bytes") => format!("{} of {}", HumanBytes(*n_done), HumanBytes(*n_all)),
        _ => format!("{} of {} {things}", HumanCount(*n_done), HumanCount(*n_all)),
    };
    let left = seen.left.map(|left| format!("  {:#} left", HumanDuration(left))).unwrap_or_default();
    bar.set_message(of + &left);
}

fn print(seen: &Seen) {
    let Progress { n_done, n_all, things, path, device, .. } = &seen.progress;
    let seconds = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
    let mut line = json!({ "event": "progress", "stage": seen.stage, "seconds": seconds(seen.elapsed) });
    if *n_all > 0 {
        line["done"] = (*n_done).into();
        line["all"] = (*n_all).into();
        line["of"] = (*things).into();
    }
    if let Some(left) = seen.left {
        line["seconds_left"] = seconds(left).into();
    }
    if let Some((nth, n)) = path {
        line["path"] = (*nth).into();
        line["paths"] = (*n).into();
    }
    if let Some(device) = device {
        line["device"] = device.as_str().into();
    }
    to_people(format_args!("{line}\n"));
}
