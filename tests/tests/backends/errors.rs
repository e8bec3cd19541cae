//! Errors to look at: what a job misses and gets wrong, and why, as a naive computation over all pairs has it.

use crate::bench::{Bench, EVERYWHERE, Registered, trials};
use hyperblock::entities::cluster::SAME;
use hyperblock::inspect::errors::Judged;
use hyperblock::job::Guards;
use hyperblock::operators::Backend;
use hyperblock::rules::{Measure, Predicate, RuleFile, Side, Test};
use hyperblock::tell::errors::{Cause, Gathered};
use hyperblock::{ClusterMethod, Control, Job, Prepared, Resolve, Truth, Watch};
use hyperblock_shared::layout::ScoredPair;
use hyperblock_tests::case::Sheet;
use hyperblock_tests::clusters::ClusterCase;
use hyperblock_tests::generate::{for_all, keyed_cases};
use hyperblock_tests::neighbours::{NearCase, near_cases};
use hyperblock_tests::oracle::errors::{Said, nearest, said};
use hyperblock_tests::oracle::{in_order, scores};
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [random_errors]];

const SCORE: &str = "
[score]
threshold = 0.6
[[score.attributes]]
measure = \"levenshtein_similarity(l.name, r.name)\"
weight = 2
[[score.attributes]]
measure = \"l.code = r.code\"
";

/// A case, and what is made of it.
#[derive(Clone, Debug)]
struct ErrorCase {
    near: NearCase,
    is_scored: bool,
    /// Makes entities.
    method: Option<ClusterMethod>,
    most_in_block: Option<u32>,
    /// Whether the truth is said by entities.
    by_entities: bool,
}

/// Rules of all kinds over tables of all kinds; or rules that ask for equalities, with blocks that are left out.
fn error_cases(most_rows: usize) -> impl Strategy<Value = ErrorCase> {
    let keyed = (keyed_cases(most_rows), 1u32..4, any::<bool>());
    let keyed = keyed.prop_map(|(case, most, by_entities)| {
        let near = NearCase { case, neighbourhoods: Vec::new() };
        ErrorCase { near, is_scored: false, method: None, most_in_block: Some(most), by_entities }
    });
    prop_oneof![4 => any_cases(most_rows), 1 => keyed]
}

fn any_cases(most_rows: usize) -> impl Strategy<Value = ErrorCase> {
    let methods = [ClusterMethod::Components, ClusterMethod::Center, ClusterMethod::Complete];
    let method = prop::option::of(select(methods.to_vec()));
    let block = prop_oneof![3 => Just(None), 1 => (1u32..4).prop_map(Some)];
    (near_cases(most_rows), any::<bool>(), method, block, any::<bool>(), 0..3u8).prop_map(
        |(near, is_scored, method, most_in_block, by_entities, without_near)| {
            // Mostly there are rules, and nothing but rules.
            let neighbourhoods = match without_near == 0 || near.case.whens.is_empty() {
                true => near.neighbourhoods,
                false => Vec::new(),
            };
            let near = NearCase { neighbourhoods, case: near.case };
            ErrorCase { near, is_scored, method, most_in_block, by_entities }
        },
    )
}

fn random_errors(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((150, 20), (10, 16), (60, 20));
    let cases = error_cases(most_rows).prop_filter("no rule", |case| {
        let (rules, near) = (&case.near.case.whens, &case.near.neighbourhoods);
        !(rules.is_empty() && near.is_empty()) && case.near.is_well_formed()
    });
    let seen = RefCell::new(BTreeSet::new());
    for_all(n_cases, &cases, |case| {
        let control = Control::default();
        let more = if case.is_scored { SCORE } else { "" };
        case.near.with_job(more, &|folder, job| {
            let guards = Guards { most_in_block: case.most_in_block, ..Guards::default() };
            let (wanted, got) = case.both(folder, job.guards(guards).looked_at(), &*device, &control);
            for row in &wanted {
                seen.borrow_mut().insert(format!("{} {}", row.known[0], row.known[1]));
            }
            assert_eq!(wanted.len(), got.len(), "{case:?}\nwanted {wanted:?}\ngot {got:?}");
            for (wanted, got) in wanted.iter().zip(&got) {
                wanted.compare(got, &case);
            }
        });
    });
    if n_cases > 100 {
        let all = Cause::MISSED.iter().chain(&Cause::WRONG);
        let all: BTreeSet<String> = all.map(|it| format!("{} {}", it.kind(), it.name())).collect();
        assert_eq!(seen.into_inner(), all, "each cause comes up");
    }
}

