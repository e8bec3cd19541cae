//! What a `when` says, before it is known what the columns are.
//!
//! sqlparser reads the SQL; here its tree is narrowed to what a rule can say: comparisons joined by AND, OR and NOT.
//! Everything that can be wrong without looking at a table is found here: which side a column is on, the shape of a
//! function call, thresholds out of range. [`tokens`] finds the exact characters of an expression, [`term`] reads what
//! stands on one side of a comparison, [`made`] what a value is made of, [`call`] the functions in it, [`comparison`] puts the sides together, and
//! [`quantity`] knows what it means that a measure is compared with a number; [`attribute`] takes measures that are not.

mod attribute;
mod call;
mod comparison;
mod made;
mod makers;
mod op;
mod quantity;
mod term;
mod tokens;

pub(super) use attribute::{Measured, parse_measure};
pub(super) use made::{From, Made};

use super::literal::Literal;
use super::{Measure, Side};
use crate::base::decimal::Decimal;
use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;
use std::ops::Range;
use term::Subject;
use tokens::Tokens;

/// Comparisons, or predicates, joined by AND, OR and NOT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula<T> {
    /// All of them.
    And(Vec<Self>),
    /// One of them.
    Or(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// What is joined.
    Leaf(T),
}

/// One comparison, its operands on their sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Something is asked of one value.
    Value(Term, Asked),
    /// A left value with a right one, by a measure.
    Pair {
        left: Term,
        right: Term,
        measure: Measure,
        /// All of it.
        span: Range<usize>,
    },
}

/// What is asked of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// That it is missing.
    Missing,
    /// That it is this constant.
    Is(Constant),
    /// That it is one of these constants.
    OneOf(Vec<Constant>),
    /// That it is at most this constant; below it, if `strict`.
    AtMost { constant: Constant, strict: bool },
}

/// What is compared: a value of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) side: Side,
    pub(super) made: Made,
    pub(super) span: Range<usize>,
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) value: ConstantValue,
    pub(super) span: Range<usize>,
}

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConstantValue {
    Text(String),
    Number(Decimal),
}

/// What is wrong, where in the rule file, and what to do about it.
#[derive(Debug)]
pub(super) struct Complaint {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

pub(super) type Parsed<T> = Result<T, Complaint>;

pub(super) fn complaint(span: Range<usize>, message: impl Into<String>) -> Complaint {
    Complaint { span, message: message.into(), help: None }
}

impl Complaint {
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl<T> Formula<T> {
    pub(super) fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// The opposite, if `negated`.
    fn not_if(self, negated: bool) -> Self {
        if negated { self.not() } else { self }
    }

    /// What is joined, in file order.
    pub(super) fn leaves(&self) -> Vec<&T> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::leaves).collect(),
            Self::Not(inner) => inner.leaves(),
            Self::Leaf(leaf) => vec![leaf],
        }
    }

    /// The same formula over something else.
    pub(super) fn try_map<U, E>(&self, map: &impl Fn(&T) -> Result<U, E>) -> Result<Formula<U>, E> {
        let all = |parts: &[Self]| parts.iter().map(|part| part.try_map(map)).collect::<Result<Vec<_>, E>>();
        Ok(match self {
            Self::And(parts) => Formula::And(all(parts)?),
            Self::Or(parts) => Formula::Or(all(parts)?),
            Self::Not(inner) => inner.try_map(map)?.not(),
            Self::Leaf(leaf) => Formula::Leaf(map(leaf)?),
        })
    }
}

impl Comparison {
    /// Its columns.
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            Self::Value(term, _) => (term, None),
            Self::Pair { left, right, .. } => (left, Some(right)),
        };
        std::iter::once(first).chain(second)
    }
}

/// What can be done, for those who tried something else.
const SUPPORTED: &str = "a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, \
     IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2";

/// Parses a `when`.
pub(super) fn parse(when: &Literal) -> Parsed<Formula<Comparison>> {
    let empty = || complaint(when.whole(), "the rule is empty").help(SUPPORTED);
    let (tokens, expr) = expression(when, empty, "join comparisons by AND or OR")?;
    Rule { tokens: &tokens, only_side: None }.formula(&expr)
}

