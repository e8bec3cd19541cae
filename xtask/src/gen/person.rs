//! One person, drawn.

use super::skew::Skew;
use super::words::{
    CITIES, DOMAINS, FIRST_NAMES, LAST_ENDS, LAST_MIDDLES, LAST_NAMES, LAST_STARTS, STREET_KINDS, STREETS,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Zipf};

/// The columns after `id`.
pub(super) const COLUMNS: [&str; 9] =
    ["first_name", "last_name", "street", "city", "zip", "phone", "email", "birth_date", "birth_year"];

/// Places in [`COLUMNS`].
pub(super) mod column {
    pub(in crate::r#gen) const FIRST_NAME: usize = 0;
    pub(in crate::r#gen) const LAST_NAME: usize = 1;
    pub(in crate::r#gen) const STREET: usize = 2;
    pub(in crate::r#gen) const CITY: usize = 3;
    pub(in crate::r#gen) const ZIP: usize = 4;
    pub(in crate::r#gen) const PHONE: usize = 5;
    pub(in crate::r#gen) const EMAIL: usize = 6;
    pub(in crate::r#gen) const BIRTH_DATE: usize = 7;
    pub(in crate::r#gen) const BIRTH_YEAR: usize = 8;
}

/// A person as text. An empty text is a missing value.
#[derive(Clone)]
pub(super) struct Person {
    pub(super) columns: [String; COLUMNS.len()],
}

impl Person {
    pub(super) fn set_birth_date(&mut self, year: u32, month: u32, day: u32) {
        self.columns[column::BIRTH_DATE] = format!("{year}-{month:02}-{day:02}");
        self.columns[column::BIRTH_YEAR] = year.to_string();
    }
}

/// A list of words in which the first are drawn most.
struct Words {
    words: Vec<&'static str>,
    zipf: Zipf<f64>,
}

impl Words {
    fn new(list: &'static str, exponent: f64) -> Self {
        let words: Vec<_> = list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let zipf =
            Zipf::new(words.len() as f64, exponent).expect("a list has words, and the exponent is positive");
        Self { words, zipf }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> &'static str {
        self.words[self.zipf.sample(rng) as usize - 1]
    }
}

/// Where persons come from.
pub(super) struct Source {
    pub(super) rng: ChaCha8Rng,
    first_names: Words,
    last_names: Words,
    last_starts: Words,
    last_middles: Words,
    last_ends: Words,
    streets: Words,
    street_kinds: Words,
    cities: Words,
    domains: Words,
    /// Says who lives where and is called what, instead of the lists.
    skew: Option<Skew>,
}

impl Source {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            first_names: Words::new(FIRST_NAMES, 0.8),
            last_names: Words::new(LAST_NAMES, 1.0),
            // Flatter, so that there are many.
            last_starts: Words::new(LAST_STARTS, 0.3),
            last_middles: Words::new(LAST_MIDDLES, 0.2),
            last_ends: Words::new(LAST_ENDS, 0.3),
            streets: Words::new(STREETS, 0.7),
            street_kinds: Words::new(STREET_KINDS, 1.0),
            cities: Words::new(CITIES, 0.9),
            domains: Words::new(DOMAINS, 1.0),
            skew: None,
        }
    }

    /// Persons of whom names and zip codes are as skewed as the exponent says, to fill so many rows.
    pub(super) fn skewed(seed: u64, exponent: f64, rows: u32) -> Self {
        let mut source = Self::new(seed);
        let skew = Skew::new(exponent, rows, || source.last_name());
        Self { first_names: Words::new(FIRST_NAMES, exponent), skew: Some(skew), ..source }
    }

    pub(super) fn first_name(&mut self) -> &'static str {
        self.first_names.draw(&mut self.rng)
    }

    /// One of the common names, or one made of syllables.
    pub(super) fn last_name(&mut self) -> String {
        if let Some(skew) = &self.skew {
            return skew.last_name(&mut self.rng).to_owned();
        }
        if self.rng.random_bool(0.5) {
            return self.last_names.draw(&mut self.rng).to_owned();
        }
        let mut name = self.last_starts.draw(&mut self.rng).to_owned();
        if self.rng.random_bool(0.7) {
            name.push_str(self.last_middles.draw(&mut self.rng));
        }
        name + self.last_ends.draw(&mut self.rng)
    }

    pub(super) fn person(&mut self) -> Person {
        let first_name = self.first_name();
        let last_name = self.last_name();
        let street = format!(
            "{} {} {}",
            self.rng.random_range(1..200u32),
            self.streets.draw(&mut self.rng),
            self.street_kinds.draw(&mut self.rng)
        );
        let (city, zip) = self.home();
        let phone = self.phone(&zip[..3]);
        let email = self.email(first_name, &last_name);
        let mut columns = [
            first_name.to_owned(),
            last_name,
            street,
            city.to_owned(),
            zip,
            phone,
            email,
            String::new(),
            String::new(),
        ];
        for (column, missing) in
            [(column::STREET, 0.02), (column::ZIP, 0.01), (column::PHONE, 0.08), (column::EMAIL, 0.15)]
        {
            if self.rng.random_bool(missing) {
                columns[column].clear();
            }
        }
        let mut person = Person { columns };
        // Few are very old: the larger of two draws.
        let year = self.rng.random_range(1930..2006u32).max(self.rng.random_range(1930..2006u32));
        let (month, day) = (self.rng.random_range(1..13u32), self.rng.random_range(1..29u32));
        if self.rng.random_bool(0.96) {
            person.set_birth_date(year, month, day);
        }
        person
    }

    /// A city, and a zip code in it.
    fn home(&mut self) -> (&'static str, String) {
        let split = |city: &'static str| city.rsplit_once(' ').expect("a city has a prefix");
        if let Some(skew) = &self.skew {
            let (nth, zip) = skew.zip(&mut self.rng);
            return (split(self.cities.words[nth % self.cities.words.len()]).0, zip);
        }
        let (city, prefix) = split(self.cities.draw(&mut self.rng));
        (city, self.zip_near(prefix))
    }

    /// A zip code in the district that the first three digits name.
    pub(super) fn zip_near(&mut self, prefix: &str) -> String {
        format!("{prefix}{:02}", self.rng.random_range(0..100u32))
    }

    /// A phone number in that district.
    pub(super) fn phone(&mut self, prefix: &str) -> String {
        format!("0{prefix} {:07}", self.rng.random_range(2_000_000..10_000_000u32))
    }

    pub(super) fn email(&mut self, first_name: &str, last_name: &str) -> String {
        let plain = |name: &str| -> String {
            let folded = name.chars().map(|c| fold(c).map_or_else(|| c.to_string(), str::to_owned));
            folded
                .collect::<String>()
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_lowercase()
        };
        let number = if self.rng.random_bool(0.7) {
            self.rng.random_range(1..1000u32).to_string()
        } else {
            String::new()
        };
        let domain = self.domains.draw(&mut self.rng);
        format!("{}.{}{number}@{domain}", plain(first_name), plain(last_name))
    }
}

/// The district of a person's zip code: its first three digits, or none that is known.
pub(super) fn district(person: &Person) -> String {
    let digits: String = person.columns[column::ZIP].chars().take(3).collect();
    if digits.chars().count() == 3 { digits } else { "100".to_owned() }
}

/// A letter without its accent, as people write it who have no key for it.
pub(crate) fn fold(c: char) -> Option<&'static str> {
    Some(match c {
        'á' | 'à' | 'â' | 'ã' | 'å' | 'ą' | 'ă' => "a",
        'Á' | 'À' | 'Â' | 'Å' => "A",
        'ä' | 'æ' => "ae",
        'Ä' | 'Æ' => "Ae",
        'Đ' => "D",
        'ç' | 'ć' | 'č' => "c",
        'Ç' | 'Ć' | 'Č' => "C",
        'ď' | 'đ' | 'ð' => "d",
        'é' | 'è' | 'ê' | 'ë' | 'ę' | 'ě' => "e",
        'É' | 'È' => "E",
        'ğ' => "g",
        'í' | 'ì' | 'î' | 'ï' | 'ı' => "i",
        'Í' | 'İ' => "I",
        'ł' => "l",
        'Ł' => "L",
        'ñ' | 'ń' | 'ň' => "n",
        'ó' | 'ò' | 'ô' | 'õ' | 'ő' => "o",
        'Ó' => "O",
        'ö' | 'ø' => "oe",
        'Ö' | 'Ø' => "Oe",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'Ś' | 'Š' | 'Ş' | 'Ș' => "S",
        'ß' => "ss",
        'ț' | 'ť' => "t",
        'Ț' => "T",
        'ú' | 'ù' | 'û' | 'ů' | 'ű' => "u",
        'Ú' => "U",
        'ü' => "ue",
        'Ü' => "Ue",
        'ý' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'Ź' | 'Ż' | 'Ž' => "Z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{CITIES, Source, Words, column, fold};
    use crate::r#gen::words::{FIRST_NAMES, LAST_ENDS, LAST_MIDDLES, LAST_NAMES, LAST_STARTS, STREETS};
    use std::collections::HashSet;

    #[test]
    fn the_lists_are_long_enough_and_without_repeats() {
        for (list, least) in [(FIRST_NAMES, 150), (LAST_NAMES, 250), (STREETS, 60), (CITIES, 60)] {
            let words = Words::new(list, 1.0).words;
            assert!(words.len() >= least, "{} of {least}", words.len());
            let mut seen = HashSet::new();
            let repeats: Vec<_> = words.iter().filter(|word| !seen.insert(**word)).collect();
            assert!(repeats.is_empty(), "{repeats:?}");
        }
    }

    #[test]
    fn every_accent_can_be_left_out() {
        for list in [FIRST_NAMES, LAST_NAMES, LAST_STARTS, LAST_MIDDLES, LAST_ENDS, CITIES] {
            let unknown: HashSet<_> = list.chars().filter(|c| !c.is_ascii() && fold(*c).is_none()).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    }

    #[test]
    fn cities_have_districts() {
        for city in Words::new(CITIES, 1.0).words {
            let (_, prefix) = city.rsplit_once(' ').unwrap();
            assert!(prefix.len() == 3 && prefix.chars().all(|c| c.is_ascii_digit()), "{city}");
        }
    }

    #[test]
    fn persons_look_right() {
        let mut source = Source::new(1);
        for _ in 0..500 {
            let person = source.person();
            assert!(!person.columns[column::LAST_NAME].is_empty());
            let email = &person.columns[column::EMAIL];
            assert!(email.is_ascii() && (email.is_empty() || email.contains('@')), "{email}");
            let zip = &person.columns[column::ZIP];
            assert!(zip.is_empty() || zip.len() == 5, "{zip}");
            assert!(person.columns[column::BIRTH_DATE].starts_with(&person.columns[column::BIRTH_YEAR]));
        }
    }
}
