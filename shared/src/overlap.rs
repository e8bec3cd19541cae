//! Overlap joins: the pairs of values that have enough elements in common, found through an index of rare elements.
//!
//! Elements are tokens, q-grams or symbols with their repetitions, numbered from the rarest to the most frequent; a value's
//! are in that order, and values are in the order of how many they have: their *class*. Values of classes x and y must have
//! `least(x, y)` elements in common, at least one. So among the first |x| − least + 1 elements of the one, its *prefix*,
//! there is one that is also in the prefix of the other (Chaudhuri et al., ICDE 2006). The prefixes of one side are
//! indexed: a list of postings for each element. The other side looks its own prefixes up, and whatever value is in a list
//! is a *hit*.
//!
//! ```text
//!   values ─► index ─► hits ─► by class and position ─► by signatures ─► by elements ─► pairs
//! ```
//!
//! A pair is hit once for each element that both prefixes have. Only the first of them counts, which the comparison of the
//! elements sees anyway: so pairs come once, and nobody remembers which were there already. That the element is the first
//! is also what the positional filter rests on (PPJoin; Xiao et al., WWW 2008): what stands before it is not in common, so
//! there must be enough behind it on both sides. Solved for the other side's class that is a bound, which a posting has
//! beside the value, and a look-up as the end of the values that it may find. Signatures are the bitmap filter (Sandes,
//! Teodoro, Melo; Information Systems 88, 2020).

use crate::measure::ArchivedMeasure;
use bytemuck::{Pod, Zeroable};
use core::ops::Range;

/// How many elements values with `n_a` and `n_b` of them, each above 0, must at least have in common if `measure` holds on
/// them; `None` if it cannot. Of sets these are tokens, and as many are also enough. Of texts they are q-grams with their
/// repetitions, and nothing is known of values that have none. Of points they are cells.
pub fn least_common(measure: &ArchivedMeasure, q: u32, n_a: u32, n_b: u32) -> Option<u32> {
    measure.least_common(q, n_a, n_b).filter(|&least| least <= n_a.min(n_b))
}

/// A value in a list of the index.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Posting {
    /// The value, by its place on the indexed side.
    pub item: u32,
    /// Its class.
    pub class: u16,
    /// One past the last class of the probing side that may meet it here.
    pub reach: u16,
}

impl Posting {
    /// As one word.
    #[inline]
    pub fn word(self) -> u64 {
        u64::from(self.item) | u64::from(self.class) << 32 | u64::from(self.reach) << 48
    }

    /// From its word.
    #[inline]
    pub fn from_word(word: u64) -> Self {
        Self { item: word as u32, class: (word >> 32) as u16, reach: (word >> 48) as u16 }
    }
}

/// The most classes of a side: more values are done in blocks.
pub const MOST_CLASSES: usize = 1 << 10;

/// What values of two classes need in common, if they cannot meet.
pub const NEVER: u32 = u32::MAX;

/// A value of a side.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Value {
    /// Its first element.
    pub start: u32,
    /// Its class, which ascends.
    pub class: u32,
}

/// Values with equally many elements.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Class {
    /// How many.
    pub len: u32,
    /// Of how many the prefix is.
    pub prefix: u32,
    /// Where its bounds begin: one for each element of the prefix.
    pub bounds: u32,
    /// On the probing side, the first indexed value that may meet one of this class.
    pub from: u32,
}

/// A bit for each element, folded onto 256.
pub type Signature = [u64; 4];

/// Adds an element to a signature.
pub fn sign(signature: &mut Signature, element: u32) {
    let (word, bit) = sign_bit(element);
    signature[word as usize] |= bit;
}

/// The bit of an element: in which word of a signature, and there.
#[inline]
pub fn sign_bit(element: u32) -> (u32, u64) {
    // Multiplying spreads neighbouring numbers (Knuth, *The Art of Computer Programming*, section 6.4).
    let bit = element.wrapping_mul(0x9e37_79b1) >> 24;
    (bit / 64, 1 << (bit % 64))
}

/// How many elements values with these signatures at least have that the other one lacks, both together.
#[inline]
pub fn unshared(a: &Signature, b: &Signature) -> u32 {
    (a[0] ^ b[0]).count_ones()
        + (a[1] ^ b[1]).count_ones()
        + (a[2] ^ b[2]).count_ones()
        + (a[3] ^ b[3]).count_ones()
}

