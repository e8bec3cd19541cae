//! Classes: which class a key belongs to. Heavy keys are looked up in a table, which a block copies to shared memory.

use crate::block::Block;
use hyperblock_shared::join::{HEAVY_SLOTS, MISSING, hash, upper};

/// How keys are divided into classes: 2^`bits` partitions by the bits of the hash after the first `used`, and after them
/// the heavy keys.
#[derive(Clone, Copy)]
pub struct Classes<'a> {
    /// Bits of the hash that earlier passes have used.
    pub used: u32,
    /// Bits of the hash that tell light classes apart.
    pub bits: u32,
    /// How many heavy keys there are.
    pub n_heavy: u32,
    /// The table, [`HEAVY_SLOTS`]: heavy keys, or [`MISSING`] where a slot is empty.
    pub slots: &'a [u32],
    /// By slot: which heavy key it is.
    pub numbers: &'a [u32],
}

/// The slot where a look for a heavy key begins.
#[inline]
pub(super) fn first_slot(key: u32) -> u32 {
    // Light classes are told apart by other bits.
    hash(key) & (HEAVY_SLOTS - 1)
}

const _: () = assert!(HEAVY_SLOTS.is_power_of_two());

impl Classes<'_> {
    /// Words of shared memory for the copy of the table.
    pub(super) const WORDS: u32 = HEAVY_SLOTS;

    /// How many classes there are.
    #[inline]
    pub(super) fn n(&self) -> u32 {
        (1 << self.bits) + self.n_heavy
    }

    /// Copies the table to shared memory. A barrier must follow.
    #[inline(always)]
    pub(super) fn load(&self, block: &impl Block, at: u32) {
        if self.n_heavy == 0 {
            return;
        }
        let mut slot = block.thread_ix();
        while slot < HEAVY_SLOTS {
            block.set_shared(at + slot, self.slots[slot as usize]);
            slot += block.n_threads();
        }
    }

    /// A key's class.
    #[inline(always)]
    pub(super) fn of(&self, block: &impl Block, at: u32, key: u32) -> u32 {
        if self.n_heavy > 0 {
            let mut slot = first_slot(key);
            loop {
                let seen = block.shared(at + slot);
                if seen == key {
                    return (1 << self.bits) + self.numbers[slot as usize];
                }
                if seen == MISSING {
                    break;
                }
                slot = (slot + 1) & (HEAVY_SLOTS - 1);
            }
        }
        upper(hash(key) << self.used, self.bits)
    }
}
