//! The tuples of a closure as rows of `src, dst`.

use super::{Lines, Rows};
use crate::read::edges::Names;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// What the nodes of a tuple are called.
pub struct TupleRows<'a> {
    /// By node.
    pub names: &'a Names,
}

impl TupleRows<'_> {
    fn array(&self, nodes: impl Iterator<Item = u32>) -> ArrayRef {
        match self.names {
            Names::Integers(names) => {
                Arc::new(nodes.map(|node| names[node as usize]).collect::<Int64Array>())
            }
            Names::Texts(names) => {
                let mut texts = LargeStringBuilder::new();
                nodes.for_each(|node| texts.append_value(&names[node as usize]));
                Arc::new(texts.finish())
            }
        }
    }
}

impl Rows for TupleRows<'_> {
    type Row = u64;

    fn schema(&self) -> SchemaRef {
        let kind = match self.names {
            Names::Integers(_) => DataType::Int64,
            Names::Texts(_) => DataType::LargeUtf8,
        };
        let field = |name: &str| Field::new(name, kind.clone(), false);
        Arc::new(Schema::new(vec![field("src"), field("dst")]))
    }

    fn batch(&self, tuples: &[u64]) -> Result<RecordBatch, ArrowError> {
        let sources = self.array(tuples.iter().map(|tuple| (tuple >> 32) as u32));
        let targets = self.array(tuples.iter().map(|tuple| *tuple as u32));
        RecordBatch::try_new(self.schema(), vec![sources, targets])
    }

    fn write_csv(&self, tuple: &u64, lines: &mut Lines) {
        let (source, target) = ((tuple >> 32) as usize, *tuple as u32 as usize);
        match self.names {
            Names::Integers(names) => {
                lines.integer(names[source]);
                lines.integer(names[target]);
                lines.end();
            }
            Names::Texts(names) => lines.record([&names[source], &names[target]]),
        }
    }
}
