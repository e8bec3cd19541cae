//! What the attributes of a pair come to, as they are looked at one after the other.

use super::attribute::{ENDS_ATTRIBUTE, ENDS_CONJUNCTION, NO_TERMS};
use super::{Attribute, BITS_PER_LEVEL, ONE, Wanted, rank};
use crate::columns::Columns;
use crate::text::Scratch;

/// What the attributes of a pair that were looked at come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    weights: u64,
    sum: u64,
    pattern: u64,
    /// Of a mean, the weights of attributes that were not looked at yet and that both records have.
    rest: u64,
    /// What is weighed so far, and what the attributes that were not looked at yet may add: millionths of a bit.
    bits: i32,
    open: i32,
    /// Whether the weight cannot come to what is asked for any more.
    is_lost: bool,
    at_hand: AtHand,
}

/// Where an attribute of several tests stands.
#[derive(Clone, Copy, Debug, Default)]
struct AtHand {
    /// What its conjunction comes to so far: false if a test was, else unknown if one was.
    is_false: bool,
    is_unknown: bool,
    /// Whether a conjunction before was unknown.
    may_hold: bool,
    /// The level that was reached, or 0.
    level: u32,
    /// What the value that both have weighs more.
    more: i32,
}

impl Tally {
    /// Before any attribute is looked at.
    #[inline(always)]
    pub fn new(attributes: &[Attribute], columns: &impl Columns, pair: [u32; 2], wanted: Wanted) -> Self {
        let mut tally = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.ends & ENDS_ATTRIBUTE != 0) {
            match wanted {
                Wanted::Pattern => {}
                Wanted::Mean { missing_is_zero, .. } => {
                    // What becomes of conditions is seen when all of their tests were looked at.
                    if attribute.is_condition() || attribute.codes(columns, pair).is_some() {
                        tally.rest += u64::from(attribute.weight);
                    } else if missing_is_zero {
                        tally.weights += u64::from(attribute.weight);
                    }
                }
                Wanted::Weight { .. } => tally.open += attribute.best,
            }
        }
        if let Wanted::Weight { prior, .. } = wanted {
            tally.bits = prior;
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
            && (self.is_lost || self.bits + self.open < least)
        {
            self.is_lost = true;
            return;
        }
        let is_condition = attribute.is_condition();
        let is_decided = is_condition && (self.at_hand.is_false || self.at_hand.level != 0);
        let codes = if is_decided { None } else { attribute.codes(columns, pair) };
        let least = match wanted {
            _ if is_condition => attribute.threshold.max(1),
            Wanted::Pattern | Wanted::Weight { .. } => attribute.lowest_level(),
            Wanted::Mean { least, .. } => {
                if codes.is_none() {
                    return;
                }
                self.rest -= u64::from(attribute.weight);
                self.needed(u64::from(attribute.weight), least)
            }
        };
        // What cannot be reached need not be measured: it is nothing, and the mean stays below.
        let similarity = match (codes, least <= ONE) {
            (None, _) => None,
            (Some(codes), true) => attribute.similarity(columns, pair, codes, least, scratch),
            (Some(_), false) => Some(0),
        };
        let more = match codes {
            Some([l, r]) if l == r && attribute.terms != NO_TERMS => {
                terms.get((attribute.terms + l) as usize).copied().unwrap_or(0)
            }
            _ => 0,
        };
        if !is_condition {
            let level = similarity.map_or(0, |similarity| attribute.level_of(similarity));
            return self.settle(attribute, level, similarity, more, wanted);
        }
        let at_hand = &mut self.at_hand;
        if !is_decided {
            match similarity {
                None => at_hand.is_unknown = true,
                Some(similarity) => at_hand.is_false |= similarity == 0,
            }
        }
        if attribute.ends & ENDS_CONJUNCTION != 0 {
            if !is_decided && !at_hand.is_false {
                if at_hand.is_unknown {
                    at_hand.may_hold = true;
                } else {
                    (at_hand.level, at_hand.more) = (attribute.level, more);
                }
            }
            (at_hand.is_false, at_hand.is_unknown) = (false, false);
        }
        if attribute.ends & ENDS_ATTRIBUTE != 0 {
            let AtHand { level, may_hold, more, .. } = core::mem::take(at_hand);
            let level = match (level, may_hold) {
                (0, true) => 0,
                (0, false) => attribute.n_levels + 1,
                (level, _) => level,
            };
            if let Wanted::Mean { .. } = wanted {
                self.rest -= u64::from(attribute.weight);
            }
            let similarity = (level != 0).then_some(if level == 1 { ONE } else { 0 });
            self.settle(attribute, level, similarity, more, wanted);
        }
    }

    /// Adds what an attribute comes to.
    #[inline(always)]
    fn settle(
        &mut self,
        attribute: &Attribute,
        level: u32,
        similarity: Option<u32>,
        more: i32,
        wanted: Wanted,
    ) {
        match wanted {
            Wanted::Pattern => self.pattern |= u64::from(level) << (BITS_PER_LEVEL * attribute.nth),
            Wanted::Weight { .. } => {
                self.open -= attribute.best;
                self.bits += attribute.bits.get(level as usize).copied().unwrap_or(0);
                self.bits += if level == 1 { more } else { 0 };
            }
            Wanted::Mean { missing_is_zero, .. } => {
                let weight = u64::from(attribute.weight);
                if similarity.is_some() || missing_is_zero {
                    self.weights += weight;
                }
                self.sum += weight * u64::from(similarity.unwrap_or(0));
            }
        }
    }

    /// The similarity that the next attribute must have for the mean to come to `least`, if all that come after it are the
    /// same in both records; above [`ONE`], if none is enough. An attribute that turns out to be missing makes no mean
    /// greater than being the same would.
    #[inline]
    fn needed(&self, weight: u64, least: u32) -> u32 {
        // As in `result`, 2 (sum + weight s + rest) >= (2 least − 1) (weights + weight + rest), in less than 2^64.
        let halves = (2 * u64::from(least)).saturating_sub(1);
        let lacking = (halves * (self.weights + weight + self.rest))
            .saturating_sub(2 * (self.sum + u64::from(ONE) * self.rest));
        lacking.div_ceil(2 * weight.max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// What was wanted. The weights of all attributes stay below 2^32 together, so twice the sum fits.
    #[inline]
    pub fn result(&self, wanted: Wanted) -> u64 {
        match wanted {
            Wanted::Pattern => self.pattern,
            Wanted::Weight { .. } if self.is_lost => rank(i32::MIN).into(),
            Wanted::Weight { .. } => rank(self.bits).into(),
            Wanted::Mean { .. } if self.weights == 0 => 0,
            Wanted::Mean { .. } => (2 * self.sum + self.weights) / (2 * self.weights),
        }
    }
}
