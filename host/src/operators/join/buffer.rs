//! Pairs, written into a buffer that is never larger than it may be.
//!
//! The buffer is made of blocks, and a thread takes a new block when its own are full, as long as there are
//! some. Then it goes round and round over those it has. Each thread may leave most of a block empty, so
//! there are as many blocks more as there are threads: if all pairs fit, none is overwritten.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Pairs a block: enough that asking for one costs nothing.
const BLOCK: usize = 1 << 14;

/// The blocks that nobody has taken yet.
pub(crate) struct Room {
    block: usize,
    n_blocks: AtomicUsize,
}

impl Room {
    /// For so many pairs, written by so many threads.
    pub(crate) fn new(capacity: usize, n_threads: usize) -> Self {
        let block = capacity.clamp(1, BLOCK);
        Self { block, n_blocks: AtomicUsize::new(capacity.div_ceil(block) + n_threads) }
    }

    fn take(&self) -> Option<Vec<(u32, u32)>> {
        let fewer = |n: usize| n.checked_sub(1);
        self.n_blocks.fetch_update(Relaxed, Relaxed, fewer).is_ok().then(|| Vec::with_capacity(self.block))
    }
}

/// A thread's part of the buffer.
pub(crate) struct Writer<'a> {
    room: &'a Room,
    /// The smaller row stands left.
    is_self: bool,
    blocks: Vec<Vec<(u32, u32)>>,
    /// The block that is being written.
    at: usize,
    n_pairs: u64,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(room: &'a Room, is_self: bool) -> Self {
        Self { room, is_self, blocks: Vec::new(), at: 0, n_pairs: 0 }
    }

    /// How many pairs there were, and those that were not overwritten.
    pub(crate) fn finish(self) -> (u64, Vec<Vec<(u32, u32)>>) {
        (self.n_pairs, self.blocks)
    }

    /// One pair.
    #[inline]
    pub(crate) fn push(&mut self, left: u32, right: u32) {
        let room = self.room.block;
        match self.blocks.get_mut(self.at).filter(|block| !self.is_self && block.len() < room) {
            Some(block) => {
                block.push((left, right));
                self.n_pairs += 1;
            }
            None => self.write(&[left], right),
        }
    }

    /// The same right row with each left one.
    pub(crate) fn write(&mut self, mut lefts: &[u32], right: u32) {
        self.n_pairs += lefts.len() as u64;
        while !lefts.is_empty() {
            let Some(block) = self.blocks.get_mut(self.at).filter(|block| block.len() < self.room.block)
            else {
                if !self.turn() {
                    return;
                }
                continue;
            };
            let (now, later) = lefts.split_at(lefts.len().min(self.room.block - block.len()));
            if self.is_self {
                block.extend(now.iter().map(|&left| (left.min(right), left.max(right))));
            } else {
                block.extend(now.iter().map(|&left| (left, right)));
            }
            lefts = later;
        }
    }

    /// Goes on with another block: a new one, or the oldest, which is overwritten. There is none if others
    /// have them all.
    #[cold]
    fn turn(&mut self) -> bool {
        match self.room.take() {
            Some(block) => {
                self.blocks.push(block);
                self.at = self.blocks.len() - 1;
            }
            None => {
                self.at = (self.at + 1) % self.blocks.len().max(1);
                self.blocks.get_mut(self.at).into_iter().for_each(Vec::clear);
            }
        }
        !self.blocks.is_empty()
    }
}