/// A row as it is to be.
#[derive(Debug)]
struct Wanted {
    /// Kind, cause, ids, rule, and what fails.
    known: Vec<String>,
    said: Vec<Said>,
    /// Score and values.
    rest: Vec<String>,
}

impl Wanted {
    #[track_caller]
    fn compare(&self, got: &[String], case: &ErrorCase) {
        let n = self.known.len();
        assert_eq!(self.known, got[..n], "{self:?}\n{got:?}\n{case:?}");
        assert_eq!(self.rest, got[n + 1..], "{self:?}\n{got:?}\n{case:?}");
        let parts: Vec<&str> = got[n].split("; ").filter(|part| !part.is_empty()).collect();
        assert_eq!(self.said.len(), parts.len(), "{self:?}\n{got:?}\n{case:?}");
        for (said, part) in self.said.iter().zip(parts) {
            match said {
                Said::Whole(whole) => assert_eq!(whole, part, "{got:?}\n{case:?}"),
                Said::Similarity([before, behind], billionths) => {
                    let digits =
                        part.strip_prefix(before.as_str()).and_then(|it| it.strip_suffix(behind.as_str()));
                    let digits = digits.unwrap_or_else(|| panic!("{part}: {said:?}\n{case:?}"));
                    let number: f64 = digits.trim_end_matches('…').parse().expect("a decimal");
                    assert!((number - *billionths as f64 / 1e9).abs() < 6e-5, "{part}: {said:?}\n{case:?}");
                }
            }
        }
    }
}

type Row = Vec<Option<String>>;

