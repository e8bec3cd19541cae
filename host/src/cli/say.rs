//! What people are told: answers on standard output, everything else on standard error.
//!
//! Whether somebody reads standard error is their business: a full or closed one stops no work, where `eprintln!` would
//! panic. An answer that cannot be written is an error.

use super::bar::above;
use hyperblock::{Error, Result};
use std::fmt::Arguments;
use std::io::{Write, stderr, stdout};
use std::path::Path;

/// Prints to standard error.
macro_rules! say {
    ($($what:tt)*) => { $crate::cli::say::to_people(format_args!($($what)*)) };
}
pub(crate) use say;

/// What [`say`] does.
pub(crate) fn to_people(what: Arguments<'_>) {
    let _ = above(|| stderr().write_fmt(what));
}

/// Prints what was asked for to standard output.
pub(crate) fn answer(what: Arguments<'_>) -> Result<()> {
    let mut out = stdout().lock();
    out.write_fmt(what).and_then(|()| out.flush()).map_err(Error::io(Path::new("standard output")))
}
