//! Weights that are fitted without labels, beside those that the truth gives.
//!
//! People are made with known slips, and blocked by columns that go together with others: a zip code lies in a city, and
//! some few live together. What `fit` makes of the tables alone must be what the labelled pairs say.

use hyperblock::device::cpu::Cpu;
use hyperblock::fit::{Fit, FitOptions};
use hyperblock::tell::evaluate::Truth;
use hyperblock::{Control, Job};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use std::fmt::Write as _;
use std::fs;

/// How far an estimate may be off: a tenth, or as much.
const SHARE: f64 = 0.1;
const ABSOLUTE: f64 = 0.01;

const SCORE: &str = "
[score]
score = 'fellegi-sunter'
[[score.attributes]]
name = 'first'
measure = 'levenshtein_similarity(l.first, r.first)'
levels = [1, 0.8]
[[score.attributes]]
name = 'last'
measure = 'levenshtein_similarity(l.last, r.last)'
levels = [1, 0.8]
[[score.attributes]]
name = 'city'
measure = 'l.city = r.city'
[[score.attributes]]
name = 'zip'
measure = 'l.zip = r.zip'
[[score.attributes]]
name = 'born'
measure = 'l.born = r.born'
[[score.attributes]]
name = 'phone'
measure = 'levenshtein_similarity(l.phone, r.phone)'
levels = [1, 0.8]
";

/// How people are made, and blocked.
struct Setting {
    n_people: usize,
    /// Of a hundred people, those who stand there again.
    n_again: u64,
    /// Of a hundred values of a copy, those with a slip, those that are another's, and those that are missing.
    slips: u64,
    others: u64,
    missing: u64,
    /// Of a hundred people, those who live with the one before.
    households: u64,
    rules: &'static [&'static str],
}

const BY_NAME: &str = "l.first = r.first AND l.last = r.last";
const BY_ZIP: &str = "l.zip = r.zip AND l.first = r.first";
const BY_CITY: &str = "l.city = r.city AND l.born = r.born";
const BY_BIRTH: &str = "l.born = r.born";
const BY_PHONE: &str = "l.phone = r.phone";
const BY_LAST: &str = "l.last = r.last AND l.city = r.city";

const SETTINGS: [Setting; 10] = [
    Setting {
        n_people: 4800,
        n_again: 40,
        slips: 8,
        others: 2,
        missing: 3,
        households: 0,
        rules: &[BY_NAME, BY_BIRTH],
    },
    Setting {
        n_people: 4800,
        n_again: 40,
        slips: 15,
        others: 5,
        missing: 0,
        households: 0,
        rules: &[BY_ZIP, BY_BIRTH],
    },
    Setting {
        n_people: 4800,
        n_again: 20,
        slips: 8,
        others: 4,
        missing: 5,
        households: 0,
        rules: &[BY_LAST, BY_BIRTH],
    },
    Setting {
        n_people: 6000,
        n_again: 60,
        slips: 5,
        others: 1,
        missing: 10,
        households: 0,
        rules: &[BY_NAME, BY_CITY, BY_PHONE],
    },
    Setting {
        n_people: 4000,
        n_again: 90,
        slips: 20,
        others: 8,
        missing: 2,
        households: 0,
        rules: &[BY_ZIP, BY_PHONE, BY_BIRTH],
    },
    Setting {
        n_people: 6000,
        n_again: 25,
        slips: 3,
        others: 1,
        missing: 0,
        households: 0,
        rules: &[BY_LAST, BY_PHONE],
    },
    Setting {
        n_people: 4800,
        n_again: 50,
        slips: 10,
        others: 10,
        missing: 5,
        households: 0,
        rules: &[BY_NAME, BY_PHONE],
    },
    Setting {
        n_people: 6000,
        n_again: 30,
        slips: 12,
        others: 3,
        missing: 15,
        households: 0,
        rules: &[BY_CITY, BY_PHONE, BY_NAME],
    },
    Setting {
        n_people: 3600,
        n_again: 70,
        slips: 6,
        others: 6,
        missing: 0,
        households: 0,
        rules: &[BY_PHONE, BY_BIRTH],
    },
    Setting {
        n_people: 6000,
        n_again: 35,
        slips: 10,
        others: 2,
        missing: 4,
        households: 2,
        rules: &[BY_BIRTH, BY_LAST, BY_ZIP],
    },
];

/// Names, of which some come up more often than others.
struct Names {
    random: ChaCha8Rng,
    firsts: Vec<String>,
    lasts: Vec<String>,
}

