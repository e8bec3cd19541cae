//! Rules: from the text of a rule file to predicates over typed columns.
//!
//! `file` reads the TOML, and `literal` knows where each character of a `when` stands in it; `syntax` parses the `when`
//! into a [`syntax::Formula`]; `bind` gives every comparison its meaning against the tables' columns; `normal` brings
//! the formula into disjunctive normal form; `display` shows it as SQL again. What comes out is a list of [`Rule`]s,
//! each a set of conjunctions of [`Predicate`]s. Nothing here knows how a predicate is evaluated.

mod bind;
mod display;
mod file;
mod literal;
mod normal;
mod suggest;
mod syntax;
#[cfg(test)]
mod tests;

pub use bind::bind;
pub use file::RuleFile;

pub(crate) use display::Sided;

use crate::decimal::Decimal;
use hyperblock_shared::threshold::Threshold;

/// A named rule: it holds on a pair if all predicates of one of its conjunctions do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As the file names it, or `rule N`.
    pub name: String,
    /// At least one, each with at least one predicate.
    pub conjunctions: Vec<Vec<Predicate>>,
}

/// The left or the right record of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `l.`, also `t.`
    Left,
    /// `r.`, also `s.`
    Right,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A column and what is done to its values before they are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// The column, by its place in the table's schema.
    pub column: usize,
    /// Its name, for people.
    pub name: String,
    /// In the order they are applied, the innermost first.
    pub transforms: Vec<Transform>,
}

/// A function from a value to a value. An empty result is a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transform {
    /// Unicode lower case.
    Lower,
    /// Without white space at both ends.
    Trim,
    /// `len` characters (all, if `None`) from the one at `from`, counted from 1.
    Substr {
        /// At least 1.
        from: u32,
        /// At least 1.
        len: Option<u32>,
    },
    /// [`hyperblock_shared::soundex::soundex`].
    Soundex,
}

/// How a value becomes a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tokenizer {
    /// What stands between white space.
    Words,
    /// Every run of q characters.
    Qgrams(u32),
}

/// What kind of value is compared: it decides what equal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// Equal if the characters are.
    Text,
    /// Equal if the numbers are: 1.0 is 1.
    Number,
    /// Days.
    Date,
}

/// A test of a pair, or the opposite of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Predicate {
    /// What is tested.
    pub test: Test,
    /// Whether it must fail.
    pub negated: bool,
}

/// What is tested.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// One record's value is a constant.
    Is {
        /// Whose value.
        side: Side,
        /// Which value.
        operand: Operand,
        /// What kind of value.
        domain: Domain,
        /// The constant: text as written, a number as [`Decimal`] writes it, a date as `YYYY-MM-DD`.
        constant: String,
    },
    /// The two records' values compare by a measure.
    Compare {
        /// Of the left record.
        left: Operand,
        /// Of the right record.
        right: Operand,
        /// What kind of value; `Text` for every measure but `Equal` and `Within`.
        domain: Domain,
        /// How they compare.
        measure: Measure,
    },
}

/// How two values compare. All measures are symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// They are equal.
    Equal,
    /// At most so many edits.
    LevenshteinAtMost(u32),
    /// Levenshtein similarity.
    LevenshteinSimilarity(Bound),
    /// Jaro-Winkler similarity.
    JaroWinklerSimilarity(Bound),
    /// Jaccard similarity of token sets.
    Jaccard(Tokenizer, Bound),
    /// Numbers differ by at most so much, or dates by at most so many days; `strict` if by less.
    Within {
        /// Not negative.
        most: Decimal,
        /// `<` rather than `<=`.
        strict: bool,
    },
}

/// What a similarity must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// Between 0 and 1, at most nine decimals.
    pub least: Decimal,
    /// `>` rather than `>=`.
    pub strict: bool,
}

/// The predicates of all rules, each once, in the order they first appear.
pub fn predicates(rules: &[Rule]) -> Vec<Predicate> {
    let mut distinct: Vec<Predicate> = Vec::new();
    for predicate in rules.iter().flat_map(|rule| &rule.conjunctions).flatten() {
        if !distinct.contains(predicate) {
            distinct.push(predicate.clone());
        }
    }
    distinct
}

impl From<Bound> for Threshold {
    fn from(bound: Bound) -> Self {
        let scale = 10u32.pow(bound.least.scale());
        let digits = bound.least.at_scale(bound.least.scale()).unwrap_or_default() as u32;
        Self { digits, scale, strict: bound.strict }
    }
}

impl Predicate {
    /// The predicate with left and right exchanged.
    pub fn mirrored(&self) -> Self {
        let test = match self.test.clone() {
            Test::Is { side, operand, domain, constant } => {
                Test::Is { side: side.other(), operand, domain, constant }
            }
            Test::Compare { left, right, domain, measure } => {
                Test::Compare { left: right, right: left, domain, measure }
            }
        };
        Self { test, negated: self.negated }
    }
}
