//! The CPU backend: the path, walked from a thread pool.

use crate::backend::{Backend, BackendKind, Outcome, Scan};
use crate::control::Control;
use crate::encode::Encoded;
use crate::error::Result;
use crate::plan::Program;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::Walk;
use hyperblock_shared::text::scratch_words;
use hyperblock_shared::window::Task;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// All cores of the process's thread pool.
#[derive(Debug)]
pub struct Cpu(());

impl Cpu {
    /// The CPU is always there.
    #[expect(clippy::new_without_default, reason = "opening a device is an act, not a default")]
    pub fn new() -> Self {
        Self(())
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        let n = rayon::current_num_threads();
        format!("cpu ({n} {})", if n == 1 { "thread" } else { "threads" })
    }

    fn kind(&self) -> BackendKind {
        BackendKind::Cpu
    }

    fn pairs_per_task(&self) -> u64 {
        1 << 28
    }

    fn memory_for_columns(&self) -> Result<u64> {
        // They are there already, and are only borrowed.
        Ok(u64::MAX)
    }

    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        load(encoded, program)
    }
}

/// A scan on the CPU: there is nothing to bring anywhere.
pub fn load<'a>(encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
    Ok(Box::new(CpuScan { encoded, path: program.walk()? }))
}

struct CpuScan<'a> {
    encoded: &'a Encoded,
    path: Walk<'a>,
}

/// Pairs that a thread takes at a time: some milliseconds.
const PAIRS_PER_CHUNK: u32 = 1 << 18;

impl Scan for CpuScan<'_> {
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let lefts_per_chunk =
            PAIRS_PER_CHUNK.checked_div(task.right_upto - task.right_from).unwrap_or(u32::MAX).max(1);
        let n_chunks = (task.left_upto - task.left_from).div_ceil(lefts_per_chunk);
        let n_scratch = scratch_words(self.encoded.longest()) as usize;
        let n_found = AtomicUsize::new(0);
        let chunks: Vec<Vec<Candidate>> = (0..n_chunks)
            .into_par_iter()
            .map_init(
                || vec![0u64; n_scratch],
                |scratch, chunk| {
                    control.check()?;
                    if n_found.load(Relaxed) > most {
                        return Ok(Vec::new());
                    }
                    let left_from = task.left_from + chunk * lefts_per_chunk;
                    let left_upto = left_from.saturating_add(lefts_per_chunk).min(task.left_upto);
                    let part = Task { left_from, left_upto, ..*task };
                    let candidates = self.scan(&part, scratch);
                    n_found.fetch_add(candidates.len(), Relaxed);
                    control.advance(part.n_pairs());
                    Ok(candidates)
                },
            )
            .collect::<Result<_>>()?;
        if n_found.into_inner() > most {
            return Ok(Outcome::TooMany);
        }
        found.extend(chunks.into_iter().flatten());
        Ok(Outcome::Done)
    }
}

impl CpuScan<'_> {
    fn scan(&self, task: &Task, scratch: &mut [u64]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for left in task.left_from..task.left_upto {
            let right_from = if task.half == 1 { task.right_from.max(left + 1) } else { task.right_from };
            for right in right_from..task.right_upto {
                if let Some(rule) = self.path.witness(self.encoded, left, right, scratch, &mut ()) {
                    candidates.push(Candidate { left, right, rule });
                }
            }
        }
        candidates
    }
}
