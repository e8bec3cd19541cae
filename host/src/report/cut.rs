//! Text that may be too long, cut so that it says so.

/// The first characters of a text, and how many more there are.
pub(super) fn cut(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        None => (text, 0),
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
    }
}

/// A text of so many characters at most, and behind it how many are not there.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match cut(text, most) {
        (text, 0) => text.to_owned(),
        (begin, more) => format!("{begin}…({more} more characters)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_counted() {
        assert_eq!(shortened("naïve", 5), "naïve");
        assert_eq!(shortened("naïve", 3), "naï…(2 more characters)");
        assert_eq!(cut("", 0), ("", 0));
    }
}
