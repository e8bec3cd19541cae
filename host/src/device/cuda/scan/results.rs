//! Results: candidates brought back, in order if they are many.
//!
//! Blocks append candidates as they find them. Sorting them on the device takes a fraction of what the host would need, and
//! as words they are two thirds of the bytes.

use super::CudaScan;
use crate::base::error::{Error, Result};
use crate::device::cuda::columns::Slices;
use crate::device::cuda::relation::SortBuffers;
use crate::encode::Encoded;
use bytemuck::cast_slice;
use hyperblock_shared::layout::{CANDIDATE_WORDS, Candidate, DevicePack};
use hyperblock_shared::packing::Packing;
use rayon::prelude::*;

/// Candidates that are sorted on the device: of fewer the host makes no more than a millisecond.
const MANY: usize = 1 << 16;

impl CudaScan<'_> {
    /// Appends the first so many candidates of the result buffer.
    pub(super) fn bring_back(&self, n: usize, found: &mut Vec<Candidate>) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        if n >= MANY && self.sorted(n, found)? {
            return Ok(());
        }
        self.gpu.transfer(|| {
            self.gpu.receive(&self.results, n * CANDIDATE_WORDS, &mut |words: &[u32]| {
                found.par_extend(cast_slice::<u32, Candidate>(words));
            })
        })
    }

    /// The same in order, if words have room for them, and memory for the words.
    fn sorted(&self, n: usize, found: &mut Vec<Candidate>) -> Result<bool> {
        let gpu = self.gpu;
        let Encoded { n_left, n_right, .. } = *self.encoded;
        let Some((packing, bits)) = Packing::new(n_left, n_right, self.program.n_rules()) else {
            return Ok(false);
        };
        let n_bytes = 8 * n as u64 + SortBuffers::n_bytes(n as u64);
        if n > SortBuffers::MOST || n_bytes > gpu.free_bytes()? / 2 {
            return Ok(false);
        }
        let room = gpu.room::<u64>(n).and_then(|words| Ok((words, SortBuffers::new(gpu, n)?)));
        let (mut words, mut buffers) = match room {
            // Somebody else has taken it since: the host can sort as well.
            Err(Error::DeviceMemory { .. }) => return Ok(false),
            room => room?,
        };
        let (launches, slices) = (gpu.relation_launches()?, Slices(gpu));
        let candidates = slices.first(&self.results, n * CANDIDATE_WORDS).of().first(n as u64);
        let Packing { right_bits, rule_bits } = packing;
        launches.pack(DevicePack {
            candidates,
            words: slices.of(&words).to_write(),
            right_bits,
            rule_bits,
        })?;
        gpu.sort(&mut words, n, &[bits], &mut buffers)?;
        gpu.transfer(|| {
            gpu.receive(&words, n, &mut |words: &[u64]| {
                found.par_extend(words.par_iter().map(|&word| packing.unpack(word)));
            })
        })?;
        Ok(true)
    }
}
