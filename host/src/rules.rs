//! Rules: from the text of a rule file to predicates over typed columns.
//!
//! `file` reads the TOML, and `literal` knows where each character of a `when` stands in it; `syntax` parses the `when`
//! into a [`syntax::Formula`]; `bind` gives every comparison its meaning against the tables' columns; `normal` brings
//! the formula into disjunctive normal form, less what `implication` finds to follow from the rest; `display` shows it
//! as SQL again. All of them ask `measure`, the table of measures. `operand` is what is compared of a record, `lookups` the tables that
//! values are looked up in. `neighbourhood` does
//! all this for the keys that records are sorted by. What comes out is a list of [`Rule`]s, each a set of conjunctions of [`Predicate`]s; `consequences` knows
//! which conjunctions hold wherever others do, and `subsumption` which of the rules add nothing. A [`Score`] is bound to
//! tables in the same way. Nothing here knows how a predicate is evaluated.

mod across;
mod bind;
mod consequences;
mod constant;
mod display;
mod file;
mod implication;
mod literal;
mod lookups;
pub(crate) mod measure;
mod neighbourhood;
mod normal;
mod operand;
mod ruleset;
mod score;
mod subsumption;
mod suggest;
mod syntax;
#[cfg(test)]
mod tests;
pub(crate) mod transform;

pub use across::bind_across;
pub use bind::{bind, bind_score};
pub use file::{AllPairs, ColumnEntry, RuleFile};
pub use measure::Counted;
pub use neighbourhood::{Neighbourhood, bind_neighbourhoods};
pub use operand::{Column, Operand, Part, Source};
pub use ruleset::RuleSet;
pub use score::{Level, Missing, Score, ScoreAttribute, ScoreMethod};
pub use subsumption::Subsumed;
pub(crate) use transform::Apply;
pub use transform::{Lookup, RegexpReplace, Right, Split, Substr, Transform};

pub(crate) use across::apart;
pub(crate) use bind::complaints;
pub(crate) use consequences::{Consequences, General};
pub(crate) use display::Sided;
pub(crate) use file::lacking;
pub(crate) use lookups::Listed;
pub(crate) use suggest::nearest;

use crate::base::decimal::Decimal;
use crate::base::sphere::{Within, within};
use hyperblock_shared::measure::Square;
use hyperblock_shared::threshold::Threshold;
use std::sync::Arc;

pub use hyperblock_shared::measure::{Asked, OfSets, OfTexts};

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

/// How a value becomes a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tokenizer {
    /// What stands between white space.
    Words,
    /// Runs of letters and digits, as long as they go.
    Alphanumeric,
    /// Every so many words that follow each other, joined by one blank.
    Shingles(u32),
    /// The elements of a list.
    Elements,
    /// Every run of q characters. With q = 1 these are the characters, `chars(x)`.
    Qgrams(u32),
}

/// What kind of value is compared: it decides what equal means, and which value is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Domain {
    /// Equal if the characters are; ordered by their code points.
    Text,
    /// Equal if the numbers are: 1.0 is 1.
    Number,
    /// Days.
    Date,
    /// Equal if latitude and longitude are the same numbers; without an order.
    Point,
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
    /// Something is asked of one record alone.
    Value {
        /// Whose value.
        side: Side,
        /// Which value.
        operand: Operand,
        /// What kind of value.
        domain: Domain,
        /// What is asked of it.
        condition: Condition,
    },
    /// The two records' values compare by a measure.
    Compare {
        /// Of the left record.
        left: Operand,
        /// Of the right record.
        right: Operand,
        /// What kind of value; `Text` for every measure but `Equal`, `Difference` and `Near`.
        domain: Domain,
        /// How they compare.
        measure: Measure,
    },
}

/// What is asked of one value. Constants are text as written, numbers as [`Decimal`] writes them, dates as `YYYY-MM-DD`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// It is missing. The one condition that has an outcome on a missing value.
    Missing,
    /// It is this constant.
    Is(String),
    /// It is one of these constants: at least two, ascending in the order of the domain.
    OneOf(Arc<[String]>),
    /// It is at most this constant; below it, if `strict`.
    AtMost {
        /// The constant.
        constant: String,
        /// `<` rather than `<=`.
        strict: bool,
    },
}

/// How two values compare. All measures but `Difference` are symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// They are equal.
    Equal,
    /// Texts, by a measure of their symbols.
    Texts(OfTexts, Asked<Bound>),
    /// Texts, by a measure of their token sets.
    Sets(Tokenizer, OfSets, Asked<Bound>),
    /// The left number minus the right one, or the days from the right date to the left one, lies between two bounds, at
    /// least one of which is there.
    Difference {
        /// From below.
        least: Option<Limit>,
        /// From above.
        most: Option<Limit>,
    },
    /// Points within so many kilometres of each other on the sphere: more than none, and less than all.
    Near(Limit),
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit {
    /// The end.
    pub at: Decimal,
    /// Without the end itself.
    pub strict: bool,
}

/// What a similarity must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// Between 0 and 1, at most nine decimals.
    pub least: Decimal,
    /// `>` rather than `>=`.
    pub strict: bool,
}

impl From<Bound> for Threshold {
    fn from(bound: Bound) -> Self {
        let scale = 10u32.pow(bound.least.scale());
        let digits = bound.least.at_scale(bound.least.scale()).unwrap_or_default() as u32;
        Self { digits, scale, strict: bound.strict }
    }
}

impl Predicate {
    /// The predicate that holds where this one fails.
    fn opposite(&self) -> Self {
        Self { test: self.test.clone(), negated: !self.negated }
    }

    /// The predicate with left and right exchanged.
    pub fn mirrored(&self) -> Self {
        let test = match self.test.clone() {
            Test::Value { side, operand, domain, condition } => {
                Test::Value { side: side.other(), operand, domain, condition }
            }
            Test::Compare { left, right, domain, measure } => {
                Test::Compare { left: right, right: left, domain, measure: measure.mirrored() }
            }
        };
        Self { test, negated: self.negated }
    }
}

impl Limit {
    /// As a limit of kilometres: the square of the longest chord, unless it allows nothing, or everything.
    pub(crate) fn chord(self) -> Option<Square> {
        match within(self.at, self.strict) {
            Within::Chord(square) => Some(square),
            Within::Nothing | Within::Everything => None,
        }
    }
}

impl Measure {
    /// The measure with left and right exchanged.
    fn mirrored(self) -> Self {
        let turned = |limit: Option<Limit>| limit.map(|limit| Limit { at: limit.at.negated(), ..limit });
        match self {
            Self::Difference { least, most } => Self::Difference { least: turned(most), most: turned(least) },
            symmetric => symmetric,
        }
    }
}
