//! Who does which stretch: the sliding window, and stealing.
//!
//! Every block has a slot, a word with the range of stretches that it still has to do. It takes them from the front. When
//! the slot is empty it claims its next run of stretches, or if that is taken another that nobody has claimed, by a bit of a
//! common bitmap: so the window of what is under way slides on, and quick blocks do what slow ones would have done later. When all are claimed, it
//! robs a block that has much left of the back half of its range.
//!
//! In the paper a block claims an interval. Where values are few, there are fewer intervals than blocks, and most blocks would
//! have to rob before they have anything to do: so stretches are cut into runs by their number alone, some for each block.
//!
//! ```text
//!   slot of block 7   [ start ....... | middle ........ end )   a thief sets the slot to [start, middle)
//!                       taken here -->                          and its own to [middle, end)
//! ```
//!
//! **Each stretch is done once.** A slot changes only by a compare-and-swap on the whole word, or by its owner's store
//! when it is empty, which no compare-and-swap expects. Ranges in slots and hands never overlap: a claim hands out what
//! no one else can claim, taking and robbing cut a range in two. So a word that was seen, and has changed since, never comes
//! back while its stretches are undone, and the compare-and-swap cannot be fooled. Nothing is lost: a range is always in a
//! slot or in the hands of the one block that is about to put it there. What a block does not see of others' work only makes
//! it stop early, and its own slot is empty then. `tests/stealing.rs` checks
//! interleavings of small cases: all of the smallest, and of larger ones those with few preemptions.
//!
//! After HyperBlocker's inter- and intra-interval task stealing (Zhu, Xie, Deng and Zhang, PVLDB 18(2), 2024, section 5).

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A slot's word. Nothing else is published through it, so no order is asked for.
pub trait Word {
    /// The word.
    fn load(&self) -> u64;
    /// Replaces it.
    fn store(&self, word: u64);
    /// Replaces it if it is still `seen`; whether it was.
    fn exchange(&self, seen: u64, word: u64) -> bool;
}

impl Word for AtomicU64 {
    #[inline]
    fn load(&self) -> u64 {
        Self::load(self, Relaxed)
    }

    #[inline]
    fn store(&self, word: u64) {
        Self::store(self, word, Relaxed);
    }

    #[inline]
    fn exchange(&self, seen: u64, word: u64) -> bool {
        self.compare_exchange(seen, word, Relaxed, Relaxed).is_ok()
    }
}

/// 32 bits of the bitmap of claimed intervals.
pub trait Bits {
    /// The bits.
    fn load(&self) -> u32;
    /// Sets bits; what they were before.
    fn set(&self, bits: u32) -> u32;
}

impl Bits for AtomicU32 {
    #[inline]
    fn load(&self) -> u32 {
        Self::load(self, Relaxed)
    }

    #[inline]
    fn set(&self, bits: u32) -> u32 {
        self.fetch_or(bits, Relaxed)
    }
}

/// A range of stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The first.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

impl Share {
    /// Nothing: what a slot holds at first.
    pub const NONE: Self = Self { start: 0, end: 0 };

    #[inline]
    fn word(self) -> u64 {
        u64::from(self.start) | u64::from(self.end) << 32
    }

    #[inline]
    fn of(word: u64) -> Self {
        Self { start: word as u32, end: (word >> 32) as u32 }
    }

    /// How many.
    #[inline]
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether it has none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// What blocks share when they divide a scan among them.
#[derive(Clone, Copy, Debug)]
pub struct Division<'a, W, B> {
    /// By interval: the number of its first stretch; and at the end, how many there are in all.
    pub firsts: &'a [u32],
    /// By block.
    pub slots: &'a [W],
    /// A bit for each run of stretches, 32 a word.
    pub claimed: &'a [B],
    /// How it is divided.
    pub policy: Policy,
}

/// Enough that quick blocks can do more than slow ones, few enough that claiming costs nothing.
const RUNS_PER_SLOT: u32 = 8;

