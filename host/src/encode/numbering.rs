//! Tokens numbered by rising frequency, by all threads.
//!
//! A frequency is known only when all values were seen, so a token has a number first and its code later:
//! 1. Each chunk of values numbers its tokens in the order they come up, and counts them.
//! 2. The tokens of all chunks are put together. Hashes deal them out to *shares*, each put together alone.
//! 3. Tokens are sorted by frequency, and by key where it is the same: their places are their codes. No two
//!    keys are equal, so neither chunks nor hashes nor threads show in the codes.
//! 4. Each chunk replaces its numbers by codes, and sorts its sets.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::threads;
use hashbrown::hash_table::{Entry, HashTable};
use hashbrown::{DefaultHashBuilder, HashMap};
use hyperblock_shared::columns::Head;
use hyperblock_shared::signature::token_bit;
use rayon::prelude::*;
use std::hash::{BuildHasher, Hash};

/// Takes values apart. Tokens are equal if their keys are.
pub(crate) trait Split<V>: Sync {
    /// What tells tokens apart.
    type Key: Copy + Ord + Hash + Send + Sync;

    /// Calls `take` with the key of every token of a value; one that stands twice comes twice.
    fn each(&self, value: V, take: impl FnMut(Self::Key));
}

/// Heads by value, and the tokens of all sets.
pub(crate) type Numbered = (Vec<Head>, Vec<u32>);

/// Text worth a chunk of its own.
const BYTES_PER_CHUNK: usize = 1 << 16;
/// More than one, so that no thread waits long for another; each costs a table of tokens.
const CHUNKS_PER_THREAD: usize = 2;

/// In how many chunks text of so many bytes is done.
pub(crate) fn n_chunks(n_bytes: usize) -> usize {
    (n_bytes / BYTES_PER_CHUNK).clamp(1, CHUNKS_PER_THREAD * threads::n_threads())
}

/// The sets of `values`, in as many chunks as said (or fewer), if they have no more than `most` tokens.
pub(crate) fn number<V: Copy + Sync, S: Split<V>>(
    values: &[V],
    split: &S,
    n_chunks: usize,
    most: u32,
    control: &Control,
) -> Result<Numbered> {
    let n_shares = n_chunks.max(1);
    let per_chunk = values.len().div_ceil(n_shares).max(1);
    let hasher = DefaultHashBuilder::default();
    let chunks: Vec<Chunk<S::Key>> = values
        .par_chunks(per_chunk)
        .map(|values| Chunk::new(values, split, &hasher, n_shares, most, control))
        .gather_all()?;
    // Also keeps token codes in 32 bits: there are no more of them than tokens.
    let n_tokens: usize = chunks.iter().map(|chunk| chunk.numbers.len()).sum();
    if n_tokens > most as usize {
        return Err(too_many());
    }
    let shares: Vec<Share<S::Key>> =
        (0..n_shares).into_par_iter().map(|share| Share::new(&chunks, share)).gather();
    let codes = codes(&shares, control);

    let mut heads = vec![Head::default(); values.len()];
    let mut tokens = vec![0; n_tokens];
    let (mut heads_left, mut tokens_left, mut start) = (&mut heads[..], &mut tokens[..], 0);
    let mut outputs = Vec::with_capacity(chunks.len());
    for chunk in &chunks {
        let (heads, tokens);
        (heads, heads_left) = heads_left.split_at_mut(chunk.lens.len());
        (tokens, tokens_left) = tokens_left.split_at_mut(chunk.numbers.len());
        outputs.push((heads, tokens, start));
        start += chunk.numbers.len() as u32;
    }
    let n_codes = codes.iter().map(Vec::len).sum();
    chunks.into_par_iter().zip(outputs).enumerate().for_each(|(ix, (chunk, (heads, tokens, start)))| {
        let codes = chunk.codes(ix, &shares, &codes);
        chunk.write(&codes, &mut Sorting::new(n_codes), start, heads, tokens, control);
    });
    Ok((heads, tokens))
}

fn too_many() -> Error {
    Error::Job("a column has more than 4,294,967,295 tokens; split the table".into())
}

/// A token of a chunk.
struct Token<K> {
    key: K,
    /// Tokens of the chunk in the order they came up.
    number: u32,
    /// Values of the chunk that have it.
    frequency: u32,
    /// The last of them.
    last: u32,
}

/// Some values that follow each other, their tokens numbered apart from all others.
struct Chunk<K> {
    /// By value: how many tokens it has.
    lens: Vec<u32>,
    /// The sets, one after the other.
    numbers: Vec<u32>,
    /// By share: its tokens.
    tokens: Vec<Vec<Token<K>>>,
}

