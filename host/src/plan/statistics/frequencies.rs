//! Frequencies: which records have which value of an operand, of all records or of some that were drawn.

use crate::base::random::Random;
use crate::encode::Encoded;
use hyperblock_shared::columns::{Columns, MISSING};

/// The records of an operand by code.
#[derive(Debug)]
pub(super) struct Frequencies {
    /// The values that have a place, ascending; all of the domain, if there is no list of them.
    values: Option<Vec<u32>>,
    /// By place: where a value's records start; one more at the end.
    starts: Vec<u32>,
    /// The records with a value, by code.
    records: Vec<u32>,
    n_records: u32,
}

impl Frequencies {
    /// Of some records, ascending.
    pub(super) fn of_some(encoded: &Encoded, operand: u32, some: &[u32]) -> Self {
        let codes = encoded.codes(operand);
        let packed = some.iter().map(|&record| u64::from(codes[record as usize]) << 32 | u64::from(record));
        let mut packed: Vec<u64> = packed.filter(|packed| (packed >> 32) as u32 != MISSING).collect();
        packed.sort_unstable();
        let (mut values, mut starts) = (Vec::new(), Vec::new());
        for (place, packed) in (0..).zip(&packed) {
            let code = (packed >> 32) as u32;
            if values.last() != Some(&code) {
                values.push(code);
                starts.push(place);
            }
        }
        starts.push(packed.len() as u32);
        let records = packed.into_iter().map(|packed| packed as u32).collect();
        Self { values: Some(values), starts, records, n_records: some.len() as u32 }
    }

    /// Of all records.
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
        Self { values: None, starts, records, n_records: codes.len() as u32 }
    }

    /// The place of a value, or of the first one after it.
    pub(super) fn place(&self, code: u32) -> usize {
        match &self.values {
            None => code as usize,
            Some(values) => values.partition_point(|&value| value < code),
        }
    }

    /// How many records have the value.
    pub(super) fn count(&self, code: u32) -> u64 {
        let place = self.place(code);
        let is_there = place + 1 < self.starts.len() && self.code(place) == code;
        if is_there { self.count_at(place) } else { 0 }
    }

    /// How many records have the value at a place.
    pub(super) fn count_at(&self, place: usize) -> u64 {
        u64::from(self.starts[place + 1] - self.starts[place])
    }

    /// How many records have a value below this code.
    pub(super) fn before(&self, code: u32) -> u64 {
        u64::from(self.starts[self.place(code)])
    }

    /// How many records have a value at all.
    pub(super) fn n_present(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn n_records(&self) -> u64 {
        u64::from(self.n_records)
    }

    /// How many values have a place.
    pub(super) fn n_places(&self) -> usize {
        self.starts.len() - 1
    }

    /// The codes that some record has, ascending.
    pub(super) fn codes(&self) -> impl Iterator<Item = u32> {
        (0..self.n_places()).filter(|&place| self.count_at(place) > 0).map(|place| self.code(place))
    }

    /// The code at a place.
    pub(super) fn code(&self, place: usize) -> u32 {
        self.values.as_ref().map_or(place as u32, |values| values[place])
    }

    /// The records that were looked at, if they have a value.
    pub(super) fn records(&self) -> &[u32] {
        &self.records
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
