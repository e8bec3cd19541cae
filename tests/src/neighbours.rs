//! Cases with sorted neighbourhoods, beside rules or without, and what there is to find.

use crate::case::{Case, Sheet};
use crate::oracle::{Found, Rows, with_neighbours};
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::rules::{self, RuleFile};
use hyperblock::{Control, Job, Prepared};
use proptest::prelude::*;
use proptest::sample::select;

/// Tables, rules and neighbourhoods.
#[derive(Clone, Debug)]
pub struct NearCase {
    /// Tables and rules, perhaps none of these.
    pub case: Case,
    /// Keys, as the rule file writes them with their quotes, and windows.
    pub neighbourhoods: Vec<(String, u32)>,
}

/// Keys over the columns of random tables: text, numbers, dates, with many values and with few.
const KEYS: [&str; 12] = [
    "'name'",
    "'soundex(name)'",
    "'lower(l.\"full name\")'",
    "'length_key(title)'",
    "'wide'",
    "'left(code, 1)'",
    "'code'",
    "'n'",
    "'x'",
    "'d'",
    "'year(d)'",
    "'metaphone(name)'",
];

/// Random cases of up to `most_rows` records a table.
pub fn near_cases(most_rows: usize) -> impl Strategy<Value = NearCase> {
    let window = prop_oneof![4 => 2u32..6, 2 => 6u32..40, 1 => Just(1000u32)];
    let neighbourhoods = prop::collection::vec((select(&KEYS[..]), window), 1..4);
    (crate::generate::cases(most_rows), neighbourhoods, any::<bool>()).prop_map(
        |(case, neighbourhoods, without_rules)| {
            let whens = if without_rules { Vec::new() } else { case.whens.clone() };
            let owned = |(key, window): (&str, u32)| (key.to_owned(), window);
            NearCase {
                case: Case { whens, ..case },
                neighbourhoods: neighbourhoods.into_iter().map(owned).collect(),
            }
        },
    )
}

impl NearCase {
    /// The rule file.
    pub fn toml(&self) -> String {
        let near = self.neighbourhoods.iter();
        near.fold(self.case.toml(), |toml, (key, window)| {
            format!("{toml}[[neighbourhoods]]\nkey = {key}\nwindow = {window}\n")
        })
    }

    /// Whether the rules are such as a rule file may have, which random ones may well not be.
    pub fn is_well_formed(&self) -> bool {
        self.case.whens.is_empty() || self.case.prepare().is_ok()
    }

    /// What there is to find, and what a device finds, in order.
    pub fn run(&self, device: &dyn Backend) -> (Vec<Found>, Vec<Found>) {
        self.with_prepared(|prepared, rules| (self.oracle(prepared, rules), found(prepared, device)))
    }

    /// Panics unless a device finds what the CPU finds: for sizes that are too much for the oracle.
    #[track_caller]
    pub fn assert_as_on_the_cpu(&self, device: &dyn Backend) {
        let [wanted, got] = self
            .with_prepared(|prepared, _| [&Cpu::new() as &dyn Backend, device].map(|it| found(prepared, it)));
        assert!(!wanted.is_empty(), "a case without candidates tests little");
        let first = wanted.iter().zip(&got).position(|(wanted, got)| wanted != got);
        assert_eq!((first, wanted.len()), (None, got.len()), "where they part, and how many there are");
    }

    fn with_prepared<T>(&self, use_it: impl FnOnce(&Prepared, &RuleFile) -> T) -> T {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let (left, rules) = (write("left.csv", self.case.left.csv()), write("rules.toml", self.toml()));
        let job = match &self.case.right {
            None => Job::dedupe(&left, &rules),
            Some(right) => Job::link(&left, write("right.csv", right.csv()), &rules),
        };
        let prepared =
            job.prepare(&Cpu::new(), &Control::default()).unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        use_it(&prepared, &RuleFile::read(&rules).expect("it was read before"))
    }

    fn oracle(&self, prepared: &Prepared, file: &RuleFile) -> Vec<Found> {
        let schemas = (&prepared.left.schema, &prepared.right().schema);
        let rules = rules::bind(file, schemas.0, schemas.1, false).expect("they were bound before");
        let (left, right) = (self.case.left.values(), self.case.right.as_ref().map(Sheet::values));
        let right = self.case.right.as_ref().zip(right.as_ref());
        with_neighbours(
            Rows { ids: &self.case.left.ids, values: &left },
            right.map(|(sheet, values)| Rows { ids: &sheet.ids, values }),
            &rules,
            &prepared.neighbourhoods,
        )
    }

    /// Panics unless a device finds what the oracle finds, in the same order.
    #[track_caller]
    pub fn assert_same(&self, device: &dyn Backend) {
        let (wanted, got) = self.run(device);
        assert!(
            wanted == got,
            "{}: wanted {wanted:?}\ngot {got:?}\n{}{:?}",
            device.name(),
            self.toml(),
            self.case
        );
    }
}

/// What a device finds.
fn found(prepared: &Prepared, device: &dyn Backend) -> Vec<Found> {
    let (left, right) = (&prepared.left.ids, &prepared.right().ids);
    let mut all = Vec::new();
    let summary = prepared.run(device, &Control::default(), &mut |candidates| {
        all.extend(candidates.iter().map(|candidate| {
            (left.text(candidate.left), right.text(candidate.right), candidate.rule as usize)
        }));
        Ok(())
    });
    let summary = summary.unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    assert_eq!(summary.n_candidates(), all.len() as u64);
    all
}
