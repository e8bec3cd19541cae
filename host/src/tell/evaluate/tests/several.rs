//! The same of several tables as one: whatever form the truth has and however much of it there is, against all pairs of different
//! tables, one by one.

use super::{Form, is_near, known};
use crate::base::control::Control;
use crate::read::table::{ReadOptions, Table};
use crate::tell::evaluate::{Agreement, Truth};
use hyperblock_shared::layout::Candidate;
use proptest::prelude::*;
use std::fs;

/// A record: its table, and its number there, which is its id. Those of each table have the same ids.
type Record = (usize, usize);

/// The tables, put together, and what a truth file says of them.
fn truth(sizes: &[usize], across: bool, text: &str) -> crate::Result<Truth> {
    let folder = tempfile::tempdir().unwrap();
    let control = Control::default();
    let table = |(nth, n): (usize, &usize)| {
        let path = folder.path().join(format!("t{nth}.csv"));
        let rows: String = (0..*n).map(|id| format!("{id}\n")).collect();
        fs::write(&path, format!("id\n{rows}")).unwrap();
        let table = Table::of_several(&path.into(), &ReadOptions::default(), &|_| true, &control);
        (format!("t{nth}"), table.unwrap())
    };
    let tables = sizes.iter().enumerate().map(table).collect();
    let table = Table::united(tables, across, &|_| true, &control).unwrap();
    let path = folder.path().join("truth.csv");
    fs::write(&path, text).unwrap();
    Truth::read(&path, &table, None, &control)
}

/// The number of a chance, and how many something stands for that was chosen with it.
const CHANCES: [(&str, f64); 3] = [("1", 1.0), ("0.5", 2.0), ("0.125", 8.0)];

/// What is known, by record or by pair.
struct Known {
    form: Form,
    /// By record: its entity.
    entities: Vec<Option<usize>>,
    /// By pair: what its label says, and its chance.
    labels: Vec<Option<(bool, usize)>>,
    with_chances: bool,
}

impl Known {
    /// Whether a pair matches, and how many it stands for.
    fn verdict(&self, nth: usize, [a, b]: [usize; 2]) -> Option<(bool, f64)> {
        let is_complete = self.entities.iter().all(Option::is_some);
        let weight = |chance: usize| if self.with_chances { CHANCES[chance % 3].1 } else { 1.0 };
        let of_entity = |entity: usize| if is_complete { 1.0 } else { weight(entity) };
        match self.form {
            Form::Entities => {
                let (a, b) = self.entities[a].zip(self.entities[b])?;
                Some(if a == b { (true, of_entity(a)) } else { (false, of_entity(a) * of_entity(b)) })
            }
            Form::Pairs => Some((self.labels[nth].is_some_and(|it| it.0), 1.0)),
            Form::Labels => self.labels[nth].map(|(is_match, chance)| (is_match, weight(chance))),
        }
    }

