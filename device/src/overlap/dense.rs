//! The dense join: all pairs that sizes let meet, by their signatures, without an index.
//!
//! Computes  pairs += {(l, r) : l and r have enough elements in common}, each once, in any order
//! Layout    groups of 32 probing values; what one reaches, in segments of `DeviceOverlap::STRETCH` values
//! Launch    1-D, any number of blocks, `DeviceOverlap::DENSE_WORDS` for each warp
//! Cost      8 operations on bits and 2 population counts a pair, or 16 and 4; a merge for what passes
//! Next      `listed` decides the pairs
//! Twin      `host::cpu::overlap`
//!
//! A warp has 32 probing values, one a lane, with their signatures in registers. 32 indexed ones at a time
//! are staged in shared memory, where all lanes read the same one at once. What signatures may differ in
//! depends on the two classes alone. Classes ascend, so indexed values of one class come in long runs, and it
//! is looked up when the class changes. What passes waits in shared memory until there is a pair for every
//! lane (`compare.rs`).

use super::compare::{Hit, Pairs};
use super::segments::Taken;
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::queues::{Queue, taken};
use crate::primitives::unrolled::unrolled;
use hyperblock_shared::layout::{DeviceOverlap, WARP, WideSignature};
use hyperblock_shared::overlap::{Overlap, Range32};

/// What a dense join reads and writes.
#[derive(Clone, Copy)]
pub struct Dense<'a, W> {
    /// The two sides. Their signatures are not looked at: see [`Dense::signatures`].
    pub overlap: Overlap<'a>,
    /// The probing values that are to be joined.
    pub values: Range32,
    /// As `Overlap::rooms` has them.
    pub rooms: &'a [i32],
    /// Indexed and probing.
    pub signatures: [&'a [WideSignature]; 2],
    /// By group of 32 of the values: its first segment; and at the end, how many there are.
    pub segments: &'a [u32],
    /// Where pairs go.
    pub pairs: Pairs<'a, W>,
}

/// A signature in registers.
type Bits = [u32; 8];

/// Words of a queued pair: the probing value and the indexed one.
const PAIR_WORDS: usize = 2;
/// Where signatures may differ in no more bits than this, they are folded before bits are counted: of so
/// many, few fall together.
const MOST_FOLDED: i32 = 16;
/// Staged values that are compared without a look at anything else, so that their loads overlap.
const AT_ONCE: u32 = 8;

// A warp's words: its `Taken`; the first halves of the staged signatures, then the second ones, so that lanes
// that stage them are in nobody's way; the queue.
const STAGE: u32 = 4;
const HALVES: u32 = 4 * WARP;
const QUEUE: u32 = STAGE + 2 * HALVES;

const _: () = assert!(DeviceOverlap::DENSE_WORDS == QUEUE + Queue::<PAIR_WORDS>::N_WORDS);

/// A lane's probing value.
#[derive(Clone, Copy, Default)]
struct Own {
    item: u32,
    class: u32,
    signature: Bits,
    /// The indexed values that it may meet.
    reach: Range32,
}

/// What signatures of a lane's value may differ in from those of an indexed one, by its class.
#[derive(Clone, Copy)]
struct Room {
    /// The same for all lanes.
    class: u32,
    /// Below 0 they cannot meet.
    bits: i32,
}

/// Of no class.
const NOWHERE: Room = Room { class: u32::MAX, bits: -1 };

/// The kernel's body.
#[inline(always)]
pub fn dense(block: &impl Block, dense: &Dense<'_, impl Words>) {
    let own_words = block.warp_ix() * DeviceOverlap::DENSE_WORDS;
    let queue = Queue(own_words + QUEUE);
    Taken::default().keep(block, own_words);
    let mut own = Own::default();
    let mut room = NOWHERE;
    // Indexed values that are still to be compared.
    let mut stretch = Range32::default();
    // A bit for each of the 32 before those that is yet to be queued.
    let mut passed = 0u32;
    let mut n_queued = 0;
    let mut is_finished = false;
    loop {
        let waiting = block.ballot(passed != 0);
        if n_queued >= WARP || (is_finished && n_queued > 0) {
            dense.verify(block, queue, n_queued);
            n_queued -= taken(n_queued);
        } else if is_finished {
            return;
        } else if waiting != 0 {
            let pair = [own.item, (stretch.from - WARP).wrapping_add(passed.trailing_zeros())];
            queue.push(block, n_queued, waiting, pair);
            // Clears the lowest bit, and nothing if there is none.
            passed &= passed.wrapping_sub(1);
            n_queued += waiting.count_ones();
            block.warp_barrier();
        } else if stretch.from < stretch.upto {
            passed = dense.compare(block, own_words + STAGE, &own, &mut room, stretch.from);
            stretch.from += WARP;
        } else {
            let is_of_use = || dense.pairs.has_room();
            let counters = dense.pairs.counters;
            let taken = Taken::kept_or_next(block, own_words, dense.segments, counters, is_of_use);
            let Some(mut taken) = taken else {
                is_finished = true;
                continue;
            };
            (own, stretch) = dense.begin(block, &mut taken);
            room = NOWHERE;
            taken.keep(block, own_words);
        }
    }
}