/// One of the two sides of a join.
#[derive(Clone, Copy, Debug)]
pub struct OverlapSide<'a> {
    /// The values, by place.
    pub values: &'a [Value],
    /// By place.
    pub signatures: &'a [Signature],
    /// The elements of all values, those of each from rare to frequent.
    pub elements: &'a [u32],
    /// By number.
    pub classes: &'a [Class],
    /// For each class, and each element of its prefix: on the indexed side the reach of a posting, on the probing side one
    /// past the last value that a look-up may find.
    pub bounds: &'a [u32],
}

impl<'a> OverlapSide<'a> {
    /// A value's class.
    #[inline]
    pub fn class(&self, item: u32) -> Class {
        self.classes[self.values[item as usize].class as usize]
    }

    /// A value's elements.
    #[inline]
    pub fn elements(&self, item: u32) -> &'a [u32] {
        let Value { start, class } = self.values[item as usize];
        &self.elements[start as usize..][..self.classes[class as usize].len as usize]
    }
}

/// A join of one block of values, indexed, with one that probes.
#[derive(Clone, Copy, Debug)]
pub struct Overlap<'a> {
    /// What is in the index.
    pub indexed: OverlapSide<'a>,
    /// What is looked up.
    pub probing: OverlapSide<'a>,
    /// By class of the probing side, then by class of the indexed one: how many elements values need in common, or
    /// [`NEVER`].
    pub least: &'a [u32],
    /// Everything else.
    pub sizes: Sizes,
}

/// What of an overlap join is no list. A word each, and truth is 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Sizes {
    /// How many different elements there are.
    pub n_elements: u32,
    /// Lists are cut by value into parts of 2^`part_bits` values each, so that a look-up starts near the first that it may
    /// find.
    pub part_bits: u32,
    /// How many parts there are.
    pub n_parts: u32,
    /// Whether both sides are one, and a value meets those before it.
    pub is_self: u32,
    /// Whether signatures are looked at.
    pub has_bitmap: u32,
    /// Fills the last 64-bit word.
    pub padding: u32,
}

/// What an element of a probing value looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The indexed values that it may find.
    pub items: Range32,
    /// Which slots of the index's starts say where their postings begin, and end.
    pub slots: Range32,
}

/// A range that can be copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range32 {
    /// The first.
    pub from: u32,
    /// One past the last.
    pub upto: u32,
}

impl Range32 {
    /// How many there are.
    #[inline]
    pub fn len(self) -> u32 {
        self.upto - self.from
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from == self.upto
    }

    /// The smallest range that has all of both.
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self { from: self.from.min(other.from), upto: self.upto.max(other.upto) },
        }
    }
}

