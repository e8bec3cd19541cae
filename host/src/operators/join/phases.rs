//! A stop watch for what a join does on the CPU.

use std::time::{Duration, Instant};

/// What took how long so far.
pub(crate) struct Phases {
    pub(crate) list: Vec<(&'static str, Duration)>,
    since: Instant,
}

impl Phases {
    pub(crate) fn new() -> Self {
        Self { list: Vec::new(), since: Instant::now() }
    }

    /// A phase has ended, and the next begins.
    pub(crate) fn end(&mut self, name: &'static str) {
        let now = Instant::now();
        self.list.push((name, now - std::mem::replace(&mut self.since, now)));
    }
}
