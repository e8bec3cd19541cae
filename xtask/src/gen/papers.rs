//! Two tables of papers, and which of the second are noisy copies of which of the first.
//!
//! Titles are words of a skewed [`Vocabulary`]; names of authors and venues are made up and evenly drawn, so that equal
//! venues, years or authors each leave a different share of the pairs.

use super::slips::{drop_word, typo};
use super::vocabulary::{Vocabulary, capitalised, distinct, word};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

const N_FIRST_NAMES: usize = 600;
const N_LAST_NAMES: usize = 20_000;
const MOST_AUTHORS: usize = 6;
const KINDS: [&str; 6] =
    ["Annals of", "Conference on", "Journal of", "Letters on", "Symposium on", "Workshop on"];

/// The two tables.
pub(super) struct Papers {
    left: Vec<Paper>,
    right: Vec<Paper>,
    /// Rows of the left table with their copies' rows of the right one, in the left one's order.
    matches: Vec<(usize, usize)>,
    venues: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Paper {
    title: String,
    authors: Vec<String>,
    venue: usize,
    year: u32,
}

impl Papers {
    /// Draws tables of `rows` rows each; a share of the right one's are copies, each of another row of the left one.
    pub(super) fn draw(rows: u32, seed: u64, duplicates: f64) -> Self {
        let n_rows = rows as usize;
        let mut source = Source::new(n_rows, seed);
        let left: Vec<Paper> = (0..n_rows).map(|_| source.paper()).collect();
        let mut right: Vec<Paper> = (0..n_rows).map(|_| source.paper()).collect();
        let n_copies = (f64::from(rows) * duplicates) as usize;
        let mut some = || {
            let mut all: Vec<usize> = (0..n_rows).collect();
            all.partial_shuffle(&mut source.rng, n_copies).0.to_vec()
        };
        let mut matches: Vec<(usize, usize)> = some().into_iter().zip(some()).collect();
        matches.sort_unstable();
        for &(original, copy) in &matches {
            right[copy] = source.copy(&left[original]);
        }
        Self { left, right, matches, venues: source.venues }
    }

    pub(super) fn n_matches(&self) -> usize {
        self.matches.len()
    }

    pub(super) fn write_left(&self, out: &mut impl Write) -> io::Result<()> {
        self.write(&self.left, 'a', out)
    }

    pub(super) fn write_right(&self, out: &mut impl Write) -> io::Result<()> {
        self.write(&self.right, 'b', out)
    }

    /// Only authors need quotes.
    fn write(&self, papers: &[Paper], letter: char, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id,title,authors,venue,year")?;
        for (ix, Paper { title, authors, venue, year }) in papers.iter().enumerate() {
            let (id, authors, venue) = (id(letter, ix), authors.join(", "), &self.venues[*venue]);
            writeln!(out, "{id},{title},\"{authors}\",{venue},{year}")?;
        }
        Ok(())
    }

    /// The truth: who is a copy of whom.
    pub(super) fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "id_a,id_b")?;
        for &(original, copy) in &self.matches {
            writeln!(out, "{},{}", id('a', original), id('b', copy))?;
        }
        Ok(())
    }
}

fn id(letter: char, ix: usize) -> String {
    format!("{letter}{:06}", ix + 1)
}

/// Where papers come from.
struct Source {
    rng: ChaCha8Rng,
    vocabulary: Vocabulary,
    first_names: Vec<String>,
    last_names: Vec<String>,
    venues: Vec<String>,
}

impl Source {
    fn new(n_rows: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let vocabulary = Vocabulary::new(&mut rng);
        let first_names = distinct(N_FIRST_NAMES, || capitalised(&word(&mut rng, 1..=3)));
        let last_names = distinct(N_LAST_NAMES, || capitalised(&word(&mut rng, 2..=3)));
        let venues = distinct((n_rows / 100).max(25), || {
            let kind = KINDS.choose(&mut rng).copied().unwrap_or_default();
            let mut topic = |syllables| capitalised(&word(&mut rng, syllables));
            format!("{kind} {} {}", topic(2..=3), topic(1..=3))
        });
        Self { rng, vocabulary, first_names, last_names, venues }
    }

    fn paper(&mut self) -> Paper {
        let title = self.vocabulary.title(&mut self.rng, 4..=12);
        let mut authors = vec![self.author()];
        while authors.len() < MOST_AUTHORS && self.rng.random_bool(0.55) {
            authors.push(self.author());
        }
        let venue = self.rng.random_range(0..self.venues.len());
        Paper { title, authors, venue, year: self.rng.random_range(1960..=2023) }
    }

    /// `First Last`, some with an initial between.
    fn author(&mut self) -> String {
        let first = self.rng.random_range(0..self.first_names.len());
        let last = self.rng.random_range(0..self.last_names.len());
        let initial = match self.rng.random_bool(0.3) {
            true => format!("{}. ", char::from(b'A' + self.rng.random_range(0..26u8))),
            false => String::new(),
        };
        format!("{} {initial}{}", self.first_names[first], self.last_names[last])
    }

