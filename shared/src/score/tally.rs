//! What the attributes of a pair come to, as they are looked at one after the other.

use super::attribute::{ENDS_ATTRIBUTE, ENDS_CONJUNCTION, NO_TERMS};
use super::{Attribute, BITS_PER_LEVEL, ONE, Wanted, rank};
use crate::columns::Columns;
use crate::text::Scratch;

/// What the attributes of a pair that were looked at come to. Means, patterns and weights share its words: a device has few.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Of a mean, the weights that count so far. Of a weight, the millionths so far.
    so_far: u64,
    /// Of a mean, the sum of weights times similarities. Of a pattern, the levels.
    sum: u64,
    /// Of the attributes that were not looked at yet: of a mean, the weights of those that both records have; of a weight,
    /// the most millionths that they may add, as bits of an `i32`.
    rest: u32,
    /// The level that the attribute at hand has reached, above what else is known of it.
    at_hand: u32,
    /// What the value that both have weighs more.
    more: i32,
}

/// A test of the conjunction at hand was false, or unknown.
const FALSE: u32 = 1;
const UNKNOWN: u32 = 2;
/// A conjunction before, of the same attribute, was unknown.
const MAY_HOLD: u32 = 4;
/// The weight cannot come to what is asked for any more.
const LOST: u32 = 8;
/// Levels are above those.
const LEVEL: u32 = 4;

impl Tally {
    /// Before any attribute is looked at.
    #[inline(always)]
    pub fn new(attributes: &[Attribute], columns: &impl Columns, pair: [u32; 2], wanted: Wanted) -> Self {
        let mut tally = Self::default();
        if wanted == Wanted::Pattern {
            return tally;
        }
        for attribute in attributes.iter().filter(|attribute| attribute.ends & ENDS_ATTRIBUTE != 0) {
            match wanted {
                Wanted::Pattern => {}
                Wanted::Mean { missing_is_zero, .. } => {
                    // What becomes of conditions is seen when all of their tests were looked at.
                    if attribute.is_condition() || attribute.codes(columns, pair).is_some() {
                        tally.rest += attribute.weight;
                    } else if missing_is_zero {
                        tally.so_far += u64::from(attribute.weight);
                    }
                }
                Wanted::Weight { .. } => tally.rest = tally.rest.wrapping_add(attribute.best as u32),
            }
        }
        if let Wanted::Weight { prior, .. } = wanted {
            tally.so_far = i64::from(prior) as u64;
        }
        tally
    }

