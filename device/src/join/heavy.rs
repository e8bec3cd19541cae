//! Heavy keys: all rows that one side has with all that the other has.
//!
//! Computes  for each heavy key its left rows × its right rows; of one side with itself, each pair once
//! Layout    tuples of both sides, by class; a product is cut into units of `LEFTS` by `RIGHTS` rows
//! Launch    `products`: one block of `MOST_HEAVY` threads, two words each; `heavy`: 1-D, any number of blocks of `PRODUCT_THREADS`, `PRODUCT_WORDS`
//! Cost      a store of 8 bytes a pair, a warp's next to each other; where pairs are only counted, a multiplication a key
//! Next      the host knows the number of pairs, and where they are
//!
//! A thread keeps its right rows in registers and goes through the left ones, which lie in shared memory: every step is
//! some stores and nothing else. Room for all pairs of a unit is taken at once.

use super::light::Pairs;
use super::row_of;
use crate::block::Block;
use crate::memory::Words;
use crate::primitives::owners;
use crate::primitives::sums::warp_total;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::{MOST_HEAVY, PRODUCT_LEFTS, PRODUCT_THREADS, PRODUCT_WORDS, PRODUCTS_WORDS};

/// Right rows that a thread holds.
const HELD: usize = 8;
/// Rows of a unit.
const LEFTS: u32 = PRODUCT_LEFTS;
const RIGHTS: u32 = PRODUCT_THREADS * HELD as u32;

/// The rows of heavy keys.
#[derive(Clone, Copy)]
pub struct Heavy<'a> {
    /// The tuples of each side.
    pub tuples: [&'a [u64]; 2],
    /// By heavy key: where its tuples start; and the next one's.
    pub starts: [&'a [u32]; 2],
    /// Heavy keys.
    pub n_heavy: u32,
    /// Whether both sides are one.
    pub is_self: bool,
}

impl Heavy<'_> {
    /// A key's first tuple and how many there are.
    #[inline(always)]
    fn rows(&self, side: usize, key: u32) -> (u32, u32) {
        let [from, upto] = [key, key + 1].map(|ix| self.starts[side][ix as usize]);
        (from, upto - from)
    }
}

/// What follows from how many rows each heavy key has.
#[derive(Clone, Copy)]
pub struct Products<'a> {
    /// By heavy key: the number of its first unit; and at the end, how many there are.
    pub units: &'a [AtomicU64],
    /// If pairs are only counted: adds them.
    pub n_pairs: Option<&'a AtomicU64>,
}

/// Numbers the units through, or multiplies. One block, a thread for each heavy key that there may be.
#[inline(always)]
pub fn products(block: &impl Block, heavy: &Heavy<'_>, products: &Products<'_>) {
    let key = block.thread_ix();
    let (mut own_units, mut own_pairs) = (0, 0);
    if key < heavy.n_heavy {
        let (_, lefts) = heavy.rows(0, key);
        let (_, rights) = heavy.rows(1, key);
        own_units = u64::from(lefts.div_ceil(LEFTS)) * u64::from(rights.div_ceil(RIGHTS));
        own_pairs = match heavy.is_self {
            true => u64::from(lefts) * u64::from(lefts.saturating_sub(1)) / 2,
            false => u64::from(lefts) * u64::from(rights),
        };
    }
    if let Some(counter) = products.n_pairs {
        let n_pairs = warp_total(block, own_pairs);
        if block.lane() == 0 && n_pairs > 0 {
            counter.fetch_add(n_pairs, Relaxed);
        }
    }
    block.set_shared(2 * key, own_units as u32);
    block.set_shared(2 * key + 1, (own_units >> 32) as u32);
    block.barrier();
    if key == 0 {
        let mut n_units = 0;
        for key in 0..heavy.n_heavy {
            products.units[key as usize].store(n_units, Relaxed);
            n_units += u64::from(block.shared(2 * key)) | u64::from(block.shared(2 * key + 1)) << 32;
        }
        products.units[heavy.n_heavy as usize].store(n_units, Relaxed);
    }
}

// Two words for each thread of `products`.
const _: () = assert!(PRODUCTS_WORDS == 2 * MOST_HEAVY);

// Words of shared memory: where the unit's pairs go, and its left rows.
const FIRST: u32 = 0;
const ROWS: u32 = 4;

const _: () = assert!(PRODUCT_WORDS == ROWS + LEFTS && LEFTS <= PRODUCT_THREADS);

/// A part of a product: rows by their places among those of the key.
struct Unit {
    lefts: [u32; 2],
    rights: [u32; 2],
}

