//! From columns to the values that are compared: transforms, applied to many values. An empty result is a missing value.

use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Apply, Operand, Transform};
use arrow_array::LargeStringArray;
use std::borrow::Cow;

/// The values of an operand before its transforms, by row. What several columns make together is to be said here.
pub(crate) fn values<'a>(table: &'a Table, operand: &Operand) -> Result<&'a LargeStringArray> {
    match &*operand.columns {
        [column] => table.values(column.place),
        columns => Err(Error::Internal(format!("`{operand}` is of {} columns", columns.len()))),
    }
}

/// The transforms of an operand, ready to be applied to many values.
pub(crate) struct Pipeline(Vec<Apply>);

impl Pipeline {
    pub(crate) fn new(transforms: &[Transform]) -> Result<Self> {
        transforms.iter().map(Transform::ready).collect::<Result<_>>().map(Self)
    }

    /// The value after all transforms, or `None` if one of them leaves nothing.
    pub(crate) fn apply<'v>(&self, value: &'v str) -> Option<Cow<'v, str>> {
        let start = Some(Cow::Borrowed(value)).filter(|value| !value.is_empty());
        self.0.iter().fold(start, |value, apply| {
            let value = match value? {
                Cow::Borrowed(value) => apply(value),
                Cow::Owned(value) => Cow::Owned(apply(&value).into_owned()),
            };
            (!value.is_empty()).then_some(value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RegexpReplace, Right, Substr};
    use proptest::prelude::*;

    #[test]
    fn transforms_count_characters_and_leave_no_empty_values() {
        let substr = |from, len| Transform::Substr(Substr { from, len });
        let right = |len| Transform::Right(Right { len });
        for (transforms, value, want) in [
            (vec![], "x", Some("x")),
            (vec![Transform::Lower], "ÅSE Ö", Some("åse ö")),
            (vec![Transform::Upper], "straße", Some("STRASSE")),
            (vec![Transform::Trim], " \t", None),
            (vec![Transform::Trim, Transform::Lower], " Ab ", Some("ab")),
            (vec![substr(1, Some(2))], "éèê", Some("éè")),
            (vec![substr(2, None)], "éèê", Some("èê")),
            (vec![substr(4, Some(9))], "éèê", None),
            (vec![substr(3, Some(u32::MAX))], "éèê", Some("ê")),
            (vec![right(2)], "éèê", Some("èê")),
            (vec![right(9)], "éèê", Some("éèê")),
            (vec![Transform::StripAccents], "Crème Brûlée Łódź", Some("Creme Brulee Łodz")),
            (vec![Transform::StripAccents], "\u{301}", None),
            (vec![Transform::Soundex], "Robert", Some("R163")),
            (vec![Transform::Soundex], "42", None),
            (vec![Transform::Metaphone], "Smith", Some("SM0")),
            (vec![Transform::Metaphone], "42", None),
            (vec![Transform::Metaphone], "Été Małgorzata", Some("TMKR")),
            (vec![Transform::Year], "05/12/1999", Some("1999")),
            (vec![Transform::Year], "19991231, 0099", Some("99")),
            (vec![Transform::Year], "31.12.99", None),
            (vec![Transform::LengthKey], "Abba", Some("4097")),
            (vec![Transform::LengthKey], "Éa", Some("2233")),
            (vec![Transform::LengthKey], "日本", Some("2999")),
            (vec![Transform::Trim, Transform::LengthKey], " ", None),
        ] {
            let pipeline = Pipeline::new(&transforms).unwrap();
            assert_eq!(pipeline.apply(value).as_deref(), want, "{transforms:?} {value:?}");
        }
    }

    proptest! {
        #[test]
        fn metaphone_takes_everything(value in "\\PC{0,12}", letters in "[A-Za-z]{0,14}") {
            let transforms = [Transform::Metaphone];
            let pipeline = Pipeline::new(&transforms).unwrap();
            for value in [value, letters] {
                prop_assert!(pipeline.apply(&value).is_none_or(|code| code.len() <= 4));
            }
        }
    }

    #[test]
    fn regular_expressions_replace_the_first_or_all() {
        for (pattern, replacement, all, ignore_case, value, want) in [
            ("[^a-z]", "", false, false, "a-b-c", Some("ab-c")),
            ("[^a-z]", "", true, false, "a-b-c", Some("abc")),
            (r"(\w+) (\w+)", r"\2, \1", false, false, "Ada Lovelace", Some("Lovelace, Ada")),
            ("(a)", r"$1\\\1", false, false, "a", Some(r"$1\a")),
            ("LTD", "", true, true, "Acme Ltd", Some("Acme ")),
            (".", "", true, false, "gone", None),
        ] {
            let (pattern, replacement) = (pattern.to_owned(), replacement.to_owned());
            let transforms =
                [Transform::RegexpReplace(RegexpReplace { pattern, replacement, all, ignore_case })];
            assert_eq!(
                Pipeline::new(&transforms).unwrap().apply(value).as_deref(),
                want,
                "{transforms:?} {value:?}"
            );
        }
    }
}
