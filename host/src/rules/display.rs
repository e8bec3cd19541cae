//! Rules for people: the SQL that would parse to them.

use super::{Bound, Domain, Measure, Operand, Predicate, Rule, Side, Test, Tokenizer, Transform};
use std::fmt::{self, Display, Formatter};

/// The formula; not the name.
impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, conjunction) in self.conjunctions.iter().enumerate() {
            let bare = self.conjunctions.len() == 1 || conjunction.len() == 1;
            let (open, close) = if bare { ("", "") } else { ("(", ")") };
            f.write_str(if n > 0 { " OR " } else { "" })?;
            f.write_str(open)?;
            for (n, predicate) in conjunction.iter().enumerate() {
                f.write_str(if n > 0 { " AND " } else { "" })?;
                predicate.fmt(f)?;
            }
            f.write_str(close)?;
        }
        Ok(())
    }
}

/// Negation turns the operator round, so there is never a NOT to read.
impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let equal = if self.negated { "<>" } else { "=" };
        match &self.test {
            Test::Is { side, operand, domain: Domain::Number, constant } => {
                write!(f, "{} {equal} {constant}", Sided(*side, operand))
            }
            Test::Is { side, operand, domain: Domain::Text | Domain::Date, constant } => {
                write!(f, "{} {equal} '{}'", Sided(*side, operand), constant.replace('\'', "''"))
            }
            Test::Compare { left, right, measure, .. } => {
                let (left, right) = (Sided(Side::Left, left), Sided(Side::Right, right));
                match *measure {
                    Measure::Equal => write!(f, "{left} {equal} {right}"),
                    Measure::LevenshteinAtMost(edits) => {
                        write!(f, "levenshtein({left}, {right}) {} {edits}", at_most(false, self.negated))
                    }
                    Measure::LevenshteinSimilarity(bound) => {
                        write!(f, "levenshtein_similarity({left}, {right}) ")?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::JaroWinklerSimilarity(bound) => {
                        write!(f, "jaro_winkler_similarity({left}, {right}) ")?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::Jaccard(Tokenizer::Words, bound) => {
                        write!(f, "jaccard(words({left}), words({right})) ")?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::Jaccard(Tokenizer::Qgrams(q), bound) => {
                        write!(f, "jaccard(qgrams({left}, {q}), qgrams({right}, {q})) ")?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::Within { most, strict } => {
                        write!(f, "abs({left} - {right}) {} {most}", at_most(strict, self.negated))
                    }
                }
            }
        }
    }
}

fn at_most(strict: bool, negated: bool) -> &'static str {
    match (strict, negated) {
        (false, false) => "<=",
        (true, false) => "<",
        (false, true) => ">",
        (true, true) => ">=",
    }
}

fn reaches(f: &mut Formatter<'_>, bound: Bound, negated: bool) -> fmt::Result {
    let op = match (bound.strict, negated) {
        (false, false) => ">=",
        (true, false) => ">",
        (false, true) => "<",
        (true, true) => "<=",
    };
    write!(f, "{op} {}", bound.least)
}

/// An operand with its side, as in `lower(l.name)`.
pub(crate) struct Sided<'a>(pub(crate) Side, pub(crate) &'a Operand);

impl Display for Sided<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(side, operand) = self;
        // Calls nest outwards: the transform applied last is written first.
        for transform in operand.transforms.iter().rev() {
            f.write_str(match transform {
                Transform::Lower => "lower(",
                Transform::Trim => "trim(",
                Transform::Substr { .. } => "substr(",
                Transform::Soundex => "soundex(",
            })?;
        }
        f.write_str(match side {
            Side::Left => "l.",
            Side::Right => "r.",
        })?;
        name(f, &operand.name)?;
        for transform in &operand.transforms {
            match transform {
                Transform::Substr { from, len: None } => write!(f, ", {from})")?,
                Transform::Substr { from, len: Some(len) } => write!(f, ", {from}, {len})")?,
                Transform::Lower | Transform::Trim | Transform::Soundex => f.write_str(")")?,
            }
        }
        Ok(())
    }
}

fn name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let start = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let plain = start && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if plain { f.write_str(name) } else { write!(f, "\"{}\"", name.replace('"', "\"\"")) }
}
