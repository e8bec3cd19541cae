//! Rules for people: the SQL that would parse to them.

use super::{
    Boost, Bound, Condition, Domain, EditDistance, Limit, Measure, Operand, Predicate, Rule, SetSimilarity,
    Side, Test, Tokenizer, Transform,
};
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
            Test::Value { side, operand, domain, condition } => {
                let operand = Sided(*side, operand);
                match condition {
                    Condition::Missing => {
                        write!(f, "{operand} IS {}NULL", if self.negated { "NOT " } else { "" })
                    }
                    Condition::Is(constant) => write!(f, "{operand} {equal} {}", Constant(constant, *domain)),
                    Condition::AtMost { constant, strict } => {
                        let op = at_most(*strict, self.negated);
                        write!(f, "{operand} {op} {}", Constant(constant, *domain))
                    }
                }
            }
            Test::Compare { left, right, measure, .. } => {
                let (left, right) = (Sided(Side::Left, left), Sided(Side::Right, right));
                match *measure {
                    Measure::Equal => write!(f, "{left} {equal} {right}"),
                    Measure::Edits(distance, most) => {
                        let (name, op) = (edit_distance(distance), at_most(false, self.negated));
                        write!(f, "{name}({left}, {right}) {op} {most}")
                    }
                    Measure::EditSimilarity(distance, bound) => {
                        write!(f, "{}_similarity({left}, {right}) ", edit_distance(distance))?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::Jaro(boost, bound) => {
                        let name = match boost {
                            Boost::None => "jaro_similarity",
                            Boost::Winkler => "jaro_winkler_similarity",
                        };
                        write!(f, "{name}({left}, {right}) ")?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::Sets(tokenizer, similarity, bound) => {
                        let name = match similarity {
                            SetSimilarity::Jaccard => "jaccard",
                            SetSimilarity::Dice => "dice",
                            SetSimilarity::Cosine => "cosine",
                            SetSimilarity::Overlap => "overlap_coefficient",
                        };
                        write!(f, "{name}({}, {}) ", Tokens(&left, tokenizer), Tokens(&right, tokenizer))?;
                        reaches(f, bound, self.negated)
                    }
                    Measure::CommonTokens(tokenizer, least) => {
                        let op = if self.negated { "<" } else { ">=" };
                        write!(
                            f,
                            "overlap({}, {}) {op} {least}",
                            Tokens(&left, tokenizer),
                            Tokens(&right, tokenizer)
                        )
                    }
                    Measure::Difference { least, most } => {
                        difference(f, &left, &right, least, most, self.negated)
                    }
                }
            }
        }
    }
}

/// `abs(l.x - r.x) <= 2` or `l.x < r.x` where the limits allow it, else comparisons of `l.x - r.x`, one if that is enough.
fn difference(
    f: &mut Formatter<'_>,
    left: &Sided<'_>,
    right: &Sided<'_>,
    least: Option<Limit>,
    most: Option<Limit>,
    negated: bool,
) -> fmt::Result {
    let is_zero = |limit: Limit| limit.at == limit.at.negated();
    match (least, most) {
        (Some(least), Some(most)) if least.at == most.at.negated() && least.strict == most.strict => {
            write!(f, "abs({left} - {right}) {} {}", at_most(most.strict, negated), most.at)
        }
        (Some(least), Some(most)) if !least.strict && !most.strict => match least.at == most.at {
            true => write!(f, "{left} - {right} {} {}", if negated { "<>" } else { "=" }, least.at),
            false => {
                let not = if negated { "NOT " } else { "" };
                write!(f, "{left} - {right} {not}BETWEEN {} AND {}", least.at, most.at)
            }
        },
        (Some(limit), None) if is_zero(limit) => {
            write!(f, "{left} {} {right}", at_most(!limit.strict, !negated))
        }
        (None, Some(limit)) if is_zero(limit) => {
            write!(f, "{left} {} {right}", at_most(limit.strict, negated))
        }
        (least, most) => {
            let (open, close) =
                if negated && least.is_some() && most.is_some() { ("(", ")") } else { ("", "") };
            f.write_str(open)?;
            if let Some(Limit { at, strict }) = least {
                write!(f, "{left} - {right} {} {at}", at_most(!strict, !negated))?;
            }
            if least.is_some() && most.is_some() {
                f.write_str(if negated { " OR " } else { " AND " })?;
            }
            if let Some(Limit { at, strict }) = most {
                write!(f, "{left} - {right} {} {at}", at_most(strict, negated))?;
            }
            f.write_str(close)
        }
    }
}

fn edit_distance(distance: EditDistance) -> &'static str {
    match distance {
        EditDistance::Levenshtein => "levenshtein",
        EditDistance::Damerau => "damerau_levenshtein",
        EditDistance::Hamming => "hamming",
    }
}

struct Constant<'a>(&'a str, Domain);

impl Display for Constant<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Domain::Number => f.write_str(self.0),
            Domain::Text | Domain::Date => f.write_str(&quoted(self.0)),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

struct Tokens<'a>(&'a Sided<'a>, Tokenizer);

impl Display for Tokens<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(value, tokenizer) = self;
        match tokenizer {
            Tokenizer::Words => write!(f, "words({value})"),
            Tokenizer::Qgrams(1) => write!(f, "chars({value})"),
            Tokenizer::Qgrams(q) => write!(f, "qgrams({value}, {q})"),
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
        write_operand(
            f,
            match side {
                Side::Left => "l.",
                Side::Right => "r.",
            },
            operand,
        )
    }
}

/// Of either side.
impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_operand(f, "", self)
    }
}

fn write_operand(f: &mut Formatter<'_>, side: &str, operand: &Operand) -> fmt::Result {
    // Calls nest outwards: the transform applied last is written first.
    for transform in operand.transforms.iter().rev() {
        f.write_str(match transform {
            Transform::Lower => "lower(",
            Transform::Upper => "upper(",
            Transform::Trim => "trim(",
            Transform::Substr { .. } => "substr(",
            Transform::Right(_) => "right(",
            Transform::RegexpReplace { .. } => "regexp_replace(",
            Transform::StripAccents => "strip_accents(",
            Transform::Soundex => "soundex(",
            Transform::Metaphone => "metaphone(",
            Transform::Year => "year(",
            Transform::LengthKey => "length_key(",
        })?;
    }
    f.write_str(side)?;
    name(f, &operand.name)?;
    for transform in &operand.transforms {
        match transform {
            Transform::Substr { from, len: None } => write!(f, ", {from})")?,
            Transform::Substr { from, len: Some(len) } => write!(f, ", {from}, {len})")?,
            Transform::Right(len) => write!(f, ", {len})")?,
            Transform::RegexpReplace { pattern, replacement, all, ignore_case } => {
                write!(f, ", {}, {}", quoted(pattern), quoted(replacement))?;
                let flags = match (all, ignore_case) {
                    (false, false) => "",
                    (true, false) => ", 'g'",
                    (false, true) => ", 'i'",
                    (true, true) => ", 'gi'",
                };
                write!(f, "{flags})")?;
            }
            Transform::Lower
            | Transform::Upper
            | Transform::Trim
            | Transform::StripAccents
            | Transform::Soundex
            | Transform::Metaphone
            | Transform::Year
            | Transform::LengthKey => f.write_str(")")?,
        }
    }
    Ok(())
}

fn name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let start = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let plain = start && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if plain { f.write_str(name) } else { write!(f, "\"{}\"", name.replace('"', "\"\"")) }
}
