//! A table of CDs in which some appear more than once, and the truth about it.
//!
//! As the CDs of freedb, which people typed in: lower case, no punctuation; artists that have several, some
//! of them `various`; a title, ten to fifteen tracks in one long text; genres and years that are often
//! missing.

use super::slips::{drop_word, typo};
use super::vocabulary::{Vocabulary, distinct, word};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

const CATEGORIES: [&str; 11] = [
    "blues",
    "classical",
    "country",
    "data",
    "folk",
    "jazz",
    "misc",
    "newage",
    "reggae",
    "rock",
    "soundtrack",
];
/// One artist for so many CDs.
const CDS_PER_ARTIST: usize = 3;
const N_GENRES: usize = 300;

/// The CDs, in the order of their rows.
pub(super) struct Cds {
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

#[derive(Clone, Debug)]
struct Cd {
    artist: String,
    title: String,
    category: &'static str,
    genre: String,
    year: Option<u32>,
    tracks: Vec<String>,
}

impl Cds {
    /// Draws `rows` rows, of which a share repeats other rows' CDs, in clusters of 2 and 3.
    pub(super) fn draw(rows: u32, seed: u64, duplicates: f64) -> Self {
        let mut source = Source::new(rows as usize, seed);
        let mut n_duplicates = (f64::from(rows) * duplicates) as u32;
        let mut cds = Self { text: String::new(), rows: Vec::with_capacity(rows as usize), n_entities: 0 };
        let mut left = rows;
        while left > 0 {
            cds.n_entities += 1;
            let cd = source.cd();
            cds.push(&cd);
            left -= 1;
            // All duplicates come early, which does no harm: the rows are shuffled in the end.
            let n_more = n_duplicates.min(left).min(if source.rng.random_bool(0.15) { 2 } else { 1 });
            for _ in 0..n_more {
                let copy = source.copy(&cd);
                cds.push(&copy);
            }
            left -= n_more;
            n_duplicates -= n_more;
        }
        cds.rows.shuffle(&mut source.rng);
        cds
    }

    fn push(&mut self, cd: &Cd) {
        let Cd { artist, title, category, genre, year, tracks } = cd;
        let start = self.text.len();
        for field in [artist, title, *category, genre] {
            self.text.push(',');
            self.text.push_str(field);
        }
        self.text.push(',');
        self.text.extend(year.map(|year| year.to_string()));
        let mut separator = ',';
        for track in tracks {
            self.text.push(separator);
            self.text.push_str(track);
            separator = ' ';
        }
        self.rows.push(Row { start, end: self.text.len(), entity: self.n_entities });
    }

    pub(super) fn n_entities(&self) -> u32 {
        self.n_entities
    }

    /// The table.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,artist,title,category,genre,year,tracks")?;
        for (id, row) in (1..).zip(&self.rows) {
            writeln!(out, "{id}{}", self.text.get(row.start..row.end).unwrap_or_default())?;
        }
        Ok(())
    }

    /// The truth: which rows are the same CD.
    pub(super) fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,entity_id")?;
        for (id, row) in (1u32..).zip(&self.rows) {
            writeln!(out, "{id},{}", row.entity)?;
        }
        Ok(())
    }
}

/// Where CDs come from.
struct Source {
    rng: ChaCha8Rng,
    vocabulary: Vocabulary,
    artists: Vec<String>,
    genres: Vec<String>,
}

impl Source {
    fn new(n_rows: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let vocabulary = Vocabulary::new(&mut rng);
        let artists = distinct((n_rows / CDS_PER_ARTIST).max(10), || {
            let first = word(&mut rng, 1..=3);
            if rng.random_bool(0.3) {
                format!("the {first}s")
            } else {
                format!("{first} {}", word(&mut rng, 2..=3))
            }
        });
        let genres = distinct(N_GENRES, || word(&mut rng, 1..=3));
        Self { rng, vocabulary, artists, genres }
    }

