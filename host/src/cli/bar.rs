//! The bar on a terminal, and what is written while it is there.

use indicatif::ProgressBar;
use std::sync::{Mutex, PoisonError};

/// The bar, while there is one.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// From now on there is one, or none.
pub(crate) fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// Writes something to standard error, above the bar if there is one.
pub(crate) fn above<T>(write: impl FnOnce() -> T) -> T {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
