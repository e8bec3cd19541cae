//! The similarities, as their definitions say, as exact fractions.

use super::numbers::{Fraction, add, multiply};
use super::values::elements;
use hyperblock::rules::{OfSets, OfTexts, Tokenizer};
use std::collections::HashSet;

/// Whether what a measure counts is within a bound.
pub(super) fn count_holds(by: OfTexts, a: &str, b: &str, bound: usize) -> bool {
    match by {
        OfTexts::Lcs => lcs(a, b) >= bound,
        distance => edits(a, b, distance) <= bound,
    }
}

/// How alike two texts are.
pub(super) fn of_texts(by: OfTexts, a: &str, b: &str) -> Fraction {
    match by {
        OfTexts::Levenshtein | OfTexts::Damerau | OfTexts::Hamming => edit_similarity(a, b, by),
        OfTexts::Jaro => jaro_similarity(a, b, false),
        OfTexts::JaroWinkler => jaro_similarity(a, b, true),
        OfTexts::Lcs => {
            let lens = a.chars().count() + b.chars().count();
            (2 * lcs(a, b) as i128, lens as i128)
        }
    }
}

/// How alike two sets of so many tokens, and so many in common, are; of cosine, squared.
pub(super) fn of_sets(by: OfSets, (common, n_a, n_b): (i128, i128, i128)) -> Fraction {
    match by {
        OfSets::Jaccard => (common, n_a + n_b - common),
        OfSets::Dice => (2 * common, n_a + n_b),
        OfSets::Cosine => (common * common, n_a * n_b),
        OfSets::Overlap => (common, n_a.min(n_b)),
        OfSets::BraunBlanquet => (common, n_a.max(n_b)),
    }
}

/// How many edits lead from one to the other.
pub(super) fn edits(a: &str, b: &str, distance: OfTexts) -> usize {
    match distance {
        OfTexts::Levenshtein => strsim::levenshtein(a, b),
        OfTexts::Damerau => strsim::osa_distance(a, b),
        OfTexts::Hamming => {
            let (n_a, n_b) = (a.chars().count(), b.chars().count());
            a.chars().zip(b.chars()).filter(|(x, y)| x != y).count() + n_a.abs_diff(n_b)
        }
        other => panic!("{other:?} counts no edits"),
    }
}

/// How many characters the longest common subsequence has: the last cell of the matrix, row by row.
pub(super) fn lcs(a: &str, b: &str) -> usize {
    let mut row = vec![0; b.chars().count() + 1];
    for x in a.chars() {
        let mut diagonal = 0;
        for (j, y) in b.chars().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// 1 − distance / length of the longer one.
fn edit_similarity(a: &str, b: &str, distance: OfTexts) -> Fraction {
    let longest = a.chars().count().max(b.chars().count());
    ((longest - edits(a, b, distance)) as i128, longest as i128)
}

/// Jaro's similarity; for Jaro-Winkler, a tenth of what is left to 1 more for each common character at the start, four at most.
fn jaro_similarity(a: &str, b: &str, is_boosted: bool) -> Fraction {
    let (a_chars, b_chars): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let jaro = jaro(&a_chars, &b_chars);
    let (as_float, theirs) = (jaro.0 as f64 / jaro.1 as f64, strsim::jaro(a, b));
    assert!((as_float - theirs).abs() < 1e-9, "jaro of {a:?} and {b:?}: {jaro:?}, but strsim says {theirs}");
    if !is_boosted {
        return jaro;
    }
    let prefix = a_chars.iter().zip(&b_chars).take(4).take_while(|(x, y)| x == y).count();
    let rest = add((1, 1), (-jaro.0, jaro.1));
    add(jaro, multiply((prefix as i128, 10), rest))
}

/// (m/|a| + m/|b| + (m − t)/m) / 3 with m matches and t transpositions; 0 without a match.
fn jaro(a: &[char], b: &[char]) -> Fraction {
    let (matched, transposed) = matches(a, b);
    if matched == 0 {
        return (0, 1);
    }
    let (m, t) = (matched as i128, transposed as i128);
    let sum = add(add((m, a.len() as i128), (m, b.len() as i128)), (m - t, m));
    multiply(sum, (1, 3))
}

/// Characters of `a`, in order, each take the first equal one of `b` within the window that is still free.
fn matches(a: &[char], b: &[char]) -> (usize, usize) {
    let window = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut of_a = Vec::new();
    for (i, char) in a.iter().enumerate() {
        let free = (0..b.len()).find(|&j| b[j] == *char && !taken[j] && i.abs_diff(j) <= window);
        if let Some(j) = free {
            taken[j] = true;
            of_a.push(*char);
        }
    }
    let of_b = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(char, _)| *char);
    let out_of_order = of_a.iter().zip(of_b).filter(|(x, y)| **x != *y).count();
    (of_a.len(), out_of_order / 2)
}

/// |A ∩ B|, |A| and |B|, or `None` if a set is empty.
pub(super) fn common(a: &str, b: &str, tokenizer: Tokenizer) -> Option<(i128, i128, i128)> {
    let (a, b) = (tokens(a, tokenizer), tokens(b, tokenizer));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    Some((a.intersection(&b).count() as i128, a.len() as i128, b.len() as i128))
}

fn tokens(text: &str, tokenizer: Tokenizer) -> HashSet<String> {
    match tokenizer {
        Tokenizer::Words => text.split_whitespace().map(str::to_owned).collect(),
        Tokenizer::Elements => elements(text).into_iter().collect(),
        Tokenizer::Shingles(n) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.windows(n as usize).map(|words| words.join(" ")).collect()
        }
        Tokenizer::Alphanumeric => {
            let mut runs = vec![String::new()];
            for char in text.chars() {
                match char.is_alphabetic() || char.is_numeric() {
                    true => runs.iter_mut().last().expect("a run").push(char),
                    false => runs.push(String::new()),
                }
            }
            runs.into_iter().filter(|run| !run.is_empty()).collect()
        }
        Tokenizer::Qgrams(q) => {
            let chars: Vec<char> = text.chars().collect();
            chars.windows(q as usize).map(|gram| gram.iter().collect()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_examples() {
        // 0.96111… and 0.81333…
        assert_eq!(jaro_similarity("MARTHA", "MARHTA", true), (173, 180));
        assert_eq!(jaro_similarity("DIXON", "DICKSONX", true), (61, 75));
        assert_eq!(jaro_similarity("MARTHA", "MARHTA", false), (17, 18));
        assert_eq!(jaro_similarity("a", "b", true), (0, 1));
        assert_eq!(edit_similarity("smith", "smyth", OfTexts::Levenshtein), (4, 5));
        assert_eq!(edits("smith", "smiht", OfTexts::Damerau), 1);
        assert_eq!(edits("smith", "mith", OfTexts::Hamming), 5);
        assert_eq!(lcs("abcbdab", "bdcaba"), 4);
        assert_eq!(of_texts(OfTexts::Lcs, "éa", "aé漢"), (2, 5));
        assert_eq!(common("to be or to be", "be", Tokenizer::Words), Some((1, 3, 1)));
        assert_eq!(common("naïve", "naive", Tokenizer::Qgrams(3)), Some((0, 3, 3)));
        assert_eq!(common("ab", "ab", Tokenizer::Qgrams(3)), None);
    }
}
