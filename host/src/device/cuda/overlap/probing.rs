//! What probes: groups of elements that are looked up in an index, or values that are compared with all they
//! may meet.
//!
//! Either is done in parts. What groups find is measured on the device, which does nothing if it is too much.
//! What values reach is known from their sizes: parts are cut here, and segments are counted here.

use crate::base::error::Result;
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::plan::overlap::{BlockTables, Reaches};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceAtomics, DeviceGroups, DeviceOverlap, DeviceSlice, MOST_HITS, WARP, n_sum_tiles,
};
use hyperblock_shared::overlap::Range32;
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
    /// What they may meet by their sizes.
    reaches: Reaches,
    segments: CudaSlice<u32>,
}

impl Probing {
    pub(super) fn groups(gpu: &Cuda, block: &BlockTables) -> Result<Self> {
        let (firsts, values) = block.groups(WARP);
        let n_groups = firsts.last().map_or(0, |&n| n as usize);
        let n_words = n_groups + 1;
        let words = gpu.room::<u64>(n_groups)?;
        let (firsts, values) = (gpu.upload(&firsts)?, gpu.upload(&values)?);
        let slices = Slices(gpu);
        gpu.element_launches()?.groups(DeviceGroups {
            firsts: slices.of(&firsts),
            values: slices.of(&values),
            groups: slices.first(&words, n_groups).to_write(),
        })?;
        Ok(Self::Groups(Groups {
            words,
            n_groups,
            segments: gpu.zeros(n_words)?,
            segment_tiles: gpu.zeros(n_tiles(n_words))?,
        }))
    }

    pub(super) fn values(gpu: &Cuda, block: &BlockTables) -> Result<Self> {
        Ok(Self::Values(Values { reaches: block.reaches(), segments: gpu.zeros(1)? }))
    }

    /// The parts that are to be tried first.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        match self {
            Self::Groups(groups) => {
                let all = 0..groups.n_groups;
                vec![all]
            }
            Self::Values(Values { reaches, .. }) => {
                let n_values = reaches.n_values();
                cut(n_values as usize, &reaches.together(0..n_values, WARP), MOST_HITS)
            }
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
                // A warp compares 32 values with what they reach together.
                let reaches = values.reaches.together(part.start as u32..part.end as u32, WARP);
                values.segments = gpu.upload(&segments(&reaches))?;
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

/// Parts of whole groups that reach something, each with at most so many pairs or of one group. As these are
/// what lanes compare, a part's segments are few enough to be numbered, however many values there are.
fn cut(n_values: usize, reaches: &[Range32], most_pairs: u64) -> Vec<Range<usize>> {
    let (mut parts, mut n_pairs): (Vec<Range<usize>>, u64) = (Vec::new(), 0);
    for (nth, reach) in reaches.iter().enumerate().filter(|(_, reach)| !reach.is_empty()) {
        let from = nth * WARP as usize;
        let upto = n_values.min(from + WARP as usize);
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
    let n_segments = reaches.iter().map(|reach| reach.len().div_ceil(DeviceOverlap::STRETCH));
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

    /// Six groups that reach what is before them, the last one of three values, and one in between that reaches nothing.
    fn reaches() -> (usize, Vec<Range32>) {
        let n_values = 5 * GROUP + 3;
        let reach = |group: u32| match group {
            2 => Range32::default(),
            _ => Range32 { from: group * WARP / 2, upto: (n_values as u32).min((group + 1) * WARP) - 1 },
        };
        (n_values, (0..6).map(reach).collect())
    }

    #[test]
    fn parts_are_whole_groups_and_leave_out_what_reaches_nothing() {
        let (n_values, reaches) = reaches();
        let all = 0..n_values;
        assert_eq!(cut(n_values, &reaches, u64::MAX), [all]);
        let alone: Vec<Range<usize>> =
            [0, 1, 3, 4, 5].map(|nth| nth * GROUP..n_values.min((nth + 1) * GROUP)).to_vec();
        assert_eq!(cut(n_values, &reaches, 1), alone);
        // The first two reach 31 and 47 others.
        let most = u64::from(WARP) * (31 + 47);
        assert_eq!(cut(n_values, &reaches, most)[0], 0..2 * GROUP);
        assert_eq!(cut(n_values, &reaches, most - 1)[0], 0..GROUP);
        assert!(cut(40, &[Range32::default(); 2], 1).is_empty());
    }

    #[test]
    fn segments_are_numbered_through() {
        let stretch = DeviceOverlap::STRETCH;
        let reaches = [1, 0, stretch, stretch + 1, 5].map(|len| Range32 { from: 7, upto: 7 + len });
        assert_eq!(segments(&reaches), [0, 1, 1, 2, 4, 5]);
        assert_eq!(segments(&[]), [0]);
    }
}