impl Overlap<'_> {
    /// Slots of the index's starts, but for one more at the end: a list for each element, in parts.
    pub fn n_slots(&self) -> usize {
        self.sizes.n_elements as usize * self.sizes.n_parts as usize
    }

    /// The slot of an element's list that a value belongs to.
    #[inline]
    pub fn slot(&self, element: u32, item: u32) -> u32 {
        element * self.sizes.n_parts + (item >> self.sizes.part_bits)
    }

    /// The posting of an indexed value for the n-th element of its prefix.
    #[inline]
    pub fn posting(&self, item: u32, nth: u32) -> Posting {
        let class = self.indexed.values[item as usize].class;
        let bounds = self.indexed.classes[class as usize].bounds;
        let reach = self.indexed.bounds[(bounds + nth) as usize];
        Posting { item, class: class as u16, reach: reach as u16 }
    }

    /// What the n-th element of a probing value's prefix looks up, if it may find anything.
    #[inline]
    pub fn lookup(&self, item: u32, nth: u32) -> Option<Lookup> {
        let items = self.items(item, nth);
        let Range32 { from, upto } = items;
        if from >= upto {
            return None;
        }
        let element = self.probing.elements[(self.probing.values[item as usize].start + nth) as usize];
        let slots = Range32 { from: self.slot(element, from), upto: self.slot(element, upto - 1) + 1 };
        Some(Lookup { items, slots })
    }

    /// The indexed values that the n-th element of a probing value's prefix may find; none if it ends before
    /// it begins.
    #[inline]
    fn items(&self, item: u32, nth: u32) -> Range32 {
        self.items_of(self.probing.class(item), item, nth)
    }

    #[inline]
    fn items_of(&self, class: Class, item: u32, nth: u32) -> Range32 {
        let Class { bounds, from, .. } = class;
        let mut upto = self.probing.bounds[(bounds + nth) as usize];
        if self.sizes.is_self == 1 {
            upto = upto.min(item);
        }
        Range32 { from, upto }
    }

    /// The indexed values that a probing one may meet by their sizes.
    #[inline]
    pub fn reach(&self, item: u32) -> Range32 {
        self.reach_of(self.probing.values[item as usize].class, item)
    }

    /// The same, of a value whose class is known.
    #[inline]
    pub fn reach_of(&self, class: u32, item: u32) -> Range32 {
        let class = self.probing.classes[class as usize];
        if class.prefix == 0 {
            return Range32::default();
        }
        // What the first element may find is what any may.
        let Range32 { from, upto } = self.items_of(class, item, 0);
        Range32 { from, upto: upto.max(from) }
    }

    /// What values of these classes need in common.
    #[inline]
    pub fn least(&self, probing: u32, indexed: u32) -> u32 {
        self.least[probing as usize * self.indexed.classes.len() + indexed as usize]
    }

    /// Whether a posting is a hit for a probing value of this class that looks up these values.
    #[inline]
    pub fn is_hit(&self, class: u32, items: Range32, posting: Posting) -> bool {
        (class < u32::from(posting.reach)) & (items.from <= posting.item) & (posting.item < items.upto)
    }

    /// How many elements values of these classes may have that the other one lacks, both together; `None` if they cannot
    /// meet, as classes in between may not.
    #[inline]
    pub fn most_unshared(&self, probing: u32, indexed: u32) -> Option<u32> {
        let least = self.least(probing, indexed);
        let lens = self.probing.classes[probing as usize].len + self.indexed.classes[indexed as usize].len;
        (least != NEVER).then(|| lens - 2 * least)
    }

    /// The same of all classes, by class of the probing side, then of the indexed one; below 0 they cannot meet.
    pub fn rooms(&self) -> impl Iterator<Item = i32> {
        let n_indexed = self.indexed.classes.len() as u32;
        let of_probing = move |probing| (0..n_indexed).map(move |indexed| (probing, indexed));
        let all = (0..self.probing.classes.len() as u32).flat_map(of_probing);
        // No value has more than 2^24 elements.
        all.map(|(probing, indexed)| self.most_unshared(probing, indexed).map_or(-1, |most| most as i32))
    }

    /// Whether a hit passes by what its signatures tell.
    #[inline]
    pub fn may_hold(&self, class: u32, signature: &Signature, posting: Posting) -> bool {
        self.most_unshared(class, posting.class.into()).is_some_and(|most| {
            self.sizes.has_bitmap == 0
                || unshared(signature, &self.indexed.signatures[posting.item as usize]) <= most
        })
    }
}

/// Whether two values have at least `least` elements in common, at least one, and the first of them is the n-th of `a`. Stops when so many
/// elements of one are not in the other that too few are left.
#[inline]
pub fn holds(a: &[u32], b: &[u32], nth: u32, least: u32) -> bool {
    let least = least as usize;
    let (Some(most_a), Some(most_b)) = (a.len().checked_sub(least), b.len().checked_sub(least)) else {
        return false;
    };
    let (mut ix_a, mut ix_b, mut common) = (0, 0, 0);
    while common < least {
        let (Some(x), Some(y)) = (a.get(ix_a), b.get(ix_b)) else {
            return false;
        };
        if common == 0 && ix_a > nth as usize {
            return false;
        }
        if x == y && common == 0 && ix_a != nth as usize {
            return false;
        }
        ix_a += usize::from(x <= y);
        ix_b += usize::from(y <= x);
        common += usize::from(x == y);
        if ix_a - common > most_a || ix_b - common > most_b {
            return false;
        }
    }
    true
}

/// The range as the standard library has it.
impl From<Range32> for Range<usize> {
    fn from(range: Range32) -> Self {
        range.from as usize..range.upto as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Measure, OfTexts};
    use crate::testing::{Packed, all_measures, archived_measure, decimals, near_strings, what_holds};
    use proptest::{collection::btree_set, prelude::*};
    use std::collections::{BTreeMap, BTreeSet};
    use std::vec::Vec;

