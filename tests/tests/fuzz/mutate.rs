//! Files out of files: bits flipped, numbers changed, pieces left out, doubled and brought over from others.

/// Random numbers, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        // Marsaglia's xorshift, and Vigna's multiplication.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// One below `end`, or 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() >> 11) as usize % end }
    }
}

/// Longer files find nothing that shorter ones do not.
const LONGEST: usize = 1 << 16;
/// Numbers that programs are seldom ready for.
const NUMBERS: [i64; 14] = [
    0,
    1,
    -1,
    7,
    127,
    128,
    255,
    i16::MAX as i64,
    u16::MAX as i64,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    i64::MAX,
    i64::MIN,
];
/// What means something in one file or another.
const WORDS: [&str; 40] = [
    "\"",
    "'''",
    ",",
    "\n",
    "\r",
    "\t",
    " ",
    "#",
    "%",
    "(",
    ")",
    "[",
    "]",
    "[[",
    "=",
    "<=",
    ">=",
    "-",
    "+",
    ".",
    "e",
    "NaN",
    "inf",
    "-0",
    "1e999",
    "007",
    "9999-12-31",
    "\u{feff}",
    "é",
    "\0",
    "\u{1b}[2J",
    " AND ",
    " OR ",
    " NOT ",
    "NULL",
    "l.name",
    "r.name",
    "levenshtein(",
    "abs(",
    "99999999999999999999999999999999999999",
];

/// Another file.
pub(crate) fn mutated(file: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=random.below(6) {
        mutate(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(9) {
        0 | 1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = byte.wrapping_add(random.below(9) as u8).wrapping_sub(4);
            }
        }
        3 => {
            let (number, width) = (NUMBERS[random.below(NUMBERS.len())], 1 << random.below(4));
            let place = bytes.iter_mut().skip(at);
            place.zip(number.to_le_bytes()).take(width).for_each(|(byte, new)| *byte = new);
        }
        4 => drop(bytes.drain(piece(bytes, at, random))),
        5 => {
            let piece = bytes[piece(bytes, at, random)].to_vec();
            for _ in 0..=random.below(if piece.len() < 64 { 200 } else { 4 }) {
                bytes.splice(at..at, piece.iter().copied());
            }
        }
        6 => {
            let from = random.below(other.len());
            let piece = &other[piece(other, from, random)];
            bytes.splice(at..at, piece.iter().copied());
        }
        7 => {
            let word = WORDS[random.below(WORDS.len())];
            bytes.splice(at..at, word.bytes());
        }
        _ => bytes.truncate(at),
    }
}

/// Some bytes from a place on, mostly few.
fn piece(bytes: &[u8], at: usize, random: &mut Random) -> std::ops::Range<usize> {
    let longest = 1 << random.below(11);
    at..bytes.len().min(at + 1 + random.below(longest)).max(at)
}
