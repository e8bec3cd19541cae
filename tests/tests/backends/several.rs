//! Several tables as one: with different columns, columns of other names and the same ids, against all pairs of records tried one
//! by one; and two tables together against two tables by themselves.

use crate::bench::{Bench, EVERYWHERE, Registered, hashed, trials};
use crate::papers::by_pairs;
use hyperblock::device::cpu::Cpu;
use hyperblock::inspect::errors::Judged;
use hyperblock::job::Guards;
use hyperblock::plan::{AccessChoice, ScanOptions, Variant};
use hyperblock::tell::errors::{Cause, Gathered};
use hyperblock::{Compared, Control, Input, Job, Truth};
use hyperblock_tests::case::is_no_rule;
use hyperblock_tests::each_rule::assert_each_rule_of_several;
use hyperblock_tests::generate::{COLUMNS, for_all, zipf_sheet};
use hyperblock_tests::neighbours::near_cases;
use hyperblock_tests::several::{SeveralCase, found, several_cases};
use proptest::strategy::Strategy;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;

pub(crate) const TRIALS: &[Registered] = trials![EVERYWHERE => [
    random_tables, random_blocks, two_together_are_as_two, blocks_of_two_columns, all_pairs, each_rule_of_several,
    errors_of_several,
]];

fn random_tables(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((120, 14), (6, 8), (60, 14));
    let cases = several_cases(most_rows).prop_filter("no rule", SeveralCase::is_well_formed);
    let swept = ScanOptions { access: AccessChoice::Sweep, ..ScanOptions::default() };
    let n_found = Cell::new(0);
    for_all(n_cases, &cases, |case| {
        let files = case.files();
        let wanted = case.oracle(&files, None);
        n_found.set(n_found.get() + wanted.len());
        for (options, variants) in [
            (ScanOptions::default(), vec![]),
            (hashed(), vec![]),
            (swept, vec![Variant::NoDictionary]),
            (ScanOptions::default(), vec![Variant::NoEpg, Variant::NoFilter]),
        ] {
            let job = case.job(&files).scan_options(options).variants(variants.clone()).cost(by_pairs());
            // The costs are the CPU's; its plan runs everywhere.
            let prepared = job.prepare(&Cpu::new(), &Control::default()).unwrap();
            let (got, summary) = found(&prepared, &*device);
            assert!(
                wanted == got,
                "{} with {options:?} {variants:?}\nwanted {wanted:?}\ngot    {got:?}\n{case:?}",
                device.name()
            );
            assert_eq!((summary.n_pairs, prepared.n_pairs()), (case.n_pairs(), case.n_pairs()), "{case:?}");
            let compared = summary.compared;
            assert!(compared.most <= summary.n_pairs, "{compared:?} of {}", summary.n_pairs);
            assert!(compared.most >= got.len() as u64, "{compared:?} with {}: {case:?}", got.len());
            assert_eq!(summary.n_unseen() + compared.most, summary.n_pairs);
        }
        // No more than there are, and one fewer than there are.
        for (most, is_enough) in
            [(wanted.len() as u64, true), ((wanted.len() as u64).saturating_sub(1), wanted.is_empty())]
        {
            let guards = Guards { most_pairs: Some(most), ..Guards::default() };
            let prepared = case.job(&files).guards(guards).prepare(&*device, &Control::default()).unwrap();
            let ran = prepared.run(&*device, &Control::default(), &mut |_| Ok(()));
            assert_eq!(ran.is_ok(), is_enough, "{most} of {}", wanted.len());
        }
    });
    assert!(n_found.get() > 0, "cases without candidates test little");
}

fn random_blocks(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((60, 12), (5, 8), (40, 12));
    let cases = several_cases(most_rows).prop_filter("no rule", SeveralCase::is_well_formed);
    for_all(n_cases, &cases, |case| {
        let files = case.files();
        for most in [1, 3] {
            let wanted = case.oracle(&files, Some(most));
            let guards = Guards { most_in_block: Some(most as u32), ..Guards::default() };
            let prepared = case.job(&files).guards(guards).prepare(&*device, &Control::default()).unwrap();
            let (got, _) = found(&prepared, &*device);
            assert!(
                wanted == got,
                "{}, blocks of {most}\nwanted {wanted:?}\ngot    {got:?}\n{case:?}",
                device.name()
            );
        }
    });
}

