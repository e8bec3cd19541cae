//! From columns to the values that are compared: parts are put together, and transforms applied, to many values. An empty
//! result is a missing value.

use super::numbers;
use crate::base::error::Result;
use crate::base::list::{elements, list};
use crate::read::table::Table;
use crate::rules::{Apply, Domain, Operand, Part, Source, Transform};
use arrow_array::{Array, LargeStringArray};
use std::borrow::Cow;

/// The columns of an operand in a table.
pub(crate) struct Fields<'a>(Vec<&'a LargeStringArray>);

impl<'a> Fields<'a> {
    pub(crate) fn of(table: &'a Table, operand: &Operand) -> Result<Self> {
        operand.columns.iter().map(|column| table.values(column.place)).collect::<Result<_>>().map(Self)
    }

    /// What stands in a row, by column of the operand.
    pub(crate) fn row(&self, row: usize) -> impl Fn(usize) -> Option<&'a str> {
        move |column| {
            let column = self.0[column];
            column.is_valid(row).then(|| column.value(row))
        }
    }
}

/// An operand, or a part of one, ready to be made of many records.
pub(crate) struct Pipeline {
    from: Making,
    transforms: Vec<Step>,
    /// From which of them on each takes the elements of a list.
    lists_from: usize,
}

/// A transform.
struct Step {
    apply: Apply,
    gives_lists: bool,
}

/// How a value is made before its transforms.
enum Making {
    Column(usize),
    Constant(String),
    Joined { parts: Vec<Pipeline>, skips_missing: bool },
    Coalesce(Vec<Pipeline>),
    NullIf(Box<[Pipeline; 2]>, Domain),
    Point(Box<[Pipeline; 2]>),
}

impl Pipeline {
    pub(crate) fn new(operand: &Operand) -> Result<Self> {
        Self::of(&operand.source, &operand.transforms)
    }

    /// The same of a part.
    pub(crate) fn part(part: &Part) -> Result<Self> {
        Self::of(&part.source, &part.transforms)
    }

    fn of(source: &Source, transforms: &[Transform]) -> Result<Self> {
        let part = Self::part;
        let parts = |parts: &[Part]| parts.iter().map(part).collect::<Result<Vec<_>>>();
        let from = match source {
            Source::Column(place) | Source::List(place) => Making::Column(*place),
            Source::Constant(text, _) => Making::Constant(text.clone()),
            Source::Joined { parts: joined, skips_missing } => {
                Making::Joined { parts: parts(joined)?, skips_missing: *skips_missing }
            }
            Source::Coalesce(all) => Making::Coalesce(parts(all)?),
            Source::NullIf { parts, domain } => {
                let [value, other] = &**parts;
                Making::NullIf(Box::new([part(value)?, part(other)?]), *domain)
            }
            Source::Point(parts) => {
                let [latitude, longitude] = &**parts;
                Making::Point(Box::new([part(latitude)?, part(longitude)?]))
            }
        };
        let lists_from = match source.is_list() {
            true => 0,
            false => transforms.iter().position(Transform::gives_lists).map_or(usize::MAX, |first| first + 1),
        };
        let step = |transform: &Transform| {
            Ok(Step { apply: transform.ready()?, gives_lists: transform.gives_lists() })
        };
        let transforms = transforms.iter().map(step).collect::<Result<_>>()?;
        Ok(Self { from, transforms, lists_from })
    }

    /// The value, given what stands in each column; `None` if it is missing.
    pub(crate) fn apply<'v>(&self, field: &impl Fn(usize) -> Option<&'v str>) -> Option<Cow<'v, str>> {
        let start = self.from.apply(field).filter(|value| !value.is_empty());
        let (of_values, of_elements) = self.transforms.split_at(self.lists_from.min(self.transforms.len()));
        let value = of_values.iter().fold(start, |value, Step { apply, .. }| {
            let value = match value? {
                Cow::Borrowed(value) => apply(value),
                Cow::Owned(value) => Cow::Owned(apply(&value).into_owned()),
            };
            (!value.is_empty()).then_some(value)
        });
        match of_elements {
            [] => value,
            all => each_element(&value?, all).map(Cow::Owned),
        }
    }
}

impl Making {
    fn apply<'v>(&self, field: &impl Fn(usize) -> Option<&'v str>) -> Option<Cow<'v, str>> {
        match self {
            Self::Column(place) => field(*place).map(Cow::Borrowed),
            Self::Constant(text) => Some(Cow::Owned(text.clone())),
            Self::Joined { parts, skips_missing } => {
                let mut joined = String::new();
                for part in parts {
                    match (&part.from, part.apply(field)) {
                        // An empty constant is an empty text in the middle of others.
                        (Self::Constant(text), _) => joined.push_str(text),
                        (_, Some(text)) => joined.push_str(&text),
                        (_, None) if *skips_missing => {}
                        (_, None) => return None,
                    }
                }
                Some(Cow::Owned(joined))
            }
            Self::Coalesce(parts) => parts.iter().find_map(|part| part.apply(field)),
            Self::NullIf(parts, domain) => {
                let [value, other] = &**parts;
                let value = value.apply(field)?;
                let is_it = other.apply(field).is_some_and(|other| are_equal(&value, &other, *domain));
                (!is_it).then_some(value)
            }
            Self::Point(parts) => {
                let [latitude, longitude] = &**parts;
                Some(Cow::Owned(format!("{}, {}", latitude.apply(field)?, longitude.apply(field)?)))
            }
        }
    }
}

/// The list of what transforms make of the elements of one. What makes a list of an element adds its elements.
fn each_element(of: &str, transforms: &[Step]) -> Option<String> {
    let mut all: Vec<String> = elements(of).map(Cow::into_owned).collect();
    for Step { apply, gives_lists } in transforms {
        let mut made = Vec::with_capacity(all.len());
        for element in &all {
            match (apply(element), gives_lists) {
                (list, true) => made.extend(elements(&list).map(Cow::into_owned)),
                (element, false) if element.is_empty() => {}
                (element, false) => made.push(element.into_owned()),
            }
        }
        all = made;
    }
    let list = list(all);
    (!list.is_empty()).then_some(list)
}

/// Whether two values are equal. What is no number equals none.
fn are_equal(value: &str, other: &str, domain: Domain) -> bool {
    match domain {
        Domain::Text => value == other,
        Domain::Number | Domain::Date | Domain::Point => {
            match (numbers::parse(value, domain), numbers::parse(other, domain)) {
                (Some(value), Some(other)) => value == other,
                _ => false,
            }
        }
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
            let pipeline = Pipeline::of(&Source::Column(0), &transforms).unwrap();
            assert_eq!(pipeline.apply(&|_| Some(value)).as_deref(), want, "{transforms:?} {value:?}");
        }
    }

    proptest! {
        #[test]
        fn metaphone_takes_everything(value in "\\PC{0,12}", letters in "[A-Za-z]{0,14}") {
            let transforms = [Transform::Metaphone];
            let pipeline = Pipeline::of(&Source::Column(0), &transforms).unwrap();
            for value in [value, letters] {
                prop_assert!(pipeline.apply(&|_| Some(&value)).is_none_or(|code| code.len() <= 4));
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
                Pipeline::of(&Source::Column(0), &transforms).unwrap().apply(&|_| Some(value)).as_deref(),
                want,
                "{transforms:?} {value:?}"
            );
        }
    }
}
