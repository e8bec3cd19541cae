//! What stands on one side of an operator: a column under its transforms, a constant, a measure of two columns.

use super::quantity::Quantity;
use super::{Complaint, Constant, ConstantValue, Made, Parsed, Rule, Term, complaint};
use crate::base::decimal::Decimal;
use crate::rules::{Side, Tokenizer, Transform};
use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, Ident, UnaryOperator, Value};
use std::ops::Range;

/// One side of an operator.
#[derive(Clone)]
pub(super) enum Subject {
    Term(Term),
    Constant(Constant),
    /// A value's tokens.
    Set(Term, Tokenizer),
    /// A measure of a left value and a right one.
    Quantity(Quantity, Term, Term),
}

impl Subject {
    /// For people.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::Term(_) => "a column",
            Self::Constant(Constant { value: ConstantValue::Text(_), .. }) => "a text",
            Self::Constant(_) => "a number",
            Self::Set(..) => "a set of tokens",
            Self::Quantity(Quantity::Difference { .. }, ..) => "a difference",
            Self::Quantity(..) => "a measure",
        }
    }

    /// What to write where it stands alone.
    pub(super) fn how_to_compare(&self) -> String {
        match self {
            Self::Term(_) | Self::Constant(_) => "compare it: l.a = r.a, or l.a = 'x'".to_owned(),
            Self::Set(..) => "compare sets by jaccard(words(l.a), words(r.a)) >= 0.8".to_owned(),
            Self::Quantity(quantity, ..) => {
                let with = match quantity {
                    Quantity::Count(_, counted) => format!("a number of {}", counted.noun()),
                    Quantity::Distance | Quantity::Difference { .. } => "a number".to_owned(),
                    Quantity::Kilometres => "a number of kilometres".to_owned(),
                    Quantity::Similarity(_) => "a number between 0 and 1".to_owned(),
                };
                format!("compare it with {with}: {}", quantity.form())
            }
        }
    }
}

const SIDES: &str = "write l. for a column of the left record, r. for one of the right record";