impl<W: Words> Dense<'_, W> {
    /// The first of the taken segments: this lane's value, and the indexed ones. All lanes come here
    /// together.
    #[inline(always)]
    fn begin(&self, block: &impl Block, taken: &mut Taken) -> (Own, Range32) {
        let (group, nth) = taken.begin(block, self.segments);
        let item = self.values.from + group * WARP + block.lane();
        let mut own = Own::default();
        if item < self.values.upto {
            let WideSignature(signature) = self.signatures[1][item as usize];
            own = Own {
                item,
                class: self.overlap.probing.values[item as usize].class,
                signature: halves(signature),
                reach: self.overlap.reach(item),
            };
        }
        block.warp_barrier();
        let all = warp_hull(block, own.reach);
        let from = all.from + nth * DeviceOverlap::STRETCH;
        (own, Range32 { from, upto: all.upto.min(from + DeviceOverlap::STRETCH) })
    }

    /// A bit for each of the 32 indexed values from `first` on that may hold with this lane's. All lanes come
    /// here together.
    #[inline(always)]
    fn compare(&self, block: &impl Block, stage: u32, own: &Own, room: &mut Room, first: u32) -> u32 {
        let indexed = &self.overlap.indexed;
        let other = (first + block.lane()).min(indexed.values.len() as u32 - 1);
        let class = indexed.values[other as usize].class;
        let has_bitmap = self.overlap.sizes.has_bitmap == 1;
        if has_bitmap {
            let WideSignature(signature) = self.signatures[0][other as usize];
            let [a, b, c, d, e, f, g, h] = halves(signature);
            let at = stage + 4 * block.lane();
            block.set_shared_quad(at, [a, b, c, d]);
            block.set_shared_quad(at + HALVES, [e, f, g, h]);
        }
        block.warp_barrier();
        let wanted = upto(own.reach.upto.saturating_sub(first)) & !upto(own.reach.from.saturating_sub(first));
        let (mut from, mut passed) = (0, 0);
        while from < WARP {
            // Classes ascend, so those equal to the first one are a run.
            let class_of_run = block.broadcast(class, from);
            let later = block.ballot(class != class_of_run) >> from;
            let end = WARP.min(from + later.trailing_zeros());
            if room.class != class_of_run {
                let row = own.class * indexed.classes.len() as u32;
                *room = Room { class: class_of_run, bits: self.rooms[(row + class_of_run) as usize] };
            }
            let of_run = upto(end) & !upto(from) & wanted;
            block.warp_barrier();
            let may_meet = room.bits >= 0 && of_run != 0;
            if block.ballot(may_meet) != 0 {
                let is_folded = block.ballot(may_meet && room.bits > MOST_FOLDED) == 0;
                let near = match (has_bitmap, is_folded) {
                    (false, _) if room.bits < 0 => 0,
                    (false, _) => u32::MAX,
                    (true, true) => near_ones::<true>(block, stage, &own.signature, room.bits, from, end),
                    (true, false) => near_ones::<false>(block, stage, &own.signature, room.bits, from, end),
                };
                passed |= near & of_run;
            }
            from = end;
        }
        // The next ones must not be staged while a lane still reads these.
        block.warp_barrier();
        passed
    }

    /// Compares the values of the last pairs of so many that are queued. All lanes come here together.
    #[inline(always)]
    fn verify(&self, block: &impl Block, queue: Queue<PAIR_WORDS>, n_queued: u32) {
        let [probing, indexed] = queue.last(block, n_queued);
        // The words may be used again.
        block.warp_barrier();
        let hit = Hit { probing, indexed, nth: None };
        self.pairs.compare(block, &self.overlap, hit, block.lane() < taken(n_queued));
    }
}

/// A bit for each staged value from `from` to `end` whose signature differs in no more than `room` bits, with
/// `FOLDED` as far as [`n_differing_at_least`] tells; values before and after may have one, too.
#[inline(always)]
fn near_ones<const FOLDED: bool>(
    block: &impl Block,
    stage: u32,
    own: &Bits,
    room: i32,
    from: u32,
    end: u32,
) -> u32 {
    let mut near = 0;
    let mut ix = from / AT_ONCE * AT_ONCE;
    while ix < end {
        let at = stage + 4 * ix;
        let mut far = 0;
        unrolled::<{ AT_ONCE as usize }>(|nth| {
            // From the last to the first, so that their bits are shifted to their places one after the other:
            // a sign and a shift are one instruction, where a comparison and a bit would be three.
            let at = at + 4 * (AT_ONCE - 1 - nth as u32);
            let other = [block.shared_quad(at), block.shared_quad(at + HALVES)];
            let n = if FOLDED { n_differing_at_least(own, other) } else { n_differing(own, other) };
            far = far << 1 | (room - n as i32) as u32 >> 31;
        });
        near |= (!far & upto(AT_ONCE)) << ix;
        ix += AT_ONCE;
    }
    near
}

