//! A table of people in which some appear more than once, and the truth about it.

use super::noise::damage;
use super::person::{COLUMNS, Source};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::io::{self, Write};

/// The people, in the order of their rows.
pub(super) struct People {
    /// Rows without their ids, one after the other, in the order they were drawn.
    text: String,
    rows: Vec<Row>,
    n_entities: u32,
}

#[derive(Clone, Copy)]
struct Row {
    start: usize,
    end: usize,
    entity: u32,
}

impl People {
    /// Draws `rows` rows, of which a share repeats other rows' persons, in clusters of 2 to 4; names and zip codes by
    /// Zipf's law with the exponent `skew`, if there is one.
    pub(super) fn draw(rows: u32, seed: u64, duplicates: f64, skew: Option<f64>) -> Self {
        let mut source =
            skew.map_or_else(|| Source::new(seed), |exponent| Source::skewed(seed, exponent, rows));
        let mut n_duplicates = (f64::from(rows) * duplicates) as u32;
        let mut people = Self { text: String::new(), rows: Vec::with_capacity(rows as usize), n_entities: 0 };
        let mut left = rows;
        while left > 0 {
            people.n_entities += 1;
            let person = source.person();
            people.push(&person.columns);
            left -= 1;
            // All duplicates come early, which does no harm: the rows are shuffled in the end.
            let n_more = n_duplicates.min(match source.rng.random_range(0..10u32) {
                0 => 3,
                1 | 2 => 2,
                _ => 1,
            });
            for _ in 0..n_more {
                let mut copy = person.clone();
                damage(&mut copy, &mut source);
                people.push(&copy.columns);
            }
            left -= n_more;
            n_duplicates -= n_more;
        }
        people.rows.shuffle(&mut source.rng);
        people
    }

    fn push(&mut self, columns: &[String; COLUMNS.len()]) {
        let start = self.text.len();
        for column in columns {
            self.text.push(',');
            self.text.push_str(column);
        }
        self.rows.push(Row { start, end: self.text.len(), entity: self.n_entities });
    }

    pub(super) fn n_entities(&self) -> u32 {
        self.n_entities
    }

    /// The table. Nothing in it needs quotes.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,{}", COLUMNS.join(","))?;
        for (ix, row) in self.rows.iter().enumerate() {
            writeln!(out, "p{:06}{}", ix + 1, &self.text[row.start..row.end])?;
        }
        Ok(())
    }

    /// The truth: which person each row is.
    pub(super) fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,entity_id")?;
        for (ix, row) in self.rows.iter().enumerate() {
            writeln!(out, "p{:06},e{:06}", ix + 1, row.entity)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::People;
    use std::collections::{HashMap, HashSet};

    fn files(people: &People) -> (String, String) {
        let (mut table, mut truth) = (Vec::new(), Vec::new());
        people.write(&mut table).unwrap();
        people.write_truth(&mut truth).unwrap();
        (String::from_utf8(table).unwrap(), String::from_utf8(truth).unwrap())
    }

    #[test]
    fn a_seed_decides_the_files() {
        assert_eq!(files(&People::draw(500, 1, 0.2, None)), files(&People::draw(500, 1, 0.2, None)));
        assert_ne!(files(&People::draw(500, 1, 0.2, None)), files(&People::draw(500, 2, 0.2, None)));
    }

    #[test]
    fn skew_makes_names_and_zips_fewer() {
        let draw = |skew| files(&People::draw(3000, 1, 0.2, skew)).0;
        let n_distinct = |table: &str, column: usize| {
            let value = |line: &str| line.split(',').nth(column).unwrap_or_default().to_owned();
            table.lines().skip(1).map(value).collect::<HashSet<_>>().len()
        };
        let [even, skewed] = [0.0, 1.0].map(|exponent| draw(Some(exponent)));
        assert_eq!(skewed, draw(Some(1.0)));
        for column in [1, 2, 5] {
            assert!(n_distinct(&even, column) > n_distinct(&skewed, column), "column {column}");
        }
        assert!(skewed.lines().all(|line| line.split(',').count() == 10));
    }

    #[test]
    fn a_row_is_ten_columns() {
        let (table, _) = files(&People::draw(3000, 1, 0.3, None));
        assert_eq!(table.lines().count(), 3001);
        for (ix, line) in table.lines().enumerate() {
            assert_eq!(line.split(',').count(), 10, "{line}");
            assert!(!line.contains('"'), "{line}");
            if ix > 0 {
                assert!(line.starts_with(&format!("p{ix:06},")), "{line}");
            }
        }
    }

    #[test]
    fn the_truth_knows_every_row() {
        for (rows, duplicates) in
            [(0, 0.2), (1, 0.5), (2, 0.5), (3, 0.5), (2000, 0.0), (2000, 0.2), (2000, 0.5)]
        {
            let people = People::draw(rows, 3, duplicates, None);
            let (table, truth) = files(&people);
            let ids = |file: &str| -> Vec<String> {
                file.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect()
            };
            assert_eq!(ids(&table), ids(&truth));
            assert_eq!(ids(&table).len(), rows as usize);

            let mut clusters: HashMap<&str, u32> = HashMap::new();
            for line in truth.lines().skip(1) {
                *clusters.entry(line.split_once(',').unwrap().1).or_default() += 1;
            }
            assert_eq!(clusters.len(), people.n_entities() as usize);
            assert!(clusters.values().all(|size| (1..=4).contains(size)));
            assert_eq!(rows - clusters.len() as u32, (f64::from(rows) * duplicates) as u32);
        }
    }

    #[test]
    fn values_are_skewed_but_various() {
        let (table, _) = files(&People::draw(20_000, 5, 0.2, None));
        let mut last_names: HashMap<&str, u32> = HashMap::new();
        for line in table.lines().skip(1) {
            *last_names.entry(line.split(',').nth(2).unwrap()).or_default() += 1;
        }
        assert!(last_names.len() > 5_000, "{} last names", last_names.len());
        assert!(last_names.values().any(|&n| n > 500), "no last name is heavy");
        let characters: HashSet<char> = table.chars().filter(|c| !c.is_ascii()).collect();
        assert!(characters.len() > 20, "too few accents: {characters:?}");
    }
}
