//! Rules for people: the SQL that would parse to them.

use super::measure::Form;
use super::transform::quoted;
use super::{
    Asked, Bound, Column, Condition, Domain, Limit, Measure, Operand, Part, Predicate, Rule, Side, Source,
    Test, Tokenizer, Transform,
};
use std::fmt::{self, Display, Formatter};

/// The formula; not the name.
impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Formula(&self.conjunctions).fmt(f)
    }
}

/// What conjunctions say together.
pub(super) struct Formula<'a>(pub(super) &'a [Vec<Predicate>]);

impl Display for Formula<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, conjunction) in self.0.iter().enumerate() {
            let bare = self.0.len() == 1 || conjunction.len() == 1;
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
                    Condition::OneOf(constants) => {
                        let not = if self.negated { "NOT " } else { "" };
                        write!(f, "{operand} {not}IN {}", Constants(constants, *domain))
                    }
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
                    Measure::Texts(_, asked) => called(f, measure, [&left, &right], asked, self.negated),
                    Measure::Sets(tokenizer, _, asked) => {
                        let sets = [&Tokens(&left, tokenizer) as &dyn Display, &Tokens(&right, tokenizer)];
                        called(f, measure, sets, asked, self.negated)
                    }
                    Measure::Difference { least, most } => {
                        difference(f, &left, &right, least, most, self.negated)
                    }
                    Measure::Near(Limit { at, strict }) => {
                        write!(f, "distance_km({left}, {right}) {} {at}", at_most(strict, self.negated))
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

/// A measure as the call of its function, compared with a number.
fn called(
    f: &mut Formatter<'_>,
    measure: &Measure,
    [left, right]: [&dyn Display; 2],
    asked: Asked<Bound>,
    negated: bool,
) -> fmt::Result {
    let row = measure.row().ok_or(fmt::Error)?;
    let form = row.form(asked);
    write!(f, "{}({left}, {right}) ", row.name(form))?;
    match (asked, form) {
        (Asked::Count(most), Form::Count(counted)) if counted.is_distance() => {
            write!(f, "{} {most}", at_most(false, negated))
        }
        (Asked::Count(least), _) => write!(f, "{} {least}", at_least(false, negated)),
        (Asked::Similarity(Bound { least, strict }), _) => write!(f, "{} {least}", at_least(strict, negated)),
    }
}

struct Constant<'a>(&'a str, Domain);

impl Display for Constant<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Domain::Number => f.write_str(self.0),
            Domain::Text | Domain::Date | Domain::Point => f.write_str(&quoted(self.0)),
        }
    }
}

struct Constants<'a>(&'a [String], Domain);

impl Display for Constants<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        /// A longer list is shown by its beginning.
        const MOST: usize = 8;
        const BEGINNING: usize = 2;
        let Self(all, domain) = self;
        let shown = if all.len() > MOST { &all[..BEGINNING] } else { all };
        for (n, constant) in shown.iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "(" } else { ", " }, Constant(constant, *domain))?;
        }
        match all.len() - shown.len() {
            0 => f.write_str(")"),
            more => write!(f, ", … {more} more)"),
        }
    }
}

struct Tokens<'a>(&'a Sided<'a>, Tokenizer);

impl Display for Tokens<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(value, tokenizer) = self;
        match tokenizer {
            Tokenizer::Words => write!(f, "words({value})"),
            Tokenizer::Alphanumeric => write!(f, "alphanumeric({value})"),
            Tokenizer::Shingles(n) => write!(f, "shingles({value}, {n})"),
            Tokenizer::Elements => value.fmt(f),
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

fn at_least(strict: bool, negated: bool) -> &'static str {
    match (strict, negated) {
        (false, false) => ">=",
        (true, false) => ">",
        (false, true) => "<",
        (true, true) => "<=",
    }
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
    let Operand { columns, source, transforms } = operand;
    // What is joined by signs stands in parentheses, unless a call puts it into some.
    let is_bare = transforms.is_empty() && matches!(source, Source::Joined { skips_missing: false, .. });
    f.write_str(if is_bare { "(" } else { "" })?;
    Written { side, columns, source, transforms }.fmt(f)?;
    f.write_str(if is_bare { ")" } else { "" })
}

/// A value of one side, or a part of one.
struct Written<'a> {
    side: &'a str,
    columns: &'a [Column],
    source: &'a Source,
    transforms: &'a [Transform],
}

impl Display for Written<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { side, columns, source, transforms } = *self;
        let part = |part: &'_ Part, f: &mut Formatter<'_>| {
            Written { side, columns, source: &part.source, transforms: &part.transforms }.fmt(f)
        };
        let list = |parts: &'_ [Part], between: &str, f: &mut Formatter<'_>| {
            parts.iter().enumerate().try_for_each(|(n, of)| {
                f.write_str(if n > 0 { between } else { "" })?;
                part(of, f)
            })
        };
        let call = |name: &str, parts: &'_ [Part], f: &mut Formatter<'_>| {
            write!(f, "{name}(")?;
            list(parts, ", ", f)?;
            f.write_str(")")
        };
        // Calls nest outwards: the transform applied last is written first.
        for transform in transforms.iter().rev() {
            write!(f, "{}(", transform.name())?;
        }
        match source {
            Source::Column(place) | Source::List(place) => {
                f.write_str(side)?;
                name(f, columns.get(*place).map_or("", |column| &column.name))?;
            }
            Source::Constant(constant, domain) => Constant(constant, *domain).fmt(f)?,
            Source::Joined { parts, skips_missing: false } => list(parts, " || ", f)?,
            Source::Joined { parts, .. } => call("concat", parts, f)?,
            Source::Coalesce(parts) => call("coalesce", parts, f)?,
            Source::NullIf { parts, .. } => call("nullif", &parts[..], f)?,
            Source::Point(parts) => list(&parts[..], ", ", f)?,
        }
        for transform in transforms {
            transform.write_arguments(f)?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

fn name(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let start = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    let plain = start && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if plain { f.write_str(name) } else { write!(f, "\"{}\"", name.replace('"', "\"\"")) }
}
