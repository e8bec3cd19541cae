//! Messages on standard error: warnings, and with --verbose more.

use tracing::Level;

pub(crate) fn start(verbose: u8) {
    let level = match verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        // What nobody can read is not worth a panic.
        .log_internal_errors(false)
        .init();
}