    fn text(&self, records: &[Record], pairs: &[[usize; 2]]) -> String {
        let chance = |of: usize| match self.with_chances {
            true => format!(",{}", CHANCES[of % 3].0),
            false => String::new(),
        };
        let sampled = if self.with_chances { ",sampled_with" } else { "" };
        let of_pair = |(nth, pair): (usize, &[usize; 2])| {
            let (is_match, of) = self.labels[nth]?;
            let [(t, a), (u, b)] = pair.map(|record| records[record]);
            match self.form {
                Form::Labels => Some(format!("t{u},{b},t{t},{a},{}{}\n", u8::from(is_match), chance(of))),
                _ => is_match.then(|| format!("t{t},{a},t{u},{b}\n")),
            }
        };
        let of_pairs = || pairs.iter().enumerate().filter_map(of_pair).collect::<String>();
        match self.form {
            Form::Entities => {
                let row = |(record, entity): (&Record, &Option<usize>)| {
                    let (table, id) = record;
                    entity.map(|entity| format!("t{table},{id},e{entity}{}\n", chance(entity)))
                };
                let rows: String = records.iter().zip(&self.entities).filter_map(row).collect();
                format!("source,id,entity_id{sampled}\nt9,nobody,e9{}\n{rows}", chance(0))
            }
            Form::Pairs => format!("source_a,id_a,source_b,id_b\nt0,nobody,t1,0\n{}", of_pairs()),
            Form::Labels => {
                let header = format!("source_a,id_a,source_b,id_b,label{sampled}");
                format!("{header}\nt0,nobody,t1,0,1{}\n{}", chance(0), of_pairs())
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn across_tables(
        sizes in prop::collection::vec(0usize..6, 2..5).prop_filter("a record", |sizes| sizes.iter().sum::<usize>() > 0),
        form in prop::sample::select(vec![Form::Entities, Form::Pairs, Form::Labels]),
        draws in prop::collection::vec((0u32..6, prop::option::weighted(0.8, 0usize..5)), 20),
        labels in prop::collection::vec(prop::option::weighted(0.4, (any::<bool>(), 0usize..3)), 190),
        said in prop::collection::vec(any::<bool>(), 190),
        (is_complete, with_chances) in (any::<bool>(), any::<bool>()),
    ) {
        let records: Vec<Record> =
            sizes.iter().enumerate().flat_map(|(table, n)| (0..*n).map(move |id| (table, id))).collect();
        let n = records.len();
        let all: Vec<[usize; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
        let entity = |entity: Option<usize>| entity.or(is_complete.then_some(0));
        let entities = draws[..n].iter().map(|draw| entity(draw.1)).collect();
        let known_of = Known { form, entities, labels: labels[..all.len()].to_vec(), with_chances };
        let is_complete = match form {
            Form::Entities => known_of.entities.iter().all(Option::is_some),
            Form::Pairs => true,
            Form::Labels => false,
        };
        let text = known_of.text(&records, &all);
        let mut truth_of = truth(&sizes, true, &text).unwrap();

        // All pairs that there are, with what is known of them.
        let is_apart = |pair: &[usize; 2]| records[pair[0]].0 != records[pair[1]].0;
        let pairs: Vec<_> =
            all.iter().enumerate().map(|(nth, pair)| (nth, *pair, known_of.verdict(nth, *pair))).collect();
        for (_, pair, verdict) in &pairs {
            let want = verdict.map(|it| it.0).filter(|_| is_apart(pair));
            let [a, b] = pair.map(|record| record as u32);
            prop_assert_eq!(truth_of.verdict(a, b), want);
            prop_assert_eq!(truth_of.verdict(b, a), want);
        }
        let pairs: Vec<_> = pairs.into_iter().filter(|(_, pair, _)| is_apart(pair)).collect();
        let decided: Vec<(bool, f64)> = pairs.iter().filter_map(|(.., verdict)| *verdict).collect();
        let coverage = truth_of.coverage();
        prop_assert_eq!(coverage.is_complete, is_complete);
        prop_assert_eq!((coverage.n_decided, coverage.n_unknown), (decided.len() as u64, 1));
        let matching: Vec<[u32; 2]> = pairs
            .iter()
            .filter(|(.., verdict)| verdict.is_some_and(|it| it.0))
            .map(|(_, pair, _)| pair.map(|record| record as u32))
            .collect();
        prop_assert_eq!(truth_of.n_matches(), matching.len() as u64);
        prop_assert_eq!(truth_of.matching_pairs(), matching);
        let sum = |of: &dyn Fn(bool) -> bool| decided.iter().filter(|it| of(it.0)).map(|it| it.1).sum::<f64>();
        if let Some(share) = truth_of.share_of_matches() {
            let of_all = sum(&|_| true);
            prop_assert!(is_near(share, if of_all == 0.0 { 0.0 } else { sum(&|it| it) / of_all }), "{}", share);
        }
        prop_assert_eq!(truth_of.share_of_matches().is_none(), form == Form::Labels);

        // Candidates; and those that entities say.
        let of_records: Vec<u32> = draws[..n].iter().map(|draw| draw.0).collect();
        let in_one = |pair: &[usize; 2]| of_records[pair[0]] == of_records[pair[1]];
        for by_entities in [false, true] {
            let mut truth_of = truth(&sizes, true, &text).unwrap();
            let there: Vec<_> = pairs
                .iter()
                .filter(|(nth, pair, _)| if by_entities { in_one(pair) } else { said[*nth] })
                .collect();
            let candidates: Vec<Candidate> = there
                .iter()
                .map(|(_, [a, b], _)| Candidate { left: *a as u32, right: *b as u32, rule: 0 })
                .collect();
            truth_of.count(&candidates);
            let quality = truth_of.quality();
            let of_there: Vec<(bool, f64)> = there.iter().filter_map(|(.., verdict)| *verdict).collect();
            let found = of_there.iter().filter(|it| it.0).map(|it| it.1).sum::<f64>();
            let all_there = of_there.iter().map(|it| it.1).sum::<f64>();
            let precision = known(found / all_there, is_complete);
            let recall = known(found / sum(&|it| it), is_complete);
            let f1 = Agreement::new(precision, recall).f1;
            let got = [quality.precision, quality.recall, quality.f1];
            prop_assert!(got.into_iter().zip([precision, recall, f1]).all(|(a, b)| is_near(a, b)), "{:?}", got);
            let n_found = of_there.iter().filter(|it| it.0).count() as u64;
            prop_assert_eq!((quality.n_decided, quality.n_found), (of_there.len() as u64, n_found));
            if by_entities {
                // What is known of entities by their sizes is what is known of their pairs one by one.
                let of_entities = truth_of.of_entities(&of_records);
                prop_assert_eq!(of_entities.n_pairs, there.len() as u64);
                prop_assert_eq!(of_entities.n_decided, of_there.len() as u64);
                let Agreement { precision, recall, f1 } = of_entities.pairwise;
                prop_assert!(got.into_iter().zip([precision, recall, f1]).all(|(a, b)| is_near(a, b)));
                prop_assert_eq!(of_entities.intervals, quality.intervals);
                // Who belongs to an entity does not depend on which pairs count.
                let within = truth(&sizes, false, &text).unwrap().of_entities(&of_records);
                let near = of_entities.b_cubed.zip(within.b_cubed);
                prop_assert_eq!(near.is_none(), form == Form::Labels);
                prop_assert!(near.is_none_or(|(a, b)| is_near(a.f1, b.f1) && is_near(a.recall, b.recall)));
            }
        }
        truth_of.count(&[]);
        prop_assert_eq!(truth_of.quality().n_candidates, 0);
    }
}

#[test]
fn an_id_of_several_tables_says_which() {
    let sizes = [3, 2];
    let refused = |text: &str| truth(&sizes, true, text).unwrap_err().to_string();
    let told = refused("id,entity_id\n1,x\n");
    let want = "row 1: the id `1` stands in several tables, `t0` and `t1`; say in a column `source` which one is meant";
    assert!(told.contains(want), "{told}");
    let told = refused("id_a,source_b,id_b,label\n2,t1,0,1\n0,t1,0,0\n");
    assert!(
        told.contains("row 2: the id `0` stands in several tables") && told.contains("`source_a`"),
        "{told}"
    );
    // A record that is named with its table and without is the same.
    let told = refused("source,id,entity_id\nt0,2,x\n,2,y\n");
    assert!(
        told.contains("rows 1 and 2: `t0:2` is of entity `x` and of entity `y`; a record is of one"),
        "{told}"
    );
    let told = refused("source_a,id_a,source_b,id_b,label\nt0,1,t1,1,1\nt1,1,t0,1,unsure\n");
    let want = "rows 1 and 2: the pair of `t0:1` and `t1:1` is labelled `match` and `unsure`";
    assert!(told.contains(want), "{told}");
    assert!(refused("source_a,id_a,source_b,id_b\nt0,1,t0,1\n").contains("a record is paired with itself"));
    // Within a table there are no pairs, whatever is said of them.
    let labelled =
        truth(&sizes, true, "source_a,id_a,source_b,id_b,label\nt0,0,t0,1,1\nt0,0,t1,1,no\n").unwrap();
    let coverage = labelled.coverage();
    assert_eq!((coverage.n_decided, coverage.n_named, labelled.n_matches()), (1, 2, 0));
}
