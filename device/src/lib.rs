//! The kernels.
//!
//! A kernel's body is a safe function, generic over the [`block::Block`] it runs in and the columns it reads, one file
//! each: [`scan`], with `screen` for its loop over pairs and `verify` for what that lets through. The GPU runs it through the entry points in `nvptx.rs`, the only file that is compiled for the GPU
//! alone and the only one with `unsafe`; tests run the very same body on CPU threads.
//!
//! `cargo xtask device` builds this crate to `kernels.ptx` and, with the feature `descent`, to `descent.ptx`; the host
//! embeds both.

#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, stdarch_nvptx, link_llvm_intrinsics, asm_experimental_arch)
)]
#![cfg_attr(
    target_arch = "nvptx64",
    expect(
        internal_features,
        reason = "warp votes and shuffles have no stable form; the check of the PTX pins them"
    )
)]

pub mod block;
pub mod scan;
mod screen;
mod verify;

#[cfg(target_arch = "nvptx64")]
mod nvptx;
