//! Where the characters of a TOML string stand in the file.
//!
//! A `when` may be written in any of TOML's four kinds of string. Complaints about it must point at the characters
//! as they are written, so this decodes the string once more and remembers, for every decoded byte, the raw bytes
//! that gave it: one for plain characters, six for `\u00e9`, none for a line that a backslash continues.

use std::ops::Range;

/// A decoded TOML string that knows where it came from.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    text: String,
    /// For each byte of `text`, the bytes of the file that its character was written with.
    places: Vec<Range<usize>>,
    /// The whole string in the file, with its quotes.
    whole: Range<usize>,
    /// Where the contents end, before the closing quotes.
    end: usize,
}

impl Literal {
    /// The string that stands in `source` at `whole`, which TOML decodes to `text`.
    pub(super) fn new(source: &str, whole: Range<usize>, text: &str) -> Self {
        let raw = source.get(whole.clone()).unwrap_or_default();
        let body = Body::of(raw);
        let end = whole.start + body.end;
        let mut literal = Self { text: String::new(), places: Vec::new(), whole, end };
        for (char, place) in body {
            literal.text.push(char);
            let place = literal.whole.start + place.start..literal.whole.start + place.end;
            literal.places.resize(literal.text.len(), place);
        }
        if literal.text != text {
            // A kind of string that this file does not know: point at all of it.
            literal.places = vec![literal.whole.clone(); text.len()];
            literal.text = text.to_owned();
        }
        literal
    }

    /// What it says.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The whole string in the file, with its quotes.
    pub(super) fn whole(&self) -> Range<usize> {
        self.whole.clone()
    }

    /// Where these bytes of the text stand in the file. An empty range at the end is the end of the contents.
    pub(super) fn place(&self, text: Range<usize>) -> Range<usize> {
        let start = self.places.get(text.start).map_or(self.end, |place| place.start);
        let last = if text.is_empty() { None } else { self.places.get(text.end - 1) };
        start..last.map_or(start, |place| place.end).max(start)
    }
}

/// The contents of a raw string, character by character, with the bytes of each.
struct Body<'a> {
    raw: &'a str,
    at: usize,
    end: usize,
    escapes: bool,
}

impl<'a> Body<'a> {
    fn of(raw: &'a str) -> Self {
        let (quotes, escapes) = match raw.as_bytes() {
            [b'"', b'"', b'"', ..] => (3, true),
            [b'\'', b'\'', b'\'', ..] => (3, false),
            [b'"', ..] => (1, true),
            _ => (1, false),
        };
        let mut body = Self { raw, at: quotes, end: raw.len().saturating_sub(quotes).max(quotes), escapes };
        if quotes == 3 {
            // A newline right after the opening quotes is not part of the string.
            let newline = ["\r\n", "\n"].into_iter().find(|newline| body.rest().starts_with(newline));
            body.at += newline.map_or(0, str::len);
        }
        body
    }

    fn rest(&self) -> &'a str {
        self.raw.get(self.at..self.end).unwrap_or_default()
    }

    /// The character that an escape stands for, and the length of the escape after its backslash.
    fn escape(escape: &str) -> Option<(char, usize)> {
        let hex = |digits: usize| {
            let code = u32::from_str_radix(escape.get(1..1 + digits)?, 16).ok()?;
            Some((char::from_u32(code)?, 1 + digits))
        };
        match escape.chars().next()? {
            'b' => Some(('\u{8}', 1)),
            'e' => Some(('\u{1b}', 1)),
            'f' => Some(('\u{c}', 1)),
            'n' => Some(('\n', 1)),
            'r' => Some(('\r', 1)),
            't' => Some(('\t', 1)),
            'x' => hex(2),
            'u' => hex(4),
            'U' => hex(8),
            plain => Some((plain, plain.len_utf8())),
        }
    }
}

