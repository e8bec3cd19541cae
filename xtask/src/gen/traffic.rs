//! A table of traffic accidents in which some appear more than once, and the truth about it.
//!
//! As the accidents of a country over many years: codes, dates, coordinates and names of roads. The table is to have tens
//! of millions of rows, so no row is kept: every accident and every copy of it has a stream of its own, whose number says
//! what it becomes, and is drawn when its turn comes. What is kept are the roads, and the order of the rows.

use super::accident::{Accident, COLUMNS};
use super::mishaps::copy;
use super::roads::Roads;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

/// The accidents, in the order of their rows.
pub(super) struct Traffic {
    roads: Roads,
    rows: Vec<Row>,
    n_entities: u32,
    seed: u64,
}

#[derive(Clone, Copy)]
struct Row {
    entity: u32,
    /// 0 is the accident itself.
    nth_copy: u8,
}

impl Traffic {
    /// Draws the order of `rows` rows, of which a share repeats other rows' accidents, in clusters of 2 to 4.
    pub(super) fn draw(rows: u32, seed: u64, duplicates: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let roads = Roads::new(rows, &mut rng);
        let mut n_duplicates = (f64::from(rows) * duplicates) as u32;
        let mut all = Vec::with_capacity(rows as usize);
        let mut entity = 0;
        while all.len() < rows as usize {
            entity += 1;
            // All duplicates come early, which does no harm: the rows are shuffled in the end.
            let n_more = n_duplicates.min(match rng.random_range(0..10u32) {
                0 => 3,
                1 | 2 => 2,
                _ => 1,
            });
            all.extend((0..=n_more as u8).map(|nth_copy| Row { entity, nth_copy }));
            n_duplicates -= n_more;
        }
        all.shuffle(&mut rng);
        Self { roads, rows: all, n_entities: entity, seed }
    }

    pub(super) fn n_entities(&self) -> u32 {
        self.n_entities
    }

    /// The table.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,{}", COLUMNS.join(","))?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        for (id, row) in (1u32..).zip(&self.rows) {
            rng.set_stream(row.stream(0));
            let mut accident = Accident::draw(&self.roads, &mut rng);
            if row.nth_copy > 0 {
                rng.set_stream(row.stream(row.nth_copy));
                accident = copy(&accident, &mut rng);
            }
            write!(out, "{id}")?;
            accident.write(out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// The truth: which rows are the same accident.
    pub(super) fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,entity_id")?;
        for (id, row) in (1u32..).zip(&self.rows) {
            writeln!(out, "{id},{}", row.entity)?;
        }
        Ok(())
    }
}

impl Row {
    /// Of the accident itself, or of a copy. The roads and the order of rows have stream 0.
    fn stream(self, nth_copy: u8) -> u64 {
        u64::from(self.entity) << 8 | u64::from(nth_copy)
    }
}

#[cfg(test)]
mod tests {
    use super::Traffic;
    use std::collections::{HashMap, HashSet};

    fn files(traffic: &Traffic) -> [String; 2] {
        let (mut table, mut truth) = (Vec::new(), Vec::new());
        traffic.write(&mut table).expect("memory can be written");
        traffic.write_truth(&mut truth).expect("memory can be written");
        [table, truth].map(|bytes| String::from_utf8(bytes).expect("it is text"))
    }

    #[test]
    fn a_seed_decides_the_files() {
        let files = |seed| files(&Traffic::draw(300, seed, 0.2));
        assert_eq!(files(1), files(1));
        assert_ne!(files(1), files(2));
    }

    /// Tests of the engine read these.
    #[test]
    fn bundled_files_are_of_the_first_seed() {
        let bundled = [
            include_str!("../../../tests/data/traffic/table.csv"),
            include_str!("../../../tests/data/traffic/truth.csv"),
        ];
        assert!(files(&Traffic::draw(400, 1, 0.2)) == bundled, "they are not what is drawn");
    }

    #[test]
    fn the_truth_knows_every_row() {
        for (rows, duplicates) in [(0, 0.2), (1, 0.5), (2, 0.5), (3, 0.5), (2000, 0.0), (2000, 0.5)] {
            let traffic = Traffic::draw(rows, 3, duplicates);
            let [table, truth] = files(&traffic);
            assert_eq!(table.lines().count(), truth.lines().count());
            let mut rows_of: HashMap<&str, u32> = HashMap::new();
            for line in truth.lines().skip(1) {
                *rows_of.entry(line.split_once(',').expect("two columns").1).or_default() += 1;
            }
            assert_eq!(rows_of.len(), traffic.n_entities() as usize);
            assert_eq!(rows_of.values().sum::<u32>(), rows);
            assert!(rows_of.values().all(|n_rows| (1..=4).contains(n_rows)));
            assert_eq!(rows - traffic.n_entities(), (f64::from(rows) * duplicates) as u32);
        }
    }

    #[test]
    fn columns_are_as_various_as_they_should_be() {
        let [table, _] = files(&Traffic::draw(5_000, 1, 0.0));
        let n_distinct = |column: usize| {
            let value = |line: &'_ str| line.split(',').nth(column).unwrap_or_default().to_owned();
            table.lines().skip(1).map(value).collect::<HashSet<_>>().len()
        };
        for (column, wanted) in [
            (1, 4_900..5_001),
            (2, 3_000..5_000),
            (3, 500..1_440),
            (4, 30..52),
            (5, 300..417),
            (6, 6..7),
            (8, 1_000..3_000),
            (10, 5..8),
            (11, 3_500..5_000),
            (16, 6..10),
        ] {
            let n = n_distinct(column);
            assert!(wanted.contains(&n), "column {column} has {n} values, not {wanted:?}");
        }
    }
}