/// Linked as several, two tables come to what they come to by themselves: rules, neighbourhoods and blocks.
fn two_together_are_as_two(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((80, 20), (5, 10), (40, 20));
    let two = near_cases(most_rows).prop_filter("one table", |near| near.case.right.is_some());
    for_all(n_cases, &two.prop_filter("no rule", |near| near.is_well_formed()), |near| {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let right = near.case.right.as_ref().unwrap();
        let (left, right) = (write("l.csv", near.case.left.csv()), write("r.csv", right.csv()));
        let rules = write("rules.toml", near.toml());
        for most_in_block in [None, Some(2)] {
            let guards = Guards { most_in_block, ..Guards::default() };
            let apart = Job::link(&left, &right, &rules).guards(guards);
            let together = [left.clone(), right.clone()].map(Input::from);
            let together = Job::link_all(together, rules.as_path().into()).guards(guards);
            let [apart, together] = [apart, together].map(|job| job.prepare(&*device, &Control::default()));
            let (apart, together) = match (apart, together) {
                (Ok(apart), Ok(together)) => (apart, together),
                (Err(error), Err(_)) if is_no_rule(&error) => return,
                // Numbers in one table and text in the other are both text together.
                (Ok(apart), Err(error)) => {
                    let kind = |nth: usize| {
                        apart.left.schema.columns[nth].kind == apart.right().schema.columns[nth].kind
                    };
                    let n_columns = apart.left.schema.columns.len();
                    assert!(!(0..n_columns).all(kind), "{error}\n{near:?}");
                    return;
                }
                (Err(error), _) => panic!("{error}\n{near:?}"),
            };
            let kinds = |schema: &hyperblock::read::table::Schema| -> Vec<_> {
                schema.columns.iter().map(|column| column.kind).collect()
            };
            if kinds(&apart.left.schema) != kinds(&apart.right().schema) {
                return;
            }
            let ((wanted, _), (got, summary)) = (found(&apart, &*device), found(&together, &*device));
            let name = |(l, r, rule): &(String, String, usize)| (format!("l:{l}"), format!("r:{r}"), *rule);
            let wanted: Vec<_> = wanted.iter().map(name).collect();
            assert!(wanted == got, "{}\nwanted {wanted:?}\ngot    {got:?}\n{near:?}", device.name());
            assert_eq!(summary.n_pairs, apart.n_pairs());
        }
    });
}

/// Where left and right records are of a block by different columns, those of the first table count as left ones alone, and those
/// of the last as right ones: as of two tables.
fn blocks_of_two_columns(bench: Bench) {
    let device = bench.shape(64, 2, 1 << 12).open();
    let n_rows = bench.by(200, 60, 200);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (left, right) =
        (write("l.csv", zipf_sheet(n_rows, 0).csv()), write("r.csv", zipf_sheet(n_rows / 2, 9).csv()));
    let rules =
        "[[rules]]\nwhen = \"l.work = r.home AND l.n < r.n\"\n[[rules]]\nwhen = \"l.home = r.state\"\n";
    let rules = write("rules.toml", rules.to_owned());
    let mut n_left_out = 0;
    for most in [2, 5, 8, 13, 20] {
        let guards = Guards { most_in_block: Some(most), ..Guards::default() };
        let together = Job::link_all([left.clone(), right.clone()].map(Input::from), rules.as_path().into());
        let jobs = [Job::link(&left, &right, &rules), together].map(|job| job.guards(guards));
        let [apart, together] = jobs.map(|job| job.prepare(&*device, &Control::default()).unwrap());
        let told = |left_out: &[hyperblock::LeftOut]| -> Vec<_> {
            let mut told: Vec<_> = left_out.iter().flat_map(|it| it.blocks.clone()).collect();
            told.sort_unstable();
            told
        };
        assert_eq!(told(&together.left_out), told(&apart.left_out), "{most}");
        n_left_out += told(&apart.left_out).len();
        let ((wanted, _), (got, _)) = (found(&apart, &*device), found(&together, &*device));
        let pairs = wanted.into_iter().map(|(l, r, rule)| (format!("l:{l}"), format!("r:{r}"), rule));
        assert!(pairs.eq(got), "{most}");
    }
    assert!(n_left_out > 0);
}

/// Without rules: each pair of different tables, in order; an empty table in memory among them is no reason to stop.
fn all_pairs(bench: Bench) {
    let device = bench.open();
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Vec::new();
    for (name, n) in [("a", 3), ("b", 1), ("empty", 0), ("c", 4)] {
        let path = folder.path().join(format!("{name}.csv"));
        let rows: String = (1..=n).map(|id| format!("{id}\n")).collect();
        fs::write(&path, format!("id\n{rows}")).unwrap();
        tables.push((name, n, Input::from(path)));
    }
    let rules = hyperblock::RuleSource::Text("[[pairs]]\nall = true\n".into());
    let mut wanted = Vec::new();
    for (nth, (left, n_left, _)) in tables.iter().enumerate() {
        for l in 1..=*n_left {
            for (right, n_right, _) in &tables[nth + 1..] {
                wanted.extend((1..=*n_right).map(|r| (format!("{left}:{l}"), format!("{right}:{r}"), 0)));
            }
        }
    }
    let inputs = || tables.iter().map(|(.., input)| input.clone());
    let job = Job::link_all(inputs(), rules.clone()).prepare(&*device, &Control::default()).unwrap();
    let (got, summary) = found(&job, &*device);
    assert_eq!(got, wanted);
    assert_eq!((summary.n_pairs, summary.compared), (19, Compared::exactly(19)));
    let job = Job::link_all(inputs(), rules).within().prepare(&*device, &Control::default()).unwrap();
    assert_eq!(found(&job, &*device).0.len(), 28);
}