/// Which of the two ways to balance work are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Blocks take one part of the work after the other. Otherwise each has one fixed share of all stretches.
    pub sliding: bool,
    /// Blocks take whatever nobody has taken yet, and halves of what others have left. Otherwise each does one of
    /// its own and is done: there is a block for each interval, and the hardware begins the next when one ends.
    pub stealing: bool,
}

impl Policy {
    /// How many blocks there are, if so many are under way at once.
    #[inline]
    pub fn n_slots(self, window: u32, n_intervals: u32) -> u32 {
        if self.sliding && !self.stealing { n_intervals.max(1) } else { window }
    }

    /// How many runs of stretches there are to claim.
    #[inline]
    pub fn n_runs(self, n_slots: u32, n_stretches: u32) -> u32 {
        if self.sliding && self.stealing { n_stretches.min(n_slots.saturating_mul(RUNS_PER_SLOT)) } else { 0 }
    }
}

/// Where a block is with its claims.
#[derive(Clone, Copy, Debug)]
pub struct Taker {
    /// Its slot.
    pub slot: u32,
    /// The run or the interval to try next, or whether the one share was taken.
    pub next: u32,
}

impl Taker {
    /// A block that has claimed nothing yet.
    pub fn new(slot: u32) -> Self {
        Self { slot, next: slot }
    }
}

impl<W: Word, B: Bits> Division<'_, W, B> {
    /// The next stretch for a block, or `None` if there is nothing left to take. Whenever the block's slot is found empty,
    /// at first too, `emptied` is told, before the slot is filled again.
    pub fn next(&self, taker: &mut Taker, mut emptied: impl FnMut()) -> Option<u32> {
        loop {
            if let Some(stretch) = self.take(taker.slot) {
                return Some(stretch);
            }
            emptied();
            let share = match self.claim(taker) {
                Some(share) => share,
                None => self.steal()?,
            };
            self.put(taker.slot, share);
        }
    }

    /// The front stretch of a block's own slot.
    #[inline]
    pub fn take(&self, slot: u32) -> Option<u32> {
        let slot = &self.slots[slot as usize];
        loop {
            let word = slot.load();
            let share = Share::of(word);
            if share.is_empty() {
                return None;
            }
            if slot.exchange(word, Share { start: share.start + 1, ..share }.word()) {
                return Some(share.start);
            }
        }
    }

    /// Fills a block's own slot, which must be empty.
    #[inline]
    pub fn put(&self, slot: u32, share: Share) {
        self.slots[slot as usize].store(share.word());
    }

    /// Stretches that nobody has claimed before.
    pub fn claim(&self, taker: &mut Taker) -> Option<Share> {
        let n_intervals = self.firsts.len() as u32 - 1;
        let n_slots = self.slots.len() as u32;
        let n_stretches = self.firsts[n_intervals as usize];
        // The parts of all stretches, cut into so many.
        let part = |ix: u32, n_parts: u32| {
            let bound = |ix: u32| (u64::from(n_stretches) * u64::from(ix) / u64::from(n_parts)) as u32;
            Share { start: bound(ix), end: bound(ix + 1) }
        };
        if !self.policy.sliding {
            let is_first = core::mem::replace(&mut taker.next, u32::MAX) != u32::MAX;
            return is_first.then(|| part(taker.slot, n_slots));
        }
        if !self.policy.stealing {
            let interval = taker.next;
            taker.next = interval.saturating_add(n_slots);
            return (interval < n_intervals).then(|| self.interval(interval));
        }
        // Each block has places of its own, as many apart as there are blocks, and looks there first: so blocks do not wait for
        // each other, as they would if all looked for the first that is free. From there on it looks round; what it finds
        // claimed stays so.
        let n_runs = self.policy.n_runs(n_slots, n_stretches);
        if n_runs == 0 {
            return None;
        }
        let own = if taker.next < n_runs { taker.next } else { taker.slot % n_runs };
        let n_words = n_runs.div_ceil(32);
        for nth in 0..n_words {
            let word = (own / 32 + nth) % n_words;
            let in_word = (n_runs - 32 * word).min(32);
            let all = u32::MAX >> (32 - in_word);
            let bits = &self.claimed[word as usize];
            let mut free = !bits.load() & all;
            while free != 0 {
                let bit = (free.rotate_right(own % 32).trailing_zeros() + own) % 32;
                let before = bits.set(1 << bit);
                if before & 1 << bit == 0 {
                    let run = 32 * word + bit;
                    taker.next = run.saturating_add(n_slots);
                    return Some(part(run, n_runs));
                }
                free = !before & all;
            }
        }
        None
    }

    /// The back half of what some other block has left.
    fn steal(&self) -> Option<Share> {
        loop {
            let victim = self.richest(0, 1)?;
            if let Some(share) = self.rob(victim) {
                return Some(share);
            }
        }
    }

    /// The slot with most left, of every `step`-th from `from` on, if any has enough for two. Lanes of a warp look at
    /// different ones together.
    pub fn richest(&self, from: u32, step: u32) -> Option<u32> {
        if !self.policy.stealing {
            return None;
        }
        let (mut slot, mut most, mut richest) = (from, 1, None);
        while let Some(word) = self.slots.get(slot as usize) {
            let left = Share::of(word.load()).len();
            if left > most {
                (most, richest) = (left, Some(slot));
            }
            slot += step;
        }
        richest
    }

    /// The back half of a slot, unless it has become too small or was changed meanwhile.
    pub fn rob(&self, slot: u32) -> Option<Share> {
        let slot = &self.slots[slot as usize];
        let word = slot.load();
        let Share { start, end } = Share::of(word);
        if end - start < 2 {
            return None;
        }
        let middle = start + (end - start).div_ceil(2);
        slot.exchange(word, Share { start, end: middle }.word()).then_some(Share { start: middle, end })
    }

    #[inline]
    fn interval(&self, ix: u32) -> Share {
        Share { start: self.firsts[ix as usize], end: self.firsts[ix as usize + 1] }
    }
}

