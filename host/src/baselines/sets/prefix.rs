//! Prefixes: what AllPairs and PPJoin index, look up, and begin to count in.
//!
//! Sets that need so many elements in common have one of them among the first |x| − least + 1 of each. A set meets those that
//! are not larger, so it looks up as many as the smallest that it may meet asks for; and it is met by those that are not
//! smaller, so it is indexed by fewer, as many as its own size asks for (Xiao and others, TODS 2011).

use super::ordered::Ordered;
use hyperblock_shared::measure::sets::share;

/// What sets of one size need.
pub(super) struct Need {
    /// The smallest size that they may meet.
    pub(super) smallest: u32,
    /// How many of their elements they look up, and by how many they are indexed.
    pub(super) probing: usize,
    pub(super) indexed: usize,
    /// From the smallest size up to their own: how many elements must be in common.
    least: Vec<u32>,
}

impl Need {
    /// None, if they meet nothing: neither what is smaller, nor what is larger.
    pub(super) fn of(sets: &Ordered<'_>, size: u32) -> Option<Self> {
        let of_equals = sets.least(size, size)?;
        let (mut smallest, mut enough) = (1, size);
        while smallest < enough {
            let middle = smallest + (enough - smallest) / 2;
            let may_meet = sets.least(size, middle).is_some();
            (smallest, enough) = if may_meet { (smallest, middle) } else { (middle + 1, enough) };
        }
        let least: Vec<u32> = (smallest..=size).map_while(|other| sets.least(size, other)).collect();
        let prefix = |least: u32| (size - least + 1) as usize;
        let probing = prefix(*least.first()?);
        Some(Self { smallest, probing, indexed: prefix(of_equals), least })
    }

    /// Of sets of this size, within those that they may meet.
    #[inline]
    pub(super) fn least(&self, other: u32) -> u32 {
        self.least[(other - self.smallest) as usize]
    }
}

/// What is indexed under an element, in the order of places.
pub(super) struct List<P> {
    postings: Vec<P>,
    from: usize,
}

impl<P: Copy> List<P> {
    /// As many empty ones.
    pub(super) fn all(n: usize) -> Vec<Self> {
        (0..n).map(|_| Self { postings: Vec::new(), from: 0 }).collect()
    }

    pub(super) fn push(&mut self, posting: P) {
        self.postings.push(posting);
    }

    /// Those that are large enough. The others are never looked at again: whoever comes later asks for more.
    #[inline]
    pub(super) fn from(&mut self, is_too_small: impl Fn(P) -> bool) -> &[P] {
        let late = &self.postings[self.from..];
        self.from += late.iter().take_while(|posting| is_too_small(**posting)).count();
        &self.postings[self.from..]
    }
}

/// A set, and how much of it was looked at: as far as its prefix goes.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) set: &'a [u32],
    pub(super) prefix: usize,
}

/// Whether two sets have `least` elements in common, of which their prefixes have `common`. The prefix that ends first has been
/// compared with all that may be in it; of the other set at least as many elements as were found are behind.
#[inline]
pub(super) fn verify(a: Seen<'_>, b: Seen<'_>, common: u32, least: u32) -> bool {
    let (found, left) = (common as usize, least.saturating_sub(common));
    if a.set[a.prefix - 1] < b.set[b.prefix - 1] {
        share(&a.set[a.prefix..], &b.set[found..], left)
    } else {
        share(&a.set[found..], &b.set[b.prefix..], left)
    }
}
