//! Arrays that a kernel writes, as one of its threads sees them.
//!
//! Threads write different elements, and none reads what another writes in the same launch: so they need no atomics. On
//! the GPU such an array is a pointer, under test it checks what it is asked.

/// An array of 64-bit words in device memory.
pub trait Words {
    /// How many there are.
    fn len(&self) -> u64;
    /// Sets one that no other thread sets.
    fn set(&self, ix: u64, word: u64);

    /// Sets two at once, from an even place on.
    fn set_two(&self, ix: u64, words: [u64; 2]);

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An array of four 32-bit words each, which a kernel reads once, and which need not stay in a cache.
pub trait Quads {
    /// How many there are.
    fn len(&self) -> u32;
    /// One of them.
    fn get(&self, ix: u32) -> [u32; 4];

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
