//! How large everything is: partitions, tables, the sample.

use hyperblock_shared::join::{BUILT, MOST_HEAVY};
use hyperblock_shared::layout::JoinSizes;

/// Rows that a light partition has on average, at most: nearly a chunk.
const FILL: f64 = 0.96;
/// Bits that one pass partitions by: with more, what a tile has for a class is too little to be written at once.
const MOST_BITS: u32 = 9;
/// Rows of each side that are sampled; fewer rows are all looked at.
const N_SAMPLED: u64 = 1 << 17;
/// The fewest times that a heavy key comes up: fewer may be chance.
const LEAST: u32 = 8;

/// The sizes of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::device::cuda) struct Sizes {
    /// Bits of each pass; the second may be 0.
    pub(in crate::device::cuda) bits: [u32; 2],
    /// Slots of the table that samples are counted in.
    pub(in crate::device::cuda) sample_slots: u32,
    /// What the kernels are told.
    pub(in crate::device::cuda) of_join: JoinSizes,
}

impl Sizes {
    /// For sides of so many rows, whose light partitions are joined by blocks of so many threads.
    pub(in crate::device::cuda) fn new(n_rows: [u32; 2], is_self: bool, n_threads: u32) -> Self {
        // Rows of a light partition that are built at once.
        let chunk = BUILT * n_threads;
        let fewest = n_rows[0].min(n_rows[1]);
        let n_partitions = (f64::from(fewest) / (FILL * f64::from(chunk))).ceil().max(1.0) as u32;
        let bits = n_partitions.next_power_of_two().trailing_zeros();
        let by_pass = if bits <= MOST_BITS { [bits, 0] } else { [bits.div_ceil(2), bits / 2] };
        let most = u64::from(n_rows[0].max(n_rows[1]));
        let step = most.div_ceil(N_SAMPLED).max(1) as u32;
        // A heavy key fills half of a chunk, of both sides together.
        let least = (chunk / step).max(LEAST);
        let n_sampled = n_rows.iter().map(|n| n.div_ceil(step)).sum::<u32>();
        Self {
            bits: by_pass,
            sample_slots: (2 * n_sampled).next_power_of_two().max(1 << 10),
            of_join: JoinSizes {
                step,
                least,
                bits,
                // Few looks for a key then meet another.
                n_slots: 4 * chunk,
                is_self: u32::from(is_self),
                counts_only: 0,
            },
        }
    }

    /// The most classes of a pass, over all of its segments.
    pub(in crate::device::cuda) fn n_classes(&self, pass: usize) -> u32 {
        match pass {
            0 => (1 << self.bits[0]) + MOST_HEAVY,
            _ => 1 << self.of_join.bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FILL, MOST_BITS, Sizes};
    use hyperblock_shared::join::BUILT;

    const N_THREADS: u32 = 512;

    #[test]
    fn partitions_fit_into_a_chunk_on_average() {
        for n_rows in [0, 1, 1000, 100_000, 32_000_000, 560_000_000, u32::MAX - 10_000] {
            let sizes = Sizes::new([n_rows, n_rows], false, N_THREADS);
            let bits = sizes.of_join.bits;
            assert!(
                f64::from(n_rows) / (1u64 << bits) as f64 <= FILL * f64::from(BUILT * N_THREADS),
                "{n_rows}: {sizes:?}"
            );
            assert_eq!(sizes.bits[0] + sizes.bits[1], bits);
            assert!(sizes.bits[1] <= sizes.bits[0] && sizes.bits[0] <= 11);
            assert_eq!(sizes.bits[1] > 0, bits > MOST_BITS);
        }
    }

    #[test]
    fn few_rows_are_all_sampled() {
        assert_eq!(Sizes::new([1000, 2000], false, N_THREADS).of_join.step, 1);
        assert_eq!(Sizes::new([32_000_000, 1], true, N_THREADS).of_join.step, 245);
    }
}
