//! Lists are compared with lists: whole, or by their elements.

use super::Bound;
use crate::rules::syntax::{Complaint, Parsed, complaint};
use crate::rules::{Measure, Tokenizer};
use std::ops::Range;

/// The measure over these two, of which syntax does not know whether they are lists.
pub(super) fn settled(
    left: &Bound<'_>,
    right: &Bound<'_>,
    measure: Measure,
    span: &Range<usize>,
) -> Parsed<Measure> {
    let lists = [left, right].map(|bound| bound.operand.is_list());
    match (measure, lists) {
        // A text is the set of its characters.
        (Measure::Sets(Tokenizer::Elements, by, asked), [false, false]) => {
            Ok(Measure::Sets(Tokenizer::Qgrams(1), by, asked))
        }
        (measure, [false, false]) => Ok(measure),
        (_, [true, false] | [false, true]) => {
            let (list, text) = if lists[0] { (left, right) } else { (right, left) };
            let message = format!("{}, and {}: a list is compared with a list", list.holds(), text.holds());
            Err(complaint(span.clone(), message)
                .help(format!("make a list of the other: {}", text.as_list())))
        }
        (Measure::Equal | Measure::Sets(Tokenizer::Elements, ..), _) => Ok(measure),
        (Measure::Sets(..), _) => {
            let message = format!("{}, whose elements are its tokens", left.holds());
            Err(complaint(span.clone(), message)
                .help("compare the lists themselves: overlap(l.phones, r.phones) >= 1"))
        }
        (Measure::Texts(..) | Measure::Difference { .. } | Measure::Near(_), _) => {
            let message = format!("{}, and this compares single values", left.holds());
            Err(complaint(span.clone(), message)
                .help("compare the elements of lists: overlap(l.phones, r.phones) >= 1"))
        }
    }
}

/// A list is compared with a constant.
pub(super) fn no_constant(bound: &Bound<'_>) -> Complaint {
    let message = format!("{}, and this is one value", bound.holds());
    complaint(bound.term.span.clone(), message).help(
        "of a list, ask whether it IS NULL; or compare it with a list: overlap(l.phones, r.phones) >= 1",
    )
}

impl Bound<'_> {
    /// How to make a list of it.
    fn as_list(&self) -> String {
        let shown = crate::rules::Sided(self.term.side, &self.operand);
        format!("split({shown}, ';')")
    }
}
