//! The similarities, as their definitions say, as exact fractions.

use super::numbers::{Fraction, add, multiply};
use hyperblock::rules::{Boost, EditDistance, Tokenizer};
use std::collections::HashSet;

/// How many edits lead from one to the other.
pub(super) fn edits(a: &str, b: &str, distance: EditDistance) -> usize {
    match distance {
        EditDistance::Levenshtein => strsim::levenshtein(a, b),
        EditDistance::Damerau => strsim::osa_distance(a, b),
        EditDistance::Hamming => {
            let (n_a, n_b) = (a.chars().count(), b.chars().count());
            a.chars().zip(b.chars()).filter(|(x, y)| x != y).count() + n_a.abs_diff(n_b)
        }
    }
}

/// 1 − distance / length of the longer one.
pub(super) fn edit_similarity(a: &str, b: &str, distance: EditDistance) -> Fraction {
    let longest = a.chars().count().max(b.chars().count());
    ((longest - edits(a, b, distance)) as i128, longest as i128)
}

/// Jaro's similarity; for Jaro-Winkler, a tenth of what is left to 1 more for each common character at the start, four at most.
pub(super) fn jaro_similarity(a: &str, b: &str, boost: Boost) -> Fraction {
    let (a_chars, b_chars): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let jaro = jaro(&a_chars, &b_chars);
    let (as_float, theirs) = (jaro.0 as f64 / jaro.1 as f64, strsim::jaro(a, b));
    assert!((as_float - theirs).abs() < 1e-9, "jaro of {a:?} and {b:?}: {jaro:?}, but strsim says {theirs}");
    if boost == Boost::None {
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
        assert_eq!(jaro_similarity("MARTHA", "MARHTA", Boost::Winkler), (173, 180));
        assert_eq!(jaro_similarity("DIXON", "DICKSONX", Boost::Winkler), (61, 75));
        assert_eq!(jaro_similarity("MARTHA", "MARHTA", Boost::None), (17, 18));
        assert_eq!(jaro_similarity("a", "b", Boost::Winkler), (0, 1));
        assert_eq!(edit_similarity("smith", "smyth", EditDistance::Levenshtein), (4, 5));
        assert_eq!(edits("smith", "smiht", EditDistance::Damerau), 1);
        assert_eq!(edits("smith", "mith", EditDistance::Hamming), 5);
        assert_eq!(common("to be or to be", "be", Tokenizer::Words), Some((1, 3, 1)));
        assert_eq!(common("naïve", "naive", Tokenizer::Qgrams(3)), Some((0, 3, 3)));
        assert_eq!(common("ab", "ab", Tokenizer::Qgrams(3)), None);
    }
}