fn each_rule_of_several(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((60, 12), (4, 8), (30, 12));
    let cases = several_cases(most_rows).prop_filter("no rule", SeveralCase::is_well_formed);
    for_all(n_cases, &cases, |case| assert_each_rule_of_several(&case, &*device));
}

/// The pairs that are missed and wrong, with the table of each record, and its values as its own table has them, by whatever names.
fn errors_of_several(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let (n_cases, most_rows) = bench.by((80, 12), (5, 8), (40, 12));
    let cases = several_cases(most_rows).prop_filter("no rule", SeveralCase::is_well_formed);
    for_all(n_cases, &cases, |case| {
        let (files, control) = (case.files(), Control::default());
        let [truth, file] = ["truth.csv", "errors.csv"].map(|name| files.folder.path().join(name));
        // One record of eight is of nothing that is known.
        let entity = |(table, id): &(usize, String)| {
            let sum = id.bytes().map(usize::from).sum::<usize>() + table;
            (!sum.is_multiple_of(8)).then_some(sum % 3)
        };
        let pairs = case.pairs();
        let records: BTreeSet<&(usize, String)> = pairs.iter().flatten().collect();
        let row = |record: &&(usize, String)| {
            Some(format!("t{},\"{}\",{}\n", record.0, record.1.replace('"', "\"\""), entity(record)?))
        };
        let rows: String = records.iter().filter_map(row).collect();
        fs::write(&truth, format!("source,id,entity_id\nt0,nobody,7\n{rows}")).unwrap();
        let found = case.oracle(&files, None);
        let has_rules = !case.job(&files).prepare(&*device, &control).unwrap().plan.rules.is_empty();
        let mut wanted = [Vec::new(), Vec::new()];
        for pair @ [left, right] in &pairs {
            let names = [left, right].map(|(table, id)| format!("t{table}:{id}"));
            let is_found = found.iter().any(|(l, r, _)| [l, r] == [&names[0], &names[1]]);
            match (entity(left).zip(entity(right)).map(|(l, r)| l == r), is_found) {
                (Some(true), false) => {
                    wanted[0].push((["missed", if has_rules { "no rule" } else { "window" }], pair));
                }
                (Some(false), true) => wanted[1].push((["wrong", "rule"], pair)),
                _ => {}
            }
        }
        let wanted: Vec<_> = wanted.concat();
        let mut job = case.job(&files).looked_at().prepare(&*device, &control).unwrap();
        job.keep_ids();
        let truth = Truth::read(&truth, &job.left, None, &control).unwrap();
        let mut gathered = Gathered::new(&truth, &control).unwrap();
        job.run(&*device, &control, &mut |found| gathered.add(found, None, &truth)).unwrap();
        let judged = Judged { job: &job, truth: &truth, gathered, entities: None };
        let told =
            judged.write(&file, &*device, &control).unwrap_or_else(|error| panic!("{error}\n{case:?}"));
        let all = Cause::MISSED.iter().chain(&Cause::WRONG);
        assert_eq!(all.map(|cause| told.of(*cause)).sum::<u64>(), wanted.len() as u64, "{case:?}");
        let mut reader = csv::Reader::from_path(&file).unwrap();
        let header = reader.headers().unwrap().clone();
        let ids = ["left_source", "left", "right_source", "right"];
        assert_eq!(header.iter().skip(2).take(4).collect::<Vec<_>>(), ids);
        let got: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(got.len(), wanted.len(), "wanted {wanted:?}\ngot {got:?}\n{case:?}");
        for (([kind, cause], [left, right]), row) in wanted.iter().zip(&got) {
            let [t, u] = [left, right].map(|(table, _)| format!("t{table}"));
            let known = [kind, cause, &*t, &*left.1, &*u, &*right.1];
            assert_eq!(row.iter().take(6).collect::<Vec<_>>(), known, "{row:?}\n{case:?}");
            for (name, value) in header.iter().zip(row).skip(9) {
                let (record, column) = match (name.strip_prefix("left_"), name.strip_prefix("right_")) {
                    (Some(column), _) => (left, column),
                    (None, Some(column)) => (right, column),
                    (None, None) => panic!("{name}"),
                };
                let own = match COLUMNS.iter().position(|other| *other == column) {
                    Some(column) => case.value(record, column).unwrap_or_default().to_owned(),
                    None => format!("t{}", record.0),
                };
                assert_eq!(value, own, "{name} of {row:?}\n{case:?}");
            }
        }
    });
}
