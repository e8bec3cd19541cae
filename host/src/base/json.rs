//! JSON, by serde_json. What is decided here is how numbers are written: with the digits that they have elsewhere in
//! the program, so that none is lost or made up.

use crate::base::stopwatch::Stages;
use serde_json::{Map, Number, Value, json};

/// A number with just these digits; `null` if they are none, since JSON has no word for infinity.
pub(crate) fn number(digits: &str) -> Value {
    digits.parse::<Number>().map_or(Value::Null, Value::Number)
}

/// A number as Rust shows it: a whole one has no point, and none has an exponent.
pub(crate) fn float(value: f64) -> Value {
    number(&value.to_string())
}

/// Indented for people, whose terminals may take a raw `DEL` for a command.
pub fn indented(value: &Value) -> String {
    format!("{value:#}").replace('\u{7f}', "\\u007f")
}

/// The version of summaries for programs: raised when a key goes or changes its meaning, not when one is added.
pub const SUMMARY_VERSION: u32 = 1;

/// Times: of all, and by stage.
pub fn seconds(stages: &Stages) -> Value {
    let by_stage: Map<String, Value> =
        stages.iter().map(|(name, time)| (name.to_owned(), float(time.as_secs_f64()))).collect();
    json!({ "all": float(stages.total().as_secs_f64()), "by_stage": by_stage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_json_writes_them() {
        for (value, want) in [
            (json!(null), "null"),
            (json!(true), "true"),
            (json!(u64::MAX), "18446744073709551615"),
            (float(0.25), "0.25"),
            (float(3.0), "3"),
            (float(1e21), "1000000000000000000000"),
            (float(1e-7), "0.0000001"),
            (float(f64::NAN), "null"),
            (float(f64::NEG_INFINITY), "null"),
            (json!(Some("a")), "\"a\""),
            (json!(None::<u32>), "null"),
            (number("0.7500"), "0.7500"),
            (json!("naïve 🦀 / '"), "\"naïve 🦀 / '\""),
            (json!("\"\\\n\r\t\u{0}\u{1b}\u{7f}"), r#""\"\\\n\r\t\u0000\u001b\u007f""#),
            (json!([]), "[]"),
            (json!({}), "{}"),
            (json!([1, 2]), "[\n  1,\n  2\n]"),
            (json!({"b": null, "a": false}), "{\n  \"b\": null,\n  \"a\": false\n}"),
        ] {
            assert_eq!(indented(&value), want);
        }
    }

    #[test]
    fn indented_for_people() {
        let value = json!({"a": [null, []], "b": 1});
        let want = "{\n  \"a\": [\n    null,\n    []\n  ],\n  \"b\": 1\n}";
        assert_eq!(indented(&value), want);
    }

    #[test]
    fn digits_survive_being_nested() {
        assert_eq!(indented(&json!({"a": number("0.7500")})), "{\n  \"a\": 0.7500\n}");
    }
}
