//! Where a symbol stands among the 64 of a block, asked for one symbol after the other.
//!
//! A block is turned into *bit planes*: plane k has bit k of all 64 symbols. A symbol stands where every plane agrees with
//! its bits: an AND of eight words, where comparing packed words takes a multiplication for every eight symbols. Turning
//! a block costs as much as asking for a few symbols. Symbols of more than 8 bits would have too many planes for a GPU's
//! registers; there, words are compared.

use crate::text::Text;

/// The planes of 8 bits a symbol.
const PLANES: usize = 8;

/// A block of a text, ready to be asked.
pub(crate) struct Places<'a, const BITS: u32> {
    planes: [u64; PLANES],
    text: Text<'a, BITS>,
    block: u32,
}

impl<'a, const BITS: u32> Places<'a, BITS> {
    #[inline]
    pub(crate) fn new(text: Text<'a, BITS>, block: u32) -> Self {
        let mut planes = [0; PLANES];
        if BITS == 8 {
            let words = text.words().get(block as usize * PLANES..).unwrap_or_default();
            for (shift, &word) in (0..u64::BITS).step_by(8).zip(words) {
                let turned = turn(word);
                for (k, plane) in planes.iter_mut().enumerate() {
                    *plane |= (turned >> (8 * k) & 0xff) << shift;
                }
            }
        }
        Self { planes, text, block }
    }

    /// A bit for each symbol of the block that equals `symbol`, which is not 0.
    #[inline]
    pub(crate) fn of(&self, symbol: u64) -> u64 {
        if BITS != 8 {
            return self.text.positions(self.block, symbol);
        }
        // All ones where the symbol's bit is 1.
        let differs = |k: usize| ((symbol as i32) << (31 - k) >> 31) as u32;
        let (mut low, mut high) = (u32::MAX, u32::MAX);
        for (k, plane) in self.planes.into_iter().enumerate() {
            low &= !(plane as u32 ^ differs(k));
            high &= !((plane >> 32) as u32 ^ differs(k));
        }
        u64::from(high) << 32 | u64::from(low)
    }
}

/// Bit r of byte c becomes bit c of byte r (Warren, *Hacker's Delight*, 7-3).
#[inline]
fn turn(word: u64) -> u64 {
    let swap = |word: u64, mask: u64, by: u32| {
        let differing = (word ^ (word >> by)) & mask;
        word ^ differing ^ (differing << by)
    };
    let word = swap(word, 0x00aa_00aa_00aa_00aa, 7);
    let word = swap(word, 0x0000_cccc_0000_cccc, 14);
    swap(word, 0x0000_0000_f0f0_f0f0, 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Packed, near_strings};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn planes_and_words_agree((a, _) in near_strings()) {
            let packed = Packed::<8>::new(&a);
            let text = packed.text();
            for block in 0..text.n_blocks() {
                let places = Places::new(text, block);
                for symbol in 1..=255 {
                    prop_assert_eq!(places.of(symbol), text.positions(block, symbol));
                }
            }
        }

        #[test]
        fn bits_are_turned(word: u64) {
            let bit = |word: u64, row: u32, column: u32| word >> (8 * row + column) & 1;
            for row in 0..8 {
                for column in 0..8 {
                    prop_assert_eq!(bit(turn(word), column, row), bit(word, row, column));
                }
            }
        }
    }
}
