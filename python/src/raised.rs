//! Errors as exceptions, which are classes of `hyperblock._errors`.

use hyperblock::Error;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception of an error.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    let said = error.to_string();
    match error {
        Error::Rule(rule) => {
            let before = rule.source.get(..rule.span.start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let place = (said, rule.message.clone(), rule.help.clone(), line, column);
            made(py, |errors| errors.getattr("RuleError")?.call1(place))
        }
        Error::Table { .. } => named(py, "TableError", said),
        Error::NoDevice { .. } | Error::Driver { .. } | Error::DeviceMemory { .. } => {
            named(py, "DeviceError", said)
        }
        Error::Internal(_) => named(py, "InternalError", said),
        // Of a number that Python knows it makes a FileNotFoundError, or whatever else is meant.
        Error::Io { path, source } => match source.raw_os_error() {
            Some(number) => {
                let said = source.to_string();
                let said = said.split(" (os error").next().unwrap_or(&said).to_owned();
                PyOSError::new_err((number, said, path.into_os_string()))
            }
            None => PyOSError::new_err(said),
        },
        Error::Memory { .. } => PyMemoryError::new_err(said),
        Error::Job(_) | Error::Interrupted => PyValueError::new_err(said),
    }
}

/// A defect that was a panic.
pub(crate) fn panicked(py: Python<'_>, said: &str) -> PyErr {
    named(py, "InternalError", format!("internal error: {said}; please report it"))
}

fn named(py: Python<'_>, class: &str, said: String) -> PyErr {
    made(py, |errors| errors.getattr(class)?.call1((said,)))
}

fn made<'py>(
    py: Python<'py>,
    make: impl FnOnce(&Bound<'py, PyModule>) -> PyResult<Bound<'py, PyAny>>,
) -> PyErr {
    match py.import("hyperblock._errors").and_then(|errors| make(&errors)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
