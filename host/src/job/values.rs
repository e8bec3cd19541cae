//! The values of columns that are wanted beside ids: found, kept, and told.
//!
//! They are read with what rules ask for, and their text stays when all other text is let go of. Where a table comes from a cache,
//! or is read in passes, they are read once more when all else is encoded.

use super::again::PER_BYTE;
use super::beside::Beside;
use super::texts::Texts;
use super::wanted::Wanted;
use super::{Job, Prepared};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Side, nearest};
use crate::tell::output::{CandidateRows, SideColumn, ValueColumns, Values, side_by_side};

impl Job {
    /// The columns that are wanted, each once, in the order that they are asked for.
    pub(super) fn columns_beside(
        &self,
        left: &Table,
        right: Option<&Table>,
        wanted: &Wanted,
    ) -> Result<Vec<SideColumn>> {
        let tables = [left, right.unwrap_or(left)];
        let mut all: Vec<SideColumn> = Vec::new();
        for beside in &self.beside {
            let columns = match beside {
                Beside::All => {
                    let ids = |side: usize| wanted.ids(side * usize::from(right.is_some()));
                    side_by_side(tables, [0, 1].map(|side| tables[side].own_columns(&ids(side))))
                }
                Beside::Column { side, name } => {
                    let sides = [Side::Left, Side::Right].into_iter().zip(tables);
                    let sides = sides.filter(|(own, _)| side.is_none_or(|side| side == *own));
                    let column = |(own, table): (Side, &Table)| {
                        let column = table.schema.find(name).ok_or_else(|| unknown(beside, name, table))?;
                        Ok(SideColumn { is_left: own == Side::Left, column })
                    };
                    sides.map(column).collect::<Result<_>>()?
                }
            };
            for column in columns {
                // Which table a record is of stands beside its id already.
                let is_source = left.source_column() == Some(column.column);
                if !is_source && !all.contains(&column) {
                    all.push(column);
                }
            }
        }
        Ok(all)
    }
}

fn unknown(beside: &Beside, name: &str, table: &Table) -> Error {
    let near = nearest(name, table.schema.columns.iter().map(|column| column.name.as_str()));
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let (asked, columns) = (beside.written(), table.schema.names());
    let message = format!("--columns {asked}: there is no column `{name}`{hint}; the columns are {columns}");
    Error::table(&table.path, message)
}

impl Texts<'_> {
    /// The values of columns that are wanted beside ids, which are read if they are not there.
    pub(super) fn beside(&mut self, columns: &[SideColumn], control: &Control) -> Result<Values> {
        let is_of = |nth: usize, column: &&SideColumn| self.right.is_none() || column.is_left == (nth == 0);
        let by_table = [0, 1].map(|nth| {
            columns.iter().filter(|column| is_of(nth, column)).map(|it| it.column).collect::<Vec<_>>()
        });
        let tables = [Some(&mut self.left), self.right.as_mut()].into_iter().flatten();
        for ((table, own), options) in tables.zip(&by_table).zip(&self.wanted.options) {
            if !table.has_text(own) {
                let needed = PER_BYTE * Table::n_bytes_of_text(&table.path)?;
                let _held = control.budget().hold(needed, "the values beside ids")?;
                table.fill(own, options, control)?;
            }
        }
        let tables = [&self.left, self.right.as_ref().unwrap_or(&self.left)];
        Values::of(columns, tables, self.left.source_column().is_some())
    }
}

impl Prepared {
    /// What rows look like that tell of candidates.
    #[doc(hidden)]
    pub fn rows(&self) -> CandidateRows<'_> {
        let ids = [&self.left.ids, &self.right().ids];
        let rows = CandidateRows::new(ids[0], ids[1], self.witnesses());
        match self.beside.is_empty() {
            true => rows,
            false => rows.with_values(ValueColumns { values: &self.beside, ids }),
        }
    }
}
