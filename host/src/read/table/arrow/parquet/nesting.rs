//! How deep the columns of a Parquet file are nested, by a look at its footer.
//!
//! The parquet crate goes down into groups of groups by recursion, and whoever goes down too far is ended by the system:
//! 16 kB are enough for 2,000 levels, which no thread has a stack for. The footer is in Thrift's compact protocol. Of it
//! only the list of columns is read here, in which a group says how many of those that follow are in it.

/// More than anyone has, and less than does harm.
pub(super) const DEEPEST: usize = 200;
/// Structs in structs that are skipped: there are four where a file is well.
const MOST_SKIPPED: usize = 32;

const STOP: u8 = 0;
const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// In the footer: its list of columns. In a column: how many are in it.
const SCHEMA: i64 = 2;
const N_CHILDREN: i64 = 5;

/// The most groups that a column is in; none, if the footer cannot be followed.
pub(super) fn deepest(footer: &[u8]) -> Option<usize> {
    let mut thrift = Thrift(footer);
    let (mut id, mut kind) = thrift.field(0)?;
    while (id, kind) != (SCHEMA, LIST) {
        if kind == STOP {
            return None;
        }
        thrift.skip(kind, 0)?;
        (id, kind) = thrift.field(id)?;
    }
    let (n_columns, _) = thrift.list()?;
    // By group that we are in: how many are still to come in it.
    let (mut open, mut deepest) = (vec![1], 0);
    for _ in 0..n_columns {
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(thrift.n_children()?);
        deepest = deepest.max(open.len() - 1);
        if deepest > DEEPEST {
            break;
        }
    }
    Some(deepest)
}

/// What is left of a text in Thrift's compact protocol.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, n: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(n).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number that may be below zero.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// The number and the type of the field that follows another.
    fn field(&mut self, before: i64) -> Option<(i64, u8)> {
        let head = self.byte()?;
        let (step, kind) = (head >> 4, head & 15);
        match step {
            _ if kind == STOP => Some((before, STOP)),
            0 => Some((self.signed()?, kind)),
            step => Some((before.checked_add(step.into())?, kind)),
        }
    }

    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let n = if head >> 4 == 15 { self.number()? } else { (head >> 4).into() };
        Some((n, head & 15))
    }

    /// What is in a column; ends behind the column.
    fn n_children(&mut self) -> Option<u64> {
        let (mut id, mut n_children) = (0, 0);
        loop {
            let kind;
            (id, kind) = self.field(id)?;
            match (id, kind) {
                (_, STOP) => return Some(n_children),
                (N_CHILDREN, I32) => n_children = u64::try_from(self.signed()?).ok()?,
                _ => self.skip(kind, 0)?,
            }
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MOST_SKIPPED {
            return None;
        }
        match kind {
            // A truth is in its type.
            1 | 2 => Some(()),
            3 => self.bytes(1),
            4..=6 => self.number().map(drop),
            7 => self.bytes(8),
            8 => {
                let n = self.number()?;
                self.bytes(n)
            }
            LIST | 10 => {
                let (n, kind) = self.list()?;
                (0..n).try_for_each(|_| self.element(kind, depth))
            }
            11 => {
                let n = self.number()?;
                let kinds = if n == 0 { 0 } else { self.byte()? };
                (0..n).try_for_each(|_| {
                    self.element(kinds >> 4, depth)?;
                    self.element(kinds & 15, depth)
                })
            }
            STRUCT => {
                let mut id = 0;
                loop {
                    let kind;
                    (id, kind) = self.field(id)?;
                    if kind == STOP {
                        return Some(());
                    }
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => None,
        }
    }

    /// In lists, a truth is a byte.
    fn element(&mut self, kind: u8, depth: usize) -> Option<()> {
        if matches!(kind, 1 | 2) { self.bytes(1) } else { self.skip(kind, depth + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(file: &[u8]) -> &[u8] {
        let (file, trailer) = file.split_at(file.len() - 8);
        let n = u32::from_le_bytes(trailer[..4].try_into().unwrap()) as usize;
        &file[file.len() - n..]
    }

    #[test]
    fn files_of_others() {
        let plain = include_bytes!("../../../../../../tests/data/gzip.parquet");
        assert_eq!(deepest(footer(plain)), Some(2));
        // A list is two groups.
        let nested = include_bytes!("../../../../../../tests/data/nested.parquet");
        assert_eq!(deepest(footer(nested)), Some(4));
    }

    /// Groups that hold a group each, and the last of them a column.
    #[test]
    fn deeper_than_any_stack() {
        for (n_groups, want) in [(1u8, 2), (100, 101), (250, DEEPEST + 1)] {
            let n_columns = [(n_groups + 1) & 0x7f | 0x80, (n_groups + 1) >> 7];
            let mut footer = vec![0x15, 2, 0x19, 0xfc, n_columns[0], n_columns[1]];
            // Its name, `a`, and how many are in it.
            (0..n_groups).for_each(|_| footer.extend([0x48, 1, b'a', 0x15, 2, 0]));
            footer.extend([0x48, 1, b'x', 0, 0]);
            assert_eq!(deepest(&footer), Some(want), "{n_groups}");
            for cut in 0..footer.len() - 1 {
                assert!(deepest(&footer[..cut]).is_none_or(|deepest| deepest > DEEPEST), "{n_groups}, {cut}");
            }
        }
    }
}
