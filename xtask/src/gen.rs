//! `cargo xtask gen`: example data, the same for a seed on every platform.
//!
//! A [`person`] is drawn from our own [`words`], heavy ones first; [`people`] repeats some of them with
//! [`noise`] and keeps the truth, and [`skew`] says how unevenly names and zip codes come up; [`names`] makes
//! distinct names for the scan. [`papers`], [`titles`] and [`cds`] are of a [`vocabulary`] of made-up words, and
//! so are not about persons. [`traffic`] has accidents on made-up [`roads`], for tables of many millions: an [`accident`]
//! is drawn when its row is written, and [`mishaps`] make the copies. [`slips`] happen to all. Their randomness comes
//! from ChaCha8 streams of one seed, and their mathematics from libm, so neither platform nor thread count shows in the
//! files. [`zipf`] has columns of keys for joins, by the mathematics that others published counts of.

mod accident;
mod cds;
mod mishaps;
pub(crate) mod names;
mod noise;
mod papers;
mod people;
mod person;
#[cfg(feature = "bench")]
pub(crate) mod points;
mod roads;
mod skew;
mod slips;
mod titles;
mod traffic;
mod vocabulary;
mod words;
pub(crate) mod zipf;

#[cfg(feature = "bench")]
pub(crate) use person::fold;

