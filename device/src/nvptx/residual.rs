//! The entry point of the join that decides its pairs.

use super::Hardware;
use super::columns::{Column, Uploaded};
use super::partitions::{light_partitions, n_threads};
use crate::join::{Residual, residual};
use crate::scan::Results;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::join::residual_words;
use hyperblock_shared::layout::{CANDIDATE_WORDS, DeviceColumns, DeviceJoin, DeviceSettings};
use hyperblock_shared::path::Path;
use hyperblock_shared::sweep::Settings;

/// Entry point of [`residual()`]. What is the same for all threads comes by value: it then lies in the constant bank, and
/// takes no registers.
///
/// # Safety
/// `columns` and `join` are as `layout` says, the join's rows are records of the columns, and `path` is an archive of a path over those
/// columns, `path_len` bytes long. `results` has room for `capacity` candidates, `n_found` is a word, and `scratch` has
/// `scratch_words` words for every thread. Nobody writes any of it but this launch, and it writes only atomics and scratch.
/// Blocks have a multiple of 32 threads and `residual_words` words of dynamic shared memory.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_residual(
    columns: DeviceColumns,
    join: DeviceJoin,
    settings: DeviceSettings,
    path: *const u8,
    path_len: u64,
    results: *const AtomicU32,
    capacity: u32,
    n_found: *const AtomicU32,
    scratch: *mut u64,
    scratch_words: u32,
) {
    let block = Hardware { n_shared: residual_words(join.sizes.n_slots, n_threads()) };
    let settings = Settings::from(settings);
    // SAFETY: all of this is the caller's promise.
    unsafe {
        let archive = core::slice::from_raw_parts(path, path_len as usize);
        let job = Residual {
            columns: &Uploaded(columns),
            path: rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(archive).walk(),
            branch: settings.branch(settings.is_decided),
            order: settings.order,
            results: Results {
                words: core::slice::from_raw_parts(results, capacity as usize * CANDIDATE_WORDS),
                n_found: &*n_found,
            },
        };
        let mut column = Column { array: scratch, n_words: scratch_words };
        residual(&block, &light_partitions(&join), &job, &mut column);
    }
}
