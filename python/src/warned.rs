//! Warnings: what the engine tells as events is kept here, and said by Python from the caller's thread.

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::fmt::{Debug, Write};
use std::mem::take;
use std::sync::{Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What was not yet said, of all calls: a thread that works knows nothing of the call that it works for.
static WAITING: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Waiting;

/// Has warnings kept from now on.
pub(crate) fn listen() {
    // Whoever listens already, in whatever other module of this process, goes on.
    let _ = tracing::subscriber::set_global_default(Waiting);
}

/// Says what waits, as a warning of the line that called.
pub(crate) fn say(py: Python<'_>) -> PyResult<()> {
    let waiting = take(&mut *WAITING.lock().unwrap_or_else(PoisonError::into_inner));
    let category = py.get_type::<PyUserWarning>();
    waiting.into_iter().try_for_each(|said| {
        let said = CString::new(said.replace('\0', "\\0"))?;
        PyErr::warn(py, &category, &said, 2)
    })
}

impl Subscriber for Waiting {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN && metadata.target().starts_with("hyperblock")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).push(message.0);
    }

    // Spans are for who follows a job, which nobody does here.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// What an event says.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}
