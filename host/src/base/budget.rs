//! The budget: how much memory a job may use, and how much it does.
//!
//! Whoever is about to hold much asks first ([`Budget::reserve`]), and gives back what it reserved when that is dropped. Who can
//! do with less asks how much there is ([`Budget::room`]), and does its work in pieces, or keeps what is too much in files. Only
//! what cannot be made to fit is refused, with the number that it would need. Without a limit everything is granted.

use crate::base::error::{Error, Result};
use crate::base::memory::held;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a process takes before it has read anything, and for stacks and small things: code, threads, messages.
const OVERHEAD: u64 = 48 << 20;

/// Things of one kind that there must be room for: with fewer a job would spend its time on the edges of its pieces.
const LEAST: u64 = 1 << 16;

/// Things that are handed on at once where memory is short.
const AT_ONCE: usize = 1 << 18;

/// Memory that is shared by all that a job does.
#[derive(Debug)]
pub struct Budget {
    /// Bytes that may be used.
    most: u64,
    used: AtomicU64,
    /// Where that goes which is kept in files; where the system has temporary files, if nobody says.
    folder: Option<PathBuf>,
    /// Bytes that a process takes anyway.
    overhead: u64,
    /// Whether any number of things is enough to go on with, however slowly: for tests.
    is_small: bool,
    /// Reservations that are still granted, whatever room there is: for tests.
    granted: Option<AtomicU64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            most: u64::MAX,
            used: AtomicU64::new(0),
            folder: None,
            overhead: OVERHEAD,
            is_small: false,
            granted: None,
        }
    }
}

impl Budget {
    /// So many bytes for the whole process.
    pub fn of(most: u64) -> Self {
        Self { most: most.saturating_sub(OVERHEAD), ..Self::default() }
    }

    /// So many bytes for what is reserved alone, and the less at once the fewer they are: a test's way to have jobs of a few
    /// records done in pieces.
    #[doc(hidden)]
    pub fn small(most: u64) -> Self {
        Self { most, overhead: 0, is_small: true, ..Self::default() }
    }

    /// With files in this folder.
    pub fn with_folder(self, folder: Option<PathBuf>) -> Self {
        Self { folder, ..self }
    }

    /// One that refuses what is reserved after so many times: a test's way to see that nothing is lost in that.
    #[doc(hidden)]
    pub fn refusing_after(self, n: u64) -> Self {
        Self { granted: Some(AtomicU64::new(n)), ..self }
    }

    /// Whether there is a limit.
    #[doc(hidden)]
    pub fn is_limited(&self) -> bool {
        self.most != u64::MAX
    }

    /// Bytes that are left, of what nobody has reserved or, where that is counted, holds.
    #[doc(hidden)]
    pub fn room(&self) -> u64 {
        self.most.saturating_sub(self.used.load(Relaxed).max(held()))
    }

    /// How many things are handed on at once: `most`, and where memory is short fewer. Whoever takes them holds something for
    /// each.
    #[doc(hidden)]
    pub fn at_once(&self, most: usize) -> usize {
        if self.is_limited() { most.min(AT_ONCE) } else { most }
    }

    /// Where that goes which is kept in files.
    #[doc(hidden)]
    pub fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// So many bytes, for as long as what comes back is held; an error, if they are too many.
    #[doc(hidden)]
    pub fn reserve(&self, n_bytes: u64, what: &'static str) -> Result<Reserved<'_>> {
        let used = self.used.fetch_add(n_bytes, Relaxed);
        let reserved = Reserved { budget: self, n_bytes };
        let is_refused = self.granted.as_ref().is_some_and(|granted| {
            granted.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
        });
        if is_refused || used.saturating_add(n_bytes) > self.most {
            drop(reserved);
            return Err(self.lacks(n_bytes, what));
        }
        Ok(reserved)
    }

    /// The same for what cannot be done in pieces, and so is for free where a test has room for nothing but pieces.
    #[doc(hidden)]
    pub fn hold(&self, n_bytes: u64, what: &'static str) -> Result<Reserved<'_>> {
        self.reserve(if self.is_small { 0 } else { n_bytes }, what)
    }

    /// What is said where so many bytes more would be needed.
    #[doc(hidden)]
    pub fn lacks(&self, n_bytes: u64, what: &'static str) -> Error {
        let need = self.used.load(Relaxed).saturating_add(n_bytes).saturating_add(self.overhead);
        Error::Memory { what, need, most: self.most.saturating_add(self.overhead) }
    }

    /// As many things of `each` bytes as there is room for in a share of what is left (hundredths), and that room: no more than
    /// `most`; an error, if there is room for fewer than it takes to get on.
    #[doc(hidden)]
    pub fn grant(
        &self,
        hundredths: u64,
        each: u64,
        most: usize,
        what: &'static str,
    ) -> Result<(usize, Reserved<'_>)> {
        let least = if self.is_small { 1 } else { LEAST.min(most as u64) };
        let fit = self.room().saturating_mul(hundredths) / 100 / each;
        let n = fit.clamp(least, (most as u64).max(least));
        Ok((n as usize, self.reserve(n.saturating_mul(each), what)?))
    }
}

/// Memory that somebody holds.
#[derive(Debug)]
pub struct Reserved<'a> {
    budget: &'a Budget,
    n_bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.n_bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_given_back() {
        let budget = Budget::of(OVERHEAD + 100);
        let first = budget.reserve(60, "a table").unwrap();
        assert_eq!(budget.room(), 40);
        let refused = budget.reserve(41, "another table").unwrap_err().to_string();
        let said = "another table: needs 48.0 MiB of memory in all, and --memory allows 48.0";
        assert!(refused.starts_with(said), "{refused}");
        assert_eq!(budget.room(), 40);
        drop(first);
        assert!(budget.reserve(100, "another table").is_ok());
        assert!(Budget::default().reserve(u64::MAX, "anything").is_ok());
    }

    #[test]
    fn as_many_as_fit() {
        let (n, granted) =
            Budget::small(1000).grant(50, 10, 80, "things").map(|(n, it)| (n, it.n_bytes)).unwrap();
        assert_eq!((n, granted), (50, 500));
        let budget = Budget::small(1000);
        let (n, all) = budget.grant(100, 10, 80, "things").unwrap();
        assert_eq!((n, budget.room()), (80, 200));
        drop(all);
        assert_eq!(Budget::small(5).grant(100, 5, 80, "things").unwrap().0, 1);
        assert!(Budget::small(5).grant(100, 6, 80, "things").is_err(), "not even one");
        assert!(
            Budget::of(OVERHEAD + 1000).grant(100, 1, usize::MAX, "things").is_err(),
            "too few to get on"
        );
    }

    #[test]
    fn refused_after_some() {
        let budget = Budget::default().refusing_after(2);
        assert!(budget.reserve(1, "a").is_ok() && budget.reserve(1, "b").is_ok());
        assert!(budget.reserve(1, "c").is_err() && budget.reserve(1, "d").is_err());
    }
}
