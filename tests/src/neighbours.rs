//! Cases with sorted neighbourhoods, beside rules or without, and what there is to find.

use crate::case::{Case, Sheet};
use crate::oracle::{Found, Rows, distance, with_neighbours, without_large_blocks};
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::rules::{self, RuleFile};
use hyperblock::{Control, Job, Prepared};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::path::Path;
use std::slice;

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

    fn with_prepared<T>(&self, use_it: impl Fn(&Prepared, &RuleFile) -> T) -> T {
        self.with_job("", &|_, job| {
            let prepared = job.prepare(&Cpu::new(), &Control::default());
            let prepared = prepared.unwrap_or_else(|error| panic!("{error}\n{self:?}"));
            let rules = RuleFile::parse(Path::new("rules.toml"), self.toml()).expect("it was read before");
            use_it(&prepared, &rules)
        })
    }

    /// Hands over a folder with the tables, and the job, of which the rule file says something more.
    pub fn with_job<T>(&self, more: &str, use_it: &dyn Fn(&Path, Job) -> T) -> T {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let (left, rules) =
            (write("left.csv", self.case.left.csv()), write("rules.toml", self.toml() + more));
        let job = match &self.case.right {
            None => Job::dedupe(&left, &rules),
            Some(right) => Job::link(&left, write("right.csv", right.csv()), &rules),
        };
        use_it(folder.path(), job)
    }

    /// All candidates that there are: of rules and neighbourhoods, or of rules without blocks of more than so many records.
    pub fn found(&self, prepared: &Prepared, most_in_block: Option<u32>) -> Vec<Found> {
        let Some(most) = most_in_block else {
            let file = RuleFile::parse(Path::new("rules.toml"), self.toml()).expect("it was read before");
            return self.oracle(prepared, &file);
        };
        let mut found = BTreeMap::new();
        // A block that is left out of one rule may be in another one, and neighbourhoods have none.
        for (witness, alone) in self.alone(prepared, Some(most)).into_iter().enumerate() {
            for (left, right, _) in alone {
                found.entry((left, right)).or_insert(witness);
            }
        }
        found.into_iter().map(|((left, right), witness)| (left, right, witness)).collect()
    }

    /// By neighbourhood: how many places apart two records stand.
    pub fn distances(&self, prepared: &Prepared, left: &str, right: &str) -> Vec<Option<usize>> {
        let (lefts, rights) = (self.case.left.values(), self.case.right.as_ref().map(Sheet::values));
        let of_right = self.case.right.as_ref().zip(rights.as_ref());
        let of_right = of_right.map(|(sheet, values)| Rows { ids: &sheet.ids, values });
        let of_left = Rows { ids: &self.case.left.ids, values: &lefts };
        let near = prepared.neighbourhoods.iter();
        near.map(|near| distance(of_left, of_right, near, (left, right))).collect()
    }

    /// By rule, then by neighbourhood: what there is to find if it were the only one. Blocks of more than so many records are left
    /// out, if that is said.
    pub(crate) fn alone(&self, prepared: &Prepared, most_in_block: Option<u32>) -> Vec<Vec<Found>> {
        let file = &RuleFile::parse(Path::new("rules.toml"), self.toml()).expect("it was read before");
        let (left_schema, right_schema) = (&prepared.left.schema, &prepared.right().schema);
        let rules =
            |dedupe| rules::bind(file, left_schema, right_schema, dedupe).expect("they were bound before");
        let (left, right) = (self.case.left.values(), self.case.right.as_ref().map(Sheet::values));
        let right = self.case.right.as_ref().zip(right.as_ref());
        let left = Rows { ids: &self.case.left.ids, values: &left };
        let right = right.map(|(sheet, values)| Rows { ids: &sheet.ids, values });
        let of_rules: Vec<Vec<Found>> = match most_in_block {
            Some(most) => {
                let of = |rule| without_large_blocks(left, right, &[rule], most as usize);
                rules(right.is_none()).into_iter().map(of).collect()
            }
            None => rules(false).into_iter().map(|rule| with_neighbours(left, right, &[rule], &[])).collect(),
        };
        let of_near = prepared
            .neighbourhoods
            .iter()
            .map(|near| with_neighbours(left, right, &[], slice::from_ref(near)));
        of_rules.into_iter().chain(of_near).collect()
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
