//! Text as both sides see it: symbols packed into 64-bit words.
//!
//! A column's characters (Unicode scalar values) are numbered from 1, and a column with at most 255 of them takes
//! 8 bits a symbol, else 16, else 32. Symbol 0 is no character: it pads the last word of a value, so whole words can
//! be compared without looking at the length.

/// How many symbols one block of a bit-parallel algorithm covers: the bits of a machine word.
pub const BLOCK: u32 = 64;

/// Words that a bit-parallel algorithm keeps for each block of a value longer than one block.
pub(crate) const SCRATCH_PER_BLOCK: u32 = 4;

/// The longest value, in symbols. Longer fields are refused when a table is read, and the integer bounds of the
/// measures rest on it.
pub const MAX_LEN: u32 = 1 << 24;

/// One value: `len` symbols of `BITS` bits each, least significant first.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a, const BITS: u32> {
    words: &'a [u64],
    len: u32,
}

impl<'a, const BITS: u32> Text<'a, BITS> {
    /// Symbols in a word.
    pub const PER_WORD: u32 = u64::BITS / BITS;
    /// Words in a block of [`BLOCK`] symbols.
    pub const WORDS_PER_BLOCK: u32 = BITS;

    const MASK: u64 = u64::MAX >> (u64::BITS - BITS);
    /// The lowest bit of every symbol.
    const LOWEST: u64 = u64::MAX / Self::MASK;
    /// Every bit but the highest of every symbol.
    const BELOW_TOP: u64 = Self::LOWEST * (Self::MASK >> 1);

    /// A view of a value. `words` must be exactly as long as `len` symbols need, padded with symbol 0.
    pub fn new(words: &'a [u64], len: u32) -> Self {
        debug_assert_eq!(words.len() as u32, len.div_ceil(Self::PER_WORD));
        Self { words, len }
    }

    /// The number of symbols.
    #[expect(clippy::len_without_is_empty, reason = "a value of a column is never empty: empty is missing")]
    pub fn len(self) -> u32 {
        self.len
    }

    /// The number of blocks of 64 symbols.
    pub fn n_blocks(self) -> u32 {
        self.len.div_ceil(BLOCK)
    }

    /// The packed words.
    pub fn words(self) -> &'a [u64] {
        self.words
    }

    /// The symbol at `ix`, which must be below `len`.
    pub fn at(self, ix: u32) -> u64 {
        (self.words[(ix / Self::PER_WORD) as usize] >> (ix % Self::PER_WORD * BITS)) & Self::MASK
    }

    /// The symbols in order.
    pub fn symbols(self) -> Symbols<'a, BITS> {
        Symbols { words: self.words.iter(), word: 0 }
    }

    /// The symbols from `ix` on: none, if that is past the end.
    #[inline]
    pub fn symbols_from(self, ix: u32) -> Symbols<'a, BITS> {
        let mut words = self.words.get((ix / Self::PER_WORD) as usize..).unwrap_or_default().iter();
        let word = words.next().map_or(0, |word| word >> (ix % Self::PER_WORD * BITS));
        Symbols { words, word }
    }

    /// A bit for each of the 64 symbols of a block that equals `symbol`.
    #[inline]
    pub fn positions(self, block: u32, symbol: u64) -> u64 {
        let from = (block * Self::WORDS_PER_BLOCK) as usize;
        let upto = (from + Self::WORDS_PER_BLOCK as usize).min(self.words.len());
        let mut mask = 0;
        for (ix, &word) in self.words[from..upto].iter().enumerate() {
            mask |= Self::positions_in_word(word, symbol) << (ix as u32 * Self::PER_WORD);
        }
        mask
    }

    /// A bit for each of the `n` symbols from `from` on, at most 32, that equals `symbol`. Some that follow may have one.
    #[inline]
    pub fn positions_from(self, from: u32, n: u32, symbol: u64) -> u64 {
        // A word more than they fill, if they do not start with one: at most 40 symbols in all.
        let n_words = (n.div_ceil(Self::PER_WORD) + 1) as usize;
        let words = self.words.get((from / Self::PER_WORD) as usize..).unwrap_or_default();
        let mut mask = 0;
        for (ix, &word) in words.iter().take(n_words).enumerate() {
            mask |= Self::positions_in_word(word, symbol) << (ix as u32 * Self::PER_WORD);
        }
        mask >> (from % Self::PER_WORD)
    }

    /// The top bit of each symbol in which two words agree.
    ///
    /// A symbol of `a ^ b` is zero where they agree. Adding "all below the top" carries into the top bit unless the
    /// symbol's lower bits are zero, and never beyond it, so the test is exact for every lane.
    #[inline]
    fn agreeing(a: u64, b: u64) -> u64 {
        let differs = a ^ b;
        !(((differs & Self::BELOW_TOP) + Self::BELOW_TOP) | differs | Self::BELOW_TOP)
    }

    /// In how many symbols two words differ.
    #[inline]
    pub fn differing(a: u64, b: u64) -> u32 {
        Self::PER_WORD - Self::agreeing(a, b).count_ones()
    }

    /// A bit for each symbol of `word` that equals `symbol`: a multiplication moves the top bits next to each other.
    #[inline]
    pub fn positions_in_word(word: u64, symbol: u64) -> u64 {
        let lowest = Self::agreeing(word, Self::LOWEST * symbol) >> (BITS - 1);
        match BITS {
            8 => lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56,
            16 => lowest.wrapping_mul(0x1000_2000_4000_8000) >> 60,
            _ => (lowest | (lowest >> 31)) & 3,
        }
    }
}

