//! Estimates: how many hits an overlap join would have, and what it would cost, seen on a sample of the values.
//!
//! Some values of each side are joined with each other, as they would be among all: the same prefixes, the same bounds, and
//! elements in the order of their frequencies. So many pairs of the sample are hits, and that share of all pairs will be.

use super::block::{BlockJoin, Values};
use super::grams::{Element, elements_of, most_symbols};
use super::{ElementList, Lens, signature};
use crate::base::random::Random;
use crate::encode::Encoded;
use crate::plan::ScanOptions;
use crate::plan::path::{OverlapCounts, OverlapMethod};
use hashbrown::HashMap;
use hyperblock_shared::columns::{Columns as _, Head, MISSING};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::{Class, Overlap, Posting, Value, holds, least_common};
use std::ops::Range;

/// Values of a side that are drawn: if they are long, or leads many, fewer, but no less than this.
const N_SAMPLES: usize = 256;
const LEAST_SAMPLES: usize = 16;
/// Elements of the samples of all leads together: some milliseconds. More, where that is little to what it may save: so many
/// of each element of a text with each of another, for pairs that a sweep would verify.
const N_SAMPLED: f64 = (1 << 18) as f64;
const PER_VERIFIED: f64 = 4e-4;
/// Pairs of values that are looked at, in the samples of all leads together: these are what takes long where leads are many.
const N_PAIRS: f64 = (1 << 19) as f64;
/// The most q-grams of a column: beyond that they would take gigabytes, and values are swept instead.
const MOST_GRAMS: f64 = (1u64 << 29) as f64;
/// One probing value of so many is compared with all that it may meet.
const COMPARED: u32 = 4;
const SEED: u64 = 0x6f76_6572;
/// Values whose lengths are looked at.
const N_MEASURED: usize = 1 << 8;

/// What elements would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The tokens of these sets.
    Tokens(u32),
    /// The cells of a grid, which are the tokens of these sets: points with one in common need not be near each other.
    Cells(u32),
    /// The q-grams of these texts.
    Grams {
        /// Which column.
        texts: u32,
        /// Symbols of each.
        q: u32,
    },
}

impl Sampled {
    /// What the elements of a measure's values may be.
    pub(crate) fn all(encoded: &Encoded, measure: &ArchivedMeasure) -> Vec<Self> {
        let grams = |texts: u32, lengths: &[u32]| {
            let most = most_symbols(encoded.texts(texts).bits);
            let all = lengths.iter().filter(|&&q| q <= most).map(|&q| Self::Grams { texts, q });
            all.filter(|grams| grams.n_all(encoded) <= MOST_GRAMS).collect()
        };
        match measure {
            ArchivedMeasure::Texts { texts, by, .. } => grams(texts.to_native(), by.get().grams()),
            ArchivedMeasure::Sets { sets, .. } => vec![Self::Tokens(sets.to_native())],
            ArchivedMeasure::Near { cells, .. } => vec![Self::Cells(cells.to_native())],
            ArchivedMeasure::Equal | ArchivedMeasure::Within { .. } => Vec::new(),
        }
    }

    /// Symbols of a q-gram, if that is what elements are.
    pub(crate) fn grams(self) -> Option<u32> {
        match self {
            Self::Tokens(_) | Self::Cells(_) => None,
            Self::Grams { q, .. } => Some(q),
        }
    }

    /// The same; 1, if it is not made of symbols.
    pub(crate) fn q(self) -> u32 {
        self.grams().unwrap_or(1)
    }

    /// Whether values that have enough of them in common are those that are looked for: a measure of sets asks for no more.
    pub fn are_all(self) -> bool {
        matches!(self, Self::Tokens(_))
    }

    /// How many elements a value has.
    fn n_elements(self, encoded: &Encoded, code: u32) -> u32 {
        match self {
            Self::Tokens(sets) | Self::Cells(sets) => encoded.sets(sets).heads[code as usize].len,
            Self::Grams { texts, q } => (encoded.texts(texts).heads[code as usize].len + 1).saturating_sub(q),
        }
    }

    /// How many elements all values have, about.
    fn n_all(self, encoded: &Encoded) -> f64 {
        let n_heads = self.heads(encoded).len();
        let step = n_heads.div_ceil(N_MEASURED).max(1);
        let seen = (0..n_heads as u32).step_by(step).map(|code| f64::from(self.n_elements(encoded, code)));
        seen.sum::<f64>() * n_heads as f64 / n_heads.div_ceil(step).max(1) as f64
    }

    fn heads(self, encoded: &Encoded) -> &[Head] {
        match self {
            Self::Tokens(sets) | Self::Cells(sets) => encoded.sets(sets).heads,
            Self::Grams { texts, .. } => encoded.texts(texts).heads,
        }
    }

