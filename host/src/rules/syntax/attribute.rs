//! What an attribute of a score says: one similarity of two columns, without a bound, or one comparison of them.

use super::quantity::Quantity;
use super::term::Subject;
use super::{Comparison, Complaint, Formula, Measure, Parsed, Rule, complaint};
use crate::base::decimal::Decimal;
use crate::rules::literal::Literal;
use crate::rules::{Asked, Bound};
use sqlparser::ast::Expr;
use std::ops::Range;

/// What an attribute measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Measured {
    /// One comparison of two columns, which may come to several: what is 1 is at most 1, and not at most 0. The bound of a
    /// similarity is 0, and means nothing.
    pub(in crate::rules) comparison: Formula<Comparison>,
    /// Whether it is a similarity, not a condition.
    pub(in crate::rules) is_similarity: bool,
}

/// What can be measured, for those who tried something else.
const MEASURES: &str = "an attribute is measured by one similarity, such as jaro_winkler(l.a, r.a), \
     levenshtein_similarity(l.a, r.a) or jaccard(words(l.a), words(r.a)), or by one comparison, such as l.a = r.a or \
     abs(l.x - r.x) <= 1";

/// Parses the measure of an attribute.
pub(in crate::rules) fn parse_measure(measure: &Literal) -> Parsed<Measured> {
    let empty = || complaint(measure.whole(), "the measure is empty").help(MEASURES);
    let (tokens, expr) = super::expression(measure, empty, "write an attribute for each measure")?;
    Rule { tokens: &tokens, only_side: None }.measured(&expr)
}

impl Rule<'_> {
    fn measured(&self, expr: &Expr) -> Parsed<Measured> {
        let (span, expr) = (self.tokens.span(expr), unnested(expr));
        if let Expr::Function(_) = expr {
            return match self.subject(expr)? {
                Subject::Quantity(Quantity::Similarity(function), left, right) => {
                    // A bound that is no bound.
                    let bound = Bound { least: Decimal::ZERO, strict: false };
                    let measure = function.asked(Asked::Similarity(bound));
                    let comparison = Comparison::Pair { left, right, measure, span };
                    Ok(Measured { comparison: Formula::Leaf(comparison), is_similarity: true })
                }
                other => Err(self.no_measure(span, &other)),
            };
        }
        let comparison = self.formula(expr)?;
        let leaves = comparison.leaves();
        let Some(first) = leaves.first() else { return Err(several(span)) };
        // What comes of one comparison has its columns from the same places of the file.
        if leaves.iter().any(|leaf| !leaf.terms().eq(first.terms())) {
            return Err(several(span));
        }
        match first {
            Comparison::Value(..) => {
                Err(complaint(span, "this looks at one record alone")
                    .help("compare a column of l with one of r"))
            }
            Comparison::Pair {
                measure: Measure::Texts(_, Asked::Similarity(_)) | Measure::Sets(_, _, Asked::Similarity(_)),
                ..
            } => Err(complaint(span, "a similarity is an attribute's measure without a bound").help(
                "leave the bound out; what is too little for the attribute to count is its `threshold`",
            )),
            Comparison::Pair { .. } => Ok(Measured { comparison, is_similarity: false }),
        }
    }

    fn no_measure(&self, span: Range<usize>, subject: &Subject) -> Complaint {
        let help = match subject {
            Subject::Quantity(Quantity::Count(_, counted), ..) if counted.is_distance() => {
                "write it as a similarity, such as levenshtein_similarity(l.a, r.a)".to_owned()
            }
            Subject::Quantity(Quantity::Count(function, counted), ..) => {
                let (similarity, noun) = (function.row.similarity, counted.noun());
                format!("write {similarity}(…), or compare it with a number of {noun}: {}", counted.example())
            }
            Subject::Quantity(..) => "compare it with a number: <= 1".to_owned(),
            Subject::Set(..) => "compare two sets, as in jaccard(words(l.a), words(r.a))".to_owned(),
            Subject::Term(_) | Subject::Constant(_) => MEASURES.to_owned(),
        };
        complaint(span, format!("{} alone is no similarity", subject.what())).help(help)
    }
}

fn several(span: Range<usize>) -> Complaint {
    complaint(span, "an attribute has one measure").help("make an attribute of each comparison")
}

fn unnested(expr: &Expr) -> &Expr {
    let mut expr = expr;
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}
