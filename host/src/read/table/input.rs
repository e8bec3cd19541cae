//! Where a table is: in a file, or in memory.

use crate::base::error::{Error, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of one table, in memory. To clone it copies no rows.
#[derive(Clone, Debug)]
pub struct Batches {
    name: PathBuf,
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl Batches {
    /// A table with a name for messages. All batches have the same columns.
    pub fn new(name: &str, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        let name = PathBuf::from(name);
        let types = |schema: &SchemaRef| -> Vec<_> {
            schema.fields().iter().map(|field| field.data_type().clone()).collect()
        };
        if let Some(nth) = batches.iter().position(|batch| types(&batch.schema()) != types(&schema)) {
            let message = format!("batch {} has other columns than the table", nth + 1);
            return Err(Error::table(&name, message));
        }
        Ok(Self { name, schema, batches: batches.into() })
    }

    /// Its name, for messages.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

/// Where a table is.
#[derive(Clone, Debug)]
pub enum Input {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Batches),
}

impl Input {
    /// What messages call it.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Memory(batches) => batches.name(),
        }
    }

    /// Its file, if it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Memory(_) => None,
        }
    }

    /// Whether it is known, without reading it, that there are no rows.
    pub fn has_no_rows(&self) -> bool {
        matches!(self, Self::Memory(batches) if batches.n_rows() == 0)
    }
}

impl From<Batches> for Input {
    fn from(batches: Batches) -> Self {
        Self::Memory(batches)
    }
}

impl From<&Path> for Input {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}
