//! The entry points of clustering.
//!
//! # Safety
//! Those of components take a `DeviceForest`, those of the matrix a `DeviceMatrix`, whose slices are as `layout` says and
//! outlive the launch: what one kernel writes through atomics, a later one may read as a plain slice, and never the same
//! one both. Pairs are of records that have a parent, or of rows that the matrix has. Blocks have a multiple of 32 threads,
//! at most 1,024, and the words of shared memory that the kernels' files say.

use super::{Hardware, slice};
use crate::components::{Hook, begin, choose, compress, hook, mark};
use crate::matrix::{Matrix, connect, cross, diagonal, firsts, rest};
use crate::memory::Quads;
use core::arch::nvptx;
use core::sync::atomic::AtomicU32;
use hyperblock_shared::layout::{DeviceForest, DeviceMatrix, DeviceSlice};
use hyperblock_shared::matrix::{DIAGONAL_WORDS, PANEL_WORDS};

/// Four words at a time, past the caches. Holding one promises that it has `len` of them, at multiples of 16 bytes.
struct Streamed {
    array: *const [u32; 4],
    len: u32,
}

impl Quads for Streamed {
    fn len(&self) -> u32 {
        self.len
    }

    fn get(&self, ix: u32) -> [u32; 4] {
        debug_assert!(ix < self.len);
        let (a, b, c, d): (u32, u32, u32, u32);
        // SAFETY: kernels stay below `len`, and tests on CPU threads check every index; nobody writes pairs.
        unsafe {
            core::arch::asm!(
                "ld.global.cs.v4.u32 {{{0}, {1}, {2}, {3}}}, [{4}];",
                out(reg32) a,
                out(reg32) b,
                out(reg32) c,
                out(reg32) d,
                in(reg64) self.array.add(ix as usize),
                options(nostack, readonly, pure)
            );
        }
        [a, b, c, d]
    }
}

fn streamed(slice: &DeviceSlice) -> Streamed {
    Streamed { array: slice.address as *const [u32; 4], len: slice.len as u32 }
}

const WITHOUT_SHARED: Hardware = Hardware { n_shared: 0 };

/// Entry point of [`begin()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_begin(forest: DeviceForest) {
    // SAFETY: the caller's promise.
    begin(&WITHOUT_SHARED, unsafe { slice(&forest.parents) });
}

/// Entry point of [`hook()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_hook(forest: DeviceForest) {
    // SAFETY: the caller's promise.
    let job = unsafe {
        Hook {
            pairs: &streamed(&forest.pairs),
            parents: slice(&forest.parents),
            members: slice(&forest.members),
            giant: slice(&forest.giant),
            first: forest.first,
            step: forest.step,
        }
    };
    hook(&WITHOUT_SHARED, &job);
}

/// Entry point of [`compress()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_compress(forest: DeviceForest) {
    // SAFETY: the caller's promise.
    unsafe { compress(&WITHOUT_SHARED, slice(&forest.parents), slice(&forest.giant)) }
}

/// Entry point of [`choose()`].
///
/// # Safety
/// See above; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_choose(forest: DeviceForest) {
    // SAFETY: reads a special register.
    let block = Hardware { n_shared: unsafe { nvptx::_block_dim_x() as u32 } };
    // SAFETY: the caller's promise.
    let giant: &[AtomicU32] = unsafe { slice(&forest.giant) };
    // SAFETY: likewise.
    choose(&block, unsafe { slice(&forest.parents) }, &giant[0]);
}

/// Entry point of [`mark()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_mark(forest: DeviceForest) {
    // SAFETY: the caller's promise.
    unsafe {
        mark(&WITHOUT_SHARED, slice(&forest.parents), slice(&forest.giant), slice(&forest.members));
    }
}

/// # Safety
/// As for the entry points.
#[inline(always)]
unsafe fn matrix<'a>(matrix: &DeviceMatrix) -> Matrix<'a> {
    // SAFETY: the caller's promise.
    Matrix { words: unsafe { slice(&matrix.words) }, stride: matrix.stride, pivot: matrix.pivot }
}

/// Entry point of [`connect()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_connect(of: DeviceMatrix) {
    // SAFETY: the caller's promise.
    unsafe { connect(&WITHOUT_SHARED, &matrix(&of), slice(&of.pairs), of.firsts.len as u32) }
}

/// Entry point of [`diagonal()`].
///
/// # Safety
/// See above; there is one block.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_diagonal(of: DeviceMatrix) {
    // SAFETY: the caller's promise.
    diagonal(&Hardware { n_shared: DIAGONAL_WORDS }, &unsafe { matrix(&of) });
}

/// Entry point of [`cross()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_cross(of: DeviceMatrix) {
    // SAFETY: the caller's promise.
    cross(&Hardware { n_shared: PANEL_WORDS }, &unsafe { matrix(&of) });
}

/// Entry point of [`rest()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_rest(of: DeviceMatrix) {
    // SAFETY: the caller's promise.
    rest(&Hardware { n_shared: PANEL_WORDS }, &unsafe { matrix(&of) });
}

/// Entry point of [`firsts()`].
///
/// # Safety
/// See above.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn hyperblock_cluster_firsts(of: DeviceMatrix) {
    // SAFETY: the caller's promise.
    unsafe { firsts(&WITHOUT_SHARED, &matrix(&of), slice(&of.firsts)) }
}
