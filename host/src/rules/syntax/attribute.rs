//! What an attribute of a score says: one similarity of two columns, without a bound, or one comparison of them.

use super::score::{Score, Similarity};
use super::term::Subject;
use super::{Comparison, Complaint, Formula, Measure, Parsed, Rule, complaint};
use crate::base::decimal::Decimal;
use crate::rules::Bound;
use crate::rules::literal::Literal;
use sqlparser::ast::Expr;
use std::ops::Range;

/// What an attribute measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Measured {
    /// A comparison of two columns. The bound of a similarity is 0, and means nothing.
    pub(in crate::rules) comparison: Comparison,
    /// Whether the comparison must fail.
    pub(in crate::rules) negated: bool,
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
                Subject::Score(Score::Similarity(similarity), left, right) => {
                    let measure = unbounded(similarity);
                    let comparison = Comparison::Pair { left, right, measure, span };
                    Ok(Measured { comparison, negated: false, is_similarity: true })
                }
                other => Err(self.no_measure(span, &other)),
            };
        }
        let formula = self.formula(expr)?;
        let (negated, leaf) = match formula {
            Formula::Leaf(leaf) => (false, leaf),
            Formula::Not(inner) => match *inner {
                Formula::Leaf(leaf) => (true, leaf),
                _ => return Err(several(span)),
            },
            Formula::And(_) | Formula::Or(_) => return Err(several(span)),
        };
        match &leaf {
            Comparison::Value(..) => {
                Err(complaint(span, "this looks at one record alone")
                    .help("compare a column of l with one of r"))
            }
            Comparison::Pair {
                measure: Measure::EditSimilarity(..) | Measure::Jaro(..) | Measure::Sets(..),
                ..
            } => Err(complaint(span, "a similarity is an attribute's measure without a bound").help(
                "leave the bound out; what is too little for the attribute to count is its `threshold`",
            )),
            Comparison::Pair { .. } => Ok(Measured { comparison: leaf, negated, is_similarity: false }),
        }
    }

    fn no_measure(&self, span: Range<usize>, subject: &Subject) -> Complaint {
        let help = match subject {
            Subject::Score(Score::Edits(_), ..) => {
                "write it as a similarity, such as levenshtein_similarity(l.a, r.a)"
            }
            Subject::Score(Score::CommonTokens(_), ..) => {
                "write overlap_coefficient(…), or compare it with a number of tokens: >= 2"
            }
            Subject::Score(..) => "compare it with a number: <= 1",
            Subject::Set(..) => "compare two sets, as in jaccard(words(l.a), words(r.a))",
            Subject::Term(_) | Subject::Constant(_) => MEASURES,
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

/// The measure, with a bound that is no bound.
fn unbounded(similarity: Similarity) -> Measure {
    let bound = Bound { least: Decimal::ZERO, strict: false };
    match similarity {
        Similarity::Edit(distance) => Measure::EditSimilarity(distance, bound),
        Similarity::Jaro(boost) => Measure::Jaro(boost, bound),
        Similarity::Sets(tokenizer, similarity) => Measure::Sets(tokenizer, similarity, bound),
    }
}