    /// The q-grams of a text, each with which of its occurrences it is.
    fn grams(symbols: &[u64], q: u32) -> BTreeSet<(&[u64], u32)> {
        let mut seen = BTreeMap::new();
        let numbered = symbols.windows(q as usize).map(|gram| {
            let nth = seen.entry(gram).or_insert(0);
            *nth += 1;
            (gram, *nth)
        });
        numbered.collect()
    }

    /// Fails if two texts on which the measure holds have fewer q-grams in common than it is said to need.
    fn is_enough(measure: Measure, q: u32, a: &[u64], b: &[u64]) -> Result<(), TestCaseError> {
        let (of_a, of_b) = (grams(a, q), grams(b, q));
        // Nothing is said of values without any.
        if of_a.is_empty() || of_b.is_empty() {
            return Ok(());
        }
        let common = of_a.intersection(&of_b).count() as u32;
        let (n_a, n_b) = (of_a.len() as u32, of_b.len() as u32);
        let least = archived_measure(measure, |measure| least_common(measure, q, n_a, n_b));
        prop_assert!(least.is_some_and(|least| least <= common), "{:?} of {:?}, q = {}", least, measure, q);
        Ok(())
    }

    #[test]
    fn a_posting_is_a_word() {
        let posting = Posting { item: 0xdead_beef, class: 1023, reach: 1024 };
        assert_eq!(Posting::from_word(posting.word()), posting);
        assert_eq!(bytemuck::cast::<Posting, u64>(posting), posting.word());
    }

    #[test]
    fn a_hull_has_no_more_than_it_must() {
        let range = |from, upto| Range32 { from, upto };
        assert_eq!(range(3, 5).hull(range(9, 10)), range(3, 10));
        assert_eq!(range(3, 5).hull(range(9, 9)), range(3, 5));
        assert_eq!(range(0, 0).hull(range(9, 12)), range(9, 12));
    }

    proptest! {
        #[test]
        fn a_pair_holds_at_its_first_common_element_alone(
            a in btree_set(0u32..40, 1..30), b in btree_set(0u32..40, 1..30), least in 1u32..12
        ) {
            let common: Vec<u32> = a.intersection(&b).copied().collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (a.into_iter().collect(), b.into_iter().collect());
            for (nth, element) in a.iter().enumerate() {
                let wanted = common.len() >= least as usize && common[0] == *element;
                prop_assert_eq!(holds(&a, &b, nth as u32, least), wanted);
            }
        }

        #[test]
        fn signatures_tell_no_more_than_is_true(
            a in btree_set(0u32..900, 1..200), b in btree_set(0u32..900, 1..200)
        ) {
            let signature = |set: &std::collections::BTreeSet<u32>| {
                let mut signature = Signature::default();
                set.iter().for_each(|&element| sign(&mut signature, element));
                signature
            };
            let differing = a.symmetric_difference(&b).count() as u32;
            prop_assert!(unshared(&signature(&a), &signature(&b)) <= differing);
        }

        #[test]
        fn texts_that_hold_have_as_much_in_common_as_they_need(
            (a, b) in near_strings(), threshold in decimals(), most in 0u32..12
        ) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let (x, y) = (Packed::<8>::new(&a), Packed::<8>::new(&b));
            let (x, y) = (x.text(), y.text());
            let (a, b): (Vec<u64>, Vec<u64>) = (x.symbols().collect(), y.symbols().collect());
            for &by in OfTexts::ALL {
                for measure in what_holds(by, [x, y], threshold, most) {
                    for &q in [1].iter().chain(by.grams()) {
                        is_enough(measure, q, &a, &b)?;
                    }
                }
            }
        }

        /// So values that need nothing in common are short ones: no longer than two of one length that do not.
        #[test]
        fn who_needs_nothing_of_a_shorter_one_needs_nothing_of_its_own_length(
            threshold in decimals(), number in 0u32..30, q in 1u32..5
        ) {
            for measure in all_measures(threshold, number) {
                archived_measure(measure, |archived| {
                    let is_bare = |n: u32, m: u32| least_common(archived, q, n, m) == Some(0);
                    for m in 1..=60 {
                        let is_kept = is_bare(m, m) || !(1..=m).any(|n| is_bare(n, m));
                        prop_assert!(is_kept, "{:?}, q = {}, of {} elements", measure, q, m);
                    }
                    Ok(())
                })?;
            }
        }
    }
}
