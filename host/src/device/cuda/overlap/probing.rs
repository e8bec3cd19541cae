//! What probes: groups of elements that are looked up in an index, or values that are compared with all they
//! may meet.
//!
//! Either is done in parts. What groups find is measured on the device, which does nothing if it is too much.
//! What values reach is known from their sizes: parts are cut here, and segments are counted here.

use super::gathered::groups;
use crate::base::error::Result;
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceAtomics, DeviceOverlap, DeviceSlice, MOST_HITS, WARP, n_sum_tiles};
use hyperblock_shared::overlap::{Overlap, OverlapSide, Range32};
use rayon::prelude::*;
use std::ops::Range;

pub(super) enum Probing {
    Groups(Groups),
    Values(Values),
}

/// Groups of elements, in device memory.
pub(super) struct Groups {
    words: CudaSlice<u64>,
    n_groups: usize,
    segments: CudaSlice<u32>,
    segment_tiles: CudaSlice<u32>,
}

/// Values of a dense join.
pub(super) struct Values {
    /// What each may meet by their sizes.
    reaches: Vec<Range32>,
    segments: CudaSlice<u32>,
}

impl Probing {
    pub(super) fn groups(gpu: &Cuda, side: &OverlapSide<'_>) -> Result<Self> {
        let words = groups(side);
        let n_words = words.len() + 1;
        Ok(Self::Groups(Groups {
            words: gpu.upload(&words)?,
            n_groups: words.len(),
            segments: gpu.zeros(n_words)?,
            segment_tiles: gpu.zeros(n_tiles(n_words))?,
        }))
    }

    pub(super) fn values(gpu: &Cuda, overlap: &Overlap<'_>) -> Result<Self> {
        let n_values = overlap.probing.values.len() as u32;
        let reaches = (0..n_values).into_par_iter().map(|item| overlap.reach(item)).collect();
        Ok(Self::Values(Values { reaches, segments: gpu.zeros(1)? }))
    }

    /// The parts that are to be tried first.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        match self {
            Self::Groups(groups) => {
                let all = 0..groups.n_groups;
                vec![all]
            }
            Self::Values(values) => cut(&values.reaches, MOST_HITS),
        }
    }

    /// Prepares a part, which is not empty: `overlap` with what belongs to it.
    pub(super) fn begin(
        &mut self,
        gpu: &Cuda,
        part: &Range<usize>,
        overlap: DeviceOverlap,
    ) -> Result<DeviceOverlap> {
        let slices = Slices(gpu);
        match self {
            Self::Groups(groups) => {
                gpu.clear(&mut groups.segments)?;
                let n_words = part.len() + 1;
                Ok(DeviceOverlap {
                    groups: slices.of(&groups.words).part(part.start as u64..part.end as u64),
                    segments: slices.first(&groups.segments, n_words).atomic(),
                    segment_tiles: slices.first(&groups.segment_tiles, n_tiles(n_words)).atomic(),
                    ..overlap
                })
            }
            Self::Values(values) => {
                values.segments = gpu.upload(&segments(&values.reaches[part.clone()]))?;
                Ok(DeviceOverlap {
                    groups: DeviceSlice::NOTHING,
                    segments: slices.of(&values.segments).atomic(),
                    segment_tiles: DeviceAtomics::NOTHING,
                    probing_from: part.start as u32,
                    probing_upto: part.end as u32,
                    ..overlap
                })
            }
        }
    }
}

/// Words for the tiles of so many.
pub(super) fn n_tiles(n_words: usize) -> usize {
    n_sum_tiles(n_words as u64) as usize + 1
}

/// What each group of 32 values reaches: a warp compares all of them with it.
fn reaches_of_groups(reaches: &[Range32]) -> impl Iterator<Item = Range32> {
    let hull = |group: &[Range32]| group.iter().fold(Range32::default(), |hull, &reach| hull.hull(reach));
    reaches.chunks(WARP as usize).map(hull)
}

/// Parts of whole groups that reach something, each with at most so many pairs or of one group. As these are
/// what lanes compare, a part's segments are few enough to be numbered, however many values there are.
fn cut(reaches: &[Range32], most_pairs: u64) -> Vec<Range<usize>> {
    let (mut parts, mut n_pairs): (Vec<Range<usize>>, u64) = (Vec::new(), 0);
    for (nth, reach) in reaches_of_groups(reaches).enumerate().filter(|(_, reach)| !reach.is_empty()) {
        let from = nth * WARP as usize;
        let upto = reaches.len().min(from + WARP as usize);
        let n_more = u64::from(WARP) * u64::from(reach.len());
        match parts.last_mut().filter(|_| n_pairs + n_more <= most_pairs) {
            Some(part) => part.end = upto,
            None => {
                parts.push(from..upto);
                n_pairs = 0;
            }
        }
        n_pairs += n_more;
    }
    parts
}

/// The first segment of each group, and how many there are.
fn segments(reaches: &[Range32]) -> Vec<u32> {
    let n_segments = reaches_of_groups(reaches).map(|reach| reach.len().div_ceil(DeviceOverlap::STRETCH));
    let mut firsts = vec![0];
    firsts.extend(n_segments.scan(0, |sum, n_segments| {
        *sum += n_segments;
        Some(*sum)
    }));
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: usize = WARP as usize;

    /// Values that reach what is before them, and a group in between that reaches nothing.
    fn reaches() -> Vec<Range32> {
        let reach = |item: u32| match item / WARP {
            2 => Range32::default(),
            _ => Range32 { from: item / 2, upto: item },
        };
        (0..5 * WARP + 3).map(reach).collect()
    }

    #[test]
    fn parts_are_whole_groups_and_leave_out_what_reaches_nothing() {
        let reaches = reaches();
        let all = 0..reaches.len();
        assert_eq!(cut(&reaches, u64::MAX), [all]);
        let alone: Vec<Range<usize>> =
            [0, 1, 3, 4, 5].map(|nth| nth * GROUP..reaches.len().min((nth + 1) * GROUP)).to_vec();
        assert_eq!(cut(&reaches, 1), alone);
        // The first two reach 31 and 47 others.
        let most = u64::from(WARP) * (31 + 47);
        assert_eq!(cut(&reaches, most)[0], 0..2 * GROUP);
        assert_eq!(cut(&reaches, most - 1)[0], 0..GROUP);
        assert!(cut(&[Range32::default(); 40], 1).is_empty());
    }

    #[test]
    fn segments_are_numbered_through() {
        let stretch = DeviceOverlap::STRETCH;
        let lens = [1, 0, stretch, stretch + 1];
        let of_group = |len: u32| [Range32 { from: 7, upto: 7 + len }; GROUP];
        let mut reaches = lens.map(of_group).concat();
        reaches.push(Range32 { from: 0, upto: 5 });
        assert_eq!(segments(&reaches), [0, 1, 1, 2, 4, 5]);
        assert_eq!(segments(&[]), [0]);
    }
}
