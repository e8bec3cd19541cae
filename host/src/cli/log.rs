//! Messages on standard error: warnings, and with --verbose more.

use super::bar::above;
use super::colour::warning;
use hyperblock::base::shown::shown;
use std::io::{self, Write};
use tracing::Level;

/// What a warning begins with.
const WARN: &str = " WARN";

pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(|| Lines)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        // What nobody can read is not worth a panic.
        .log_internal_errors(false)
        .init();
}

/// Standard error, where every message is one line: what it tells of files and rules is shown, not obeyed.
struct Lines;

impl Write for Lines {
    fn write(&mut self, message: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(message);
        let line = shown(text.trim_end_matches('\n'));
        // A message that nobody can read is no reason to stop.
        let _ = above(|| match line.split_once(WARN) {
            Some(("", message)) => writeln!(io::stderr(), "{}{message}", warning(WARN)),
            _ => writeln!(io::stderr(), "{line}"),
        });
        Ok(message.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
