//! The ids of several tables that are compared as one.
//!
//! An id is unique within its table alone, so a record is named by both: `shop:17`. Each table's ids stay as they are, and only
//! the rows are counted on from table to table: that takes no more memory than the tables by themselves.

use super::{Ids, Named};
use std::ops::Range;

/// The ids of one of the tables.
#[derive(Clone, Debug)]
pub(in crate::read::table) struct Part {
    /// What the table is called.
    name: String,
    /// Its first record, and its first row.
    pub(super) first: u32,
    pub(super) first_row: u32,
    /// As they are in the table.
    pub(super) named: Named,
}

/// The part that a record is of. One without records is skipped: it begins where the next one does.
pub(super) fn of(parts: &[Part], record: u32) -> Option<&Part> {
    parts.get(parts.partition_point(|part| part.first <= record).checked_sub(1)?)
}

impl Ids {
    /// Those of several tables, each with its name: records are numbered by table, then by id.
    pub(in crate::read) fn several(tables: Vec<(String, Self)>) -> Self {
        let n_records = tables.iter().map(|(_, ids)| ids.rows.len()).sum();
        let (mut rows, mut parts) = (Vec::with_capacity(n_records), Vec::with_capacity(tables.len()));
        for (name, ids) in tables {
            let first = rows.len() as u32;
            rows.extend(ids.rows.iter().map(|row| first + row));
            parts.push(Part { name, first, first_row: first, named: ids.named });
        }
        Self { rows, named: Named::Several(parts) }
    }

    fn parts(&self) -> &[Part] {
        match &self.named {
            Named::Several(parts) => parts,
            Named::Rows | Named::Integers(_) | Named::Texts(_) => &[],
        }
    }

    /// What the tables are called, if they are several, and the records of each; nothing for one table.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = (&str, Range<u32>)> {
        let parts = self.parts();
        (0..parts.len()).map(move |nth| {
            let end = parts.get(nth + 1).map_or(self.len(), |next| next.first);
            (parts[nth].name.as_str(), parts[nth].first..end)
        })
    }

    /// Which of several tables a record is of.
    pub(crate) fn table_of(&self, record: u32) -> Option<usize> {
        self.parts().partition_point(|part| part.first <= record).checked_sub(1)
    }

    /// What the table of a record is called, if there are several.
    pub fn source(&self, record: u32) -> Option<&str> {
        of(self.parts(), record).map(|part| part.name.as_str())
    }

    /// A record as people name it: its id; of several tables, behind its table's name.
    pub fn name(&self, record: u32) -> String {
        match self.source(record) {
            None => self.text(record),
            Some(source) => format!("{source}:{}", self.borrowed(record)),
        }
    }

    /// The record of that id in the table of that name.
    pub(crate) fn record_in(&self, source: &str, id: &str) -> Option<u32> {
        let nth = self.parts().iter().position(|part| part.name == source)?;
        self.record_of_part(nth, id)
    }

    fn record_of_part(&self, nth: usize, id: &str) -> Option<u32> {
        let part = self.parts().get(nth)?;
        let end = self.parts().get(nth + 1).map_or(self.len(), |next| next.first);
        let rows = self.rows.get(part.first as usize..end as usize)?;
        let record = part.first + part.named.place(rows, part.first_row, id);
        (record < end && self.borrowed(record) == id).then_some(record)
    }

    /// All records that are called so: by their id in any of several tables, or by table and id.
    pub(crate) fn records(&self, id: &str) -> Vec<u32> {
        if self.parts().is_empty() {
            return self.record(id).into_iter().collect();
        }
        let plain = (0..self.parts().len()).filter_map(|nth| self.record_of_part(nth, id));
        let with_table = self.parts().iter().enumerate().filter_map(|(nth, part)| {
            let id = id.strip_prefix(part.name.as_str())?.strip_prefix(':')?;
            self.record_of_part(nth, id)
        });
        plain.chain(with_table).collect()
    }

    /// The parts that these records alone have, each a part by itself.
    pub(super) fn parts_of(&self, records: &[u32]) -> Vec<Part> {
        let alone = |(place, &record): (u32, &u32)| {
            let part = of(self.parts(), record)?;
            let named = match &part.named {
                Named::Integers(integers) => Named::Integers(vec![integers[(record - part.first) as usize]]),
                named => named.clone(),
            };
            Some(Part { name: part.name.clone(), first: place, first_row: part.first_row, named })
        };
        (0..).zip(records).filter_map(alone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::ids;
    use super::*;
    use crate::read::table::Kind;

    fn several() -> Ids {
        let tables = [
            ("shop", ids(&["10", "-3", "9"], Kind::Integer)),
            ("empty", Ids::rows(0)),
            ("list", ids(&["9", "x:1", "a"], Kind::Text)),
            ("rows", Ids::rows(2)),
        ];
        Ids::several(tables.map(|(name, ids)| (name.to_owned(), ids)).into())
    }

    #[test]
    fn records_are_numbered_by_table_and_then_by_id() {
        let ids = several();
        let names: Vec<String> = (0..ids.len()).map(|record| ids.name(record)).collect();
        let wanted = ["shop:-3", "shop:9", "shop:10", "list:9", "list:a", "list:x:1", "rows:1", "rows:2"];
        assert_eq!(names, wanted);
        // Rows are those of the tables, one behind the other.
        let rows: Vec<usize> = (0..ids.len()).map(|record| ids.row(record)).collect();
        assert_eq!(rows, [1, 2, 0, 3, 5, 4, 6, 7]);
        let tables: Vec<_> = ids.tables().collect();
        assert_eq!(tables, [("shop", 0..3), ("empty", 3..3), ("list", 3..6), ("rows", 6..8)]);
        assert!(!ids.are_integers() && !ids.are_rows());
    }

    #[test]
    fn records_are_found_by_id_and_by_table_and_id() {
        let ids = several();
        for (id, want) in [
            ("9", vec![1, 3]),
            ("shop:9", vec![1]),
            ("list:9", vec![3]),
            ("10", vec![2]),
            ("x:1", vec![5]),
            ("list:x:1", vec![5]),
            ("1", vec![6]),
            ("rows:3", vec![]),
            ("empty:1", vec![]),
            ("b", vec![]),
        ] {
            assert_eq!(ids.records(id), want, "{id}");
            assert_eq!(ids.record(id), Some(want).filter(|it| it.len() == 1).map(|it| it[0]), "{id}");
        }
        assert_eq!(ids.record_in("list", "9"), Some(3));
        assert_eq!(ids.record_in("none", "9"), None);
    }

    #[test]
    fn a_part_keeps_tables_and_ids() {
        let part = several().part(&[7, 2, 5]);
        let names: Vec<String> = (0..part.len()).map(|record| part.name(record)).collect();
        assert_eq!(names, ["rows:2", "shop:10", "list:x:1"]);
    }
}
