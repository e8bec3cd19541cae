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
    CANDIDATE_WORDS, DeviceColumns, DeviceItems, DeviceSets, DeviceSlice, DeviceSweep, DeviceTexts,
    scan_shared_words,
};
use hyperblock_shared::path::Path;
use hyperblock_shared::sweep::{Items, Sweep};
use hyperblock_shared::text::Scratch;

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
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn warp_sync(mask: u32);
}

const ALL_LANES: u32 = u32::MAX;

/// The block as the hardware has it. `n_shared` words of shared memory were asked for at launch.
struct Hardware {
    n_shared: u32,
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

    fn shared(&self, ix: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let word: u32;
        // SAFETY: bodies stay within `scan_shared_words`, from which the launch took the size; tests on CPU threads check
        // every index. Written out, since an address in the generic space would take a register pair for each place.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {1}; ld.volatile.shared.u32 {0}, [at]; }}",
                out(reg32) word,
                in(reg32) ix * 4,
                options(nostack)
            );
        }
        word
    }

    fn set_shared(&self, ix: u32, word: u32) {
        debug_assert!(ix < self.n_shared);
        // SAFETY: as for `shared`.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {1}; st.volatile.shared.u32 [at], {0}; }}",
                in(reg32) word,
                in(reg32) ix * 4,
                options(nostack)
            );
        }
    }

    fn shared_quad(&self, ix: u32) -> [u32; 4] {
        debug_assert!(ix + 4 <= self.n_shared && ix.is_multiple_of(4));
        let (a, b, c, d): (u32, u32, u32, u32);
        // SAFETY: as for `shared`. The memory is 16-byte aligned, and so is every fourth word of it.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {4}; ld.shared.v4.u32 {{{0}, {1}, {2}, {3}}}, [at]; }}",
                out(reg32) a,
                out(reg32) b,
                out(reg32) c,
                out(reg32) d,
                in(reg32) ix * 4,
                options(nostack, readonly)
            );
        }
        [a, b, c, d]
    }

    fn set_shared_quad(&self, ix: u32, words: [u32; 4]) {
        debug_assert!(ix + 4 <= self.n_shared && ix.is_multiple_of(4));
        let [a, b, c, d] = words;
        // SAFETY: as for `shared_quad`.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {4}; st.shared.v4.u32 [at], {{{0}, {1}, {2}, {3}}}; }}",
                in(reg32) a,
                in(reg32) b,
                in(reg32) c,
                in(reg32) d,
                in(reg32) ix * 4,
                options(nostack)
            );
        }
    }

    fn barrier(&self) {
        // SAFETY: bodies call it in uniform control flow, as the trait demands.
        unsafe { nvptx::_syncthreads() }
    }

    fn warp_barrier(&self) {
        // SAFETY: all lanes take part, as the trait demands, and blocks are whole warps.
        unsafe { warp_sync(ALL_LANES) }
    }

    fn ballot(&self, vote: bool) -> u32 {
        // SAFETY: all lanes take part, as the trait demands, and blocks are whole warps.
        unsafe { ballot_sync(ALL_LANES, vote) }
    }

    fn broadcast(&self, value: u32, lane: u32) -> u32 {
        // SAFETY: as for `ballot`; 31 keeps the source lane within the warp.
        unsafe { shuffle_sync(ALL_LANES, value, lane, 31) }
    }

    fn nanoseconds(&self) -> u64 {
        let now: u64;
        // SAFETY: reads a special register.
        unsafe { core::arch::asm!("mov.u64 {0}, %globaltimer;", out(reg64) now, options(nomem, nostack)) };
        now
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
struct Uploaded(DeviceColumns);

impl Columns for Uploaded {
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

/// A thread's column of an array of `n_words` × all threads. All of it is the same for all threads: the thread's place is
/// looked up when it is needed, which is rare.
struct Column {
    array: *mut u64,
    n_words: u32,
}

impl Column {
    fn place(&self, ix: u32) -> usize {
        assert!(ix < self.n_words);
        // SAFETY: reads special registers.
        let (thread, n_threads, block, n_blocks) = unsafe {
            (nvptx::_thread_idx_x(), nvptx::_block_dim_x(), nvptx::_block_idx_x(), nvptx::_grid_dim_x())
        };
        ix as usize * (n_threads * n_blocks) as usize + (block * n_threads + thread) as usize
    }
}

impl Scratch for Column {
    fn get(&self, ix: u32) -> u64 {
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.array.add(self.place(ix)) }
    }

    fn set(&mut self, ix: u32, word: u64) {
        // SAFETY: within the array, and no other thread touches this column.
        unsafe { *self.array.add(self.place(ix)) = word }
    }
}

/// The list behind a `DeviceItems`.
///
/// # Safety
/// Its slices must be as `layout` says, written by nobody, and outlive the kernel.
unsafe fn items<'a>(items: &DeviceItems) -> Items<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        Items {
            sketches: slice(&items.sketches),
            uppers: slice(&items.uppers),
            lens: slice(&items.lens),
            starts: slice(&items.starts),
            records: slice(&items.records),
        }
    }
}

/// Entry point of [`crate::scan`]. What is the same for all threads comes by value: it then lies in the constant bank, and
/// takes no registers.
///
/// # Safety
/// `columns` and `sweep` are as `layout` says and `path` is an archive of a path over those columns, `path_len` bytes long.
/// `results` has room for `capacity` candidates, `n_found` is a word, and `scratch` has `scratch_words` words for every
/// thread. The sweep's slots are as many as blocks. Nobody writes any of it but this launch, and it writes only atomics and
/// scratch. Blocks have a multiple of 32 threads and `scan_shared_words` words of dynamic shared memory.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_scan(
    columns: DeviceColumns,
    sweep: DeviceSweep,
    path: *const u8,
    path_len: u64,
    results: *const AtomicU32,
    capacity: u32,
    n_found: *const AtomicU32,
    scratch: *mut u64,
    scratch_words: u32,
) {
    // SAFETY: reads a special register.
    let n_threads = unsafe { nvptx::_block_dim_x() as u32 };
    let block = Hardware { n_shared: scan_shared_words(n_threads) };
    // SAFETY: all of this is the caller's promise.
    unsafe {
        let archive = core::slice::from_raw_parts(path, path_len as usize);
        let job = Scan {
            columns: &Uploaded(columns),
            path: rkyv::access_unchecked::<rkyv::Archived<Path<'_>>>(archive).walk(),
            sweep: Sweep {
                left: items(&sweep.left),
                right: items(&sweep.right),
                intervals: slice(&sweep.intervals),
                firsts: slice(&sweep.firsts),
                settings: sweep.settings.into(),
            },
            slots: slice(&sweep.slots),
            claimed: slice(&sweep.claimed),
            latencies: slice(&sweep.latencies),
            heavies: slice(&sweep.heavies),
            counters: slice(&sweep.counters),
            results: core::slice::from_raw_parts(results, capacity as usize * CANDIDATE_WORDS),
            n_found: &*n_found,
        };
        let mut column = Column { array: scratch, n_words: scratch_words };
        scan::<{ cfg!(feature = "descent") }>(&block, &job, &mut column);
    }
}
