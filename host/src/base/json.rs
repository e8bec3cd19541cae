//! JSON, written: a tree of values that shows itself. `{}` is one line, `{:#}` is indented for people.

use std::fmt::{self, Display, Formatter};

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is to be written, so that no digit is lost or made up.
    Number(String),
    /// A string.
    Text(String),
    /// Values in order.
    List(Vec<Json>),
    /// Values by key, in the order given; no key may stand twice.
    Object(Vec<(&'static str, Json)>),
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Number(value.to_string())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        u64::from(value).into()
    }
}

/// JSON has no word for infinity, nor for what is not a number.
impl From<f64> for Json {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value.to_string()) } else { Self::Null }
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// `None` is `null`.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, T::into)
    }
}

/// A list.
impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::List(values.into_iter().map(T::into).collect())
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, f.alternate().then_some(0))
    }
}

impl Json {
    /// `depth` is how deep it stands, if lines are to be indented.
    fn write(&self, f: &mut Formatter<'_>, depth: Option<usize>) -> fmt::Result {
        let inner = depth.map(|depth| depth + 1);
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(digits) => f.write_str(digits),
            Self::Text(text) => string(f, text),
            Self::List(values) => {
                f.write_str("[")?;
                for (ix, value) in values.iter().enumerate() {
                    separate(f, ix, inner)?;
                    value.write(f, inner)?;
                }
                close(f, values.len(), depth)?;
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (ix, (key, value)) in members.iter().enumerate() {
                    separate(f, ix, inner)?;
                    string(f, key)?;
                    f.write_str(": ")?;
                    value.write(f, inner)?;
                }
                close(f, members.len(), depth)?;
                f.write_str("}")
            }
        }
    }
}

/// Before the member at `ix`.
fn separate(f: &mut Formatter<'_>, ix: usize, depth: Option<usize>) -> fmt::Result {
    match depth {
        None => f.write_str(if ix > 0 { ", " } else { "" }),
        Some(depth) => write!(f, "{}\n{:2$}", if ix > 0 { "," } else { "" }, "", 2 * depth),
    }
}

/// After the last of `n` members.
fn close(f: &mut Formatter<'_>, n: usize, depth: Option<usize>) -> fmt::Result {
    match depth {
        Some(depth) if n > 0 => write!(f, "\n{:1$}", "", 2 * depth),
        _ => Ok(()),
    }
}

fn string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for char in text.chars() {
        match char {
            '"' | '\\' => write!(f, "\\{char}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '\0'..' ' | '\u{7f}' => write!(f, "\\u{:04x}", u32::from(char))?,
            plain => write!(f, "{plain}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn values_as_json_writes_them() {
        for (value, want) in [
            (Json::Null, "null"),
            (true.into(), "true"),
            (u64::MAX.into(), "18446744073709551615"),
            (0.25.into(), "0.25"),
            (f64::NAN.into(), "null"),
            (Some("a").into(), "\"a\""),
            (None::<u32>.into(), "null"),
            (Json::Number("0.7500".into()), "0.7500"),
            ("naïve 🦀 / '".into(), "\"naïve 🦀 / '\""),
            ("\"\\\n\r\t\u{0}\u{1b}\u{7f}".into(), r#""\"\\\n\r\t\u0000\u001b\u007f""#),
            (Json::List(Vec::new()), "[]"),
            (Json::Object(Vec::new()), "{}"),
            ([1u32, 2].into_iter().collect(), "[1, 2]"),
            (Json::Object(vec![("a", Json::Null), ("b", false.into())]), "{\"a\": null, \"b\": false}"),
        ] {
            assert_eq!(value.to_string(), want);
        }
    }

    #[test]
    fn indented_for_people() {
        let list: Json = [Json::Null, Json::List(Vec::new())].into_iter().collect();
        let value = Json::Object(vec![("a", list), ("b", 1u32.into())]);
        let want = "{\n  \"a\": [\n    null,\n    []\n  ],\n  \"b\": 1\n}";
        assert_eq!(format!("{value:#}"), want);
    }
}