    /// Values of a side to draw, if there are so many leads, and this one would verify so many pairs in a sweep; `None` if
    /// even the fewest would take too long.
    pub(crate) fn n_samples(self, encoded: &Encoded, n_leads: usize, n_verified: f64) -> Option<usize> {
        let mean = (self.n_all(encoded) / self.heads(encoded).len().max(1) as f64).max(1.0);
        let n_sampled = N_SAMPLED / n_leads.max(1) as f64 + PER_VERIFIED * n_verified * mean * mean;
        let n_samples = (n_sampled / (2.0 * mean)) as usize;
        let most = (N_PAIRS / n_leads.max(1) as f64).sqrt() as usize;
        (n_samples >= LEAST_SAMPLES).then_some(n_samples.min(most.clamp(LEAST_SAMPLES, N_SAMPLES)))
    }

    /// The most elements that a value has.
    fn longest(self, encoded: &Encoded) -> u32 {
        match self {
            Self::Tokens(sets) | Self::Cells(sets) => encoded.sets[sets as usize].longest,
            Self::Grams { texts, q } => (encoded.texts[texts as usize].longest + 1).saturating_sub(q),
        }
    }

    /// The most elements with which values need nothing in common.
    pub(crate) fn bare(self, encoded: &Encoded, measure: &ArchivedMeasure) -> u32 {
        let longest = self.longest(encoded);
        let is_bare = |n: &u32| least_common(measure, self.q(), *n, *n) == Some(0);
        (1..=longest).rev().find(is_bare).unwrap_or(0)
    }
}

/// How values are joined.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// What elements are.
    pub elements: Sampled,
    /// See [`super::OverlapJoin::bare`].
    pub bare: u32,
    /// How pairs are found.
    pub method: OverlapMethod,
}

/// What an overlap join is expected to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// What elements are.
    pub(crate) elements: Sampled,
    /// How pairs are found.
    pub(crate) method: OverlapMethod,
    /// How much it has to do.
    pub(crate) counts: OverlapCounts,
}

/// The columns whose values are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    /// By side and record: its code.
    pub(crate) codes: [&'a [u32]; 2],
    /// By side: how many items they make.
    pub(crate) n_items: [f64; 2],
    /// Whether both sides are one.
    pub(crate) is_self: bool,
    /// Values of a side to look at.
    pub(crate) n_samples: usize,
}

impl Manner {
    /// The longest values that are swept beside the join: they need nothing in common, or have no element at all.
    pub fn longest_swept(&self) -> u32 {
        self.bare + self.elements.q() - 1
    }
}

/// The ways to join two columns' values, or those of one with itself.
pub(crate) fn estimates(
    encoded: &Encoded,
    measure: &ArchivedMeasure,
    elements: Sampled,
    &Columns { codes, n_items, is_self, n_samples }: &Columns<'_>,
    options: &ScanOptions,
) -> [Estimate; 2] {
    let bare = elements.bare(encoded, measure);
    let mut random = Random::new(SEED);
    let drawn = codes.map(|codes| sample(codes, n_samples, &mut random));
    let [left, right] = if is_self { [&drawn[0], &drawn[0]] } else { [&drawn[0], &drawn[1]] };
    let mut sample = Sample::default();
    let lists = [left, right].map(|codes| sample.list(encoded, elements, codes));
    sample.rank(elements);
    let [left, right] = lists.map(|list| sample.signed(list));
    let lists = [&left, if is_self { &left } else { &right }];
    let (n_elements, q) = (sample.n_elements, elements.q());
    let values = Values { lists, elements: &sample.elements, n_elements, q, bare };
    let mut seen = Seen::default();
    for blocks in values.blocks(is_self, measure, u32::MAX) {
        seen.add(&BlockJoin::of(values, &blocks, measure, options));
    }
    let n_seen = [0, 1].map(|side: usize| f64::from(lists[side].len().max(1)));
    // What is swept beside it.
    let short = |side: usize| {
        let short = lists[side].lens.all().filter(|(len, _)| *len < q + bare);
        short.map(|(_, items)| items.len() as f64).sum::<f64>() * n_items[side] / n_seen[side]
    };
    let n_pairs = n_items[0] * n_items[1];
    // What passes stands for pairs of records, and each of them is looked at. What no sample shows is still there. Of one
    // list with itself, the sample's pairs were looked at once, out of as many as if there were two.
    let per_pair = |n: f64| n / (n_seen[0] * n_seen[1]);
    let alike = per_pair(seen.n_alike + 0.1);
    let passed = alike * codes[0].len() as f64 * codes[1].len() as f64;
    let n_values = if is_self { n_items[0] } else { n_items[0] + n_items[1] };
    let n_records = if is_self { codes[0].len() } else { codes[0].len() + codes[1].len() } as f64;
    let n_blocks = (n_items[0] / f64::from(options.indexed)).ceil().max(1.0)
        * (n_items[1] / f64::from(options.indexed)).ceil().max(1.0);
    let n_all = |list: &&ElementList| {
        list.lens.all().map(|(len, items)| f64::from(len) * items.len() as f64).sum::<f64>()
    };
    let mean = lists.iter().map(n_all).sum::<f64>() / (n_seen[0] + n_seen[1]);
    let counts = OverlapCounts {
        n_records,
        n_values,
        n_pairs,
        n_blocks,
        n_swept: short(0) * short(1),
        n_passed: passed,
        elements: mean,
        postings: (seen.n_postings + seen.n_lookups) / (n_seen[0] + n_seen[1]),
        hits: per_pair(seen.n_hits),
        near: per_pair(seen.n_near),
        compared: mean * per_pair(seen.n_passed),
        compared_if_near: mean * alike,
    };
    [OverlapMethod::Index, OverlapMethod::Dense].map(|method| Estimate { elements, method, counts })
}

