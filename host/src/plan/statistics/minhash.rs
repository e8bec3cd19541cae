//! MinHash: values that are alike get equal keys more often than others.
//!
//! Two sets have the same least hash with the probability of their Jaccard similarity (Broder, *On the resemblance and
//! containment of documents*, 1997). A key joins two least hashes; values fall into the buckets of several tables, a key
//! each (Indyk and Motwani, *Approximate nearest neighbors*, STOC 1998). Sets are hashed as they are, texts as the set of
//! their pairs of neighbouring symbols, which few edits change.

use hyperblock_shared::columns::{Sets, Texts};
use hyperblock_shared::text::Text;

/// Tables of buckets.
pub(super) const TABLES: usize = 6;
const HASHES: usize = 2 * TABLES;

/// Odd numbers without pattern: hexadecimal digits of π.
const FACTORS: [u32; HASHES] = [
    0x243f_6a89,
    0x85a3_08d3,
    0x1319_8a2f,
    0x0370_7345,
    0xa409_3823,
    0x299f_31d1,
    0x082e_fa99,
    0xec4e_6c89,
    0x4528_21e7,
    0x38d0_1377,
    0xbe54_66cf,
    0x34e9_0c6d,
];

/// Long texts are told apart by their beginning: it costs less, and planning must not take long.
const MOST_GRAMS: usize = 256;

/// The keys of a value, one for each table.
pub(super) type Keys = [u64; TABLES];

/// Of a text.
pub(super) fn of_text(texts: &Texts<'_>, code: u32) -> Keys {
    let head = &texts.heads[code as usize];
    match texts.bits {
        8 => of_symbols(texts.text::<8>(head)),
        16 => of_symbols(texts.text::<16>(head)),
        _ => of_symbols(texts.text::<32>(head)),
    }
}

fn of_symbols<const BITS: u32>(text: Text<'_, BITS>) -> Keys {
    // Symbol 0 stands before the first and after the last: also a value of one symbol has neighbours.
    let mut before = 0;
    keys(text.symbols().chain([0]).take(MOST_GRAMS).map(|symbol| {
        let gram = (before as u32).rotate_left(16) ^ symbol as u32;
        before = symbol;
        gram
    }))
}

/// Of a set.
pub(super) fn of_set(sets: &Sets<'_>, code: u32) -> Keys {
    keys(sets.set(&sets.heads[code as usize]).iter().copied().take(MOST_GRAMS))
}

fn keys(elements: impl Iterator<Item = u32>) -> Keys {
    let mut least = [u32::MAX; HASHES];
    for element in elements {
        // Multiplying by an odd number alone would keep the order of small elements.
        let mixed = (element ^ (element >> 15)).wrapping_mul(0x2c1b_3c6d);
        let mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39);
        for (least, factor) in least.iter_mut().zip(FACTORS) {
            *least = (*least).min(mixed.wrapping_mul(factor));
        }
    }
    std::array::from_fn(|table| u64::from(least[2 * table]) << 32 | u64::from(least[2 * table + 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of 1,000 elements that share two thirds of them agree in a hash in half of all cases, in a key in a quarter.
    #[test]
    fn keys_agree_as_sets_do() {
        let set = |from: u32| keys((from..from + 900).map(|element| element * 7));
        let n_agreeing: usize = (0..300u32)
            .map(|n| {
                let (a, b) = (set(n * 10_000), set(n * 10_000 + 300));
                a.iter().zip(b).filter(|(a, b)| *a == b).count()
            })
            .sum();
        let share = n_agreeing as f64 / (300 * TABLES) as f64;
        assert!((0.2..0.3).contains(&share), "{share}");
    }
}
