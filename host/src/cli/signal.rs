//! Signals: Ctrl-C, SIGTERM and SIGHUP cancel the job.

use super::exit::INTERRUPTED;
use hyperblock::base::target::abandon;
use hyperblock::{Control, Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The first signal ends the job in good order, with nothing half-written; the second ends the process.
pub(crate) fn cancels(control: Control) -> Result<Arc<Control>> {
    let control = Arc::new(control);
    let (asked, watched) = (AtomicBool::new(false), control.clone());
    ctrlc::set_handler(move || {
        if asked.swap(true, Relaxed) {
            abandon();
            std::process::exit(INTERRUPTED.into());
        }
        watched.cancel();
    })
    .map_err(|error| Error::Job(format!("signals cannot be handled: {error}")))?;
    Ok(control)
}