/// Some of the codes of a column, each once.
fn sample(codes: &[u32], n_samples: usize, random: &mut Random) -> Vec<u32> {
    let mut drawn: Vec<u32> = if codes.len() <= n_samples {
        codes.to_vec()
    } else {
        (0..n_samples).map(|_| codes[random.below(codes.len() as u64) as usize]).collect()
    };
    drawn.retain(|&code| code != MISSING);
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

/// The elements of the sample's values.
#[derive(Default)]
struct Sample {
    elements: Vec<u32>,
    n_elements: u32,
    numbers: HashMap<Element, u32>,
    counts: Vec<u32>,
}

impl Sample {
    /// The values with these codes, in order: where their elements start, and how many they are. They have no order yet.
    fn list(&mut self, encoded: &Encoded, kind: Sampled, codes: &[u32]) -> Vec<(u32, u32)> {
        let mut codes: Vec<(u32, u32)> =
            codes.iter().map(|&code| (kind.n_elements(encoded, code), code)).collect();
        codes.sort_unstable();
        let mut list = Vec::new();
        let mut found = Vec::new();
        for (len, code) in codes {
            list.push((self.elements.len() as u32, len));
            match kind {
                // Their numbers are far apart, but in order.
                Sampled::Tokens(sets) | Sampled::Cells(sets) => {
                    let sets = encoded.sets(sets);
                    let tokens = sets.set(&sets.heads[code as usize]);
                    found.clear();
                    found.extend(tokens.iter().map(|&token| (u64::from(token), 0)));
                }
                Sampled::Grams { texts, q } => {
                    let texts = encoded.texts(texts);
                    elements_of(&texts, &texts.heads[code as usize], q, &mut found);
                }
            }
            for element in &found {
                let number = *self.numbers.entry(*element).or_insert(self.counts.len() as u32);
                if number as usize == self.counts.len() {
                    self.counts.push(0);
                }
                self.counts[number as usize] += 1;
                self.elements.push(number);
            }
        }
        list
    }

    /// Numbers elements by frequency: tokens by that among all values, which their codes have.
    fn rank(&mut self, kind: Sampled) {
        let mut order: Vec<(u64, u64, u32, u32)> = self
            .numbers
            .drain()
            .map(|((gram, nth), number)| {
                let count = match kind {
                    Sampled::Tokens(_) | Sampled::Cells(_) => 0,
                    Sampled::Grams { .. } => u64::from(self.counts[number as usize]),
                };
                (count, gram, nth, number)
            })
            .collect();
        order.sort_unstable();
        let mut ranks = vec![0; order.len()];
        for (rank, &(.., number)) in order.iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        self.elements.iter_mut().for_each(|element| *element = ranks[*element as usize]);
        self.n_elements = ranks.len() as u32;
    }

    /// A list with its values' elements in order, and their signatures.
    fn signed(&mut self, list: Vec<(u32, u32)>) -> ElementList {
        let signatures = list.iter().map(|&(start, len)| {
            let own = &mut self.elements[start as usize..(start + len) as usize];
            own.sort_unstable();
            signature(own)
        });
        let signatures = signatures.collect();
        let (starts, lens): (Vec<u32>, Vec<u32>) = list.into_iter().unzip();
        ElementList { starts, lens: Lens::new(&lens), signatures }
    }
}

/// What the sample's join looked at.
#[derive(Default)]
struct Seen {
    /// Pairs whose sizes go together, and those that pass by their signatures.
    n_near: f64,
    n_alike: f64,
    n_hits: f64,
    n_passed: f64,
    n_postings: f64,
    n_lookups: f64,
}

impl Seen {
    fn add(&mut self, join: &BlockJoin<'_>) {
        let overlap = join.borrow();
        let mut postings: Vec<(u32, Posting)> = Vec::new();
        for item in 0..overlap.indexed.values.len() as u32 {
            for nth in 0..overlap.indexed.class(item).prefix {
                postings.push((overlap.indexed.elements(item)[nth as usize], overlap.posting(item, nth)));
            }
        }
        postings.sort_unstable_by_key(|(element, posting)| (*element, posting.item));
        self.n_postings += postings.len() as f64;
        for item in 0..overlap.probing.values.len() as u32 {
            let prefix = overlap.probing.class(item).prefix;
            self.n_lookups += f64::from(prefix);
            (0..prefix).for_each(|nth| self.look_up(&overlap, &postings, item, nth));
            if item.is_multiple_of(COMPARED) {
                self.compare(&overlap, item);
            }
        }
    }

    /// A probing value with all that it may meet.
    fn compare(&mut self, overlap: &Overlap<'_>, item: u32) {
        let Value { class, .. } = overlap.probing.values[item as usize];
        let signature = &overlap.probing.signatures[item as usize];
        let Class { prefix, bounds, from, .. } = overlap.probing.classes[class as usize];
        if prefix == 0 {
            return;
        }
        let upto = overlap.probing.bounds[bounds as usize];
        let upto = if overlap.sizes.is_self == 1 { upto.min(item) } else { upto };
        for other in from..upto {
            let of_other = overlap.indexed.values[other as usize].class as u16;
            let other = Posting { item: other, class: of_other, reach: 0 };
            self.n_near += f64::from(COMPARED);
            if overlap.may_hold(class, signature, other) {
                self.n_alike += f64::from(COMPARED);
            }
        }
    }

    fn look_up(&mut self, overlap: &Overlap<'_>, postings: &[(u32, Posting)], item: u32, nth: u32) {
        let Some(lookup) = overlap.lookup(item, nth) else { return };
        let element = overlap.probing.elements(item)[nth as usize];
        let (class, signature) =
            (overlap.probing.values[item as usize].class, &overlap.probing.signatures[item as usize]);
        let from = postings.partition_point(|(other, _)| *other < element);
        for &(_, posting) in postings[from..].iter().take_while(|(other, _)| *other == element) {
            // What is looked at and rejected costs too.
            self.n_hits += f64::from(u8::from(Range::from(lookup.items).contains(&(posting.item as usize))));
            // Where the element is not the first in common, that is soon seen.
            let is_first =
                || holds(overlap.probing.elements(item), overlap.indexed.elements(posting.item), nth, 1);
            let passes =
                overlap.is_hit(class, lookup.items, posting) && overlap.may_hold(class, signature, posting);
            if passes && is_first() {
                self.n_passed += 1.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::TextColumn;
    use hyperblock_shared::measure::{Asked, Measure, OfTexts};
    use hyperblock_shared::predicate::{ArchivedPredicate, Predicate, Test};
    use std::sync::Arc;

    /// Values without symbols: nobody looks at these here.
    fn texts(n_values: usize, len: u32) -> Encoded {
        let heads = Arc::new(vec![Head { len, ..Head::default() }; n_values]);
        let texts = TextColumn { domain: 0, bits: 8, heads, words: Arc::default(), longest: len };
        Encoded { texts: vec![texts], ..Encoded::default() }
    }

    #[test]
    fn grams_that_would_take_gigabytes_are_not_made() {
        let measure = Measure::Texts { texts: 0, by: OfTexts::Levenshtein, asked: Asked::Count(2) };
        let predicate = Predicate { test: Test::Compare { left: 0, right: 0, measure }, negated: false };
        let archive = rkyv::to_bytes::<rkyv::rancor::Error>(&predicate).unwrap();
        let archive = rkyv::access::<ArchivedPredicate, rkyv::rancor::Error>(&archive).unwrap();
        let measure = archive.measure().unwrap();
        assert!(!Sampled::all(&texts(1_000_000, 20), measure).is_empty());
        assert!(Sampled::all(&texts(1_000_000, 2_000), measure).is_empty());
    }

    #[test]
    fn long_values_are_sampled_where_much_is_at_stake() {
        let grams = Sampled::Grams { texts: 0, q: 2 };
        assert_eq!(grams.n_samples(&texts(1_000, 60), 1, 0.0), Some(N_SAMPLES));
        assert_eq!(grams.n_samples(&texts(1_000, 60_000), 1, 0.0), None);
        assert_eq!(grams.n_samples(&texts(1_000, 60_000), 1, 1e6), Some(N_SAMPLES));
        assert!(grams.n_samples(&texts(1_000, 60), 100, 0.0).unwrap() < N_SAMPLES);
    }
}
