//! The entry point for scores.

use super::columns::{Column, Uploaded};
use super::{Hardware, slice};
use crate::score::{Scored, score};
use hyperblock_shared::layout::{DeviceColumns, DeviceSlice};
use hyperblock_shared::score::Wanted;

/// Entry point of [`score()`]. What is the same for all threads comes by value: it then lies in the constant bank, and
/// takes no registers.
///
/// # Safety
/// `columns` is as `layout` says, down to the leaves. `attributes` are of `Attribute`, and name operands and columns that
/// are there. `pairs` are words whose halves are records of the left operands and of the right ones. `results` are of
/// `AtomicU32`, as many as `pairs`, or twice as many where `wanted` is `Wanted::Pattern`. `scratch` has room for
/// `scratch_words` in each thread of the launch, as many as the longest text of the columns needs.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_score(
    columns: DeviceColumns,
    attributes: DeviceSlice,
    pairs: DeviceSlice,
    wanted: u32,
    results: DeviceSlice,
    scratch: *mut u64,
    scratch_words: u32,
) {
    let block = Hardware { n_shared: 0 };
    let mut column = Column { array: scratch, n_words: scratch_words };
    let columns = Uploaded(columns);
    // SAFETY: the caller's promise.
    let job = unsafe {
        Scored {
            columns: &columns,
            attributes: slice(&attributes),
            pairs: slice(&pairs),
            wanted: Wanted::from_number(wanted),
            results: slice(&results),
        }
    };
    score(&block, &job, &mut column);
}
