//! Candidates that are scored where they were found: only what is kept of them comes back.
//!
//! ```text
//! words in order ─► rules: how many name each
//!                └► pairs ─► scores ─► kept words, each beside its score     piece by piece
//! ```
//!
//! Words are what the scan found, sorted. A piece of them is unpacked to pairs of records of the whole tables, scored as pairs
//! from the host are, and of what is kept the words are brought together. Everything that memory is needed for is there before
//! the first piece is handed on, so that a job that lacks it can still be done in the other way.

use super::CudaScan;
use super::results::Words;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::score::{CudaScores, Scored};
use crate::encode::Encoded;
use crate::operators::scan::{HandKept, Keep, Outcome, Told};
use crate::operators::scores::Kept;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceAtomics, DeviceSlice, DeviceSliceMut, DeviceUnpack, WARP};
use hyperblock_shared::packing::Packing;
use hyperblock_shared::relation::RULE_WORDS;
use rayon::prelude::*;
use std::ops::Range;

/// Candidates that are scored at once: some tens of megabytes; and some tenths of a second at most.
const AT_ONCE: usize = 1 << 22;

/// What candidates are scored with, all of it in device memory.
struct Keeper<'a> {
    gpu: &'a Cuda,
    keep: &'a Keep<'a>,
    scores: CudaScores<'a>,
    words: Words,
    /// By rule.
    counts: CudaSlice<u32>,
    /// The records of either side by their numbers in the whole tables, where they have others.
    numbers: [Option<CudaSlice<u32>>; 2],
    // Of one piece:
    pairs: CudaSlice<u32>,
    scored: Scored,
    kept: CudaSlice<u64>,
    /// Where those come to: touching memory for the first time takes longer.
    downloaded: Vec<u64>,
}

impl CudaScan<'_> {
    /// Whether candidates can be words, and their rules be counted.
    pub(super) fn keeps_words(&self) -> bool {
        self.packing().is_some() && self.program.n_rules() <= RULE_WORDS
    }

    /// Hands on what is kept of the first so many candidates of the result buffer; nothing, if there is no room for that.
    pub(super) fn keep_on(
        &self,
        n: usize,
        keep: &Keep<'_>,
        control: &Control,
        hand_on: HandKept<'_>,
    ) -> Result<Option<Outcome>> {
        if n == 0 {
            return Ok(Some(Outcome::Done));
        }
        let Some(words) = self.words(n)? else { return Ok(None) };
        let _scoring = keep.watch.enter("score");
        let mut keeper = match Keeper::load(self, keep, words, n.min(AT_ONCE)) {
            Err(Error::DeviceMemory { .. }) => return Ok(None),
            keeper => keeper?,
        };
        hand_on(Told::Counted(&keeper.by_rule(n)?))?;
        let mut kept = Vec::new();
        for from in (0..n).step_by(AT_ONCE) {
            control.check()?;
            keeper.keep(from..n.min(from + AT_ONCE), &mut kept)?;
            hand_on(Told::Kept(&kept))?;
        }
        Ok(Some(Outcome::Done))
    }
}

impl<'a> Keeper<'a> {
    /// Brings what scores read to the device, and makes room for pieces of so many candidates.
    fn load(scan: &CudaScan<'a>, keep: &'a Keep<'a>, words: Words, most: usize) -> Result<Self> {
        let gpu = scan.gpu;
        let Encoded { n_left, n_right, .. } = *scan.encoded;
        let selection = keep.selection;
        let numbers = |of: &Option<Vec<u32>>| of.as_ref().map(|numbers| gpu.upload(numbers)).transpose();
        check(selection.left.as_deref(), n_left, keep.encoded.n_left)?;
        check(selection.right.as_deref(), n_right, keep.encoded.n_right)?;
        let mut scores = CudaScores::load(gpu, keep.encoded, &keep.tests)?;
        scores.make_room(keep.wanted)?;
        Ok(Self {
            gpu,
            keep,
            scores,
            words,
            counts: gpu.zeros(scan.program.n_rules().max(1) as usize)?,
            numbers: [numbers(&selection.left)?, numbers(&selection.right)?],
            pairs: gpu.room(2 * most)?,
            scored: Scored::new(gpu, most, keep.wanted)?,
            kept: gpu.room(most)?,
            downloaded: Vec::new(),
        })
    }

    /// Some of the words, as kernels see them.
    fn unpack(&self, range: Range<usize>) -> DeviceUnpack {
        let Packing { right_bits, rule_bits } = self.words.packing;
        let words = Slices(self.gpu).of(&self.words.words).part(range.start as u64..range.end as u64);
        DeviceUnpack {
            words,
            counts: DeviceAtomics::NOTHING,
            lefts: DeviceSlice::NOTHING,
            rights: DeviceSlice::NOTHING,
            pairs: DeviceSliceMut::NOTHING,
            warps: DeviceSlice::NOTHING,
            kept: DeviceSliceMut::NOTHING,
            right_bits,
            rule_bits,
        }
    }

    /// How many of so many candidates name each rule.
    fn by_rule(&self, n: usize) -> Result<Vec<u64>> {
        let counts = Slices(self.gpu).of(&self.counts).atomic();
        self.gpu.relation_launches()?.rules(DeviceUnpack { counts, ..self.unpack(0..n) })?;
        let mut by_rule = vec![0u32; self.counts.len()];
        self.gpu.download(&self.counts, &mut by_rule)?;
        Ok(by_rule.into_iter().map(u64::from).collect())
    }

    /// What is kept of some candidates, in order.
    fn keep(&mut self, range: Range<usize>, kept: &mut Vec<Kept>) -> Result<()> {
        let (gpu, slices, n) = (self.gpu, Slices(self.gpu), range.len());
        let launches = gpu.relation_launches()?;
        let numbers =
            |of: &Option<CudaSlice<u32>>| of.as_ref().map_or(DeviceSlice::NOTHING, |of| slices.of(of));
        let unpack = DeviceUnpack {
            lefts: numbers(&self.numbers[0]),
            rights: numbers(&self.numbers[1]),
            pairs: slices.first(&self.pairs, 2 * n).of().to_write(),
            warps: slices.first(&self.scored.warps, 2 * n.div_ceil(WARP as usize)),
            kept: slices.first(&self.kept, n).to_write(),
            ..self.unpack(range)
        };
        launches.pairs(unpack)?;
        self.scores.score(&self.pairs, n, self.keep.wanted, &mut self.scored)?;
        launches.kept(unpack)?;
        let (scores, warps) = self.scores.download(&self.scored, n)?;
        self.downloaded.resize(self.downloaded.len().max(scores.len()), 0);
        let words = &mut self.downloaded[..scores.len()];
        if !words.is_empty() {
            gpu.download(&self.kept.slice(..words.len()), words)?;
        }
        let (words, packing, selection) = (&*words, self.words.packing, self.keep.selection);
        let one = |place: usize| (selection.candidate(&packing.unpack(words[place])), scores[place]);
        kept.clear();
        kept.par_extend(warps.par_iter().flat_map_iter(|&[mask, start]| {
            let start = start as usize;
            (start..start + mask.count_ones() as usize).map(one)
        }));
        Ok(())
    }
}

/// That so many records, which ascend, are all among those that scores read.
fn check(numbers: Option<&[u32]>, n: u32, n_all: u32) -> Result<()> {
    let are_there = match numbers {
        None => n <= n_all,
        Some(numbers) => numbers.len() == n as usize && numbers.last().is_none_or(|&last| last < n_all),
    };
    if are_there { Ok(()) } else { Err(Error::Internal("scores of other tables than the job's".into())) }
}
