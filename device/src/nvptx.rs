//! The GPU's side of the kernels: intrinsics and arrays here, the entry points in the files below.
//!
//! These are the only files of the crate with `unsafe`. They are sound as long as the host keeps the contract of each entry
//! point, and `host::cuda::launch` is the only place that calls them.

#[cfg(feature = "closure")]
mod closure;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(any(
    feature = "scan",
    feature = "descent",
    feature = "residual",
    feature = "listed",
    feature = "score"
))]
mod columns;
#[cfg(feature = "join")]
mod join;
#[cfg(feature = "listed")]
mod listed;
#[cfg(any(feature = "scan", feature = "descent", feature = "listed"))]
mod lists;
#[cfg(feature = "neighbours")]
mod neighbours;
#[cfg(feature = "overlap")]
mod overlap;
#[cfg(any(feature = "join", feature = "residual"))]
mod partitions;
#[cfg(feature = "relation")]
mod relation;
#[cfg(feature = "residual")]
mod residual;
#[cfg(any(feature = "scan", feature = "descent"))]
mod scan;
#[cfg(feature = "score")]
mod score;
#[cfg(any(feature = "join", feature = "overlap", feature = "relation", feature = "closure"))]
mod words;

use crate::block::Block;
use core::arch::nvptx;
use hyperblock_shared::layout::DeviceSlice;

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

    fn n_blocks(&self) -> u32 {
        // SAFETY: reads a special register.
        unsafe { nvptx::_grid_dim_x() as u32 }
    }

    fn shared(&self, ix: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let word: u32;
        // SAFETY: bodies stay within what `shared` says they take, and the launch asks for that; tests on CPU threads check
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

    fn shared_add(&self, ix: u32, n: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let before: u32;
        // SAFETY: as for `shared`.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {1}; atom.shared.add.u32 {0}, [at], {2}; }}",
                out(reg32) before,
                in(reg32) ix * 4,
                in(reg32) n,
                options(nostack)
            );
        }
        before
    }

    fn shared_swap(&self, ix: u32, expected: u32, word: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let before: u32;
        // SAFETY: as for `shared`.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {1}; atom.shared.cas.b32 {0}, [at], {2}, {3}; }}",
                out(reg32) before,
                in(reg32) ix * 4,
                in(reg32) expected,
                in(reg32) word,
                options(nostack)
            );
        }
        before
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
