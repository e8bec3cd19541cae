//! Measures against the plain definitions, pair by pair and record by record, from the text of tables and truth alone; and
//! intervals against what they promise.

mod several;

use super::{Agreement, EntityQuality, Interval, Intervals, Quality, Truth, wilson};
use crate::base::control::Control;
use crate::base::random::Random;
use crate::read::table::{Ids, ReadOptions, Table};
use hyperblock_shared::layout::Candidate;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Tables of ids, and a truth file beside them.
struct Case {
    folder: TempDir,
    left: Ids,
    right: Option<Ids>,
}

/// Ids are in the order of their numbers.
fn id(side: char, record: usize) -> String {
    format!("{side}{record:06}")
}

impl Case {
    fn new(n_left: usize, n_right: Option<usize>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ids = |side: char, n: usize| {
            let path = folder.path().join(format!("{side}.csv"));
            let rows: String = (0..n).map(|record| id(side, record) + "\n").collect();
            fs::write(&path, format!("id\n{rows}")).unwrap();
            Table::read(&path, &ReadOptions::default(), &|_| true, &Control::default()).unwrap().ids
        };
        let (left, right) = (ids('a', n_left), n_right.map(|n| ids('b', n)));
        Self { folder, left, right }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("truth.csv")
    }

    fn truth(&self, text: &str) -> Truth {
        self.try_truth(text).unwrap()
    }

    fn try_truth(&self, text: &str) -> crate::Result<Truth> {
        fs::write(self.path(), text).unwrap();
        Truth::of_ids(&self.path(), &self.left, self.right.as_ref(), &Control::default())
    }

    /// The sides of both records of a pair.
    fn sides(&self) -> [char; 2] {
        ['a', if self.right.is_some() { 'b' } else { 'a' }]
    }

    /// All pairs that there are.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let n_left = self.left.len() as usize;
        match &self.right {
            Some(right) => (0..n_left).flat_map(|a| (0..right.len() as usize).map(move |b| (a, b))).collect(),
            None => (0..n_left).flat_map(|a| (a + 1..n_left).map(move |b| (a, b))).collect(),
        }
    }
}

/// What a text says, read again and again without an index.
struct Naive<'a> {
    case: &'a Case,
    rows: Vec<Vec<&'a str>>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Entities,
    Pairs,
    Labels,
}

impl<'a> Naive<'a> {
    fn new(case: &'a Case, text: &'a str, form: Form) -> Self {
        let rows = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        Self { case, rows, form }
    }

    /// The entity of a record, and how many it stands for.
    fn entity(&self, side: char, record: usize) -> Option<(&'a str, f64)> {
        let id = id(side, record);
        let row = self.rows.iter().find(|row| row[0] == id)?;
        let is_complete = self.named().iter().all(|is_named| *is_named);
        let weight =
            row.get(2).filter(|_| !is_complete).map_or(1.0, |chance| 1.0 / chance.parse::<f64>().unwrap());
        Some((row[1], weight))
    }

    fn named(&self) -> Vec<bool> {
        let n_right = self.case.right.as_ref().map_or(0, Ids::len) as usize;
        let all = (0..self.case.left.len() as usize).map(|record| id('a', record));
        let all = all.chain((0..n_right).map(|record| id('b', record)));
        all.map(|id| self.rows.iter().any(|row| row[0] == id)).collect()
    }

    /// Whether a pair matches, if that is known, and how many it stands for.
    fn verdict(&self, (a, b): (usize, usize)) -> Option<(bool, f64)> {
        let [side_a, side_b] = self.case.sides();
        if self.form == Form::Entities {
            let ((a, of_a), (b, of_b)) = self.entity(side_a, a).zip(self.entity(side_b, b))?;
            return Some(if a == b { (true, of_a) } else { (false, of_a * of_b) });
        }
        let (a, b) = (id(side_a, a), id(side_b, b));
        let is =
            |row: &&Vec<&str>| row[..2] == [&a, &b] || (self.case.right.is_none() && row[..2] == [&b, &a]);
        let row = self.rows.iter().find(is);
        if self.form == Form::Pairs {
            return Some((row.is_some(), 1.0));
        }
        let row = row?;
        let weight = row.get(3).map_or(1.0, |chance| 1.0 / chance.parse::<f64>().unwrap());
        match row[2] {
            "Match" | "1" | "YES" => Some((true, weight)),
            "no match" | "0" => Some((false, weight)),
            _ => None,
        }
    }

