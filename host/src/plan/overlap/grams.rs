//! The q-grams of texts, with their repetitions, as elements.
//!
//! Where a q-gram stands several times in a value, its occurrences are numbered: an element is (q-gram, n-th occurrence), so
//! what two values have in common as sets is what they have in common with repetitions. Elements are numbered by how many
//! values have them, from the rarest on; those of a value ascend.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::{Encoded, numbering};
use hyperblock_shared::columns::{Columns, Head, Texts};
use rayon::prelude::*;

/// The q-grams of a column of texts.
#[derive(Debug, Default)]
pub struct Grams {
    /// Symbols of each.
    pub q: u32,
    /// By value: where its elements start; and at the end, how many there are.
    pub starts: Vec<u32>,
    /// By value, ascending.
    pub elements: Vec<u32>,
    /// How many different ones there are.
    pub n_elements: u32,
}

/// A q-gram and which of its occurrences in a value it is.
pub(super) type Element = (u64, u32);

/// The longest q-grams of symbols of so many bits: they are told apart by one word.
pub(super) fn most_symbols(bits: u32) -> u32 {
    u64::BITS / bits
}

/// Writes the elements of a value to `found`.
pub(super) fn elements_of(texts: &Texts<'_>, head: &Head, q: u32, found: &mut Vec<Element>) {
    fn grams(symbols: impl Iterator<Item = u64>, bits: u32, q: u32, found: &mut Vec<Element>) {
        let mask = if q * bits == u64::BITS { u64::MAX } else { (1 << (q * bits)) - 1 };
        let mut gram = 0u64;
        for (ix, symbol) in symbols.enumerate() {
            gram = gram.checked_shl(bits).unwrap_or(0) & mask | symbol;
            if ix as u32 + 1 >= q {
                found.push((gram, 0));
            }
        }
    }
    found.clear();
    match texts.bits {
        8 => grams(texts.text::<8>(head).symbols(), 8, q, found),
        16 => grams(texts.text::<16>(head).symbols(), 16, q, found),
        _ => grams(texts.text::<32>(head).symbols(), 32, q, found),
    }
    found.sort_unstable();
    for ix in 1..found.len() {
        if found[ix].0 == found[ix - 1].0 {
            found[ix].1 = found[ix - 1].1 + 1;
        }
    }
}

/// Takes texts apart.
struct Split<'a> {
    texts: Texts<'a>,
    q: u32,
}

impl numbering::Split<&Head> for Split<'_> {
    type Key = Element;

    fn each(&self, head: &Head, take: impl FnMut(Element)) {
        let mut found = Vec::with_capacity(head.len as usize);
        elements_of(&self.texts, head, self.q, &mut found);
        found.into_iter().for_each(take);
    }
}

impl Grams {
    /// Of all values of a column of texts. `q` is at most what [`most_symbols`] says.
    pub(crate) fn new(encoded: &Encoded, texts: u32, q: u32, control: &Control) -> Result<Self> {
        let texts = encoded.texts(texts);
        let heads: Vec<&Head> = texts.heads.iter().collect();
        let n_chunks = numbering::n_chunks(size_of_val(texts.words));
        let (heads, elements) = numbering::number(&heads, &Split { texts, q }, n_chunks, u32::MAX, control)?;
        let n_elements = elements.par_iter().max().map_or(0, |last| last + 1);
        let end = elements.len() as u32;
        let starts = heads.iter().map(|head| head.start).chain([end]).collect();
        Ok(Self { q, starts, elements, n_elements })
    }
}
