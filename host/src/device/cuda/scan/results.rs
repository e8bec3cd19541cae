//! Results: candidates brought back, in order if they are many.
//!
//! Blocks append candidates as they find them. Sorting them on the device takes a fraction of what the host would need, and
//! as words they are two thirds of the bytes. Where only those are wanted that a score keeps, words stay there (`kept`).

use super::CudaScan;
use crate::base::error::{Error, Result};
use crate::device::cuda::columns::Slices;
use crate::device::cuda::relation::SortBuffers;
use crate::encode::Encoded;
use crate::operators::scan::{HandOn, Outcome, Wanted};
use bytemuck::cast_slice;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{CANDIDATE_WORDS, Candidate, DevicePack};
use hyperblock_shared::packing::Packing;
use rayon::prelude::*;
use std::ops::Range;

/// Candidates that are sorted on the device: of fewer the host makes no more than a millisecond.
const MANY: usize = 1 << 16;
/// Candidates that are brought back at once, if there are more: while some are on their way, others are written.
const PIECE: usize = 1 << 23;

/// Candidates as words in order.
pub(super) struct Words {
    pub(super) words: CudaSlice<u64>,
    pub(super) packing: Packing,
}

impl CudaScan<'_> {
    /// How candidates are words, and which bits of those say the pair; nothing, if words have no room for them.
    pub(super) fn packing(&self) -> Option<(Packing, Range<u32>)> {
        let Encoded { n_left, n_right, .. } = *self.encoded;
        Packing::new(n_left, n_right, self.program.n_rules())
    }

    /// Appends the first so many candidates of the result buffer.
    pub(super) fn bring_back(&self, n: usize, found: &mut Vec<Candidate>) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        match self.sorted(n)? {
            Some(words) => self.unpacked(&words, 0..n, found),
            None => self.as_found(n, found),
        }
    }

    /// The same, in the order in which they stand there.
    fn as_found(&self, n: usize, found: &mut Vec<Candidate>) -> Result<()> {
        found.reserve(n);
        self.gpu.transfer(|| {
            self.gpu.receive(&self.results, n * CANDIDATE_WORDS, &mut |words: &[u32]| {
                found.par_extend(cast_slice::<u32, Candidate>(words));
            })
        })
    }

    /// Hands the first so many candidates of the result buffer on, in order and piece by piece; if the host has to sort them,
    /// all at once, unless they are too many for it.
    pub(super) fn bring_on(&self, n: usize, wanted: &Wanted<'_>, hand_on: HandOn<'_>) -> Result<Outcome> {
        let Some(words) = self.sorted(n)? else {
            if n > wanted.most {
                return Ok(Outcome::TooMany);
            }
            let mut found = Vec::new();
            if n > 0 {
                self.as_found(n, &mut found)?;
            }
            wanted.in_order(&mut found)?;
            hand_on(found);
            return Ok(Outcome::Done);
        };
        let piece = PIECE.min(wanted.most.max(1));
        let mut found = Some(Vec::new());
        for from in (0..n).step_by(piece) {
            wanted.control.check()?;
            let Some(mut own) = found.take() else { break };
            self.unpacked(&words, from..n.min(from + piece), &mut own)?;
            found = hand_on(own);
        }
        Ok(Outcome::Done)
    }

    /// Appends some of the candidates that are words.
    fn unpacked(&self, words: &Words, range: Range<usize>, found: &mut Vec<Candidate>) -> Result<()> {
        let Words { words, packing } = words;
        found.reserve(range.len());
        self.gpu.transfer(|| {
            self.gpu.receive(&words.slice(range.clone()), range.len(), &mut |words: &[u64]| {
                found.par_extend(words.par_iter().map(|&word| packing.unpack(word)));
            })
        })
    }

    /// The first so many candidates of the result buffer as words, if they are many.
    fn sorted(&self, n: usize) -> Result<Option<Words>> {
        if n < MANY { Ok(None) } else { self.words(n) }
    }

    /// The same, however few they are; if words have room for them, and memory for the words.
    pub(super) fn words(&self, n: usize) -> Result<Option<Words>> {
        let gpu = self.gpu;
        let Some((packing, bits)) = self.packing() else { return Ok(None) };
        let n_bytes = 8 * n as u64 + SortBuffers::n_bytes(n as u64);
        if n > SortBuffers::MOST || n_bytes > gpu.free_bytes()? / 2 {
            return Ok(None);
        }
        let room = gpu.room::<u64>(n).and_then(|words| Ok((words, SortBuffers::new(gpu, n)?)));
        let (mut words, mut buffers) = match room {
            // Somebody else has taken it since: the host can sort as well.
            Err(Error::DeviceMemory { .. }) => return Ok(None),
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
        Ok(Some(Words { words, packing }))
    }
}
