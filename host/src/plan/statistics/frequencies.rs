//! Frequencies: which records have which value of an operand.

use crate::base::random::Random;
use crate::encode::Encoded;
use hyperblock_shared::columns::{Columns, MISSING};

/// The records of an operand by code.
#[derive(Debug)]
pub(super) struct Frequencies {
    /// By code: where its records start; one more at the end.
    starts: Vec<u32>,
    /// All records with a value, by code.
    records: Vec<u32>,
    n_records: u32,
}

impl Frequencies {
    pub(super) fn of(encoded: &Encoded, operand: u32) -> Self {
        let codes = encoded.codes(operand);
        let n_values = encoded.domains[encoded.codes[operand as usize].domain].n_values;
        let mut starts = vec![0u32; n_values + 1];
        let present = || (0u32..).zip(codes).filter(|(_, code)| **code != MISSING);
        for (_, &code) in present() {
            starts[code as usize + 1] += 1;
        }
        for ix in 1..starts.len() {
            starts[ix] += starts[ix - 1];
        }
        let mut next = starts.clone();
        let mut records = vec![0; starts[n_values] as usize];
        for (record, &code) in present() {
            records[next[code as usize] as usize] = record;
            next[code as usize] += 1;
        }
        Self { starts, records, n_records: codes.len() as u32 }
    }

    /// How many records have the value.
    pub(super) fn count(&self, code: u32) -> u64 {
        u64::from(self.starts[code as usize + 1] - self.starts[code as usize])
    }

    /// How many records have a value below this code.
    pub(super) fn before(&self, code: u32) -> u64 {
        u64::from(self.starts[code as usize])
    }

    /// How many records have a value at all.
    pub(super) fn n_present(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn n_records(&self) -> u64 {
        u64::from(self.n_records)
    }

    /// The codes there are.
    pub(super) fn codes(&self) -> std::ops::Range<u32> {
        0..self.starts.len() as u32 - 1
    }

    /// The record at a place among those with a value, ordered by code.
    pub(super) fn record(&self, place: u64) -> u32 {
        self.records[place as usize]
    }

    /// A record with this value, which some record must have.
    pub(super) fn draw(&self, code: u32, random: &mut Random) -> u32 {
        self.record(self.before(code) + random.below(self.count(code)))
    }
}