    /// The paper as somebody else wrote it down.
    fn copy(&mut self, paper: &Paper) -> Paper {
        let rng = &mut self.rng;
        let Paper { mut title, mut authors, mut venue, mut year } = paper.clone();
        if rng.random_bool(0.7) {
            for _ in 0..rng.random_range(1..=3u32) {
                typo(&mut title, rng);
            }
        }
        if rng.random_bool(0.1) {
            drop_word(&mut title, rng);
        }
        if rng.random_bool(0.25) {
            authors.iter_mut().for_each(abbreviate);
        }
        if authors.len() > 1 && rng.random_bool(0.1) {
            authors.remove(rng.random_range(0..authors.len()));
        }
        if authors.len() > 1 && rng.random_bool(0.05) {
            authors.shuffle(rng);
        }
        if rng.random_bool(0.2) {
            let misspelt = rng.random_range(0..authors.len());
            typo(&mut authors[misspelt], rng);
        }
        if rng.random_bool(0.12) {
            venue = rng.random_range(0..self.venues.len());
        }
        if rng.random_bool(0.06) {
            year = if rng.random_bool(0.5) { year + 1 } else { year - 1 };
        }
        Paper { title, authors, venue, year }
    }
}

/// `First I. Last` to `F. Last`.
fn abbreviate(author: &mut String) {
    if let (Some(initial), Some((_, last))) = (author.chars().next(), author.rsplit_once(' ')) {
        *author = format!("{initial}. {last}");
    }
}

#[cfg(test)]
mod tests {
    use super::{Paper, Papers};
    use std::collections::HashSet;

    fn files(papers: &Papers) -> [String; 3] {
        let mut files = [const { Vec::new() }; 3];
        papers.write_left(&mut files[0]).unwrap();
        papers.write_right(&mut files[1]).unwrap();
        papers.write_truth(&mut files[2]).unwrap();
        files.map(|file| String::from_utf8(file).unwrap())
    }

    #[test]
    fn a_seed_decides_the_files() {
        assert_eq!(files(&Papers::draw(300, 1, 0.5)), files(&Papers::draw(300, 1, 0.5)));
        assert_ne!(files(&Papers::draw(300, 1, 0.5)), files(&Papers::draw(300, 2, 0.5)));
    }

    #[test]
    fn a_row_is_five_columns_with_quoted_authors() {
        let [left, right, truth] = files(&Papers::draw(2000, 1, 0.5));
        for (file, letter) in [(left, 'a'), (right, 'b')] {
            assert_eq!(file.lines().count(), 2001);
            for (ix, line) in file.lines().enumerate().skip(1) {
                let parts: Vec<&str> = line.split('"').collect();
                let [front, authors, back] = parts[..] else { panic!("{line}") };
                assert!(front.starts_with(&format!("{letter}{ix:06},")), "{line}");
                assert_eq!((front.matches(',').count(), back.matches(',').count()), (2, 2), "{line}");
                assert!((1..=6).contains(&authors.split(", ").count()), "{line}");
            }
        }
        assert!(truth.starts_with("id_a,id_b\na0"), "{truth}");
        assert_eq!(truth.lines().count(), 1001);
    }

    #[test]
    fn the_truth_is_one_to_one() {
        for (rows, duplicates) in [(0, 0.5), (1, 1.0), (3, 0.5), (500, 0.0), (500, 0.5), (500, 1.0)] {
            let papers = Papers::draw(rows, 3, duplicates);
            assert_eq!((papers.left.len(), papers.right.len()), (rows as usize, rows as usize));
            assert_eq!(papers.n_matches(), (f64::from(rows) * duplicates) as usize);
            let lefts: HashSet<_> = papers.matches.iter().map(|(left, _)| left).collect();
            let rights: HashSet<_> = papers.matches.iter().map(|(_, right)| right).collect();
            assert_eq!((lefts.len(), rights.len()), (papers.n_matches(), papers.n_matches()));
        }
    }

    #[test]
    fn papers_have_their_shape() {
        let papers = Papers::draw(10_000, 1, 0.5);
        assert_eq!(papers.venues.len(), 100);
        let mean = |of: fn(&Paper) -> usize| {
            papers.left.iter().map(of).sum::<usize>() as f64 / papers.left.len() as f64
        };
        let (words, authors) =
            (mean(|paper| paper.title.split(' ').count()), mean(|paper| paper.authors.len()));
        assert!((7.8..=8.2).contains(&words), "{words} words");
        assert!((2.0..=2.3).contains(&authors), "{authors} authors");
        assert!(papers.left.iter().all(|paper| (1960..=2023).contains(&paper.year)));

        // Copies differ in one column or another about as often as they should, and most titles of others never agree.
        let share = |differs: fn(&Paper, &Paper) -> bool| {
            let pairs =
                papers.matches.iter().map(|&(left, right)| (&papers.left[left], &papers.right[right]));
            pairs.filter(|(left, right)| differs(left, right)).count() as f64 / papers.n_matches() as f64
        };
        for (differs, range) in [
            ((|a, b| a.title != b.title) as fn(&Paper, &Paper) -> bool, 0.65..0.76),
            (|a, b| a.authors != b.authors, 0.4..0.55),
            (|a, b| a.venue != b.venue, 0.10..0.14),
            (|a, b| a.year != b.year, 0.05..0.07),
            (|a, b| a.year.abs_diff(b.year) > 1, -0.1..0.001),
        ] {
            assert!(range.contains(&share(differs)), "{} is not in {range:?}", share(differs));
        }
    }
}