/// Parses a key: a column of one side, which need not be written, under its transforms.
pub(super) fn parse_key(key: &Literal, side: Side) -> Parsed<Term> {
    let help = "write a column, perhaps in transforms: soundex(title)";
    let empty = || complaint(key.whole(), "the key is empty").help(help);
    let (tokens, expr) =
        expression(key, empty, "a key is one column: for several, write several neighbourhoods")?;
    let rule = Rule { tokens: &tokens, only_side: Some(side) };
    match rule.subject(&expr)? {
        Subject::Term(term) => Ok(term),
        other => {
            let message = format!("a key is a column, and this is {}", other.what());
            Err(complaint(tokens.span(&expr), message).help(help))
        }
    }
}

/// The expression that a text is, or what is wrong with it; `instead` is what to do where there is more than one.
fn expression<'a>(
    text: &'a Literal,
    empty: impl Fn() -> Complaint,
    instead: &str,
) -> Parsed<(Tokens<'a>, Expr)> {
    if text.text().trim().is_empty() {
        return Err(empty());
    }
    let dialect = GenericDialect {};
    let (tokens, located) = Tokens::read(text, &dialect)?;
    if tokens.is_empty() {
        return Err(empty());
    }
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(located);
    let expr = parser.parse_expr().map_err(|error| syntax_error(&tokens, &error))?;
    let next = parser.peek_token();
    if let Some(span) = tokens.token_at(next.span.start) {
        let help = match next.token {
            Token::RParen => "there is no parenthesis for it to close",
            Token::SemiColon => "a rule is one condition: write it without a semicolon",
            _ => instead,
        };
        return Err(complaint(span, format!("unexpected `{next}`")).help(help));
    }
    Ok((tokens, expr))
}

/// Rephrases sqlparser's message, which ends in a place within the `when`, and points there instead.
fn syntax_error(tokens: &Tokens<'_>, error: &ParserError) -> Complaint {
    let (ParserError::ParserError(message) | ParserError::TokenizerError(message)) = error else {
        return complaint(tokens.all(), "the rule is nested too deeply")
            .help("write it with fewer parentheses");
    };
    let (message, place) = tokens::split_place(message);
    let span = place.and_then(|place| tokens.token_at(place)).unwrap_or_else(|| tokens.end());
    let sign = |wanted: &str| !wanted.contains(char::is_alphanumeric);
    let message = match message.strip_prefix("Expected: ").and_then(|rest| rest.split_once(", found: ")) {
        Some((wanted, "EOF")) if sign(wanted) => format!("expected `{wanted}`, but the rule ends"),
        Some((wanted, "EOF")) => format!("expected {wanted}, but the rule ends"),
        Some((wanted, found)) if sign(wanted) => format!("expected `{wanted}`, found `{found}`"),
        Some((wanted, found)) => format!("expected {wanted}, found `{found}`"),
        None => {
            let mut chars = message.chars();
            chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
        }
    };
    let nothing = message == "expected an expression, found `)`";
    let complaint = complaint(span, message);
    if nothing { complaint.help("something is missing before the parenthesis") } else { complaint }
}

/// The reading of one rule.
struct Rule<'a> {
    tokens: &'a Tokens<'a>,
    /// The side that all columns are on, if it is a key that is read.
    only_side: Option<Side>,
}