    /// Looks at the next test.
    #[inline(always)]
    pub fn look(
        &mut self,
        attribute: &Attribute,
        terms: &[i32],
        columns: &impl Columns,
        pair: [u32; 2],
        wanted: Wanted,
        scratch: &mut (impl Scratch + ?Sized),
    ) {
        if let Wanted::Weight { least, .. } = wanted
            && (self.so_far as i32).wrapping_add(self.rest as i32) < least
        {
            self.at_hand |= LOST;
        }
        if self.at_hand & LOST != 0 {
            return;
        }
        let is_condition = attribute.is_condition();
        let is_decided = is_condition && (self.at_hand & FALSE != 0 || self.at_hand >> LEVEL != 0);
        let codes = if is_decided { None } else { attribute.codes(columns, pair) };
        let least = match wanted {
            _ if is_condition => attribute.threshold.max(1),
            Wanted::Pattern | Wanted::Weight { .. } => attribute.lowest_level(),
            Wanted::Mean { least, .. } => {
                if codes.is_none() {
                    return;
                }
                self.rest -= attribute.weight;
                self.needed(u64::from(attribute.weight), least)
            }
        };
        // What cannot be reached need not be measured: it is nothing, and the mean stays below.
        let mut similarity = match (codes, least <= ONE) {
            (None, _) => None,
            (Some(codes), true) => attribute.similarity(columns, pair, codes, least, scratch),
            (Some(_), false) => Some(0),
        };
        let mut level = 0;
        if !is_condition {
            level = similarity.map_or(0, |similarity| attribute.level_of(similarity));
        } else if !is_decided {
            self.at_hand |= match similarity {
                None => UNKNOWN,
                Some(0) => FALSE,
                Some(_) => 0,
            };
        }
        if is_condition {
            if attribute.ends & ENDS_CONJUNCTION != 0 {
                if !is_decided && self.at_hand & FALSE == 0 {
                    self.at_hand |=
                        if self.at_hand & UNKNOWN != 0 { MAY_HOLD } else { attribute.level << LEVEL };
                }
                self.at_hand &= !(FALSE | UNKNOWN);
            }
            if attribute.ends & ENDS_ATTRIBUTE == 0 {
                return self.remember(attribute, terms, columns, pair);
            }
            level = match (self.at_hand >> LEVEL, self.at_hand & MAY_HOLD) {
                (0, 0) => attribute.n_levels + 1,
                (level, _) => level,
            };
            self.at_hand = 0;
            if let Wanted::Mean { .. } = wanted {
                self.rest -= attribute.weight;
            }
            similarity = (level != 0).then_some(if level == 1 { ONE } else { 0 });
        }
        self.remember(attribute, terms, columns, pair);
        match wanted {
            Wanted::Pattern => self.sum |= u64::from(level) << (BITS_PER_LEVEL * attribute.nth),
            Wanted::Weight { .. } => {
                self.rest = self.rest.wrapping_sub(attribute.best as u32);
                let bits = attribute.bits.get(level as usize).copied().unwrap_or(0);
                let more = if level == 1 { self.more } else { 0 };
                self.so_far = self.so_far.wrapping_add(i64::from(bits + more) as u64);
                self.more = 0;
            }
            Wanted::Mean { missing_is_zero, .. } => {
                let weight = u64::from(attribute.weight);
                if similarity.is_some() || missing_is_zero {
                    self.so_far += weight;
                }
                self.sum += weight * u64::from(similarity.unwrap_or(0));
            }
        }
    }

    /// Takes note of what the value weighs that both records have, if that counts: it does on the best level, and then it is
    /// what was compared there.
    #[inline(always)]
    fn remember(&mut self, attribute: &Attribute, terms: &[i32], columns: &impl Columns, pair: [u32; 2]) {
        if attribute.terms != NO_TERMS
            && let Some([l, r]) = attribute.codes(columns, pair)
            && l == r
        {
            self.more = terms.get((attribute.terms + l) as usize).copied().unwrap_or(0);
        }
    }

    /// The similarity that the next attribute must have for the mean to come to `least`, if all that come after it are the
    /// same in both records; above [`ONE`], if none is enough. An attribute that turns out to be missing makes no mean
    /// greater than being the same would.
    #[inline]
    fn needed(&self, weight: u64, least: u32) -> u32 {
        // As in `result`, 2 (sum + weight s + rest) >= (2 least − 1) (weights + weight + rest), in less than 2^64.
        let halves = (2 * u64::from(least)).saturating_sub(1);
        let lacking = (halves * (self.so_far + weight + u64::from(self.rest)))
            .saturating_sub(2 * (self.sum + u64::from(ONE) * u64::from(self.rest)));
        lacking.div_ceil(2 * weight.max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// What was wanted. The weights of all attributes stay below 2^32 together, so twice the sum fits.
    #[inline]
    pub fn result(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Pattern => self.sum,
            Wanted::Weight { .. } if self.at_hand & LOST != 0 => rank(i32::MIN).into(),
            Wanted::Weight { .. } => rank(self.so_far as i32).into(),
            Wanted::Mean { .. } if self.so_far == 0 => 0,
            Wanted::Mean { .. } => (2 * self.sum + self.so_far) / (2 * self.so_far),
        }
    }
}