    /// Precision, recall, how many are decided and found, and how many there were to find.
    fn pairwise(&self, is_said: &dyn Fn((usize, usize)) -> bool) -> (f64, f64, u64, u64, u64) {
        let (mut right, mut said, mut true_ones) = (0.0, 0.0, 0.0);
        let (mut n_decided, mut n_found, mut n_matches) = (0, 0, 0);
        for pair in self.case.pairs() {
            let Some((is_match, weight)) = self.verdict(pair) else { continue };
            true_ones += if is_match { weight } else { 0.0 };
            n_matches += u64::from(is_match);
            if is_said(pair) {
                said += weight;
                right += if is_match { weight } else { 0.0 };
                n_decided += 1;
                n_found += u64::from(is_match);
            }
        }
        (right / said, right / true_ones, n_decided, n_found, n_matches)
    }

    /// The entities of all records, those of the right table after the left's, and what each stands for.
    fn true_entities(&self) -> Vec<Option<(usize, f64)>> {
        let n_left = self.case.left.len() as usize;
        let n = n_left + self.case.right.as_ref().map_or(0, Ids::len) as usize;
        let place = |record: usize| if record < n_left { ('a', record) } else { ('b', record - n_left) };
        if self.form == Form::Entities {
            let of = |record: usize| {
                let (side, record) = place(record);
                self.entity(side, record)
            };
            let first = |name: &str| (0..n).find(|other| of(*other).is_some_and(|it| it.0 == name)).unwrap();
            return (0..n).map(|record| of(record).map(|(name, weight)| (first(name), weight))).collect();
        }
        let mut entities: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for (a, b) in self.case.pairs() {
                let b_at = if self.case.right.is_some() { n_left + b } else { b };
                if self.verdict((a, b)).is_some_and(|it| it.0) {
                    let least = entities[a].min(entities[b_at]);
                    (entities[a], entities[b_at]) = (least, least);
                }
            }
        }
        entities.into_iter().map(|entity| Some((entity, 1.0))).collect()
    }

    /// By the definitions, record by record.
    fn b_cubed(&self, entities: &[u32]) -> (f64, f64) {
        let truth = self.true_entities();
        let named: Vec<(usize, usize, f64)> =
            truth.iter().enumerate().filter_map(|(at, it)| it.map(|(is, weight)| (at, is, weight))).collect();
        let (mut precision, mut recall, mut all) = (0.0, 0.0, 0.0);
        for &(record, is, weight) in &named {
            let beside = named.iter().filter(|(other, ..)| entities[*other] == entities[record]);
            let right = beside.clone().filter(|(_, other, _)| *other == is).count() as f64;
            let wrong: f64 = beside.filter(|(_, other, _)| *other != is).map(|(.., weight)| weight).sum();
            let there = named.iter().filter(|(_, other, _)| *other == is).count() as f64;
            precision += weight * right / (right + wrong);
            recall += weight * right / there;
            all += weight;
        }
        (precision / all, recall / all)
    }
}

/// As near as sums of floating point numbers are; nothing is as nothing.
fn is_near(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-6
}

/// What all truth says of nothing is 0.
fn known(measure: f64, is_complete: bool) -> f64 {
    if is_complete && measure.is_nan() { 0.0 } else { measure }
}

