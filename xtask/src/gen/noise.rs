//! What happens to a person who is written down twice.

use super::person::{Person, Source, column, district, fold};
use super::slips::typo;
use rand::RngExt;

/// Columns in which a slip of the keyboard is likely.
const TYPED: [usize; 6] =
    [column::FIRST_NAME, column::LAST_NAME, column::LAST_NAME, column::STREET, column::CITY, column::EMAIL];
const DIGITS: [usize; 3] = [column::ZIP, column::PHONE, column::PHONE];
const FORGOTTEN: [usize; 6] =
    [column::FIRST_NAME, column::STREET, column::CITY, column::ZIP, column::PHONE, column::EMAIL];

const ABBREVIATED: [(&str, &str); 9] = [
    ("Street", "St"),
    ("Road", "Rd"),
    ("Avenue", "Ave"),
    ("Lane", "Ln"),
    ("Drive", "Dr"),
    ("Court", "Ct"),
    ("Place", "Pl"),
    ("Square", "Sq"),
    ("Boulevard", "Blvd"),
];

/// One to four mishaps.
pub(super) fn damage(person: &mut Person, source: &mut Source) {
    let n_mishaps = match source.rng.random_range(0..10u32) {
        0..4 => 1,
        4..7 => 2,
        7..9 => 3,
        _ => 4,
    };
    for _ in 0..n_mishaps {
        match source.rng.random_range(0..22u32) {
            0..9 => typo(pick(person, &TYPED, source), &mut source.rng),
            9..11 => typo(pick(person, &DIGITS, source), &mut source.rng),
            11 => {
                let text = pick(person, &TYPED, source);
                *text = text.chars().map(|c| fold(c).map_or_else(|| c.to_string(), str::to_owned)).collect();
            }
            12 => person.columns.swap(column::FIRST_NAME, column::LAST_NAME),
            13..16 => abbreviate(person, source),
            16 | 17 => pick(person, &FORGOTTEN, source).clear(),
            18 => person.columns[column::ZIP] = source.zip_near(&district(person)),
            19 => misdate(person, source),
            20 => person.columns[column::PHONE] = source.phone(&district(person)),
            _ => {
                let [first_name, last_name, ..] = &person.columns;
                person.columns[column::EMAIL] = source.email(first_name, last_name);
            }
        }
    }
}

fn pick<'a>(person: &'a mut Person, columns: &[usize], source: &mut Source) -> &'a mut String {
    &mut person.columns[columns[source.rng.random_range(0..columns.len())]]
}

/// The first name to its initial, or the kind of street to what letters carry.
fn abbreviate(person: &mut Person, source: &mut Source) {
    if source.rng.random_bool(0.5) {
        let name = &mut person.columns[column::FIRST_NAME];
        if let Some(initial) = name.chars().next() {
            *name = format!("{initial}.");
        }
    } else {
        let street = &mut person.columns[column::STREET];
        if let Some((long, short)) = ABBREVIATED.iter().find(|(long, _)| street.ends_with(long)) {
            street.truncate(street.len() - long.len());
            street.push_str(short);
        }
    }
}

/// The year off by one, or day and month the other way round where that is a date too.
fn misdate(person: &mut Person, source: &mut Source) {
    let date = &person.columns[column::BIRTH_DATE];
    let parts: Vec<u32> = date.split('-').filter_map(|part| part.parse().ok()).collect();
    let [year, month, day] = parts[..] else { return };
    let (year, month, day) = if day <= 12 && day != month && source.rng.random_bool(0.7) {
        (year, day, month)
    } else {
        // No 29th of February in the wrong year.
        (year + 1, month, day.min(28))
    };
    person.set_birth_date(year, month, day);
}

#[cfg(test)]
mod tests {
    use super::damage;
    use crate::r#gen::person::{Source, column};

    #[test]
    fn most_copies_differ_and_stay_recognisable() {
        let mut source = Source::new(11);
        let n_copies = 2000;
        let (mut n_same, mut n_unlike) = (0, 0);
        for _ in 0..n_copies {
            let person = source.person();
            let mut copy = person.clone();
            damage(&mut copy, &mut source);
            let n_changed = person.columns.iter().zip(&copy.columns).filter(|(a, b)| a != b).count();
            n_same += usize::from(n_changed == 0);
            n_unlike += usize::from(n_changed > 6);
            let date = &copy.columns[column::BIRTH_DATE];
            assert_eq!(date.get(..4).unwrap_or_default(), copy.columns[column::BIRTH_YEAR]);
        }
        assert!(n_same < n_copies / 5, "{n_same} of {n_copies} copies are the same");
        assert_eq!(n_unlike, 0);
    }
}
