//! Candidates as words, where their numbers are small enough: words in order are pairs in order.

use crate::layout::Candidate;
use core::ops::Range;

/// How many bits of a word the right record and the rule have; the left record has those above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Of the right record.
    pub right_bits: u32,
    /// Of the rule, which comes last: a pair is found once, so it has no say in the order.
    pub rule_bits: u32,
}

/// The bits that numbers below this one have.
const fn bits_below(n: u32) -> u32 {
    u32::BITS - n.saturating_sub(1).leading_zeros()
}

impl Packing {
    /// For so many left and right records and rules, and the bits of a word that say the pair; none if a word has too few.
    pub const fn new(n_left: u32, n_right: u32, n_rules: u32) -> Option<(Self, Range<u32>)> {
        let (right_bits, rule_bits) = (bits_below(n_right), bits_below(n_rules));
        let upto = bits_below(n_left) + right_bits + rule_bits;
        // A shift by all bits of a word is none.
        if upto > u64::BITS || right_bits + rule_bits == u64::BITS {
            return None;
        }
        Some((Self { right_bits, rule_bits }, rule_bits..upto))
    }

    /// A candidate as a word.
    #[inline(always)]
    pub fn pack(self, candidate: Candidate) -> u64 {
        let Candidate { left, right, rule } = candidate;
        (u64::from(left) << self.right_bits | u64::from(right)) << self.rule_bits | u64::from(rule)
    }

    /// The candidate that became this word.
    #[inline(always)]
    pub fn unpack(self, word: u64) -> Candidate {
        let pair = word >> self.rule_bits;
        Candidate {
            left: (pair >> self.right_bits) as u32,
            right: (pair & ((1 << self.right_bits) - 1)) as u32,
            rule: (word & ((1 << self.rule_bits) - 1)) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn a_word_has_room_or_there_is_none() {
        assert_eq!(Packing::new(1, 1, 1), Some((Packing { right_bits: 0, rule_bits: 0 }, 0..0)));
        assert_eq!(
            Packing::new(1 << 28, 1 << 28, 256),
            Some((Packing { right_bits: 28, rule_bits: 8 }, 8..64))
        );
        assert_eq!(Packing::new(1 << 28, 1 << 28, 257), None);
        assert_eq!(Packing::new(0, u32::MAX, u32::MAX), None);
    }

    proptest! {
        #[test]
        fn words_are_candidates_and_in_their_order(
            n in [1u32..1 << 28, 1u32..1 << 28, 1u32..257],
            draws in proptest::collection::vec(any::<[u32; 3]>(), 2..20),
        ) {
            let [n_left, n_right, n_rules] = n;
            let (packing, bits) = Packing::new(n_left, n_right, n_rules).unwrap();
            let candidate = |[left, right, rule]: [u32; 3]| Candidate {
                left: left % n_left, right: right % n_right, rule: rule % n_rules,
            };
            let all: Vec<Candidate> = draws.into_iter().map(candidate).collect();
            for &one in &all {
                prop_assert_eq!(packing.unpack(packing.pack(one)), one);
                prop_assert!(bits.end == 64 || packing.pack(one) >> bits.end == 0);
            }
            for two in all.windows(2) {
                let pair = |it: &Candidate| (it.left, it.right);
                let bits = |it: &Candidate| packing.pack(*it) >> bits.start;
                prop_assert_eq!(pair(&two[0]).cmp(&pair(&two[1])), bits(&two[0]).cmp(&bits(&two[1])));
            }
        }
    }
}
