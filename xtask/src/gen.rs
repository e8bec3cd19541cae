//! `cargo xtask gen`: example data, the same for a seed on every platform.
//!
//! A [`person`] is drawn from our own [`words`], heavy ones first; [`people`] repeats some of them with [`noise`] and
//! keeps the truth; [`names`] makes distinct names for the scan. All randomness comes from one ChaCha8 stream, and all
//! mathematics from libm, so neither platform nor thread count shows in the files.

pub(crate) mod names;
mod noise;
mod people;
mod person;
mod words;

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
        #[arg(long, default_value_t = 0.2, value_parser = share)]
        duplicates: f64,
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
}

fn share(text: &str) -> Result<f64> {
    let share: f64 = text.parse().context("not a number")?;
    anyhow::ensure!((0.0..=0.5).contains(&share), "must be from 0 to 0.5");
    Ok(share)
}

pub(crate) fn run(command: &Command) -> Result<()> {
    match command {
        Command::People { rows, seed, duplicates, output } => {
            let people = people::People::draw(*rows, *seed, *duplicates);
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
    }
    Ok(())
}
