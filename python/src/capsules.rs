//! Capsules: Arrow streams that come in from Python and go out to it, without a copy. All that Rust cannot check is here.

#![expect(unsafe_code, reason = "capsules are raw pointers, by the Arrow PyCapsule interface")]

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::CStr;

/// What the interface calls such a capsule.
const NAME: &CStr = c"arrow_array_stream";

/// The schema and the batches of a table. The stream of whoever gives it is read to its end.
pub(crate) fn taken(table: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    // SAFETY: `capsule` is a live object. This checks that it is a capsule of this name, and else sets an exception.
    let stream = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()) };
    if stream.is_null() {
        return Err(PyErr::fetch(table.py()));
    }
    // SAFETY: by the interface, a capsule of this name points to a stream that is ours to move out of. What stays behind is
    // marked as released, so that the capsule's destructor does nothing.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.cast::<FFI_ArrowArrayStream>()) };
    let wrong = |error: ArrowError| PyTypeError::new_err(format!("the Arrow stream cannot be read: {error}"));
    let reader = reader.map_err(wrong)?;
    let schema = reader.schema();
    // Producers take the GIL themselves if they need it; so it is held.
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    Ok((schema, batches))
}

/// Record batches that can be read as an Arrow stream, as often as somebody likes.
#[pyclass(frozen, module = "hyperblock._native")]
pub(crate) struct Stream {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

#[pymethods]
impl Stream {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// A new stream over all rows. It keeps them alive by itself. Another schema may be asked for, and is not given.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        drop(requested_schema);
        // Clones count references, and copy no rows.
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, self.schema.clone());
        let stream = Box::into_raw(Box::new(FFI_ArrowArrayStream::new(Box::new(reader))));
        // SAFETY: `stream` is not null and lives until the destructor; NAME is static.
        let capsule = unsafe { ffi::PyCapsule_New(stream.cast(), NAME.as_ptr(), Some(dropped)) };
        if capsule.is_null() {
            // SAFETY: no capsule was made, so nobody else has the pointer, which came from a Box.
            drop(unsafe { Box::from_raw(stream) });
            return Err(PyErr::fetch(py));
        }
        // SAFETY: a new reference, which is ours.
        Ok(unsafe { Bound::from_owned_ptr(py, capsule) })
    }
}

/// Frees a stream with its capsule. One that was moved out of is marked so, and has nothing left to release.
unsafe extern "C" fn dropped(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, with a capsule that was made above.
    let stream = unsafe { ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()) };
    if !stream.is_null() {
        // SAFETY: the pointer came from a Box of this type, and this is its only end.
        drop(unsafe { Box::from_raw(stream.cast::<FFI_ArrowArrayStream>()) });
    }
}