impl Rule<'_> {
    fn formula(&self, expr: &Expr) -> Parsed<Formula<Comparison>> {
        match expr {
            Expr::Nested(inner) => self.formula(inner),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => Ok(self.formula(expr)?.not()),
            Expr::BinaryOp { op: BinaryOperator::And, .. } => {
                Ok(Formula::And(self.joined(expr, &BinaryOperator::And)?))
            }
            Expr::BinaryOp { op: BinaryOperator::Or, .. } => {
                Ok(Formula::Or(self.joined(expr, &BinaryOperator::Or)?))
            }
            Expr::BinaryOp { left, op, right } => match op::Op::of(op) {
                Some(op) => {
                    let (left, right) = (self.subject(left)?, self.subject(right)?);
                    comparison::compare(left, op, right, self.tokens.span(expr))
                }
                None => Err(self.no_condition(expr)),
            },
            Expr::IsNull(inner) => self.missing(inner),
            Expr::IsNotNull(inner) => Ok(self.missing(inner)?.not()),
            Expr::InList { expr: inner, list, negated } => Ok(self.one_of(inner, list)?.not_if(*negated)),
            Expr::Between { expr: inner, negated, low, high } => {
                let (subject, low, high) = (self.subject(inner)?, self.subject(low)?, self.subject(high)?);
                let between = comparison::between(subject, low, high, self.tokens.span(expr))?;
                Ok(between.not_if(*negated))
            }
            Expr::Value(value) if matches!(value.value, Value::Boolean(_)) => {
                Err(comparison::cross_product(self.tokens.span(expr)))
            }
            other => Err(self.no_condition(other)),
        }
    }

    /// `a AND b AND c` leans to the left, and may be long: go down that side without recursion.
    fn joined(&self, expr: &Expr, by: &BinaryOperator) -> Parsed<Vec<Formula<Comparison>>> {
        let (mut parts, mut rest) = (Vec::new(), expr);
        while let Expr::BinaryOp { left, op, right } = rest {
            if op != by {
                break;
            }
            parts.push(right.as_ref());
            rest = left;
        }
        parts.push(rest);
        parts.into_iter().rev().map(|part| self.formula(part)).collect()
    }

    fn missing(&self, expr: &Expr) -> Parsed<Formula<Comparison>> {
        match self.subject(expr)? {
            Subject::Term(term) => Ok(Formula::Leaf(Comparison::Value(term, Asked::Missing))),
            other => {
                let message = format!("a column may be NULL, and this is {}", other.what());
                Err(complaint(self.tokens.span(expr), message).help("write l.a IS NULL or r.a IS NULL"))
            }
        }
    }

    fn one_of(&self, expr: &Expr, list: &[Expr]) -> Parsed<Formula<Comparison>> {
        let subject = self.subject(expr)?;
        let equal = |element: &Expr| match self.subject(element)? {
            constant @ Subject::Constant(_) => {
                comparison::compare(subject.clone(), op::Op::Eq, constant, self.tokens.span(element))
            }
            other => {
                let message = format!("IN lists constants, and this is {}", other.what());
                Err(complaint(self.tokens.span(element), message)
                    .help("write it out: l.a = r.a OR l.a = r.b"))
            }
        };
        let all = list.iter().map(equal).collect::<Parsed<Vec<_>>>()?;
        let Subject::Term(term) = subject else { return Ok(Formula::Or(all)) };
        // A value is looked up among constants: that is one comparison.
        let constant = |equal| match equal {
            Formula::Leaf(Comparison::Value(_, Asked::Is(constant))) => Some(constant),
            _ => None,
        };
        let constants = all.into_iter().filter_map(constant).collect();
        Ok(Formula::Leaf(Comparison::Value(term, Asked::OneOf(constants))))
    }

    /// Something that is not true or false stands where a comparison should.
    fn no_condition(&self, expr: &Expr) -> Complaint {
        let is_value = matches!(
            expr,
            Expr::Identifier(_)
                | Expr::CompoundIdentifier(_)
                | Expr::Value(_)
                | Expr::Function(_)
                | Expr::Trim { .. }
                | Expr::Substring { .. }
                | Expr::BinaryOp { op: BinaryOperator::Minus | BinaryOperator::StringConcat, .. }
        );
        if !is_value {
            return self.unsupported(expr);
        }
        match self.subject(expr) {
            Ok(subject) => {
                let message = format!("{} alone is no comparison", subject.what());
                complaint(self.tokens.span(expr), message).help(subject.how_to_compare())
            }
            Err(complaint) => complaint,
        }
    }

    fn unsupported(&self, expr: &Expr) -> Complaint {
        let what = match expr {
            Expr::IsTrue(_) | Expr::IsNotTrue(_) | Expr::IsFalse(_) | Expr::IsNotFalse(_) => {
                "IS TRUE".to_owned()
            }
            Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => "IS DISTINCT FROM".to_owned(),
            Expr::InSubquery { .. } => "IN (SELECT …)".to_owned(),
            Expr::InUnnest { .. } => "IN UNNEST".to_owned(),
            Expr::Like { .. } => "LIKE".to_owned(),
            Expr::ILike { .. } => "ILIKE".to_owned(),
            Expr::SimilarTo { .. } => "SIMILAR TO".to_owned(),
            Expr::Case { .. } => "CASE".to_owned(),
            Expr::Cast { .. } => "CAST".to_owned(),
            Expr::Exists { .. } => "EXISTS".to_owned(),
            Expr::BinaryOp { op, .. } => op.to_string(),
            Expr::UnaryOp { op, .. } => op.to_string(),
            _ => "this".to_owned(),
        };
        let what = if what == "this" { what } else { format!("`{what}`") };
        let help = match expr {
            Expr::TypedString(_) => "write a date as text: '2020-12-31'",
            _ => SUPPORTED,
        };
        complaint(self.tokens.span(expr), format!("{what} is not supported here")).help(help)
    }
}
