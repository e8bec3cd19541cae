//! Distinct strings and their codes.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Strings numbered in the order they were first seen.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    text: String,
    ends: Vec<usize>,
    codes: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// The string's code; a new one if it was never seen.
    pub(super) fn add(&mut self, value: &str) -> u32 {
        let hash = self.hasher.hash_one(value);
        if let Some(&code) = self.codes.find(hash, |&code| slice(&self.text, &self.ends, code) == value) {
            return code;
        }
        let code = self.ends.len() as u32;
        self.text.push_str(value);
        self.ends.push(self.text.len());
        let Self { text, ends, codes, hasher } = self;
        codes.insert_unique(hash, code, |&code| hasher.hash_one(slice(text, ends, code)));
        code
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The strings by code.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len() as u32).map(|code| slice(&self.text, &self.ends, code))
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