/// The interval that a stretch belongs to. `firsts` is as in [`Division`], `stretch` below its last element.
#[inline]
pub fn interval_of<T: Copy + PartialOrd>(firsts: &[T], stretch: T) -> u32 {
    // The last interval that starts at or before it, so never an empty one.
    let (mut from, mut upto) = (0, firsts.len() as u32 - 1);
    while upto - from > 1 {
        let middle = from + (upto - from) / 2;
        if firsts[middle as usize] <= stretch {
            from = middle;
        } else {
            upto = middle;
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        /// Blocks in turns, some of them slow: every stretch is taken once, under every policy.
        #[test]
        fn every_stretch_is_taken_once(
            lengths in prop::collection::vec(0u32..12, 0..80), n_blocks in 1usize..6,
            turns in prop::collection::vec(0usize..6, 0..200), sliding: bool, stealing: bool,
        ) {
            let firsts: Vec<u32> = core::iter::once(0)
                .chain(lengths.iter().scan(0, |sum, len| { *sum += len; Some(*sum) }))
                .collect();
            let n_stretches = firsts[lengths.len()];
            let slots: Vec<AtomicU64> = (0..n_blocks).map(|_| AtomicU64::new(Share::NONE.word())).collect();
            let policy = Policy { sliding, stealing };
            let n_words = policy.n_runs(n_blocks as u32, n_stretches).div_ceil(32);
            let claimed: Vec<AtomicU32> = (0..n_words).map(|_| AtomicU32::new(0)).collect();
            let division = Division { firsts: &firsts, slots: &slots, claimed: &claimed, policy };
            let mut takers: Vec<Taker> = (0..n_blocks as u32).map(Taker::new).collect();
            let mut taken = Vec::new();
            for turn in turns {
                taken.extend(division.next(&mut takers[turn % n_blocks], || ()));
            }
            for taker in &mut takers {
                while let Some(stretch) = division.next(taker, || ()) {
                    taken.push(stretch);
                }
            }
            for &stretch in &taken {
                let interval = interval_of(&firsts, stretch) as usize;
                prop_assert!(firsts[interval] <= stretch && stretch < firsts[interval + 1]);
            }
            taken.sort_unstable();
            prop_assert_eq!(taken, (0..n_stretches).collect::<Vec<_>>());
        }
    }
}
