//! The kernels.
//!
//! A kernel's body is a safe function, generic over the [`block::Block`] it runs in and the columns it reads, one file
//! each: [`scan`], with `screen` for its loop over pairs and `verify` for what that lets through; those of the hash
//! [`join`]; those of the [`overlap`] join, and those that make its values ([`elements`]); those that make lists
//! ([`listing`]); [`orders`] and the [`neighbours`] in them; the [`score`] of pairs; those of connected [`components`], and of
//! the closure of a [`matrix`]; those of operators on a [`relation`]; those of the transitive [`closure`]; and those of
//! [`baselines`], which are there to be compared with. The GPU runs
//! them through the entry points in `nvptx.rs` and its folder, the only files that are compiled for the GPU alone and the only
//! ones with `unsafe`; tests run the very same bodies on CPU threads.
//!
//! `cargo xtask device` builds this crate to `kernels.ptx`, and with each of its features to a file of that name; the host
//! embeds all of them.

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

pub mod baselines;
pub mod block;
pub mod closure;
pub mod components;
pub mod elements;
pub mod join;
pub mod listing;
pub mod matrix;
pub mod memory;
pub mod neighbours;
pub mod orders;
pub mod overlap;
pub mod primitives;
pub mod relation;
pub mod scan;
pub mod score;
mod screen;
mod verify;
pub mod walk;
mod work;

#[cfg(target_arch = "nvptx64")]
mod nvptx;
