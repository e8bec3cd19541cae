//! Titles, of which a third are dirty copies of others: what the join of token sets compares.

use super::slips::{drop_word, typo};
use super::vocabulary::Vocabulary;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

/// That many titles; some are copies of an earlier one, or of an earlier copy.
pub(super) fn draw(rows: u32, seed: u64) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let vocabulary = Vocabulary::new(&mut rng);
    let mut titles: Vec<String> = Vec::with_capacity(rows as usize);
    for _ in 0..rows {
        let title = if !titles.is_empty() && rng.random_ratio(1, 3) {
            let mut copy = titles[rng.random_range(0..titles.len())].clone();
            dirty(&mut copy, &mut rng);
            copy
        } else {
            vocabulary.title(&mut rng, 4..=8)
        };
        titles.push(title);
    }
    titles
}

/// Up to five typos, and perhaps a word less, as long as there are enough.
fn dirty(title: &mut String, rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(0..=5u32) {
        typo(title, rng);
    }
    if title.split(' ').count() > 3 && rng.random_bool(0.4) {
        drop_word(title, rng);
    }
}

pub(super) fn write(titles: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "id,title")?;
    for (ix, title) in titles.iter().enumerate() {
        writeln!(out, "t{:06},{title}", ix + 1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{draw, write};
    use std::collections::HashSet;

    #[test]
    fn titles_are_of_the_right_length() {
        let titles = draw(20_000, 7);
        assert_eq!(titles.len(), 20_000);
        let mean = titles.iter().map(|title| title.chars().count()).sum::<usize>() as f64 / 20_000.0;
        assert!((59.0..=65.0).contains(&mean), "mean length {mean}");
        assert!(titles.iter().all(|title| title.len() >= 8 && !title.contains([',', '"', '\n'])));
    }

    #[test]
    fn a_third_are_copies() {
        let titles = draw(1_000, 7);
        // A copy shares words with an earlier title; others hardly ever share two.
        let words: Vec<HashSet<&str>> = titles.iter().map(|title| title.split(' ').collect()).collect();
        let is_copy =
            |ix: usize| words[..ix].iter().any(|earlier| earlier.intersection(&words[ix]).count() >= 2);
        let n_copies = (0..titles.len()).filter(|ix| is_copy(*ix)).count();
        assert!((270..=380).contains(&n_copies), "{n_copies} copies");
    }

    #[test]
    fn a_seed_decides_the_titles() {
        assert_eq!(draw(100, 1), draw(100, 1));
        assert_ne!(draw(100, 1), draw(100, 2));
        let mut csv = Vec::new();
        write(&draw(2, 1), &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.starts_with("id,title\nt000001,"), "{csv}");
        assert_eq!(csv.lines().count(), 3);
    }
}
