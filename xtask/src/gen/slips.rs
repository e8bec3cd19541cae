//! Slips of keyboards and scanners, in any text.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// What a scanner takes for something else.
const CONFUSED: [(&str, &str); 12] = [
    ("rn", "m"),
    ("m", "rn"),
    ("cl", "d"),
    ("d", "cl"),
    ("l", "1"),
    ("i", "l"),
    ("o", "0"),
    ("e", "c"),
    ("h", "b"),
    ("u", "v"),
    ("S", "5"),
    ("B", "8"),
];

/// A character wrong, too many, missing or in the wrong place, or a scanner's mistake.
pub(super) fn typo(text: &mut String, rng: &mut ChaCha8Rng) {
    let kind = rng.random_range(0..5u32);
    if kind == 4 {
        return confuse(text, rng);
    }
    let mut characters: Vec<char> = text.chars().collect();
    if characters.len() < 2 {
        return;
    }
    let at = rng.random_range(0..characters.len());
    let other = if characters[at].is_ascii_digit() {
        char::from(b'0' + rng.random_range(0..10u8))
    } else {
        char::from(b'a' + rng.random_range(0..26u8))
    };
    match kind {
        0 => characters[at] = other,
        1 => characters.insert(at, other),
        2 => drop(characters.remove(at)),
        _ => {
            let at = at.min(characters.len() - 2);
            characters.swap(at, at + 1);
        }
    }
    *text = characters.into_iter().collect();
}

fn confuse(text: &mut String, rng: &mut ChaCha8Rng) {
    let first = rng.random_range(0..CONFUSED.len());
    let in_turn = CONFUSED.iter().cycle().skip(first).take(CONFUSED.len());
    if let Some((from, to)) = in_turn.into_iter().find(|(from, _)| text.contains(from)) {
        *text = text.replacen(from, to, 1);
    }
}

/// Leaves a word out, where there are several.
pub(super) fn drop_word(text: &mut String, rng: &mut ChaCha8Rng) {
    let mut words: Vec<&str> = text.split(' ').collect();
    if words.len() > 1 {
        words.remove(rng.random_range(0..words.len()));
        *text = words.join(" ");
    }
}

#[cfg(test)]
mod tests {
    use super::{drop_word, typo};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn a_typo_is_small() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let mut text = "Harm 1905".to_owned();
            typo(&mut text, &mut rng);
            assert!((8..=10).contains(&text.chars().count()), "{text}");
        }
        for short in ["", "q"] {
            let mut text = short.to_owned();
            typo(&mut text, &mut rng);
            assert_eq!(text, short);
        }
    }

    #[test]
    fn one_word_is_left_out() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (text, outcomes) in [("a b c", &["b c", "a c", "a b"][..]), ("alone", &["alone"])] {
            for _ in 0..20 {
                let mut dropped = text.to_owned();
                drop_word(&mut dropped, &mut rng);
                assert!(outcomes.contains(&dropped.as_str()), "{dropped}");
            }
        }
    }
}
