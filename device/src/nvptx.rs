//! The GPU's side of the kernels: intrinsics, the columns in device memory, and the entry points.
//!
//! This is the only file of the crate with `unsafe`. It is sound as long as the host keeps the contract of each entry
//! point, and `host::cuda::launch` is the only place that calls them.

use crate::block::Block;
use crate::scan::{Scan, scan};
use core::arch::nvptx;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::columns::{Columns, Head, Reach, Sets, Texts};
use hyperblock_shared::layout::{
    CANDIDATE_WORDS, DeviceColumns, DeviceSets, DeviceSlice, DeviceTexts, SCAN_SHARED_WORDS, ScanCounters,
    resume_words,
};
use hyperblock_shared::path::Path;
use hyperblock_shared::text::Scratch;
use hyperblock_shared::window::Task;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: `trap` has no operands; the host sees the launch fail.
    unsafe { nvptx::trap() }
}

// Dynamic shared memory: its size is given at launch.
core::arch::global_asm!(".extern .shared .align 16 .b8 hyperblock_shared_memory[];");

unsafe extern "C" {
    // LLVM knows these as convergent: unlike inline assembly they are never moved into divergent code.
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn ballot_sync(mask: u32, vote: bool) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shuffle_sync(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
}

const ALL_LANES: u32 = u32::MAX;

/// The block as the hardware has it. `n_shared` words of shared memory were asked for at launch.
struct Hardware {
    n_shared: usize,
}

impl Block for Hardware {
    fn thread_ix(&self) -> u32 {
        // SAFETY: reads a special register.
        unsafe { nvptx::_thread_idx_x() as u32 }
    }

    fn n_threads(&self) -> u32 {
        // SAFETY: reads a special register.
        unsafe { nvptx::_block_dim_x() as u32 }
    }

    fn block_ix(&self) -> u32 {
        // SAFETY: reads a special register.
        unsafe { nvptx::_block_idx_x() as u32 }
    }

    fn shared(&self) -> &[AtomicU32] {
        let address: u64;
        // SAFETY: takes the address of the block's dynamic shared memory as a generic one, touches nothing.
        unsafe {
            core::arch::asm!(
                "mov.u64 {0}, hyperblock_shared_memory; cvta.shared.u64 {0}, {0};",
                out(reg64) address,
                options(pure, nomem, nostack)
            );
        }
        // SAFETY: the launch gave every block `n_shared` words there, 16-byte aligned, alive as long as the block.
        unsafe { core::slice::from_raw_parts(address as *const AtomicU32, self.n_shared) }
    }

    fn barrier(&self) {
        // SAFETY: bodies call it in uniform control flow, as the trait demands.
        unsafe { nvptx::_syncthreads() }
    }

    fn ballot(&self, vote: bool) -> u32 {
        // SAFETY: all lanes take part, as the trait demands, and blocks are whole warps.
        unsafe { ballot_sync(ALL_LANES, vote) }
    }

    fn broadcast(&self, value: u32, lane: u32) -> u32 {
        // SAFETY: as for `ballot`; 31 keeps the source lane within the warp.
        unsafe { shuffle_sync(ALL_LANES, value, lane, 31) }
    }
}

/// The array behind a `DeviceSlice`.
///
/// # Safety
/// It must hold `len` initialised elements of `T` that nobody writes, and outlive the kernel.
unsafe fn slice<'a, T>(slice: &DeviceSlice) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { core::slice::from_raw_parts(slice.address as *const T, slice.len as usize) }
}

/// The uploaded columns. Holding one promises that every slice in it, down to the leaves, is as `layout` says.
struct Uploaded<'a>(&'a DeviceColumns);

impl Columns for Uploaded<'_> {
    fn codes(&self, operand: u32) -> &[u32] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.codes)[operand as usize]) }
    }

    fn texts(&self, ix: u32) -> Texts<'_> {
        // SAFETY: the promise of `Uploaded`.
        unsafe {
            let texts = &slice::<DeviceTexts>(&self.0.texts)[ix as usize];
            Texts { bits: texts.bits as u32, heads: slice::<Head>(&texts.heads), words: slice(&texts.words) }
        }
    }

    fn sets(&self, ix: u32) -> Sets<'_> {
        // SAFETY: the promise of `Uploaded`.
        unsafe {
            let sets = &slice::<DeviceSets>(&self.0.sets)[ix as usize];
            Sets { heads: slice::<Head>(&sets.heads), tokens: slice(&sets.tokens) }
        }
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.reaches)[ix as usize]) }
    }

    fn marks(&self, ix: u32) -> &[u32] {
        // SAFETY: the promise of `Uploaded`.
        unsafe { slice(&slice::<DeviceSlice>(&self.0.marks)[ix as usize]) }
    }
}

/// A thread's column of an array of `n_words` × all threads.
struct Column {
    first: *mut u64,
    n_words: u32,
    n_threads: u32,
}

impl Scratch for Column {
    fn get(&self, ix: u32) -> u64 {
        assert!(ix < self.n_words);
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.first.add(ix as usize * self.n_threads as usize) }
    }

    fn set(&mut self, ix: u32, word: u64) {
        assert!(ix < self.n_words);
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.first.add(ix as usize * self.n_threads as usize) = word }
    }
}

/// Entry point of [`crate::scan`].
///
/// # Safety
/// `columns` is as `layout` says and `path` is an archive of a path over those columns, `path_len` bytes long. `counters`
/// holds a `ScanCounters`, `resume` the words of every block, `results` room for `capacity` candidates and `scratch`
/// `scratch_words` words for every thread. `columns` and `path` are written by nobody, the others only by this launch.
/// Blocks have a multiple of 32 threads and `SCAN_SHARED_WORDS` words of dynamic shared memory.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_scan(
    columns: *const DeviceColumns,
    path: *const u8,
    path_len: u64,
    task: *const Task,
    stretch: u32,
    counters: *const AtomicU32,
    resume: *const AtomicU32,
    results: *const AtomicU32,
    capacity: u32,
    scratch: *mut u64,
    scratch_words: u32,
) {
    let block = Hardware { n_shared: SCAN_SHARED_WORDS as usize };
    // SAFETY: reads a special register.
    let n_blocks = unsafe { nvptx::_grid_dim_x() as u32 };
    let n_threads = n_blocks * block.n_threads();
    let n_resume = n_blocks * resume_words(block.n_threads());
    // SAFETY: all of this is the caller's promise.
    unsafe {
        let job = Scan {
            columns: &Uploaded(&*columns),
            path: rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(core::slice::from_raw_parts(
                path,
                path_len as usize,
            ))
            .walk(),
            task: *task,
            stretch,
            counters: core::slice::from_raw_parts(counters, size_of::<ScanCounters>() / 4),
            resume: core::slice::from_raw_parts(resume, n_resume as usize),
            results: core::slice::from_raw_parts(results, capacity as usize * CANDIDATE_WORDS),
        };
        let thread = block.block_ix() * block.n_threads() + block.thread_ix();
        let mut column = Column { first: scratch.add(thread as usize), n_words: scratch_words, n_threads };
        scan(&block, &job, &mut column);
    }
}
