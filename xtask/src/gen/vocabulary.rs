//! Made-up words, and a vocabulary of them in which the first come up most, as in any language.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// Words of a vocabulary.
const N_WORDS: usize = 20_000;
/// Of the first words none outweighs all others: the ranks begin with this one.
const FIRST_RANK: u128 = 30;

const ONSETS: [&str; 36] = [
    "b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "bl", "br", "ch", "cl",
    "cr", "dr", "fl", "gl", "gr", "kn", "pl", "pr", "sh", "sk", "sl", "sp", "st", "sw", "th", "tr",
];
const NUCLEI: [&str; 10] = ["a", "e", "i", "o", "u", "y", "au", "ei", "oa", "ue"];
const CODAS: [&str; 12] = ["b", "d", "k", "l", "m", "n", "p", "r", "s", "x", "nd", "rt"];

/// A word of so many syllables.
pub(super) fn word(rng: &mut ChaCha8Rng, syllables: RangeInclusive<u32>) -> String {
    let mut word = String::new();
    for _ in 0..rng.random_range(syllables) {
        let one = |list: &[&'static str], rng: &mut ChaCha8Rng| list.choose(rng).copied().unwrap_or_default();
        word.push_str(one(&ONSETS, rng));
        word.push_str(one(&NUCLEI, rng));
        if rng.random_bool(0.5) {
            word.push_str(one(&CODAS, rng));
        }
    }
    word
}

/// So many texts, all different. There must be far more of them.
pub(super) fn distinct(n: usize, mut draw: impl FnMut() -> String) -> Vec<String> {
    let mut seen = HashSet::with_capacity(n);
    let mut texts = Vec::with_capacity(n);
    while texts.len() < n {
        let text = draw();
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    texts
}

/// The same with a capital.
pub(super) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Words, the heavy ones first.
pub(super) struct Vocabulary {
    words: Vec<String>,
    /// For every word, the weights up to and with it.
    weights: Vec<u64>,
}

impl Vocabulary {
    pub(super) fn new(rng: &mut ChaCha8Rng) -> Self {
        let mut words = distinct(N_WORDS, || word(rng, 1..=4));
        // Short words are few and found early; they shall be no heavier than others.
        words.shuffle(rng);
        let mut sum = 0;
        let weights = (FIRST_RANK..).take(words.len()).map(|rank| {
            sum += weight(rank);
            sum
        });
        Self { weights: weights.collect(), words }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> &str {
        let all = self.weights.last().copied().unwrap_or_default();
        let place = rng.random_range(0..all);
        &self.words[self.weights.partition_point(|sum| *sum <= place)]
    }

    /// A title: so many words, the first with a capital.
    pub(super) fn title(&self, rng: &mut ChaCha8Rng, n_words: RangeInclusive<u32>) -> String {
        let mut title = capitalised(self.draw(rng));
        for _ in 1..rng.random_range(n_words) {
            title.push(' ');
            title.push_str(self.draw(rng));
        }
        title
    }
}

/// rank to the power of -0.8, times a constant, in whole numbers: powers of floats differ between platforms. This is
/// the largest w with w^5 rank^4 <= 2^127, and has at least four digits.
fn weight(rank: u128) -> u64 {
    let most = (1u128 << 127) / rank.pow(4);
    let (mut least, mut above) = (0u64, 1 << 22);
    while above - least > 1 {
        let middle = least.midpoint(above);
        if u128::from(middle).pow(5) <= most {
            least = middle;
        } else {
            above = middle;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::{FIRST_RANK, N_WORDS, Vocabulary, capitalised, weight};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::HashMap;

    #[test]
    fn weights_are_the_power() {
        let one = weight(FIRST_RANK) as f64 * (FIRST_RANK as f64).powf(0.8);
        for rank in [FIRST_RANK, 31, 100, 5_000, FIRST_RANK + N_WORDS as u128] {
            let power = weight(rank) as f64 * (rank as f64).powf(0.8);
            assert!((power / one - 1.0).abs() < 1e-4, "{rank}: {power} is not {one}");
            assert!(weight(rank) >= 1000);
        }
    }

    #[test]
    fn heavy_words_come_up_as_they_should() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let vocabulary = Vocabulary::new(&mut rng);
        let mut counts: HashMap<&str, u32> = HashMap::new();
        let n_draws = 100_000;
        for _ in 0..n_draws {
            *counts.entry(vocabulary.draw(&mut rng)).or_default() += 1;
        }
        assert!((12_000..N_WORDS).contains(&counts.len()), "{} words", counts.len());
        // The first of them has a share of 0.0025.
        let most = counts.values().max().copied().unwrap_or_default();
        assert!((150..400).contains(&most), "the heaviest came up {most} times of {n_draws}");
    }

    #[test]
    fn titles_begin_with_a_capital() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let vocabulary = Vocabulary::new(&mut rng);
        for _ in 0..100 {
            let title = vocabulary.title(&mut rng, 4..=12);
            assert!((4..=12).contains(&title.split(' ').count()), "{title}");
            assert!(title.starts_with(|c: char| c.is_ascii_uppercase()), "{title}");
            assert!(title.chars().all(|c| c == ' ' || c.is_ascii_alphabetic()), "{title}");
        }
        assert_eq!(capitalised("éa"), "Éa");
        assert_eq!(capitalised(""), "");
    }
}
