//! The GPU's side of the kernels: intrinsics here, arrays in `memory`, the entry points in the other files below.
//!
//! These are the only files of the crate with `unsafe`. An entry point takes one struct of `shared::layout`, and begins with
//! saying why what it does with those arrays is sound ([`memory::Memory`]).
//!
//! # Safety
//! Whoever launches an entry point has to see to it that the arrays of its struct are memory of the device, that they hold
//! elements of their type, as many as they say and as the struct's documentation wants them, that nobody else writes them
//! until the launch has ended, and that those that are written are no other array of the struct. Blocks have a multiple of 32
//! threads, at most 1,024, and as many words of shared memory as the kernel's file says. The launch wrappers of the host's
//! CUDA backend are the only place that launches.

#[cfg(feature = "baselines")]
mod baselines;
#[cfg(feature = "closure")]
mod closure;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(any(
    feature = "scan",
    feature = "residual",
    feature = "elements",
    feature = "listed",
    feature = "listing",
    feature = "mean",
    feature = "pattern",
    feature = "weight"
))]
mod columns;
#[cfg(any(feature = "scan", feature = "residual", feature = "listed"))]
mod decide;
#[cfg(feature = "elements")]
mod elements;
#[cfg(feature = "join")]
mod join;
#[cfg(any(feature = "relation", feature = "baselines"))]
mod joined;
#[cfg(feature = "listed")]
mod listed;
#[cfg(feature = "listing")]
mod listing;
mod memory;
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
#[cfg(feature = "scan")]
mod scan;
#[cfg(any(feature = "mean", feature = "pattern", feature = "weight"))]
mod score;

use crate::block::Block;
use core::arch::nvptx;

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
        // SAFETY: the word is among those that the launch asked for, as in `shared`; threads that write the same one at once
        // write it whole, and bodies put barriers between writing and reading.
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
        // SAFETY: all four words are among those that the launch asked for. The memory is 16-byte aligned, and so is every
        // fourth word of it.
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
        // SAFETY: all four words are among those that the launch asked for, and aligned as in `shared_quad`; bodies put
        // barriers between writing and reading.
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
        // SAFETY: the word is among those that the launch asked for, and is added to as one step.
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

    fn shared_exchange(&self, ix: u32, word: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let before: u32;
        // SAFETY: the word is among those that the launch asked for, and is replaced as one step.
        unsafe {
            core::arch::asm!(
                "{{ .reg .u32 at; mov.u32 at, hyperblock_shared_memory; add.u32 at, at, {1}; atom.shared.exch.b32 {0}, [at], {2}; }}",
                out(reg32) before,
                in(reg32) ix * 4,
                in(reg32) word,
                options(nostack)
            );
        }
        before
    }

    fn shared_swap(&self, ix: u32, expected: u32, word: u32) -> u32 {
        debug_assert!(ix < self.n_shared);
        let before: u32;
        // SAFETY: the word is among those that the launch asked for, and is compared and swapped as one step.
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
        // SAFETY: all lanes take part, as the trait demands, and blocks are whole warps; 31 keeps the source lane within the
        // warp.
        unsafe { shuffle_sync(ALL_LANES, value, lane, 31) }
    }

    fn nanoseconds(&self) -> u64 {
        let now: u64;
        // SAFETY: reads a special register.
        unsafe { core::arch::asm!("mov.u64 {0}, %globaltimer;", out(reg64) now, options(nomem, nostack)) };
        now
    }
}

#[allow(dead_code, reason = "a file of PTX has some of the entry points, and not all need to know")]
impl Hardware {
    /// The block, where its words of shared memory depend on how many threads it has.
    #[inline(always)]
    fn with(words: impl Fn(u32) -> u32) -> Self {
        let n_threads = Self { n_shared: 0 }.n_threads();
        Self { n_shared: words(n_threads) }
    }
}