use crate::replace::replace;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// What `cargo xtask gen` is asked.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// People with typos and duplicates: people.csv, and truth.csv which says who is who
    ///
    /// people.csv has the columns id, first_name, last_name, street, city, zip, phone, email, birth_date and
    /// birth_year; truth.csv has id and entity_id, and rows with the same entity_id are the same person.
    People {
        /// Rows to write
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same files
        #[arg(long)]
        seed: u64,
        /// Share of rows that repeat another row's person, from 0 to 0.5
        #[arg(long, default_value_t = 0.2, value_parser = up_to_half)]
        duplicates: f64,
        /// Draw names and zip codes by Zipf's law with this exponent, from 0 (all alike) to 1 [default: as in
        /// life]
        ///
        /// There are 20,000 last names, and a zip code for every ten rows.
        #[arg(long, value_name = "EXPONENT", value_parser = up_to_all)]
        skew: Option<f64>,
        /// Folder for the two files
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Distinct names of persons, of 6 to 30 characters: a file with the columns id and name
    Names {
        /// Rows to write
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same file
        #[arg(long)]
        seed: u64,
        /// The file
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Two tables of papers, and which of them are the same: tableA.csv, tableB.csv and truth.csv
    ///
    /// The tables have the columns id, title, authors, venue and year; truth.csv has id_a and id_b, the ids
    /// of a paper and of its noisy copy.
    Papers {
        /// Rows of each table
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same files
        #[arg(long)]
        seed: u64,
        /// Share of tableB that copies rows of tableA, from 0 to 1
        #[arg(long, default_value_t = 0.5, value_parser = up_to_all)]
        duplicates: f64,
        /// Folder for the three files
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// CDs as people typed them in, some more than once: cds.csv, and truth.csv which says which are the same
    ///
    /// cds.csv has the columns id, artist, title, category, genre, year and tracks, the last one long; truth.csv
    /// has id and entity_id, and rows with the same entity_id are the same CD.
    Cds {
        /// Rows to write
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same files
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Share of rows that repeat another row's CD, from 0 to 0.5
        #[arg(long, default_value_t = 0.1, value_parser = up_to_half)]
        duplicates: f64,
        /// Folder for the two files
        #[arg(short, long, alias = "out", value_name = "DIR")]
        output: PathBuf,
    },
    /// Titles, a third of them dirty copies of others: a file with the columns id and title
    Titles {
        /// Rows to write
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same file
        #[arg(long)]
        seed: u64,
        /// The file
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Traffic accidents, some written down more than once: traffic.csv, and truth.csv which says which are the same
    ///
    /// traffic.csv has id and 16 columns: accident_index, date, time, police_force, local_authority, road_class,
    /// road_number, road_name, junction, speed_limit, easting, northing, severity, vehicles, casualties and weather;
    /// truth.csv has id and entity_id, and rows with the same entity_id are the same accident.
    Traffic {
        /// Rows to write
        #[arg(long)]
        rows: u32,
        /// The same seed gives the same files
        #[arg(long)]
        seed: u64,
        /// Share of rows that repeat another row's accident, from 0 to 0.5
        #[arg(long, default_value_t = 0.2, value_parser = up_to_half)]
        duplicates: f64,
        /// Folder for the two files
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Two columns of keys that follow Zipf's law together: left.bin and right.bin, and how many pairs have
    /// the same key
    ///
    /// Keys are numbers of four bytes, the lowest first. There are as many as rows, and those that are
    /// popular left are popular right.
    Zipf {
        /// Rows of each column
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        rows: u32,
        /// The exponent, from 0 (all keys alike) to 2
        #[arg(long, value_name = "EXPONENT", value_parser = exponent)]
        s: f64,
        /// The same seed gives the same files
        #[arg(long, default_value_t = zipf::SEED)]
        seed: u64,
        /// Folder for the two files
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
    },
}

fn up_to_half(text: &str) -> Result<f64> {
    share(text, 0.5)
}

fn up_to_all(text: &str) -> Result<f64> {
    share(text, 1.0)
}

/// Of Zipf's law for columns of keys.
pub(crate) fn exponent(text: &str) -> Result<f64> {
    share(text, 2.0)
}

fn share(text: &str, most: f64) -> Result<f64> {
    let share: f64 = text.parse().context("not a number")?;
    anyhow::ensure!((0.0..=most).contains(&share), "must be from 0 to {most}");
    Ok(share)
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::People { rows, seed, duplicates, skew, output } => {
            let people = people::People::draw(*rows, *seed, *duplicates, *skew);
            let (table, truth) = (output.join("people.csv"), output.join("truth.csv"));
            replace(&table, |file| people.write(file))?;
            replace(&truth, |file| people.write_truth(file))?;
            println!("wrote {}: {rows} rows, {} persons", table.display(), people.n_entities());
            println!("wrote {}: who is who", truth.display());
        }
        Command::Names { rows, seed, output } => {
            let names = names::draw(*rows, *seed)?;
            replace(output, |file| names::write(&names, file))?;
            println!("wrote {}: {rows} distinct names", output.display());
        }
        Command::Papers { rows, seed, duplicates, output } => {
            let papers = papers::Papers::draw(*rows, *seed, *duplicates);
            let [left, right, truth] =
                ["tableA.csv", "tableB.csv", "truth.csv"].map(|name| output.join(name));
            replace(&left, |file| papers.write_left(file))?;
            replace(&right, |file| papers.write_right(file))?;
            replace(&truth, |file| papers.write_truth(file))?;
            println!("wrote {} and {}: {rows} rows each", left.display(), right.display());
            println!("wrote {}: {} that are the same", truth.display(), papers.n_matches());
        }
        Command::Cds { rows, seed, duplicates, output } => {
            let cds = cds::Cds::draw(*rows, *seed, *duplicates);
            let (table, truth) = (output.join("cds.csv"), output.join("truth.csv"));
            replace(&table, |file| cds.write(file))?;
            replace(&truth, |file| cds.write_truth(file))?;
            println!("wrote {}: {rows} rows, {} CDs", table.display(), cds.n_entities());
            println!("wrote {}: which are the same", truth.display());
        }
        Command::Titles { rows, seed, output } => {
            let titles = titles::draw(*rows, *seed);
            replace(output, |file| titles::write(&titles, file))?;
            println!("wrote {}: {rows} titles", output.display());
        }
        Command::Traffic { rows, seed, duplicates, output } => {
            let traffic = traffic::Traffic::draw(*rows, *seed, *duplicates);
            let (table, truth) = (output.join("traffic.csv"), output.join("truth.csv"));
            replace(&table, |file| traffic.write(file))?;
            replace(&truth, |file| traffic.write_truth(file))?;
            println!("wrote {}: {rows} rows, {} accidents", table.display(), traffic.n_entities());
            println!("wrote {}: which are the same", truth.display());
        }
        Command::Zipf { rows, s, seed, output } => {
            let columns = zipf::Alphabet::new(*rows, *seed).draw(*s);
            let (left, right) = (output.join("left.bin"), output.join("right.bin"));
            replace(&left, |file| zipf::write(&columns.left, file))?;
            replace(&right, |file| zipf::write(&columns.right, file))?;
            let zipf::Known { n_pairs, most_pairs, most_rows: [most_left, most_right] } = columns.known();
            println!("wrote {} and {}: {rows} rows each", left.display(), right.display());
            println!("{n_pairs} pairs have the same key; {most_pairs} of them that of the heaviest key");
            println!("the most popular key has {most_left} rows left, {most_right} right");
        }
    }
    Ok(())
}
