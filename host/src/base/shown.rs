//! Data for a terminal: what would be obeyed there, or would turn the text around, is written out.
//!
//! Tables, file names and rules may hold anything, also sequences that move the cursor, change colours or titles, or show
//! a text backwards. Messages for people show them as `\x1b` or `\u{202e}`. Files and JSON hold data as it is.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

/// Data within a line.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_obeyed(char) { write_out(&mut written, char) } else { written.push(char) }
    }
    Cow::Owned(written)
}

/// A text with lines of its own, such as a summary: all but its line ends, as [`shown`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<T>(pub T);

impl<T: Display> Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Lines(f), "{}", self.0)
    }
}

struct Lines<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Lines<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => writeln!(self.0, "{}", shown(line))?,
                None => self.0.write_str(&shown(line))?,
            }
        }
        Ok(())
    }
}

/// Control characters, and what changes the direction of a text.
fn is_obeyed(char: char) -> bool {
    char.is_control() || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// As it is written in a string of Rust, and of many other languages.
pub(crate) fn write_out(to: &mut String, char: char) {
    // Writing to a string does not fail.
    let _ = match char {
        '\n' => to.write_str(r"\n"),
        '\r' => to.write_str(r"\r"),
        '\t' => to.write_str(r"\t"),
        ascii if ascii.is_ascii() => write!(to, r"\x{:02x}", u32::from(ascii)),
        other => write!(to, r"\u{{{:x}}}", u32::from(other)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        for (text, want) in [
            ("plain, naïve 漢 🦀", "plain, naïve 漢 🦀"),
            ("\x1b[31mred\x1b]0;title\x07", r"\x1b[31mred\x1b]0;title\x07"),
            ("a\tb\r\nc\0\x7f", r"a\tb\r\nc\x00\x7f"),
            ("\u{9b}2J\u{202e}txt.exe\u{2066}\u{2069}", r"\u{9b}2J\u{202e}txt.exe\u{2066}\u{2069}"),
        ] {
            assert_eq!(shown(text), want, "{text:?}");
            assert_eq!(Shown(text).to_string(), want.replace(r"\n", "\n"), "{text:?}");
        }
        assert!(matches!(shown("as it is"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_is_left_to_obey(text in ".*", control in "[\u{0}-\u{9f}\u{202a}-\u{202e}]{0,9}") {
            let text = text + &control;
            prop_assert!(!shown(&text).contains(is_obeyed));
            prop_assert!(!Shown(&text).to_string().replace('\n', "").contains(is_obeyed));
        }
    }
}
