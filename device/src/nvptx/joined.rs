//! Relations that are joined, in device memory.

use super::memory::Memory;
use crate::relation::Join;
use hyperblock_shared::layout::DeviceRelations;

/// Both of them, and the index.
#[inline(always)]
pub(super) fn relations<'a>(memory: Memory, of: &DeviceRelations) -> Join<'a> {
    Join {
        outer: memory.read(of.outer),
        inner: memory.read(of.inner.rows),
        slots: memory.read(of.inner.slots),
        lens: memory.read(of.inner.lens),
    }
}
