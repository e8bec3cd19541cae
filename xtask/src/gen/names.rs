//! Distinct names of persons: what the scan's benchmark compares with each other.

use super::person::Source;
use anyhow::{Result, ensure};
use std::collections::HashSet;
use std::io::{self, Write};

/// Far below the number of names there are, so that a name not yet drawn is soon found.
const MOST: u32 = 10_000_000;

/// That many names, all different, `first last`.
pub(crate) fn draw(rows: u32, seed: u64) -> Result<Vec<String>> {
    ensure!(rows <= MOST, "at most {MOST} distinct names");
    let mut source = Source::new(seed);
    let mut seen = HashSet::with_capacity(rows as usize);
    let mut names = Vec::with_capacity(rows as usize);
    while names.len() < rows as usize {
        let first = source.first_name();
        let name = format!("{first} {}", source.last_name());
        if (6..=30).contains(&name.chars().count()) && seen.insert(name.clone()) {
            names.push(name);
        }
    }
    Ok(names)
}

pub(crate) fn write(names: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "id,name")?;
    for (ix, name) in names.iter().enumerate() {
        writeln!(out, "n{:06},{name}", ix + 1)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{draw, write};
    use std::collections::HashSet;

    #[test]
    fn names_are_distinct_and_of_the_right_length() {
        let names = draw(20_000, 7).unwrap();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), 20_000);
        let lengths: Vec<_> = names.iter().map(|name| name.chars().count()).collect();
        assert!(lengths.iter().all(|length| (6..=30).contains(length)));
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        assert!((13.0..=15.5).contains(&mean), "mean length {mean}");
        assert!(names.iter().all(|name| !name.contains([',', '"', '\n'])), "no name needs quotes");
    }

    #[test]
    fn a_seed_decides_the_names() {
        assert_eq!(draw(100, 1).unwrap(), draw(100, 1).unwrap());
        assert_ne!(draw(100, 1).unwrap(), draw(100, 2).unwrap());
        let mut csv = Vec::new();
        write(&draw(2, 1).unwrap(), &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.starts_with("id,name\nn000001,"), "{csv}");
        assert_eq!(csv.lines().count(), 3);
    }
}