impl ErrorCase {
    /// What there is to be in the file, and what is.
    fn both(
        &self,
        folder: &Path,
        job: Job,
        device: &dyn Backend,
        control: &Control,
    ) -> (Vec<Wanted>, Vec<Vec<String>>) {
        let (truth, file) = (folder.join("truth.csv"), folder.join("errors.csv"));
        std::fs::write(&truth, self.truth()).expect("a file can be written");
        let prepared = job.prepare(device, control).unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        let wanted = self.wanted(&prepared);
        let told = match self.method {
            None => {
                let mut job = prepared;
                job.keep_ids();
                let truth = Truth::read(&truth, &job.left, job.second(), control).expect("a truth");
                let mut gathered = Gathered::new(&truth, control).expect("memory is not bounded");
                let watch: &mut Watch<'_> = &mut |found, kept| gathered.add(found, kept, &truth);
                job.run_all(device, control, watch).unwrap_or_else(|error| panic!("{error}\n{self:?}"));
                Judged { job: &job, truth: &truth, gathered, entities: None }.write(&file, device, control)
            }
            Some(method) => {
                let resolve = Resolve::new(job).method(method).truth(&truth).prepare(device, control);
                let resolve = resolve.unwrap_or_else(|error| panic!("{error}\n{self:?}"));
                let truth = resolve.truth().expect("there is one");
                let mut gathered = Gathered::new(truth, control).expect("memory is not bounded");
                let watch: &mut Watch<'_> = &mut |found, kept| gathered.add(found, kept, truth);
                let found = resolve.run_watched(device, control, Some(watch), &mut |_| Ok(()));
                let found = found.unwrap_or_else(|error| panic!("{error}\n{self:?}"));
                let entities = Some(&found.entities[..]);
                Judged { job: &resolve.job, truth, gathered, entities }.write(&file, device, control)
            }
        };
        let counts = told.unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        let mut reader = csv::Reader::from_path(&file).expect("a file of errors");
        let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect());
        let rows: Vec<Vec<String>> = rows.collect();
        for cause in Cause::MISSED.iter().chain(&Cause::WRONG) {
            let n = rows.iter().filter(|row| row[0] == cause.kind() && row[1] == cause.name()).count();
            assert_eq!(counts.of(*cause), n as u64, "{cause:?}");
        }
        (wanted, rows)
    }

    fn matches(&self, left: &str, right: &str) -> bool {
        match self.by_entities {
            true => number(left) % 5 == number(right) % 5,
            false => (3 * number(left) + 5 * number(right)).is_multiple_of(4),
        }
    }

    /// All pairs, by the ids as they are sorted.
    fn pairs(&self) -> Vec<(String, String)> {
        let left = sorted(&self.near.case.left);
        let right = self.near.case.right.as_ref().map(sorted);
        let pairs = left.iter().enumerate().flat_map(|(nth, l)| {
            let rights = right.as_ref().map_or(&left[nth + 1..], |right| &right[..]);
            rights.iter().map(|r| (l.clone(), r.clone()))
        });
        pairs.collect()
    }

    fn truth(&self) -> String {
        if self.by_entities {
            let right = self.near.case.right.iter().flat_map(|right| &right.ids);
            let ids: BTreeSet<&String> = self.near.case.left.ids.iter().chain(right).collect();
            let lines: String = ids.iter().map(|id| format!("{},{}\n", quoted(id), number(id) % 5)).collect();
            return format!("id,entity_id\n{lines}");
        }
        let matches = self.pairs().into_iter().filter(|(l, r)| self.matches(l, r));
        let lines: String = matches.map(|(l, r)| format!("{},{}\n", quoted(&l), quoted(&r))).collect();
        // A file without rows is refused, one with unknown ids is not.
        format!("id_a,id_b\nnobody,nobody\n{lines}")
    }

    /// The values of a record as the engine numbers columns: the id first.
    fn row(sheet: &Sheet, id: &str) -> Row {
        let place = sheet.ids.iter().position(|own| own == id).expect("an id of the table");
        let id = Some(id.to_owned());
        let present = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
        std::iter::once(id).chain(sheet.rows[place].iter().map(present)).collect()
    }

    fn rows(&self, (left, right): &(String, String)) -> [Row; 2] {
        let sheet = self.near.case.right.as_ref().unwrap_or(&self.near.case.left);
        [Self::row(&self.near.case.left, left), Self::row(sheet, right)]
    }

    fn score(&self, prepared: &Prepared, [left, right]: &[Row; 2]) -> Option<u32> {
        let attributes = prepared.scoring()?.attributes();
        let all: Vec<Option<u32>> = attributes.iter().map(|it| scores::similarity(it, left, right)).collect();
        Some(scores::mean(attributes, &all, false))
    }

    /// The entity of each left and each right id, if there are entities; of one table both are the same.
    fn entities(&self, kept: &[((String, String), u32)]) -> Option<[BTreeMap<String, u32>; 2]> {
        let method = self.method?;
        let lefts = sorted(&self.near.case.left);
        let rights = self.near.case.right.as_ref().map(sorted);
        let place = |ids: &[String], id: &String| {
            ids.iter().position(|own| own == id).expect("an id of the table") as u32
        };
        let right = |id: &String| match &rights {
            None => place(&lefts, id),
            Some(rights) => lefts.len() as u32 + place(rights, id),
        };
        let pair = |((l, r), score): &((String, String), u32)| ScoredPair {
            left: place(&lefts, l),
            right: right(r),
            score: *score,
        };
        let n = lefts.len() + rights.as_ref().map_or(0, Vec::len);
        let entities = ClusterCase::new("kept", n as u32, kept.iter().map(pair).collect()).naive(method);
        let of_right = rights.as_ref().unwrap_or(&lefts).iter();
        let of_right = of_right.map(|id| (id.clone(), entities[right(id) as usize])).collect();
        Some([lefts.iter().cloned().zip(entities.iter().copied()).collect(), of_right])
    }

    fn wanted(&self, prepared: &Prepared) -> Vec<Wanted> {
        let found = self.near.found(prepared, self.most_in_block);
        let found: BTreeMap<(String, String), usize> =
            found.into_iter().map(|(l, r, witness)| ((l, r), witness)).collect();
        let threshold = prepared.scoring().map_or(0, |scoring| scoring.threshold());
        let scored = found.keys().map(|pair| (pair.clone(), self.score(prepared, &self.rows(pair))));
        let kept = scored.filter(|(_, score)| score.is_none_or(|score| score >= threshold));
        let kept: Vec<_> = kept.map(|(pair, score)| (pair, score.unwrap_or(SAME))).collect();
        let entities = self.entities(&kept);
        let kept: BTreeSet<&(String, String)> = kept.iter().map(|(pair, _)| pair).collect();
        let is_kept = |pair: &(String, String)| kept.contains(pair);
        let is_there = |pair: &(String, String)| match &entities {
            None => is_kept(pair),
            Some([left, right]) => left[&pair.0] == right[&pair.1],
        };
        let (mut missed, mut wrong) = (Vec::new(), Vec::new());
        for pair in self.pairs() {
            let witness = found.get(&pair).copied();
            match (self.matches(&pair.0, &pair.1), is_there(&pair)) {
                (true, false) => missed.push(self.missed(prepared, &pair, witness, is_kept(&pair))),
                (false, true) => {
                    let cause = match (is_kept(&pair), self.is_scored) {
                        (false, _) => "joined",
                        (true, false) => "rule",
                        (true, true) => "score",
                    };
                    let rule = witness.filter(|_| is_kept(&pair)).map(|nth| name(prepared, nth));
                    wrong.push(self.told(
                        prepared,
                        &pair,
                        ["wrong", cause],
                        rule,
                        (String::new(), Vec::new()),
                    ));
                }
                _ => {}
            }
        }
        missed.into_iter().chain(wrong).collect()
    }

    fn missed(
        &self,
        prepared: &Prepared,
        pair: &(String, String),
        witness: Option<usize>,
        is_kept: bool,
    ) -> Wanted {
        let rows = self.rows(pair);
        let told = |cause, rule, failed| self.told(prepared, pair, ["missed", cause], Some(rule), failed);
        if let Some(witness) = witness {
            let score = self.score(prepared, &rows).map_or(0.0, |score| f64::from(score) / 1e9);
            let said =
                if is_kept { vec![] } else { vec![Said::Whole(format!("score is {score}, below 0.6"))] };
            let cause = if is_kept { "split" } else { "score" };
            return told(cause, name(prepared, witness), (String::new(), said));
        }
        let Some(near) = nearest(&prepared.plan.rules, &rows[0], &rows[1]) else {
            let (nth, said) = self.window(prepared, pair);
            let failed = prepared.neighbourhoods[nth].to_string();
            return told(
                "window",
                prepared.neighbourhoods[nth].name.clone(),
                (failed, vec![Said::Whole(said)]),
            );
        };
        let rule = name(prepared, near.rule);
        if near.failed.is_empty() {
            let most = self.most_in_block.expect("a block was left out");
            let said = format!("in a block of more than {most} records, which is left out");
            let is_equality = |predicate: &&Predicate| {
                matches!(predicate.test, Test::Compare { measure: Measure::Equal, .. }) && !predicate.negated
            };
            let equalities = near.conjunction.iter().filter(is_equality).map(ToString::to_string);
            let failed = equalities.collect::<Vec<_>>().join(" AND ");
            return told("block", rule, (failed, vec![Said::Whole(said)]));
        }
        let failed: Vec<String> = near.failed.iter().map(ToString::to_string).collect();
        let said = near.failed.iter().map(|predicate| said(predicate, &rows[0], &rows[1]));
        told("no rule", rule, (failed.join(" AND "), said.collect()))
    }

    /// The neighbourhood that has two records nearest to each other, beyond its window, and what is said of it.
    fn window(&self, prepared: &Prepared, (left, right): &(String, String)) -> (usize, String) {
        let distances = self.near.distances(prepared, left, right);
        let beyond = |nth: &usize| match distances[*nth] {
            None => usize::MAX,
            Some(distance) => distance - prepared.neighbourhoods[*nth].window as usize,
        };
        let nth = (0..distances.len()).min_by_key(beyond).expect("there is one");
        let said = match distances[nth] {
            None => "a record without a key has no neighbours".to_owned(),
            Some(distance) => format!("{distance} places apart"),
        };
        (nth, said)
    }

    fn told(
        &self,
        prepared: &Prepared,
        pair: &(String, String),
        [kind, cause]: [&str; 2],
        rule: Option<String>,
        (failed, said): (String, Vec<Said>),
    ) -> Wanted {
        let rows = self.rows(pair);
        let known = [kind, cause, &pair.0, &pair.1, &rule.unwrap_or_default(), &failed];
        let score = self.score(prepared, &rows).map(|score| (f64::from(score) / 1e9).to_string());
        let own = &prepared.left.schema.columns;
        let asked = |table: usize| {
            let columns = self.asked(prepared, table);
            move |nth: &usize| columns.contains(nth)
        };
        // Both tables have the same columns, and rules may ask for one of them on one side alone.
        let (of_left, of_right) = (asked(0), asked(usize::from(prepared.second().is_some())));
        let value = |row: &Row, nth: usize| row[nth].clone().unwrap_or_default();
        let (mut values, mut later) = (Vec::new(), Vec::new());
        for nth in 0..own.len() {
            match (of_left(&nth), of_right(&nth)) {
                (true, true) => values.extend([value(&rows[0], nth), value(&rows[1], nth)]),
                (true, false) => values.push(value(&rows[0], nth)),
                (false, true) => later.push(value(&rows[1], nth)),
                (false, false) => {}
            }
        }
        let rest = score.into_iter().chain(values).chain(later).collect();
        Wanted { known: known.map(str::to_owned).to_vec(), said, rest }
    }

    /// The columns of a table that the rule file names.
    fn asked(&self, prepared: &Prepared, table: usize) -> BTreeSet<usize> {
        let more = if self.is_scored { SCORE } else { "" };
        let file =
            RuleFile::parse(Path::new("rules.toml"), self.near.toml() + more).expect("it was read before");
        let columns = file
            .columns()
            .filter(|(side, _)| prepared.second().is_none() || (*side == Side::Left) == (table == 0));
        let schema = &prepared.left.schema.columns;
        let place = |name: &str| schema.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        columns.filter_map(|(_, name)| place(name)).collect()
    }
}

/// The name of a rule, or of a neighbourhood.
fn name(prepared: &Prepared, nth: usize) -> String {
    let rules = prepared.plan.rules.iter().map(|rule| &rule.name);
    let mut names = rules.chain(prepared.neighbourhoods.iter().map(|near| &near.name));
    names.nth(nth).expect("a rule of the file").clone()
}

/// The ids of a table, as results have them.
fn sorted(sheet: &Sheet) -> Vec<String> {
    in_order(&sheet.ids).into_iter().map(|row| sheet.ids[row].clone()).collect()
}

/// Some number of an id.
fn number(id: &str) -> u32 {
    id.bytes().fold(0, |number, byte| (10 * number + u32::from(byte)) % 1_000_003)
}

fn quoted(id: &str) -> String {
    format!("\"{}\"", id.replace('"', "\"\""))
}
