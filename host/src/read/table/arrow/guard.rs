//! The boundary of the crates that decode Parquet and Arrow: what panics behind it is a damaged file.
//!
//! Both check much of what they read, but not all: a length that is damaged becomes an index out of bounds, a sum that
//! overflows, an `unwrap` of nothing. Small files that showed it are in the tests of this folder, for whoever mends them
//! there.

use crate::base::error::{Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

thread_local! {
    /// Whether this thread is behind the boundary, where panics are not for standard error.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// What is being read: for messages.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) path: &'a Path,
    /// Its format, e.g. `Parquet`.
    pub(super) format: &'static str,
}

impl Reading<'_> {
    /// What `decode` gives. Its errors and its panics say that the file is damaged, and `place` where.
    pub(super) fn guard<T, E: Display>(
        &self,
        place: impl Fn() -> String,
        decode: impl FnOnce() -> Result<T, E>,
    ) -> Result<T> {
        match guarded(decode) {
            Ok(Ok(decoded)) => Ok(decoded),
            Ok(Err(error)) => Err(self.damaged(&place(), &error)),
            Err(panic) => Err(self.damaged(&place(), &panic)),
        }
    }

    /// The first line of what is wrong: what follows are places in the format.
    fn damaged(&self, place: &str, what: &dyn Display) -> Error {
        let what = what.to_string();
        let what = what.lines().next().unwrap_or_default();
        Error::table(self.path, format!("damaged {}, {place}: {what}", self.format))
    }
}

/// What `decode` gives, or what it panicked with.
fn guarded<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                others(panic);
            }
        }));
    });
    let was_guarded = IS_GUARDED.replace(true);
    // Whoever panicked is dropped and never asked again.
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(was_guarded);
    decoded.map_err(|panic| said(&*panic))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the reader gave up".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_damages() {
        let reading = Reading { path: Path::new("t.parquet"), format: "Parquet" };
        let guard = |decode: fn() -> Result<u8, String>| {
            reading.guard(|| "after row 7".into(), decode).map_err(|error| error.to_string())
        };
        assert_eq!(guard(|| Ok(1)), Ok(1));
        let damaged = |what| Err(format!("t.parquet: damaged Parquet, after row 7: {what}"));
        assert_eq!(guard(|| Err("short".into())), damaged("short"));
        assert_eq!(guard(|| panic!("no such page")), damaged("no such page"));
        assert_eq!(guard(|| panic!("page {}", 3)), damaged("page 3"));
        assert!(!IS_GUARDED.get());
    }
}
