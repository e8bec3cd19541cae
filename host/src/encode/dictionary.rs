//! Distinct strings and their codes.

use crate::base::control::Control;
use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Strings that are made and hashed by all threads, before one adds them.
const AT_ONCE: usize = 1 << 16;

/// Strings numbered in the order they were first seen.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    text: String,
    ends: Vec<usize>,
    /// By code: its string's hash. Growing would otherwise read all text again.
    hashes: Vec<u64>,
    codes: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// The hash of a string, which others may compute beforehand.
    pub(super) fn hash(&self, value: &str) -> u64 {
        self.hasher.hash_one(value)
    }

    /// The string's code; a new one if it was never seen. `hash` is its hash.
    pub(super) fn add(&mut self, value: &str, hash: u64) -> u32 {
        if let Some(&code) = self.codes.find(hash, |&code| slice(&self.text, &self.ends, code) == value) {
            return code;
        }
        let code = self.ends.len() as u32;
        self.text.push_str(value);
        self.ends.push(self.text.len());
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.codes.insert_unique(hash, code, |&code| hashes[code as usize]);
        code
    }

    /// Adds strings in order, `None` for what is missing, and tells their codes. `text` is called by all threads.
    pub(super) fn add_all<'a>(
        &mut self,
        n: usize,
        text: impl Fn(usize) -> Option<Cow<'a, str>> + Sync,
        mut tell: impl FnMut(Option<u32>),
        control: &Control,
    ) {
        for first in (0..n).step_by(AT_ONCE) {
            let hashed = |ix| {
                let value = (!control.is_cancelled()).then(|| text(ix)).flatten()?;
                Some((self.hash(&value), value))
            };
            let values: Vec<_> = (first..n.min(first + AT_ONCE)).into_par_iter().map(hashed).collect();
            control.pass();
            for value in values {
                tell(value.map(|(hash, value)| self.add(&value, hash)));
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string of a code.
    pub(super) fn get(&self, code: usize) -> &str {
        slice(&self.text, &self.ends, code as u32)
    }

    /// The strings by code.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code))
    }

    /// All strings one after the other.
    pub(super) fn all_text(&self) -> &str {
        &self.text
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], code: u32) -> &'a str {
    let start = code.checked_sub(1).map_or(0, |previous| ends[previous as usize]);
    &text[start..ends[code as usize]]
}