    fn cd(&mut self) -> Cd {
        let rng = &mut self.rng;
        let artist = match rng.random_bool(0.08) {
            true => "various".to_owned(),
            false => self.artists.choose(rng).cloned().unwrap_or_default(),
        };
        let mut text = |n_words| self.vocabulary.title(rng, n_words).to_lowercase();
        let title = text(1..=5);
        let mut tracks = vec![text(1..=4)];
        let n_tracks = rng.random_range(10..=15);
        while tracks.len() < n_tracks {
            tracks.push(self.vocabulary.title(rng, 1..=4).to_lowercase());
        }
        let genre = match rng.random_bool(0.35) {
            true => String::new(),
            false => self.genres.choose(rng).cloned().unwrap_or_default(),
        };
        let year = rng.random_bool(0.54).then(|| rng.random_range(1960..=2008));
        Cd {
            artist,
            title,
            category: CATEGORIES.choose(rng).copied().unwrap_or_default(),
            genre,
            year,
            tracks,
        }
    }

    /// The CD as somebody else typed it in.
    fn copy(&mut self, cd: &Cd) -> Cd {
        let rng = &mut self.rng;
        let Cd { mut artist, mut title, mut category, mut genre, mut year, mut tracks } = cd.clone();
        if rng.random_bool(0.25) {
            typo(&mut artist, rng);
        }
        if rng.random_bool(0.35) {
            typo(&mut title, rng);
        }
        if rng.random_bool(0.08) {
            drop_word(&mut title, rng);
        }
        if rng.random_bool(0.08) {
            title.push_str(if rng.random_bool(0.5) { " cd1" } else { " disc 1" });
        }
        for _ in 0..rng.random_range(0..=4u32) {
            let track = rng.random_range(0..tracks.len());
            typo(&mut tracks[track], rng);
        }
        if rng.random_bool(0.1) {
            tracks.pop();
        }
        if rng.random_bool(0.3) {
            category = CATEGORIES.choose(rng).copied().unwrap_or_default();
        }
        if rng.random_bool(0.4) {
            genre = self.genres.choose(rng).cloned().unwrap_or_default();
        }
        match rng.random_range(0..10u32) {
            0..3 => year = None,
            3 => year = year.map(|year| year + 1),
            _ => {}
        }
        Cd { artist, title, category, genre, year, tracks }
    }
}

#[cfg(test)]
mod tests {
    use super::Cds;
    use std::collections::HashMap;

    fn files(cds: &Cds) -> [String; 2] {
        let (mut table, mut truth) = (Vec::new(), Vec::new());
        cds.write(&mut table).expect("memory can be written");
        cds.write_truth(&mut truth).expect("memory can be written");
        [table, truth].map(|bytes| String::from_utf8(bytes).expect("it is text"))
    }

    #[test]
    fn a_seed_decides_the_files() {
        let files = |seed| files(&Cds::draw(300, seed, 0.1));
        assert_eq!(files(1), files(1));
        assert_ne!(files(1), files(2));
    }

    #[test]
    fn a_row_is_seven_plain_columns() {
        let [table, _] = files(&Cds::draw(500, 3, 0.1));
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some("id,artist,title,category,genre,year,tracks"));
        let (mut n_rows, mut n_characters) = (0, 0);
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let [_, artist, title, category, _, year, tracks] = fields[..] else { panic!("{line}") };
            assert!(!artist.is_empty() && !title.is_empty() && !category.is_empty() && !line.contains('"'));
            assert!(year.is_empty() || year.len() == 4, "{line}");
            n_rows += 1;
            n_characters += tracks.len();
        }
        let mean = n_characters / n_rows;
        assert!((200..450).contains(&mean), "tracks have {mean} characters");
        assert_eq!(n_rows, 500);
    }

    #[test]
    fn the_truth_knows_every_row() {
        let cds = Cds::draw(1000, 5, 0.1);
        let [_, truth] = files(&cds);
        let mut rows_of = HashMap::new();
        for line in truth.lines().skip(1) {
            let (_, entity) = line.split_once(',').expect("two columns");
            *rows_of.entry(entity.to_owned()).or_insert(0) += 1;
        }
        assert_eq!(rows_of.len(), cds.n_entities() as usize);
        assert_eq!(rows_of.values().sum::<u32>(), 1000);
        assert_eq!(1000 - rows_of.len(), 100);
        assert_eq!(rows_of.values().max(), Some(&3));
    }
}