impl Iterator for Body<'_> {
    type Item = (char, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.at;
            let rest = self.rest();
            let first = rest.chars().next()?;
            let Some(escape) = rest.strip_prefix('\\').filter(|_| self.escapes) else {
                self.at += first.len_utf8();
                return Some((first, start..self.at));
            };
            // A backslash at the end of a line swallows all white space up to the next character.
            let continued = escape.trim_start_matches([' ', '\t', '\r', '\n']);
            if continued.len() < escape.len() {
                self.at = self.end - continued.len();
                continue;
            }
            let (char, len) = Self::escape(escape)?;
            self.at += 1 + len;
            return Some((char, start..self.at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Literal;
    use proptest::prelude::*;
    use toml::de::DeTable;

    /// The literal of `k = …`, decoded by TOML itself.
    fn literal(source: &str) -> Literal {
        let table = DeTable::parse(source).unwrap();
        let (_, value) = table.get_ref().iter().next().unwrap();
        Literal::new(source, value.span(), value.get_ref().as_str().unwrap())
    }

    /// What stands in the file where `part` of the text came from.
    #[track_caller]
    fn check(source: &str, part: &str, written: &str) {
        let literal = literal(source);
        let start = literal.text().find(part).unwrap();
        let place = literal.place(start..start + part.len());
        assert_ne!(place, literal.whole(), "not decoded: {source}");
        assert_eq!(&source[place], written, "{source}");
    }

    #[test]
    fn plain_strings() {
        check("k = \"l.é = r.b\"", "r.b", "r.b");
        check("k = 'l.a\\n = r.b'", "r.b", "r.b");
        check("\u{feff}k = 'é r.b'", "r.b", "r.b");
    }

    #[test]
    fn escapes() {
        check(r#"k = "l.\"Full Name\" = r.b""#, "\"Full Name\"", r#"\"Full Name\""#);
        check(r#"k = "l.\"Full Name\" = r.b""#, "r.b", "r.b");
        check(r#"k = "caf\u00e9 = r.b""#, "é", r"\u00e9");
        check(r#"k = "caf\U000000e9 \x41\t\\ r.b""#, "r.b", "r.b");
        check(r#"k = "caf\U000000e9 \x41\t\\ r.b""#, "\t\\", r"\t\\");
    }

    #[test]
    fn strings_of_several_lines() {
        check("k = \"\"\"\nl.a\n = r.b\"\"\"", "a\n =", "a\n =");
        check("k = \"\"\"\r\nl.a\r\n = r.b\"\"\"", "a\r\n =", "a\r\n =");
        check("k = '''\nl.a\\\n = r.b'''", "r.b", "r.b");
        check("k = \"\"\"l.a \\  \n\r\n   = r.b\"\"\"", "= r.b", "= r.b");
        // The end of a piece is where its last character ends, not where the next one starts.
        check("k = \"\"\"l.a\\\n  = r.b\"\"\"", "l.a", "l.a");
        check("k = \"\"\"a\"b\"\"c\"\"\"\"", "c\"", "c\"");
    }

    #[test]
    fn the_end_stands_before_the_closing_quotes() {
        for (source, end) in [("k = 'ab'", 7), ("k = \"\"\"ab\\\n  \"\"\"", 13), ("k = ''", 5)] {
            let literal = literal(source);
            let n = literal.text().len();
            assert_eq!(literal.place(n..n), end..end, "{source}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_toml(parts in prop::collection::vec(prop::sample::select(vec![
            "a", "é", "𠜎", " ", "\n", "\r\n", "\"", "'", r"\n", r"\\", r#"\""#, r"\u00e9", r"\U0001F600", r"\x7e", r"\e",
            "\\\n", "\\  \r\n\t ",
        ]), 0..12)) {
            let body = parts.concat();
            for quotes in ["\"", "'", "\"\"\"", "'''"] {
                let source = format!("k = {quotes}{body}{quotes}");
                let Ok(table) = DeTable::parse(&source) else { continue };
                let Some((_, value)) = table.get_ref().iter().next() else { continue };
                let text = value.get_ref().as_str().unwrap();
                let literal = Literal::new(&source, value.span(), text);
                prop_assert_eq!(literal.text(), text);
                // Decoded, not given up on: no single character of a longer string takes all of it.
                for (at, char) in text.char_indices() {
                    prop_assert_ne!(literal.place(at..at + char.len_utf8()), literal.whole());
                }
            }
        }
    }
}
