//! Transforms, applied to one value. An empty result is a missing value.

use crate::rules::Transform;
use hyperblock_shared::soundex::soundex;
use std::borrow::Cow;

/// The value after all transforms, or `None` if one of them leaves nothing.
pub(super) fn apply<'a>(transforms: &[Transform], value: &'a str) -> Option<Cow<'a, str>> {
    let start = Some(Cow::Borrowed(value)).filter(|value| !value.is_empty());
    transforms.iter().fold(start, |value, transform| {
        let value = match value? {
            Cow::Borrowed(value) => one(*transform, value),
            Cow::Owned(value) => Cow::Owned(one(*transform, &value).into_owned()),
        };
        (!value.is_empty()).then_some(value)
    })
}

fn one(transform: Transform, value: &str) -> Cow<'_, str> {
    match transform {
        Transform::Lower => Cow::Owned(value.to_lowercase()),
        Transform::Trim => Cow::Borrowed(value.trim()),
        Transform::Substr { from, len } => {
            let start = byte_of(value, from - 1);
            let end = len.map_or(value.len(), |len| byte_of(value, (from - 1).saturating_add(len)));
            Cow::Borrowed(&value[start..end])
        }
        Transform::Soundex => match soundex(value.chars()) {
            Some(code) => Cow::Owned(code.iter().map(|&byte| char::from(byte)).collect()),
            None => Cow::Borrowed(""),
        },
    }
}

/// Where the character at `ix` starts, or the end.
fn byte_of(value: &str, ix: u32) -> usize {
    value.char_indices().nth(ix as usize).map_or(value.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_count_characters_and_leave_no_empty_values() {
        let substr = |from, len| Transform::Substr { from, len };
        for (transforms, value, want) in [
            (vec![], "x", Some("x")),
            (vec![Transform::Lower], "ÅSE Ö", Some("åse ö")),
            (vec![Transform::Trim], " \t", None),
            (vec![Transform::Trim, Transform::Lower], " Ab ", Some("ab")),
            (vec![substr(1, Some(2))], "éèê", Some("éè")),
            (vec![substr(2, None)], "éèê", Some("èê")),
            (vec![substr(4, Some(9))], "éèê", None),
            (vec![substr(3, Some(u32::MAX))], "éèê", Some("ê")),
            (vec![Transform::Soundex], "Robert", Some("R163")),
            (vec![Transform::Soundex], "42", None),
        ] {
            assert_eq!(apply(&transforms, value).as_deref(), want, "{transforms:?} {value:?}");
        }
    }
}