impl<K: Copy + Eq + Hash> Chunk<K> {
    fn new<V: Copy>(
        values: &[V],
        split: &impl Split<V, Key = K>,
        hasher: &DefaultHashBuilder,
        n_shares: usize,
        most: u32,
        control: &Control,
    ) -> Result<Self> {
        let mut table: HashTable<Token<K>> = HashTable::new();
        let mut lens = Vec::with_capacity(values.len());
        let mut numbers = Vec::new();
        for (ix, &value) in values.iter().enumerate() {
            control.pass();
            let (ix, before) = (ix as u32, numbers.len());
            split.each(value, |key| {
                let number = table.len() as u32;
                let entry = table.entry(
                    hasher.hash_one(key),
                    |token| token.key == key,
                    |token| hasher.hash_one(token.key),
                );
                match entry {
                    Entry::Occupied(mut entry) => {
                        let token = entry.get_mut();
                        if token.last != ix {
                            token.last = ix;
                            token.frequency += 1;
                            numbers.push(token.number);
                        }
                    }
                    Entry::Vacant(entry) => {
                        entry.insert(Token { key, number, frequency: 1, last: ix });
                        numbers.push(number);
                    }
                }
            });
            if numbers.len() > most as usize {
                return Err(too_many());
            }
            lens.push((numbers.len() - before) as u32);
        }
        let mut tokens: Vec<Vec<Token<K>>> = (0..n_shares).map(|_| Vec::new()).collect();
        for token in table {
            let share = hasher.hash_one(token.key) as usize % n_shares;
            tokens[share].push(token);
        }
        Ok(Self { lens, numbers, tokens })
    }

    /// The final codes by the chunk's own numbers. `ix` is the chunk's place among all.
    fn codes(&self, ix: usize, shares: &[Share<K>], codes: &[Vec<u32>]) -> Vec<u32> {
        let mut finals = vec![0; self.tokens.iter().map(Vec::len).sum()];
        for ((tokens, share), codes) in self.tokens.iter().zip(shares).zip(codes) {
            for (token, &place) in tokens.iter().zip(&share.places[ix]) {
                finals[token.number as usize] = codes[place as usize];
            }
        }
        finals
    }

    fn write(
        &self,
        codes: &[u32],
        sorting: &mut Sorting,
        mut start: u32,
        heads: &mut [Head],
        mut tokens: &mut [u32],
        control: &Control,
    ) {
        let mut numbers = &self.numbers[..];
        for (head, &len) in heads.iter_mut().zip(&self.lens) {
            control.pass();
            let (set, set_numbers);
            (set, tokens) = tokens.split_at_mut(len as usize);
            (set_numbers, numbers) = numbers.split_at(len as usize);
            let mut signature = 0;
            for (token, &number) in set.iter_mut().zip(set_numbers) {
                *token = codes[number as usize];
                signature |= token_bit(*token);
            }
            sorting.sort(set);
            *head = Head { start, len, beginning: 0, signature };
            start += len;
        }
    }
}

/// Sorts sets of codes. Where a set has many of all codes there are, as of q-grams it has, it is sooner read off a bitmap.
struct Sorting {
    /// A bit for each code, none of which is set between sets.
    codes: Vec<u64>,
}

/// Words of the bitmap for each element of a set, at most: sorting takes as long.
const WORDS_PER_ELEMENT: usize = 8;

impl Sorting {
    fn new(n_codes: usize) -> Self {
        Self { codes: vec![0; n_codes.div_ceil(64)] }
    }

    /// Sorts different codes.
    fn sort(&mut self, set: &mut [u32]) {
        if self.codes.len() > set.len() * WORDS_PER_ELEMENT {
            set.sort_unstable();
            return;
        }
        for &code in &*set {
            self.codes[code as usize / 64] |= 1 << (code % 64);
        }
        let mut places = set.iter_mut();
        for (word, codes) in (0..).zip(&mut self.codes) {
            let mut left = std::mem::take(codes);
            while left != 0 {
                if let Some(place) = places.next() {
                    *place = word * 64 + left.trailing_zeros();
                }
                left &= left - 1;
            }
        }
    }
}

/// The tokens of all chunks whose hashes fall into this share.
struct Share<K> {
    /// Distinct ones, with how many values have them.
    tokens: Vec<(u32, K)>,
    /// By chunk: the place in `tokens` of each token that it has in this share.
    places: Vec<Vec<u32>>,
}

impl<K: Copy + Eq + Hash> Share<K> {
    fn new(chunks: &[Chunk<K>], share: usize) -> Self {
        let mut tokens: Vec<(u32, K)> = Vec::new();
        let mut known: HashMap<K, u32> = HashMap::new();
        let mut place_of = |token: &Token<K>| {
            let place = *known.entry(token.key).or_insert(tokens.len() as u32);
            match tokens.get_mut(place as usize) {
                Some((frequency, _)) => *frequency += token.frequency,
                None => tokens.push((token.frequency, token.key)),
            }
            place
        };
        let places =
            chunks.iter().map(|chunk| chunk.tokens[share].iter().map(&mut place_of).collect()).collect();
        Self { tokens, places }
    }
}

/// By share and place: the codes.
fn codes<K: Copy + Ord + Send + Sync>(shares: &[Share<K>], control: &Control) -> Vec<Vec<u32>> {
    let mut order: Vec<(u32, K, u32, u32)> =
        Vec::with_capacity(shares.iter().map(|share| share.tokens.len()).sum());
    for (ix, share) in (0..).zip(shares) {
        order.extend((0..).zip(&share.tokens).map(|(place, &(frequency, key))| (frequency, key, ix, place)));
    }
    order.par_sort_unstable_by(|a, b| {
        control.pass();
        a.cmp(b)
    });
    let mut codes: Vec<Vec<u32>> = shares.iter().map(|share| vec![0; share.tokens.len()]).collect();
    for (code, &(_, _, share, place)) in (0..).zip(&order) {
        codes[share as usize][place as usize] = code;
    }
    codes
}
