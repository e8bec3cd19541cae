//! What makes a value of columns and constants: `||`, `concat`, `coalesce` and `nullif`.

use super::made::From;
use super::term::Subject;
use super::{Complaint, Made, Parsed, Rule, Term, complaint};
use crate::rules::Side;
use sqlparser::ast::{BinaryOperator, Expr, Value};
use std::ops::Range;

/// The functions that make a value of several.
pub(super) const MAKERS: [&str; 3] = ["concat", "coalesce", "nullif"];

impl Rule<'_> {
    /// The call of one of [`MAKERS`].
    pub(super) fn maker(&self, name: &str, args: &[&Expr], expr: &Expr) -> Parsed<Subject> {
        let span = self.tokens.span(expr);
        let (side, parts) = self.parts(name, args, &span)?;
        let from = match name {
            "concat" => From::Joined { parts, skips_missing: true },
            "coalesce" => {
                let before = parts.iter().rev().skip(1);
                if let Some(constant) = before.rev().find(|part| matches!(part.from, From::Constant(_))) {
                    let message = "a constant is always there: what stands after it is never looked at";
                    return Err(complaint(constant.span.clone(), message)
                        .help("let the constant be the last, or leave out what stands after it"));
                }
                From::Coalesce(parts)
            }
            _ => match <[Made; 2]>::try_from(parts) {
                Ok(parts) => From::NullIf(Box::new(parts)),
                Err(_) => {
                    return Err(complaint(span, format!("{name} takes two values"))
                        .help("write nullif(l.a, 'N/A'): missing where l.a is 'N/A'"));
                }
            },
        };
        let made = Made { from, transforms: Vec::new(), files: Vec::new(), span: span.clone() };
        Ok(Subject::Term(Term { side, made, span }))
    }

    /// `a || b || c`, which leans to the left.
    pub(super) fn joined_texts(&self, expr: &Expr) -> Parsed<Subject> {
        let (mut args, mut rest) = (Vec::new(), expr);
        while let Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } = rest {
            args.push(right.as_ref());
            rest = left;
        }
        args.push(rest);
        args.reverse();
        let span = self.tokens.span(expr);
        let (side, parts) = self.parts("`||`", &args, &span)?;
        // In parentheses, a part may be joined itself: it is missing as all is.
        let parts = parts.into_iter().flat_map(|part| match part {
            Made { from: From::Joined { parts, skips_missing: false }, transforms, .. }
                if transforms.is_empty() =>
            {
                parts
            }
            part => vec![part],
        });
        let from = From::Joined { parts: parts.collect(), skips_missing: false };
        let made = Made { from, transforms: Vec::new(), files: Vec::new(), span: span.clone() };
        Ok(Subject::Term(Term { side, made, span }))
    }

    /// Parts of one side, at least one of which has a column.
    fn parts(&self, name: &str, args: &[&Expr], span: &Range<usize>) -> Parsed<(Side, Vec<Made>)> {
        let (mut side, mut parts) = (None, Vec::with_capacity(args.len()));
        for arg in args {
            let (part, of) = self.part(name, arg)?;
            if let (Some(side), Some(of)) = (side, of)
                && side != of
            {
                let message = format!("{name} takes columns of one record, and here are both l and r");
                return Err(complaint(span.clone(), message)
                    .help("make a value of l and one of r, and compare the two"));
            }
            side = side.or(of);
            parts.push(part);
        }
        let no_column = || {
            let message = format!("{name} is of no column here");
            complaint(span.clone(), message)
                .help("write a column of l or of r among its values, as in concat(l.first, ' ', l.last)")
        };
        side.map(|side| (side, parts)).ok_or_else(no_column)
    }

    fn part(&self, name: &str, expr: &Expr) -> Parsed<(Made, Option<Side>)> {
        if let Expr::Value(value) = expr
            && value.value == Value::Null
        {
            return Err(self.no_part(expr, "NULL is always missing".to_owned(), "leave it out"));
        }
        match self.subject(expr)? {
            Subject::Term(Term { side, made, .. }) => Ok((made, Some(side))),
            Subject::Constant(constant) => {
                let span = constant.span.clone();
                Ok((
                    Made { from: From::Constant(constant), transforms: Vec::new(), files: Vec::new(), span },
                    None,
                ))
            }
            other => {
                let message = format!("{name} takes columns and constants, not {}", other.what());
                Err(self.no_part(expr, message, "write a column, perhaps in a transform such as lower"))
            }
        }
    }

    fn no_part(&self, expr: &Expr, message: String, help: &str) -> Complaint {
        complaint(self.tokens.span(expr), message).help(help)
    }
}
