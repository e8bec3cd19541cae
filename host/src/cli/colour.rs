//! Colour, where standard error is a terminal that wants it.
//!
//! Never in a file or a pipe, nor with NO_COLOR or TERM=dumb, but always with CLICOLOR_FORCE. Only what a person looks for first
//! has any: the words `error` and `WARN`, and what the lines of a summary begin with.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Display};
use std::io::stderr;
use std::sync::LazyLock;

/// A text that may have a colour.
pub(crate) struct Painted<T>(T, Style);

/// What an error begins with.
pub(crate) fn error() -> Painted<&'static str> {
    Painted("error", AnsiColor::Red.on_default().bold())
}

/// What a warning begins with.
pub(crate) fn warning<T: Display>(text: T) -> Painted<T> {
    Painted(text, AnsiColor::Yellow.on_default().bold())
}

/// A summary: what its lines begin with stands out, up to two blanks. Lines that are set in stay as they are.
pub(crate) struct Headed<'a>(pub(crate) &'a dyn Display);

impl Display for Headed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.to_string().split_inclusive('\n') {
            let (heading, rest) = line.split_at(line.find("  ").unwrap_or(0));
            match heading {
                "" => write!(f, "{rest}")?,
                _ => write!(f, "{}{rest}", Painted(heading, Style::new().bold()))?,
            }
        }
        Ok(())
    }
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text, style) = self;
        match *IS_WANTED {
            true => write!(f, "{style}{text}{style:#}"),
            false => write!(f, "{text}"),
        }
    }
}

static IS_WANTED: LazyLock<bool> = LazyLock::new(|| AutoStream::choice(&stderr()) != ColorChoice::Never);
