//! Distinct strings and their codes.

use crate::base::control::Control;
use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::ops::Deref;

/// Strings that are made and hashed by all threads, before one adds them.
const AT_ONCE: usize = 1 << 16;

/// Strings numbered in the order they were first seen. What the table has is borrowed from it: long values stand in
/// memory once.
#[derive(Debug)]
pub(super) struct Dictionary<S> {
    /// By code.
    values: Vec<S>,
    /// By code: its string's hash. Growing would otherwise read all text again.
    hashes: Vec<u64>,
    codes: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<S> Default for Dictionary<S> {
    fn default() -> Self {
        let (values, hashes) = (Vec::new(), Vec::new());
        Self { values, hashes, codes: HashTable::default(), hasher: DefaultHashBuilder::default() }
    }
}

impl<S: Deref<Target = str> + Send> Dictionary<S> {
    /// The string's code; a new one if it was never seen.
    #[cfg(test)]
    pub(super) fn add(&mut self, value: S) -> u32 {
        self.add_hashed(self.hasher.hash_one(&*value), value)
    }

    fn add_hashed(&mut self, hash: u64, value: S) -> u32 {
        if let Some(&code) = self.codes.find(hash, |&code| *self.values[code as usize] == *value) {
            return code;
        }
        let code = self.values.len() as u32;
        self.values.push(value);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.codes.insert_unique(hash, code, |&code| hashes[code as usize]);
        code
    }

    /// Adds strings in order, `None` for what is missing, and tells their codes. `text` is called by all threads.
    pub(super) fn add_all(
        &mut self,
        n: usize,
        text: impl Fn(usize) -> Option<S> + Sync,
        mut tell: impl FnMut(Option<u32>),
        control: &Control,
    ) {
        for first in (0..n).step_by(AT_ONCE) {
            let hasher = &self.hasher;
            let hashed = |ix| {
                let value = (!control.is_cancelled()).then(|| text(ix)).flatten()?;
                Some((hasher.hash_one(&*value), value))
            };
            let values: Vec<_> = (first..n.min(first + AT_ONCE)).into_par_iter().map(hashed).collect();
            control.pass();
            for value in values {
                tell(value.map(|(hash, value)| self.add_hashed(hash, value)));
            }
        }
    }

    /// The strings by code.
    pub(super) fn into_values(self) -> Vec<S> {
        self.values
    }
}