impl Names {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut word = |n: usize| (0..n).map(|_| char::from(b'a' + random.random_range(0..26u8))).collect();
        let (firsts, lasts) = ((0..60).map(|_| word(6)).collect(), (0..150).map(|_| word(8)).collect());
        Self { random, firsts, lasts }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n)
    }

    fn chance(&mut self, of_a_hundred: u64) -> bool {
        self.random.random_range(0..100) < of_a_hundred
    }

    fn often(&mut self, n: usize) -> usize {
        self.below(n).min(self.below(n))
    }

    fn person(&mut self) -> [String; 6] {
        let city = self.often(12);
        let zip = city * 4 + self.below(4);
        let (first, last) = (self.often(self.firsts.len()), self.often(self.lasts.len()));
        let [year, month, day] = [1940 + self.below(60), 1 + self.below(12), 1 + self.below(28)];
        [
            self.firsts[first].clone(),
            self.lasts[last].clone(),
            format!("city{city}"),
            format!("z{zip}"),
            format!("{year}-{month:02}-{day:02}"),
            (1_000_000 + self.below(9_000_000)).to_string(),
        ]
    }

    /// The same person once more, with slips.
    fn copy(&mut self, values: &[String; 6], setting: &Setting) -> [String; 6] {
        let (mut copy, other) = (values.clone(), self.person());
        for (place, (value, other)) in copy.iter_mut().zip(other).enumerate() {
            let is_name_of_a_place = matches!(place, 2 | 3);
            if self.chance(setting.others) {
                *value = other;
            } else if !is_name_of_a_place && self.chance(setting.slips) {
                value.pop();
                value.push(char::from(b'0' + self.below(10) as u8));
            }
            if self.chance(setting.missing) {
                value.clear();
            }
        }
        copy
    }
}

/// A table, and which of its records are one person.
fn people(setting: &Setting, seed: u64) -> (String, String) {
    let mut names = Names::new(seed);
    let (mut table, mut truth) =
        ("id,first,last,city,zip,born,phone\n".to_owned(), "id,entity_id\n".to_owned());
    let (mut id, mut before) = (0, names.person());
    let mut write = |entity: usize, values: &[String; 6]| {
        let _ = writeln!(table, "{id},{}", values.join(","));
        let _ = writeln!(truth, "{id},{entity}");
        id += 1;
    };
    for entity in 0..setting.n_people {
        let mut values = names.person();
        if names.chance(setting.households) {
            for place in [1, 2, 3, 5] {
                values[place].clone_from(&before[place]);
            }
        }
        write(entity, &values);
        if names.chance(setting.n_again) {
            write(entity, &names.copy(&values, setting));
        }
        before = values;
    }
    (table, truth)
}

fn fits(setting: &Setting, seed: u64) -> (Fit, Fit) {
    let folder = tempfile::tempdir().unwrap();
    let (table, truth) = people(setting, seed);
    let [table_at, truth_at, rules_at] =
        ["people.csv", "truth.csv", "rules.toml"].map(|name| folder.path().join(name));
    fs::write(&table_at, table).unwrap();
    fs::write(&truth_at, truth).unwrap();
    let rules: String = setting.rules.iter().map(|when| format!("[[rules]]\nwhen = '{when}'\n")).collect();
    fs::write(&rules_at, rules + SCORE).unwrap();
    let (device, control) = (Cpu::new(), Control::default());
    let job = Job::dedupe(&table_at, &rules_at).prepare(&device, &control).unwrap();
    let truth = Truth::read(&truth_at, &job.left, None, &control).unwrap();
    let learnt = job.fit(&device, &control, FitOptions::default(), None).unwrap();
    let others = FitOptions { seed: 2, ..FitOptions::default() };
    let labelled = job.fit(&device, &control, others, Some(&truth)).unwrap();
    (learnt, labelled)
}

/// Where many live together, candidates are of three kinds, and two are looked for: that must be told.
#[test]
fn people_who_live_together_are_told_of() {
    for (households, rules) in [(20, &[BY_BIRTH, BY_LAST] as &[&str]), (30, &[BY_PHONE, BY_NAME])] {
        let setting = Setting { households, rules, ..SETTINGS[0] };
        let (learnt, _) = fits(&setting, 1);
        let said = learnt.doubts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(said.contains("another kind of pairs is common among them"), "{households}: {said}");
    }
}

#[test]
fn what_is_learnt_is_what_the_labels_say() {
    let mut wrong = String::new();
    for (nth, setting) in SETTINGS.iter().enumerate() {
        let (learnt, labelled) = fits(setting, nth as u64);
        let n_matches = labelled.weights.prior * labelled.n_pairs as f64;
        for (got, want) in learnt.weights.attributes.iter().zip(&labelled.weights.attributes) {
            let name = &got.name;
            for (level, (got, want)) in got.levels.iter().zip(&want.levels).enumerate() {
                // Those that match are among any two records.
                let prior = labelled.weights.prior;
                let u = (want.u - prior * want.m) / (1.0 - prior);
                for (what, got, want) in [("m", got.m, want.m), ("u", got.u, u)] {
                    if (got - want).abs() > (SHARE * want).max(ABSOLUTE) {
                        let _ = writeln!(
                            wrong,
                            "setting {nth}, {n_matches:.0} matches, {name}, level {level}, {what}: {got:.4}, not {want:.4}"
                        );
                    }
                }
            }
        }
        let prior = (learnt.weights.prior / labelled.weights.prior).log2();
        if prior.abs() > 0.5 {
            let _ = writeln!(wrong, "setting {nth} prior: {prior:+.2} bits");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
