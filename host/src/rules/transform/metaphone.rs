//! Metaphone: what an English word sounds like, as four letters at most.
//!
//! Lawrence Philips, *Hanging on the Metaphone*, Computer Language 7(12), 1990, in the form that Apache Commons Codec gave
//! it, and the crate `rphonetic` after that: codes are the same as theirs. Both find each letter by counting from the
//! beginning, which takes hours for a value of some millions; here a letter looks at its neighbours.

/// Letters of a code.
const MOST: usize = 4;

/// The code of the ASCII letters of a value; as for Soundex, no others count.
pub(super) fn metaphone(value: &str) -> String {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic);
    let mut word: Vec<u8> = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    if let [only] = word[..] {
        return char::from(only).to_string();
    }
    match word[..] {
        // Silent at the beginning.
        [b'K' | b'G' | b'P', b'N', ..] | [b'A', b'E', ..] | [b'W', b'R', ..] => drop(word.remove(0)),
        [b'W', b'H', ..] => drop(word.remove(1)),
        [b'X', ..] => word[0] = b'S',
        _ => {}
    }
    let mut code = String::new();
    let mut ix = 0;
    while ix < word.len() && code.len() < MOST {
        let (sounds, n_letters) = Place { word: &word, ix }.sounds();
        code.push_str(sounds);
        ix += n_letters;
    }
    code.truncate(MOST);
    code
}

/// A letter of a word.
#[derive(Clone, Copy)]
struct Place<'a> {
    word: &'a [u8],
    ix: usize,
}

impl Place<'_> {
    /// What is heard here, and how many letters it takes.
    fn sounds(self) -> (&'static str, usize) {
        let [before, letter, next, second] = [self.at(-1), self.at(0), self.at(1), self.at(2)];
        // Of a double letter the second is silent, but for C.
        if before == letter && letter != b'C' {
            return ("", 1);
        }
        let is_first = self.ix == 0;
        let sound = match letter {
            b'A' if is_first => "A",
            b'E' if is_first => "E",
            b'I' if is_first => "I",
            b'O' if is_first => "O",
            b'U' if is_first => "U",
            b'B' if before == b'M' && next == END => "",
            b'B' => "B",
            b'C' if before == b'S' && is_front(next) => "",
            b'C' if self.begins(b"CIA") => "X",
            b'C' if is_front(next) => "S",
            b'C' if before == b'S' && next == b'H' => "K",
            b'C' if next == b'H' && is_first && self.word.len() > 3 && is_vowel(second) => "K",
            b'C' if next == b'H' => "X",
            b'C' => "K",
            b'D' if next == b'G' && is_front(second) => return ("J", 3),
            b'D' => "T",
            b'G' if next == b'H' && !is_vowel(second) => "",
            b'G' if next == b'N' && !is_first => "",
            b'G' if is_front(next) => "J",
            b'G' => "K",
            b'H' if is_vowel(next) && !matches!(before, b'C' | b'S' | b'P' | b'T' | b'G') => "H",
            b'F' | b'V' => "F",
            b'J' => "J",
            b'K' if before != b'C' => "K",
            b'L' => "L",
            b'M' => "M",
            b'N' => "N",
            b'P' if next == b'H' => "F",
            b'P' => "P",
            b'Q' => "K",
            b'R' => "R",
            b'S' if self.begins(b"SH") || self.begins(b"SIO") || self.begins(b"SIA") => "X",
            b'S' | b'Z' => "S",
            b'T' if self.begins(b"TIA") || self.begins(b"TIO") => "X",
            b'T' if self.begins(b"TCH") => "",
            b'T' if next == b'H' => "0",
            b'T' => "T",
            b'W' if is_vowel(next) => "W",
            b'X' => "KS",
            b'Y' if is_vowel(next) => "Y",
            _ => "",
        };
        (sound, 1)
    }

    /// The letter so many places away.
    fn at(self, away: isize) -> u8 {
        let ix = self.ix.checked_add_signed(away);
        ix.and_then(|ix| self.word.get(ix)).copied().unwrap_or(END)
    }

    fn begins(self, with: &[u8]) -> bool {
        self.word[self.ix..].starts_with(with)
    }
}

/// What stands before and after a word.
const END: u8 = 0;

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'A' | b'E' | b'I' | b'O' | b'U')
}

fn is_front(letter: u8) -> bool {
    matches!(letter, b'E' | b'I' | b'Y')
}

#[cfg(test)]
mod tests {
    use super::metaphone;
    use proptest::prelude::*;
    use rphonetic::{Encoder, Metaphone};
    use std::time::{Duration, Instant};

    fn by_the_crate(value: &str) -> String {
        Metaphone::default().encode(&value.chars().filter(char::is_ascii_alphabetic).collect::<String>())
    }

    #[test]
    fn all_words_of_the_letters_that_matter() {
        // Those that rules are about, and one that none is.
        let letters: Vec<char> = "ACEGHIKMNOSTXYD".chars().collect();
        let mut words = vec![String::new()];
        for _ in 0..4 {
            let longer =
                words.iter().flat_map(|word| letters.iter().map(move |letter| format!("{word}{letter}")));
            words = longer.collect();
            for word in &words {
                assert_eq!(metaphone(word), by_the_crate(word), "{word}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn codes_are_those_of_the_crate(word in "[A-Za-z]{0,14}", any in "\\PC{0,12}", few in "[AEGHINTCSKX]{0,9}") {
            for value in [word, any, few] {
                prop_assert_eq!(metaphone(&value), by_the_crate(&value), "{}", value);
            }
        }
    }

    #[test]
    fn a_long_value_takes_no_longer_than_its_letters() {
        let start = Instant::now();
        assert_eq!(metaphone(&"ae".repeat(1 << 20)), "E");
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}