/// A truth of one of the forms: rows for some records or pairs.
fn texts(case: &Case, form: Form, draws: &[(u8, u8, u8)], with_chances: bool) -> String {
    let chance = |nth: u8| ["1", "0.5", "0.3", "0.125"][usize::from(nth) % 4];
    let mut draws = draws.iter().cycle();
    let mut next = || *draws.next().unwrap();
    let mut text = String::new();
    // The last part is the probability, where there is one.
    let mut row = |parts: &[&str]| {
        let n = if with_chances { parts.len() } else { parts.len() - 1 };
        text += &(parts[..n].join(",") + "\n");
    };
    let [a, b] = case.sides();
    match form {
        Form::Entities => {
            row(&["id", "entity_id", "sampled_with"]);
            let n_right = case.right.as_ref().map_or(0, Ids::len) as usize;
            let all = (0..case.left.len() as usize).map(|record| id('a', record));
            // The first draw says how many are named: none, some, or all.
            let coverage = next().0 % 4;
            for name in all.chain((0..n_right).map(|record| id('b', record))) {
                let (is_named, entity, _) = next();
                if coverage == 3 || is_named % 4 < coverage {
                    row(&[&name, &format!("e{}", entity % 6), chance(entity % 6)]);
                }
            }
            row(&["nobody", "e77", "1"]);
        }
        Form::Pairs => {
            row(&["id_a", "id_b", "sampled_with"]);
            for pair in case.pairs() {
                if next().0 % 4 == 0 {
                    row(&[&id(a, pair.0), &id(b, pair.1), "0.5"]);
                }
            }
            row(&["nobody", &id(b, 0), "0.5"]);
        }
        Form::Labels => {
            row(&["id_a", "id_b", if with_chances { "is_match" } else { "Label" }, "probability"]);
            for pair in case.pairs() {
                let (is_named, label, of) = next();
                let label = ["Match", "no match", "unsure", "", "0", "1", "YES", "?"][usize::from(label) % 8];
                let (mut a, mut b) = (id(a, pair.0), id(b, pair.1));
                if of % 2 == 0 && case.right.is_none() {
                    (a, b) = (b, a);
                }
                if is_named % 3 == 0 {
                    row(&[&a, &b, label, chance(of)]);
                }
            }
            row(&["nobody", &id(b, 0), "1", "1"]);
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn as_defined(
        (n_left, n_right) in (1usize..12, prop::option::of(1usize..9)),
        form in prop::sample::select(vec![Form::Entities, Form::Pairs, Form::Labels]),
        draws in prop::collection::vec(any::<(u8, u8, u8)>(), 60..160),
        said in prop::collection::vec(any::<bool>(), 150),
        of_record in prop::collection::vec(0u32..6, 24),
        with_chances in any::<bool>(),
    ) {
        let case = Case::new(n_left, n_right);
        let text = texts(&case, form, &draws, with_chances);
        let naive = Naive::new(&case, &text, form);
        let mut truth = case.truth(&text);
        let is_complete = match form {
            Form::Entities => naive.named().iter().all(|is_named| *is_named),
            Form::Pairs => true,
            Form::Labels => false,
        };
        let coverage = truth.coverage();
        prop_assert_eq!(coverage.is_complete, is_complete);
        prop_assert_eq!(coverage.n_unknown, 1);
        let pairs = case.pairs();
        let decided = pairs.iter().filter(|pair| naive.verdict(**pair).is_some()).count() as u64;
        prop_assert_eq!(coverage.n_decided, decided);
        for pair in &pairs {
            let (a, b) = (pair.0 as u32, pair.1 as u32);
            prop_assert_eq!(truth.verdict(a, b), naive.verdict(*pair).map(|it| it.0));
            if n_right.is_none() {
                prop_assert_eq!(truth.verdict(b, a), truth.verdict(a, b));
            }
            if let Some((_, weight)) = naive.verdict(*pair) {
                prop_assert!((truth.weight(a, b) - weight).abs() < 1e-6);
            }
        }
        let matching: Vec<[u32; 2]> = pairs
            .iter()
            .filter(|pair| naive.verdict(**pair).is_some_and(|it| it.0))
            .map(|pair| [pair.0 as u32, pair.1 as u32])
            .collect();
        prop_assert_eq!(truth.matching_pairs(), matching);

        // Candidates, in two parts.
        let is_said = |pair: (usize, usize)| said[(pair.0 * 11 + pair.1) % said.len()];
        let candidates: Vec<Candidate> = pairs
            .iter()
            .filter(|pair| is_said(**pair))
            .map(|pair| Candidate { left: pair.0 as u32, right: pair.1 as u32, rule: 0 })
            .collect();
        let (some, others) = candidates.split_at(candidates.len() / 2);
        truth.count(others);
        truth.count(some);
        let (precision, recall, n_decided, n_found, n_matches) = naive.pairwise(&is_said);
        let Quality { n_candidates, intervals, .. } = truth.quality();
        let quality = truth.quality();
        prop_assert_eq!(n_candidates, candidates.len() as u64);
        prop_assert_eq!((quality.n_decided, quality.n_found, quality.n_matches), (n_decided, n_found, n_matches));
        let (precision, recall) = (known(precision, is_complete), known(recall, is_complete));
        let want = Agreement::new(precision, recall);
        prop_assert!(is_near(quality.precision, precision), "{} {precision}", quality.precision);
        prop_assert!(is_near(quality.recall, recall), "{} {recall}", quality.recall);
        prop_assert!(is_near(quality.f1, want.f1), "{} {}", quality.f1, want.f1);
        let again = truth.of_pairs(candidates.iter().map(|it| (it.left, it.right)));
        prop_assert!(is_near(again.precision, precision) && is_near(again.recall, recall));
        prop_assert_eq!(intervals.is_none(), is_complete);
        if let Some(Intervals { precision, recall, f1 }) = intervals {
            for (measure, interval) in [(quality.precision, precision), (quality.recall, recall), (quality.f1, f1)] {
                prop_assert!(interval.is_some() || measure.is_nan());
                if let Some(Interval { low, high }) = interval.filter(|_| !measure.is_nan()) {
                    let around = low - 1e-9..=high + 1e-9;
                    prop_assert!(around.contains(&measure) && low >= 0.0 && high <= 1.0, "{low} {measure} {high}");
                }
            }
            if form == Form::Labels && !with_chances && n_decided > 0 {
                let want = wilson(n_found as f64 / n_decided as f64, n_decided as f64);
                let got = precision.unwrap();
                prop_assert!(is_near(got.low, want.low) && is_near(got.high, want.high));
            }
        }

        // Entities.
        let n = n_left + n_right.unwrap_or(0);
        let entities = &of_record[..n];
        let entity = |right: usize| entities[if n_right.is_some() { n_left + right } else { right }];
        let is_said = |pair: (usize, usize)| entities[pair.0] == entity(pair.1);
        let (precision, recall, n_decided, ..) = naive.pairwise(&is_said);
        let EntityQuality { n_pairs, pairwise, b_cubed, n_decided: decided, .. } = truth.of_entities(entities);
        prop_assert_eq!(n_pairs, pairs.iter().filter(|pair| is_said(**pair)).count() as u64);
        prop_assert_eq!(decided, n_decided);
        prop_assert!(is_near(pairwise.precision, known(precision, is_complete)), "{:?} {}", pairwise, precision);
        prop_assert!(is_near(pairwise.recall, known(recall, is_complete)), "{:?} {}", pairwise, recall);
        prop_assert_eq!(b_cubed.is_none(), form == Form::Labels);
        if let Some(b_cubed) = b_cubed {
            let (precision, recall) = naive.b_cubed(entities);
            prop_assert!(is_near(b_cubed.precision, precision), "{:?} {}", b_cubed, precision);
            prop_assert!(is_near(b_cubed.recall, recall), "{:?} {}", b_cubed, recall);
        }
    }
}

/// A world with a truth that is known: how good its candidates are, and how often intervals hold that.
struct World {
    case: Case,
    /// The entity of each record.
    of: Vec<usize>,
    candidates: Vec<Candidate>,
    precision: f64,
    recall: f64,
}

impl World {
    /// Entities of one to six records. Pairs are found in some of them more often than in others, and some records are in
    /// more wrong pairs than others.
    fn new(n_entities: usize, n_wrong: usize) -> Self {
        // No seed of a truth, which would draw the same numbers.
        let mut random = Random::new(7_000);
        let of: Vec<usize> = (0..n_entities)
            .flat_map(|entity| std::iter::repeat_n(entity, 1 + random.below(6) as usize))
            .collect();
        let case = Case::new(of.len(), None);
        let mut pairs = Vec::new();
        let mut n_matches = 0;
        for a in 0..of.len() {
            for b in (a + 1..of.len()).take_while(|b| of[*b] == of[a]) {
                n_matches += 1;
                if random.below(10) < 5 + of[a] as u64 % 5 {
                    pairs.push((a, b));
                }
            }
        }
        let n_found = pairs.len();
        while pairs.len() < n_found + n_wrong {
            let n = of.len() as u64;
            // The minimum of two is small more often.
            let (a, b) = (random.below(n).min(random.below(n)) as usize, random.below(n) as usize);
            if of[a] != of[b] && !pairs[n_found..].contains(&(a.min(b), a.max(b))) {
                pairs.push((a.min(b), a.max(b)));
            }
        }
        let candidate = |&(a, b): &(usize, usize)| Candidate { left: a as u32, right: b as u32, rule: 0 };
        let candidates = pairs.iter().map(candidate).collect();
        let (precision, recall) =
            (n_found as f64 / pairs.len() as f64, n_found as f64 / f64::from(n_matches));
        Self { case, of, candidates, precision, recall }
    }

    /// How many of 100 truths have the precision, the recall and the F1 in their intervals.
    fn covered(&self, text: impl Fn(&mut Random) -> String) -> [usize; 3] {
        let f1 = Agreement::new(self.precision, self.recall).f1;
        let mut covered = [0; 3];
        for seed in 0..100 {
            let mut truth = self.case.truth(&text(&mut Random::new(seed)));
            truth.count(&self.candidates);
            let Intervals { precision, recall, f1: of_f1 } = truth.quality().intervals.unwrap();
            let all = [(precision, self.precision), (recall, self.recall), (of_f1, f1)];
            for (n, (interval, measure)) in covered.iter_mut().zip(all) {
                let counted = (seed, truth.coverage(), truth.quality());
                let Interval { low, high } = interval.unwrap_or_else(|| panic!("{counted:?}"));
                // Who says nothing is never wrong.
                *n += usize::from((low..=high).contains(&measure) && high - low < 0.5);
            }
        }
        covered
    }

    /// A truth about records that are drawn.
    fn entities(&self, header: &str, row: impl Fn(usize) -> Option<String>) -> String {
        let rows = (0..self.of.len()).filter_map(row).map(|row| row + "\n");
        format!("{header}\n{}", rows.collect::<String>())
    }
}

#[test]
fn intervals_of_sampled_labels_hold_what_is_true() {
    let world = World::new(400, 500);
    // Who is alike is labelled more often; of what is no candidate, few are, and nearly all of them do not match.
    let mut frame: Vec<(usize, usize, bool)> =
        world.candidates.iter().map(|it| (it.left as usize, it.right as usize, true)).collect();
    let is_candidate: std::collections::HashSet<(usize, usize)> =
        frame.iter().map(|it| (it.0, it.1)).collect();
    for a in 0..world.of.len() {
        let others = (a + 1..world.of.len()).filter(|b| world.of[*b] <= world.of[a] + 1);
        frame.extend(others.filter(|b| !is_candidate.contains(&(a, *b))).map(|b| (a, b, false)));
    }
    let text = |random: &mut Random| {
        let mut text = "id_a,id_b,label,sampled_with\n".to_owned();
        for &(a, b, is_candidate) in &frame {
            let of_100 = match is_candidate {
                true => [60, 30, 100][(a + b) % 3],
                false => 10,
            };
            if random.below(100) < of_100 {
                let label = u8::from(world.of[a] == world.of[b]);
                let chance = of_100 as f64 / 100.0;
                text += &format!("{},{},{label},{chance}\n", id('a', a), id('a', b));
            }
        }
        text
    };
    let covered = world.covered(text);
    assert!(covered.iter().all(|n| *n >= 90), "{covered:?}");
}

#[test]
fn intervals_of_labelled_records_hold_what_is_true() {
    let world = World::new(2000, 4000);
    // Each record by itself.
    let of_records = world.covered(|random| {
        let is_named: Vec<bool> = world.of.iter().map(|_| random.below(10) == 0).collect();
        let row =
            |record: usize| is_named[record].then(|| format!("{},{}", id('a', record), world.of[record]));
        world.entities("id,entity_id", row)
    });
    assert!(of_records.iter().all(|n| *n >= 90), "{of_records:?}");
    // A tenth of the entities, each of them whole. Two of them are there more rarely than one is, which the column tells.
    let is_named = |random: &mut Random| (0..2000).map(|_| random.below(10) == 0).collect::<Vec<bool>>();
    let of_entities = world.covered(|random| {
        let is_named = is_named(random);
        let row = |record: usize| {
            let entity = world.of[record];
            is_named[entity].then(|| format!("{},{entity},0.1", id('a', record)))
        };
        world.entities("id,entity_id,sampled_with", row)
    });
    assert!(of_entities.iter().all(|n| *n >= 90), "{of_entities:?}");
    // Without it recall is right, and precision is that of whoever labelled whole entities.
    let [_, recall, _] = world.covered(|random| {
        let is_named = is_named(random);
        let row = |record: usize| {
            let entity = world.of[record];
            is_named[entity].then(|| format!("{},{entity}", id('a', record)))
        };
        world.entities("id,entity_id", row)
    });
    assert!(recall >= 90, "{recall}");
}

#[test]
fn pairs_of_two_tables_make_entities() {
    // a0 = b0, a1 = b0: three records of one thing; b1 is alone.
    let case = Case::new(2, Some(2));
    let truth = case.truth("id_a,id_b\na000000,b000000\na000001,b000000\n");
    let quality = truth.of_entities(&[0, 1, 0, 3]);
    assert_eq!((quality.n_pairs, quality.n_decided), (1, 1));
    assert_eq!((quality.pairwise.precision, quality.pairwise.recall), (1.0, 0.5));
    let b_cubed = quality.b_cubed.unwrap();
    assert_eq!(b_cubed.precision, 1.0);
    assert!((b_cubed.recall - (2.0 / 3.0 + 1.0 / 3.0 + 2.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12);
    assert_eq!(truth.of_pairs([(0, 0), (0, 1)].into_iter()).f1, 0.5);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let case = Case::new(3, None);
    let said = |text: &str| case.try_truth(text).unwrap_err().to_string();
    let told = said("id_a,id_b,label\na000000,a000001,1\na000001,a000002,\na000001,a000000,unsure\n");
    let want = "rows 1 and 3: the pair of `a000001` and `a000000` is labelled `match` and `unsure`; leave one of the rows out";
    assert!(told.contains(want), "{told}");
    let told = said("id_a,id_b,label,probability\na000000,a000001,1,0.5\na000000,a000001,1,0.25\n");
    assert!(told.contains("rows 1 and 2") && told.contains("of 0.5 and of 0.25"), "{told}");
    for chance in ["0", "1.5", "-1", "x", "", "nan"] {
        let told = said(&format!("id_a,id_b,label,sampled_with\na000000,a000001,1,{chance}\n"));
        assert!(told.contains("row 1, column `sampled_with`: the probability of being chosen"), "{told}");
    }
    let told = said("id_a,id_b,weight,probability,label\na000000,a000001,7,0.9,1\n");
    assert!(told.contains("name the probability that a pair was chosen `sampled_with`"), "{told}");
    let told = said("id,entity_id,sampled_with\na000000,x,0.5\na000001,x,0.25\n");
    assert!(
        told.contains("rows 1 and 2: entity `x` was chosen with a probability of 0.5 and of 0.25"),
        "{told}"
    );
    let told = said("id_a,id_b,label\na000000,a000001,perhaps\n");
    assert!(told.contains("row 1, column `label`: `perhaps` is no label"), "{told}");
    // The same twice is no contradiction, and what nobody is sure of is not decided.
    let twice = case.truth("id_a,id_b,label\na000000,a000001,y\na000001,a000000,Match\na000001,a000002, ?\n");
    assert_eq!([twice.verdict(0, 1), twice.verdict(1, 2), twice.verdict(0, 2)], [Some(true), None, None]);
}