/// How many bits two signatures differ in.
///
/// A population count takes as long as four operations on bits. So words are added first, as columns of bits:
/// three make a word of sums and a word of carries, which count twice. Of eight words that leaves four to
/// count.
#[inline(always)]
fn n_differing(own: &Bits, other: [[u32; 4]; 2]) -> u32 {
    let [a, b, c, d, e, f, g, h] = differing(own, other);
    let (sum_0, carry_0) = added(a, b, c);
    let (sum_1, carry_1) = added(d, e, f);
    let (ones, carry_2) = added(sum_0, sum_1, g);
    let (twos, fours) = added(carry_0, carry_1, carry_2);
    ones.count_ones() + h.count_ones() + 2 * twos.count_ones() + 4 * fours.count_ones()
}

/// How many bits two signatures differ in, where those at the same place of four words count once: half the
/// work, for a number that is no greater.
#[inline(always)]
fn n_differing_at_least(own: &Bits, other: [[u32; 4]; 2]) -> u32 {
    let [a, b, c, d, e, f, g, h] = differing(own, other);
    (a | b | c | d).count_ones() + (e | f | g | h).count_ones()
}

#[inline(always)]
fn differing(own: &Bits, [[a, b, c, d], [e, f, g, h]]: [[u32; 4]; 2]) -> Bits {
    let other = [a, b, c, d, e, f, g, h];
    let mut words = [0; 8];
    unrolled::<8>(|ix| words[ix] = own[ix] ^ other[ix]);
    words
}

/// In each column of bits, the sum of three and what it carries.
#[inline(always)]
fn added(a: u32, b: u32, c: u32) -> (u32, u32) {
    (a ^ b ^ c, (a & b) | (c & (a | b)))
}

#[inline(always)]
fn halves(signature: [u64; 4]) -> Bits {
    let mut bits = [0; 8];
    unrolled::<8>(|ix| bits[ix] = (signature[ix / 2] >> (32 * (ix % 2))) as u32);
    bits
}

/// So many bits, from the lowest on.
#[inline(always)]
fn upto(n: u32) -> u32 {
    if n < u32::BITS { (1 << n) - 1 } else { u32::MAX }
}

/// The hull of what all lanes bring. All lanes come here together.
#[inline(always)]
fn warp_hull(block: &impl Block, own: Range32) -> Range32 {
    let mut hull = own;
    let mut distance = WARP / 2;
    while distance > 0 {
        let lane = block.lane() ^ distance;
        let [from, upto] = [hull.from, hull.upto].map(|word| block.broadcast(word, lane));
        hull = hull.hull(Range32 { from, upto });
        distance /= 2;
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::join::hash;
    use hyperblock_shared::overlap::unshared;

    #[test]
    fn adding_before_counting_counts_the_same_and_folding_no_more() {
        let mut n_equal = 0;
        for seed in 0..2000u32 {
            // From few bits to nearly all.
            let word = |ix: u32| {
                let mut word = u64::from(hash(seed * 64 + ix)) << 32 | u64::from(hash(seed * 64 + ix + 16));
                (0..seed % 7).for_each(|nth| word &= u64::from(hash(seed + ix + 7 * nth)) * 0x1_0000_0001);
                if seed % 2 == 0 { word } else { !word }
            };
            let signatures = [0, 4].map(|first| [0, 1, 2, 3].map(|ix| word(first + ix)));
            let [own, [a, b, c, d, e, f, g, h]] = signatures.map(halves);
            let other = [[a, b, c, d], [e, f, g, h]];
            let all = unshared(&signatures[0], &signatures[1]);
            assert_eq!(n_differing(&own, other), all);
            let folded = n_differing_at_least(&own, other);
            assert!(folded <= all.min(64) && folded >= all.div_ceil(4));
            n_equal += u32::from(folded == all);
        }
        assert!((1..2000).contains(&n_equal), "{n_equal}");
        assert_eq!(n_differing(&[0; 8], [[u32::MAX; 4]; 2]), 256);
        assert_eq!(n_differing_at_least(&[0; 8], [[u32::MAX; 4]; 2]), 64);
    }

    #[test]
    fn bits_from_the_lowest_on() {
        assert_eq!(
            [0, 1, 31, 32, 33, u32::MAX].map(upto),
            [0, 1, u32::MAX >> 1, u32::MAX, u32::MAX, u32::MAX]
        );
    }
}