/// The symbols of a text, from the lowest of a word on: a GPU has registers for little more. Symbol 0 pads and is no
/// character, so a word is used up when nothing is left of it.
#[derive(Clone, Debug)]
pub struct Symbols<'a, const BITS: u32> {
    words: core::slice::Iter<'a, u64>,
    word: u64,
}

impl<const BITS: u32> Iterator for Symbols<'_, BITS> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.word == 0 {
            self.word = *self.words.next()?;
        }
        let symbol = self.word & Text::<BITS>::MASK;
        self.word >>= BITS;
        Some(symbol)
    }
}

/// The beginning of a text in `W` words of registers, where the GPU wants what it looks at often.
#[derive(Clone, Copy, Debug)]
pub struct Registers<const BITS: u32, const W: usize> {
    words: [u64; W],
}

impl<const BITS: u32, const W: usize> Registers<BITS, W> {
    /// `lag` symbols of padding, then as much of the text as fits, then padding again.
    #[inline]
    pub fn new(text: Text<'_, BITS>, lag: u32) -> Self {
        let (whole, rest) = (lag / Text::<BITS>::PER_WORD, lag % Text::<BITS>::PER_WORD * BITS);
        // Before the first word of the text the index wraps around, and there is nothing.
        let word = |ix: u32| text.words.get(ix.wrapping_sub(whole) as usize).copied().unwrap_or(0);
        // Loops, here and below: closures that are asked for each word become calls where much is inlined. Shifted twice, as by 64 in
        // all is no shift.
        let mut words = [0; W];
        for (ix, into) in (0u32..).zip(&mut words) {
            *into = (word(ix) << rest) | (word(ix.wrapping_sub(1)) >> 1 >> (u64::BITS - 1 - rest));
        }
        Self { words }
    }

    /// A bit for each symbol that equals `symbol`.
    #[inline]
    pub fn positions(self, symbol: u64) -> u64 {
        let mut mask = 0;
        for (ix, word) in self.words.into_iter().enumerate() {
            mask |= Text::<BITS>::positions_in_word(word, symbol) << (ix as u32 * Text::<BITS>::PER_WORD);
        }
        mask
    }

    /// Drops the first symbol, moves the others up, and puts `symbol` last.
    #[inline]
    pub fn enter(&mut self, symbol: u64) {
        let mut entering = symbol;
        for word in self.words.iter_mut().rev() {
            let moved = (*word >> BITS) | (entering << (u64::BITS - BITS));
            entering = core::mem::replace(word, moved);
        }
    }
}

/// Words of working memory for comparisons of more than one block. The host lends a slice; the device lends every
/// thread a column of an array, so that neighbouring threads touch neighbouring words.
pub trait Scratch {
    /// Whether the thread it is lent to waits for others at each branch that they take, as a GPU's do: then the same few
    /// instructions for all of them are better than fewer for each.
    const IN_LOCKSTEP: bool;
    /// The word at `ix`.
    fn get(&self, ix: u32) -> u64;
    /// Sets the word at `ix`.
    fn set(&mut self, ix: u32, word: u64);
}

impl Scratch for [u64] {
    const IN_LOCKSTEP: bool = false;

    fn get(&self, ix: u32) -> u64 {
        self[ix as usize]
    }

    fn set(&mut self, ix: u32, word: u64) {
        self[ix as usize] = word;
    }
}

/// The words of scratch that comparing two values of at most `len` symbols can take: most in [`crate::measure`]'s edits.
pub fn scratch_words(len: u32) -> u32 {
    if len <= BLOCK { 0 } else { SCRATCH_PER_BLOCK * len.div_ceil(BLOCK) }
}
