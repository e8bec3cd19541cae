//! Hashes that are the same on every machine and in every version: of values, of elements, of ids.
//!
//! They say in which unit a record is, on driver and executors alike, so none of a library's will do. Two factors of a product of
//! 128 bits are folded onto each other, word by word, as wyhash does. Values that share a hash by chance are together, and then
//! compared: so a hash decides what is compared, and never what holds.

const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// A hash with one more number in it.
pub(super) fn mixed(hash: u64, number: u64) -> u64 {
    folded(hash ^ FACTORS[0], number ^ FACTORS[1]) ^ folded(number ^ FACTORS[2], hash.rotate_left(32) | 1)
}

/// The hash of some bytes.
pub(super) fn of_bytes(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8);
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    let hash = words.fold(bytes.len() as u64, |hash, bytes| mixed(hash, word(bytes)));
    mixed(hash, u64::from_le_bytes(last))
}

/// The hash of a text.
pub(super) fn of_text(text: &str) -> u64 {
    of_bytes(text.as_bytes())
}

/// Where a hash falls among so many places, each of which has as much of all hashes.
pub(super) fn place(hash: u64, n: u32) -> u32 {
    ((u128::from(hash) * u128::from(n)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Units of one version are found again by the next one.
    #[test]
    fn hashes_stay_as_they_are() {
        assert_eq!([of_text(""), of_text("Ann"), of_text("a longer value")], HASHES);
        assert_eq!(mixed(1, 2), MIXED);
    }
    const HASHES: [u64; 3] = [0x69ae_69ae_2f64_847a, 0x7ead_0b58_66f0_a2ec, 0x8523_cede_5a67_baa3];
    const MIXED: u64 = 0xa453_e777_6a65_9344;

    #[test]
    fn hashes_differ_and_spread() {
        let texts = (0..10_000).map(|n| format!("value {n}"));
        let hashes: BTreeSet<u64> = texts.map(|text| of_text(&text)).collect();
        assert_eq!(hashes.len(), 10_000);
        let mut counts = [0; 8];
        hashes.iter().for_each(|&hash| counts[place(mixed(hash, 1), 8) as usize] += 1);
        assert!(counts.iter().all(|n| (1_100..1_400).contains(n)), "{counts:?}");
        let near: BTreeSet<u64> = (0..10_000).map(|n| mixed(7, n)).collect();
        assert_eq!(near.len(), 10_000);
        assert_ne!(of_bytes(b"\0"), of_bytes(b""));
        assert_ne!(mixed(0, 0), mixed(0, 1));
    }
}
