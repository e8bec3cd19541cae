//! Forests: of pairs as few as keep together what all of them put together. So parts of them can be thinned where they are, and what is
//! left be brought together: components of the one are components of the other.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::pairs::{PairFile, PairSource};
use crate::read::table::Batches;
use arrow_array::{RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use std::sync::Arc;

/// Pairs of which none could be left out.
#[derive(Clone, Debug)]
pub struct Forest {
    /// `left` and `right`, as the pairs have them.
    pub schema: SchemaRef,
    /// The pairs.
    pub batches: Vec<RecordBatch>,
}

impl Forest {
    /// Of pairs in columns `left` and `right`; with `two_tables`, ids of the one are not those of the other.
    pub fn of(pairs: &Batches, two_tables: bool, control: &Control) -> Result<Self> {
        let lost = |error: ArrowError| {
            Error::table(pairs.name(), format!("pairs have columns left and right: {error}"))
        };
        let schema = pairs.schema();
        let places = ["left", "right"].map(|name| schema.index_of(name));
        let [left, right] = places;
        let places = [left.map_err(lost)?, right.map_err(lost)?];
        let own: SchemaRef = Arc::new(schema.project(&places).map_err(lost)?);
        if pairs.n_rows() == 0 {
            return Ok(Self { schema: own, batches: Vec::new() });
        }
        let projected = pairs.batches().iter().map(|batch| batch.project(&places).map_err(lost));
        let all = concat_batches(&own, &projected.collect::<Result<Vec<_>>>()?).map_err(lost)?;
        let name = pairs.name().display().to_string();
        let memory = Some(Batches::new(&name, own.clone(), vec![all.clone()])?);
        let source =
            PairSource { path: pairs.name().to_owned(), memory, two_tables, ..PairSource::default() };
        let file = PairFile::read(&source, control)?;
        let mut trees = Trees::new(file.n_records());
        let rows = (0..).zip(&file.pairs).filter(|(_, pair)| trees.unite(pair.left, pair.right));
        let rows: UInt32Array = rows.map(|(row, _): (u32, _)| row).collect();
        let columns = all.columns().iter().map(|column| take(column, &rows, None));
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(lost)?;
        let batch = RecordBatch::try_new(own.clone(), columns).map_err(lost)?;
        Ok(Self { schema: own, batches: vec![batch] })
    }
}

/// Trees of records, each with its parent.
struct Trees(Vec<u32>);

impl Trees {
    fn new(n_records: u32) -> Self {
        Self((0..n_records).collect())
    }

    fn root(&mut self, mut record: u32) -> u32 {
        while self.0[record as usize] != record {
            let above = self.0[self.0[record as usize] as usize];
            self.0[record as usize] = above;
            record = above;
        }
        record
    }

    /// Makes one tree of those that two records are in, unless they are in one.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::record_batch;
    use arrow_array::types::Int64Type;

    #[test]
    fn what_closes_a_circle_is_left_out() {
        let batch =
            record_batch!(("left", Int64, [1, 2, 3, 1, 5, 1]), ("right", Int64, [2, 3, 1, 3, 6, 2])).unwrap();
        let pairs =
            Batches::new("pairs", batch.schema(), vec![batch.slice(0, 2), batch.slice(2, 4)]).unwrap();
        let kept = |two_tables| {
            let forest = Forest::of(&pairs, two_tables, &Control::default()).unwrap();
            let of = |nth: usize| forest.batches[0].column(nth).as_primitive::<Int64Type>().values().to_vec();
            of(0).into_iter().zip(of(1)).collect::<Vec<_>>()
        };
        assert_eq!(kept(false), [(1, 2), (2, 3), (5, 6)]);
        // The left 2 is not the right one.
        assert_eq!(kept(true), [(1, 2), (2, 3), (3, 1), (1, 3), (5, 6)]);
        let none = Batches::new("pairs", batch.schema(), Vec::new()).unwrap();
        assert!(Forest::of(&none, false, &Control::default()).unwrap().batches.is_empty());
    }
}
