//! All pairs whose sizes go together, by their signatures: where an index would find so many that it had better not be asked.
//!
//! Signatures are laid out by word, so that a loop over values is vector code. A tile of them stays in the first cache while a
//! batch of probing values goes over it. Hardly any pair passes, so the loop only finds out whether any of a few dozen does.

use super::Pairs;
use hyperblock_shared::measure::sets::share;
use hyperblock_shared::overlap::{Overlap, Signature, Value, unshared};
use multiversion::multiversion;
use std::ops::Range;

/// Indexed values of a tile.
const TILE: u32 = 1 << 9;
/// Values of which it is first asked whether any passes.
const CHUNK: usize = 1 << 6;

/// The signatures of a block's values, by word.
pub(super) struct Signatures([Vec<u64>; 4]);

impl Signatures {
    pub(super) fn new(overlap: &Overlap<'_>) -> Self {
        let word = |ix: usize| overlap.indexed.signatures.iter().map(|signature| signature[ix]).collect();
        Self([0, 1, 2, 3].map(word))
    }
}

/// A thread that compares values.
pub(super) struct Dense<'a> {
    pub(super) pairs: Pairs<'a>,
    signatures: &'a Signatures,
    class: u32,
    /// By indexed value of the tile at hand: how many elements it and one of the class at hand may lack of each other.
    room: Vec<i64>,
    /// Places within a tile.
    passed: Vec<u32>,
}

impl<'a> Dense<'a> {
    pub(super) fn new(pairs: Pairs<'a>, signatures: &'a Signatures) -> Self {
        Self { pairs, signatures, class: u32::MAX, room: Vec::new(), passed: Vec::new() }
    }

    /// All pairs of some probing values.
    pub(super) fn compare(&mut self, items: Range<u32>) {
        let overlap = self.pairs.overlap;
        let reach = items.clone().map(|item| self.reach(item)).filter(|reach| !reach.is_empty());
        let Some(all) = reach.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else { return };
        for from in all.clone().step_by(TILE as usize) {
            let tile = from..all.end.min(from + TILE);
            self.class = u32::MAX;
            for item in items.clone() {
                let class = overlap.probing.values[item as usize].class;
                if class != self.class {
                    self.class = class;
                    self.make_room(&tile);
                }
                let Range { start, end } = self.reach(item);
                let range = start.max(tile.start)..end.min(tile.end);
                if !range.is_empty() {
                    self.tile(item, range, from);
                }
            }
        }
    }

    /// The indexed values that a probing one may meet, by their sizes and by their order.
    fn reach(&self, item: u32) -> Range<u32> {
        let overlap = &self.pairs.overlap;
        let class = overlap.probing.class(item);
        if class.prefix == 0 {
            return 0..0;
        }
        let upto = overlap.probing.bounds[class.bounds as usize];
        class.from..if overlap.sizes.is_self == 1 { upto.min(item) } else { upto }
    }

    fn make_room(&mut self, tile: &Range<u32>) {
        let overlap = self.pairs.overlap;
        let by_class = super::room(&overlap, self.class);
        let values = &overlap.indexed.values[tile.start as usize..tile.end as usize];
        self.room.clear();
        self.room.extend(values.iter().map(|value| i64::from(by_class[value.class as usize])));
    }

    /// Some of the tile's values, which begins at `from`.
    fn tile(&mut self, item: u32, range: Range<u32>, from: u32) {
        let overlap = self.pairs.overlap;
        let room = &self.room[(range.start - from) as usize..(range.end - from) as usize];
        let of = range.start as usize..range.end as usize;
        let words = self.signatures.0.each_ref().map(|words| &words[of.clone()]);
        let signature = &overlap.probing.signatures[item as usize];
        if overlap.sizes.has_bitmap == 1 {
            screen(signature, words, room, &mut self.passed);
        } else {
            let passed = (0..).zip(room).filter(|&(_, &room)| room >= 0);
            self.passed.clear();
            self.passed.extend(passed.map(|(place, _)| place));
        }
        let own = overlap.probing.elements(item);
        for &place in &self.passed {
            let other = range.start + place;
            let Value { class, .. } = overlap.indexed.values[other as usize];
            let least = overlap.least(self.class, class);
            if share(own, overlap.indexed.elements(other), least) {
                self.pairs.found(other, item);
            }
        }
    }
}

/// `Overlap::may_hold`, for many values: the places of those that may.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
fn screen(own: &Signature, words: [&[u64]; 4], room: &[i64], passed: &mut Vec<u32>) {
    passed.clear();
    let [a, b, c, d] = words;
    for from in (0..room.len()).step_by(CHUNK) {
        let upto = room.len().min(from + CHUNK);
        // Closures would be compiled for any processor, so all of this is spelt out.
        let (a, b, c, d) = (&a[from..upto], &b[from..upto], &c[from..upto], &d[from..upto]);
        let room = &room[from..upto];
        // Below 0 as soon as any difference is within its room.
        let mut any = 0;
        for ix in 0..upto - from {
            let (a, b, c, d) = (a[ix] ^ own[0], b[ix] ^ own[1], c[ix] ^ own[2], d[ix] ^ own[3]);
            // The bits of four words, added up in columns: three numbers to count instead of four.
            let (ones, twos) = (a ^ b ^ c, (a & b) | (c & (a | b)));
            let (ones, more) = (ones ^ d, ones & d);
            let twos = i64::from(twos.count_ones()) + i64::from(more.count_ones());
            any |= !(room[ix] - i64::from(ones.count_ones()) - 2 * twos);
        }
        if any >= 0 {
            continue;
        }
        for ix in 0..upto - from {
            if i64::from(unshared(own, &[a[ix], b[ix], c[ix], d[ix]])) <= room[ix] {
                passed.push((from + ix) as u32);
            }
        }
    }
}
