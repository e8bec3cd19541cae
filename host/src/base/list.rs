//! Lists as text, so that a list is a value like any other: equal lists are equal texts.
//!
//! The elements are sorted, each stands once, and between two of them is [`BETWEEN`], a control character that text rarely
//! holds. Where an element does hold it, [`ESCAPE`] and a letter stand for it, and for the escape itself. So elements can be
//! told apart whatever they hold, and an element as it stands in the list, escaped, is equal to another one if both are. No
//! element is empty, and a list of none is an empty text, which is a missing value.

use std::borrow::Cow;

/// What stands between two elements: the "unit separator" of ASCII.
const BETWEEN: char = '\u{1f}';
/// What stands before a letter that is meant otherwise: the "record separator" of ASCII.
const ESCAPE: char = '\u{1e}';
/// The letters for the two.
const IS_BETWEEN: char = 'u';
const IS_ESCAPE: char = 'r';

/// The list of some elements, in any order; empty ones are left out.
pub(crate) fn list<T: AsRef<str> + Ord>(mut elements: Vec<T>) -> String {
    elements.sort_unstable();
    elements.dedup();
    let mut list = String::new();
    for element in elements.iter().map(AsRef::as_ref).filter(|element| !element.is_empty()) {
        if !list.is_empty() {
            list.push(BETWEEN);
        }
        list.push_str(&escaped(element));
    }
    list
}

/// A list of one element, which is not empty.
pub(crate) fn escaped(element: &str) -> Cow<'_, str> {
    if !element.contains([BETWEEN, ESCAPE]) {
        return Cow::Borrowed(element);
    }
    let mut escaped = String::with_capacity(element.len() + 1);
    for char in element.chars() {
        match char {
            BETWEEN => escaped.extend([ESCAPE, IS_BETWEEN]),
            ESCAPE => escaped.extend([ESCAPE, IS_ESCAPE]),
            char => escaped.push(char),
        }
    }
    Cow::Owned(escaped)
}

/// The elements of a list as they stand in it.
pub(crate) fn raw_elements(list: &str) -> impl Iterator<Item = &str> {
    list.split(BETWEEN).filter(|element| !element.is_empty())
}

/// The elements of a list.
pub(crate) fn elements(list: &str) -> impl Iterator<Item = Cow<'_, str>> {
    raw_elements(list).map(unescaped)
}

/// What an element is that stands in a list.
pub(crate) fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains(ESCAPE) {
        return Cow::Borrowed(raw);
    }
    let (mut element, mut chars) = (String::with_capacity(raw.len()), raw.chars());
    while let Some(char) = chars.next() {
        element.push(match (char, char == ESCAPE) {
            (_, true) if chars.next() == Some(IS_BETWEEN) => BETWEEN,
            (_, true) => ESCAPE,
            (char, false) => char,
        });
    }
    Cow::Owned(element)
}

/// For people.
pub(crate) fn shown(list: &str) -> String {
    let elements: Vec<Cow<'_, str>> = elements(list).collect();
    format!("[{}]", elements.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn elements_are_told_apart(
            a in proptest::collection::vec("[ab\u{1e}\u{1f}ur]{0,3}", 0..5),
            b in proptest::collection::vec("[ab\u{1e}\u{1f}ur]{0,3}", 0..5),
        ) {
            let set = |all: &[String]| -> BTreeSet<String> {
                all.iter().filter(|it| !it.is_empty()).cloned().collect()
            };
            let (of_a, of_b) = (list(a.clone()), list(b.clone()));
            prop_assert_eq!(elements(&of_a).map(Cow::into_owned).collect::<BTreeSet<_>>(), set(&a));
            prop_assert_eq!(raw_elements(&of_a).count(), set(&a).len());
            prop_assert_eq!(of_a == of_b, set(&a) == set(&b));
            let raw = |list: &str| raw_elements(list).map(str::to_owned).collect::<BTreeSet<_>>();
            let common = raw(&of_a).intersection(&raw(&of_b)).count();
            prop_assert_eq!(common, set(&a).intersection(&set(&b)).count());
        }
    }
}