impl Rule<'_> {
    pub(super) fn subject(&self, expr: &Expr) -> Parsed<Subject> {
        match expr {
            Expr::Nested(inner) => self.subject(inner),
            Expr::CompoundIdentifier(parts) => self.column(parts, expr).map(Subject::Term),
            Expr::Identifier(name) => match self.only_side {
                Some(side) => Ok(Subject::Term(column_of(side, name.value.clone(), self.tokens.span(expr)))),
                None => Err(self.unqualified(name)),
            },
            Expr::Value(value) => self.constant(&value.value, expr).map(Subject::Constant),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match inner.as_ref() {
                Expr::Value(value) if matches!(value.value, Value::Number(..)) => {
                    self.constant(&value.value, expr).map(Subject::Constant)
                }
                _ => Err(self.unsupported(expr)),
            },
            Expr::BinaryOp { left, op: BinaryOperator::Minus, right } => self.difference(left, right, expr),
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } => self.joined_texts(expr),
            Expr::Trim { expr: inner, trim_where: None, trim_what: None, trim_characters: None } => {
                self.transformed("trim", inner, Transform::Trim, expr)
            }
            Expr::Trim { .. } => {
                Err(complaint(self.tokens.span(expr), "trim takes one column").help("write trim(l.a)"))
            }
            Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
                self.substring(inner, substring_from.as_deref(), substring_for.as_deref(), expr)
            }
            Expr::Extract { field: DateTimeField::Year, expr: inner, .. } => {
                self.transformed("year", inner, Transform::Year, expr)
            }
            Expr::Function(function) => self.call(function, expr),
            other => Err(self.unsupported(other)),
        }
    }

    fn column(&self, parts: &[Ident], expr: &Expr) -> Parsed<Term> {
        let span = self.tokens.span(expr);
        let [table, name] = parts else {
            let message = "a column is written with its side and its name";
            return Err(complaint(span, message).help("if the name has a dot in it, quote it: l.\"a.b\""));
        };
        let side = match table.value.to_ascii_lowercase().as_str() {
            "l" | "t" => Side::Left,
            "r" | "s" => Side::Right,
            _ => {
                let message = format!("`{}` is neither l nor r", table.value);
                return Err(complaint(self.tokens.word(table.span), message).help(SIDES));
            }
        };
        if let Some(only) = self.only_side.filter(|only| *only != side) {
            let message = match only {
                Side::Left => "this key is of the left table",
                Side::Right => "this key is of the right table",
            };
            return Err(complaint(span, message).help("write the column alone, without l. or r."));
        }
        Ok(column_of(side, name.value.clone(), span))
    }

    fn unqualified(&self, name: &Ident) -> Complaint {
        let span = self.tokens.word(name.span);
        let quoted = matches!(name.quote_style, Some('"'));
        let complaint = complaint(span, format!("`{}` could be a column of l or of r", name.value));
        let (name, text) = (name.to_string(), name.value.replace('\'', "''"));
        complaint.help(match quoted {
            true => format!("write l.{name} or r.{name}; a text stands in single quotes: '{text}'"),
            false => format!("write l.{name} or r.{name}"),
        })
    }

    /// A constant; `expr` may put a minus before it.
    fn constant(&self, value: &Value, expr: &Expr) -> Parsed<Constant> {
        let span = self.tokens.span(expr);
        let value =
            match value {
                Value::SingleQuotedString(text) => ConstantValue::Text(text.clone()),
                Value::Number(digits, false) => {
                    let minus = matches!(expr, Expr::UnaryOp { .. });
                    ConstantValue::Number(number(digits, minus, &span)?)
                }
                Value::Null => {
                    let message = "a comparison with NULL is never true";
                    return Err(complaint(span, message)
                        .help("missing is not equal: for a missing value, write IS NULL"));
                }
                _ => {
                    return Err(complaint(span, "this constant is not supported here")
                        .help("write 'text' or a number"));
                }
            };
        Ok(Constant { value, span })
    }

    /// A column, perhaps transformed: what all functions take.
    pub(super) fn term(&self, expr: &Expr, function: &str) -> Parsed<Term> {
        match self.subject(expr)? {
            Subject::Term(term) => Ok(term),
            other => {
                let message = format!("{function} takes a column, not {}", other.what());
                Err(complaint(self.tokens.span(expr), message)
                    .help("write a column of l or of r, perhaps in a transform such as lower"))
            }
        }
    }

    pub(super) fn transformed(
        &self,
        function: &str,
        inner: &Expr,
        transform: Transform,
        expr: &Expr,
    ) -> Parsed<Subject> {
        let mut term = self.term(inner, function)?;
        term.made.transforms.push(transform);
        term.span = self.tokens.span(expr);
        term.made.span = term.span.clone();
        Ok(Subject::Term(term))
    }

    /// `left - right`
    pub(super) fn difference(&self, left: &Expr, right: &Expr, expr: &Expr) -> Parsed<Subject> {
        let term = |expr: &Expr| match self.subject(expr)? {
            Subject::Term(term) => Ok(term),
            other => {
                let message = format!("a difference is of two columns, and this is {}", other.what());
                Err(complaint(self.tokens.span(expr), message)
                    .help("write l.x - r.x, and compare it with a number"))
            }
        };
        let (a, b) = (term(left)?, term(right)?);
        let turned = a.side == Side::Right;
        let (left, right) = pair(a, b, self.tokens.span(expr))?;
        Ok(Subject::Quantity(Quantity::Difference { turned }, left, right))
    }
}

fn column_of(side: Side, name: String, span: Range<usize>) -> Term {
    Term { side, made: Made::column(name, span.clone()), span }
}

/// The two, left one first.
pub(super) fn pair(a: Term, b: Term, span: Range<usize>) -> Parsed<(Term, Term)> {
    match (a.side, b.side) {
        (Side::Left, Side::Right) => Ok((a, b)),
        (Side::Right, Side::Left) => Ok((b, a)),
        _ => Err(complaint(span, "both columns are of the same record")
            .help("a rule compares l with r: one column must be of l, the other of r")),
    }
}

/// A number as SQL writes it, which is more than [`Decimal::parse`] takes: `.5`, `5.`, `007`.
pub(super) fn number(digits: &str, minus: bool, span: &Range<usize>) -> Parsed<Decimal> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
        None => (digits, String::new()),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    let number = Decimal::parse(&format!("{whole}{fraction}{exponent}")).ok_or_else(|| {
        complaint(span.clone(), format!("cannot read `{digits}` as a number"))
            .help("a number has at most 36 digits")
    })?;
    Ok(if minus { number.negated() } else { number })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_as_sql_writes_them() {
        for (digits, minus, shown) in [
            ("0.8", false, "0.8"),
            (".8", false, "0.8"),
            ("5.", false, "5"),
            ("007", false, "7"),
            ("1.50", true, "-1.5"),
            ("0", true, "0"),
            ("0.00", true, "0"),
            ("1e3", false, "1000"),
            ("1E-2", true, "-0.01"),
        ] {
            assert_eq!(
                number(digits, minus, &(0..0)).map(|number| number.to_string()).ok().as_deref(),
                Some(shown),
                "{digits}"
            );
        }
        assert!(number("1e99", false, &(0..0)).is_err());
    }
}