/// The kernel's body. `units` is as [`products()`] left it.
#[inline(always)]
pub fn heavy(block: &impl Block, heavy: &Heavy<'_>, units: &[u64], pairs: &Pairs<'_, impl Words>) {
    let n_units = units[heavy.n_heavy as usize];
    let mut number = u64::from(block.block_ix());
    while number < n_units {
        let key = owners::alone(&units[..=heavy.n_heavy as usize], number);
        let (left_from, n_lefts) = heavy.rows(0, key);
        let (right_from, n_rights) = heavy.rows(1, key);
        let across = u64::from(n_rights.div_ceil(RIGHTS));
        let nth = number - units[key as usize];
        let (row, column) = ((nth / across) as u32 * LEFTS, (nth % across) as u32 * RIGHTS);
        let unit =
            Unit { lefts: [row, n_lefts.min(row + LEFTS)], rights: [column, n_rights.min(column + RIGHTS)] };
        // Of one side with itself, a row meets later ones.
        if !heavy.is_self || unit.lefts[0] + 1 < unit.rights[1] {
            write(block, heavy, &unit, [left_from, right_from], pairs);
        }
        number += u64::from(block.n_blocks());
    }
}

#[inline(always)]
fn write(
    block: &impl Block,
    heavy: &Heavy<'_>,
    unit: &Unit,
    [left_from, right_from]: [u32; 2],
    pairs: &Pairs<'_, impl Words>,
) {
    let thread = block.thread_ix();
    let Unit { lefts, rights } = *unit;
    // The first right row that a left one meets.
    let first_of = |left: u32| if heavy.is_self { rights[0].max(left + 1).min(rights[1]) } else { rights[0] };
    // Nobody reads the last unit's any more.
    block.barrier();
    let left = lefts[0] + thread;
    if left < lefts[1] {
        block.set_shared(ROWS + thread, row_of(heavy.tuples[0][(left_from + left) as usize]));
    }
    if thread == 0 {
        let n_pairs: u64 = match heavy.is_self {
            true => (lefts[0]..lefts[1]).map(|left| u64::from(rights[1] - first_of(left))).sum(),
            false => u64::from(lefts[1] - lefts[0]) * u64::from(rights[1] - rights[0]),
        };
        let first = pairs.take(n_pairs);
        block.set_shared(FIRST, first as u32);
        block.set_shared(FIRST + 1, (first >> 32) as u32);
    }
    block.barrier();
    let mut place = u64::from(block.shared(FIRST)) | u64::from(block.shared(FIRST + 1)) << 32;
    let row_at = |right: u32| match right < rights[1] {
        true => row_of(heavy.tuples[1][(right_from + right) as usize]),
        false => 0,
    };
    let n_lefts = lefts[1] - lefts[0];
    let is_whole = rights[1] - rights[0] == RIGHTS && !heavy.is_self;
    if is_whole && place + u64::from(LEFTS) * u64::from(RIGHTS) <= pairs.pairs.len() {
        write_whole(block, n_lefts, place, |nth| row_at(rights[0] + nth), pairs);
        return;
    }
    let mut held = [0; HELD];
    unrolled::<HELD>(|nth| held[nth] = row_at(rights[0] + nth as u32 * PRODUCT_THREADS + thread));
    for left in lefts[0]..lefts[1] {
        let row = block.shared(ROWS + left - lefts[0]);
        let first = first_of(left);
        for (nth, &other) in (0..).zip(&held) {
            let right = rights[0] + nth * PRODUCT_THREADS + thread;
            if first <= right && right < rights[1] {
                let is_turned = heavy.is_self && row > other;
                let pair = if is_turned { (other, row) } else { (row, other) };
                pairs.set(place + u64::from(right - first), pair);
            }
        }
        place += u64::from(rights[1] - first);
    }
}

/// Writes a unit of whole rows that has room in one piece, two pairs at a time: as wide as stores are.
#[inline(always)]
fn write_whole(
    block: &impl Block,
    n_lefts: u32,
    place: u64,
    row_at: impl Fn(u32) -> u32,
    pairs: &Pairs<'_, impl Words>,
) {
    let thread = block.thread_ix();
    // Two at a time begin at an even place. If the unit does not, its rows' first and last pairs are left over; all rows are
    // alike in that, since they have an even number.
    let odd = (place % 2) as u32;
    let mut held = [0; HELD];
    unrolled::<HELD>(|nth| {
        let right = odd + 2 * (nth as u32 / 2 * PRODUCT_THREADS + thread) + nth as u32 % 2;
        held[nth] = row_at(right);
    });
    let has_last = odd == 0 || thread + 1 < PRODUCT_THREADS;
    let first = row_at(0);
    let mut place = place;
    for left in 0..n_lefts {
        let row = block.shared(ROWS + left);
        let pair = |other: u32| u64::from(row) | u64::from(other) << 32;
        unrolled::<{ HELD / 2 }>(|nth| {
            let right = odd + 2 * (nth as u32 * PRODUCT_THREADS + thread);
            if nth + 1 < HELD / 2 || has_last {
                let two = [pair(held[2 * nth]), pair(held[2 * nth + 1])];
                pairs.pairs.set_two(place + u64::from(right), two);
            } else {
                pairs.pairs.set(place + u64::from(right), pair(held[2 * nth]));
                pairs.pairs.set(place, pair(first));
            }
        });
        place += u64::from(RIGHTS);
    }
}
