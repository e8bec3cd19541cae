//! The block that a kernel's body runs in, as one of its threads sees it.
//!
//! On the GPU these are registers, barriers and votes of the hardware; under test they are made of CPU threads. A body
//! that knows nothing else runs on both.

use hyperblock_shared::layout::WARP;

/// One thread's view of its block.
pub trait Block {
    /// This thread's place in its block.
    fn thread_ix(&self) -> u32;
    /// Threads in a block: a multiple of [`WARP`].
    fn n_threads(&self) -> u32;
    /// This block's place in the launch.
    fn block_ix(&self) -> u32;
    /// Blocks in the launch.
    fn n_blocks(&self) -> u32;
    /// A word of the memory that the block's threads share.
    fn shared(&self, ix: u32) -> u32;
    /// Sets a word of it.
    fn set_shared(&self, ix: u32, word: u32);
    /// Four words of it at once, from a multiple of four on.
    fn shared_quad(&self, ix: u32) -> [u32; 4];
    /// Sets four words of it at once.
    fn set_shared_quad(&self, ix: u32, words: [u32; 4]);
    /// Adds to a word of it, as one step; what it was before.
    fn shared_add(&self, ix: u32, n: u32) -> u32;
    /// Sets a word of it, as one step; what it was before.
    fn shared_exchange(&self, ix: u32, word: u32) -> u32;
    /// Sets a word of it if it is as expected, as one step; what it was before.
    fn shared_swap(&self, ix: u32, expected: u32, word: u32) -> u32;
    /// Waits for all threads of the block; what they wrote before is seen by all after.
    fn barrier(&self);
    /// The same for the threads of the warp.
    fn warp_barrier(&self);
    /// A bit for each lane of the warp whose `vote` is true. All lanes must vote together.
    fn ballot(&self, vote: bool) -> u32;
    /// The value that lane `lane` of the warp brought. All lanes must take part together, each with a lane of its choice.
    fn broadcast(&self, value: u32, lane: u32) -> u32;
    /// A clock.
    fn nanoseconds(&self) -> u64;

    /// This thread's place in its warp.
    fn lane(&self) -> u32 {
        self.thread_ix() % WARP
    }

    /// This thread's warp in its block.
    fn warp_ix(&self) -> u32 {
        self.thread_ix() / WARP
    }
}
