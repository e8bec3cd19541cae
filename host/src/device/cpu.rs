//! The CPU backend: sweeps, divided among the threads of a pool as they are among the blocks of a GPU.
//!
//! A thread takes a stretch of right items at a time, screens it for each left item of the interval with the widest
//! vectors that the machine has ([`screen`]), and verifies what passes by walking the path ([`verify`]). Where records are
//! joined by a key ([`join`]), the path is walked for each pair with the same one ([`residual`]); where values are joined by
//! what they have in common ([`overlap`]), for each pair that has enough; where points are, for each pair that is near ([`near`]).
//! Sorted neighbourhoods
//! ([`neighbours`]) are walked by all threads, and pairs are scored as they are listed ([`score`]).

mod closure;
mod components;
mod join;
mod matrix;
mod near;
mod neighbours;
mod overlap;
mod relation;
mod residual;
mod scan;
mod score;
mod screen;
mod semi_naive;
mod verify;

use crate::base::error::Result;
use crate::base::threads;
use crate::operators::Backend;
use crate::plan::cost::BackendKind;

/// All cores of the process's thread pool.
#[derive(Debug)]
pub struct Cpu(());

impl Cpu {
    /// The CPU is always there.
    #[expect(clippy::new_without_default, reason = "opening a device is an act, not a default")]
    pub const fn new() -> Self {
        Self(())
    }
}

/// For people: so many threads of it.
pub(super) fn name(n_threads: usize) -> String {
    format!("cpu ({n_threads} {})", if n_threads == 1 { "thread" } else { "threads" })
}

impl Backend for Cpu {
    fn name(&self) -> String {
        name(threads::n_threads())
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn memory_for_columns(&self) -> Result<u64> {
        // They are there already, and are only borrowed.
        Ok(u64::MAX)
    }
}
