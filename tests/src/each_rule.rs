//! Rules one by one, naively: every rule is a job of its own, and what it finds is compared with what the others do.

use crate::neighbours::NearCase;
use crate::oracle::Found;
use crate::several::SeveralCase;
use hyperblock::job::{EachRule, Guards};
use hyperblock::operators::Backend;
use hyperblock::tell::each_rule::{MatchCounts, RuleCounts};
use hyperblock::{Control, Job, Truth};
use std::collections::{BTreeMap, BTreeSet};

/// A pair by its ids.
type Ids = (String, String);

/// Panics unless a device finds of each rule what the oracle does with that rule alone; the job may be changed, but for the
/// blocks that it leaves out. Whether some rule finds what no other one does, and some pair is found by several.
pub fn assert_each_rule(
    near: &NearCase,
    device: &dyn Backend,
    most_in_block: Option<u32>,
    change: &dyn Fn(Job) -> Job,
) -> [bool; 2] {
    let guards = Guards { most_in_block, ..Guards::default() };
    near.with_job("", &|folder, job| {
        let prepared = change(job).guards(guards).prepare(device, &Control::default());
        let prepared = &prepared.unwrap_or_else(|error| panic!("{error}\n{near:?}"));
        let alone = near.alone(prepared, most_in_block);
        let truth: BTreeSet<Ids> = truth(near);
        let path = folder.join("truth.csv");
        let lines: String = truth.iter().map(|(left, right)| format!("{left},{right}\n")).collect();
        // A file without rows is refused, one with unknown ids is not.
        std::fs::write(&path, format!("id_a,id_b\nnobody,nobody\n{lines}")).expect("a file can be written");
        let control = Control::default();
        let truth_read = Truth::read(&path, &prepared.left, prepared.second(), &control).expect("a truth");
        let names = prepared.plan.rules.iter().map(|rule| rule.name.clone());
        let names = names.chain(prepared.neighbourhoods.iter().map(|near| near.name.clone()));
        let wanted = counts(names.collect(), &alone, &truth);
        let mut each_rule = EachRule::new(prepared, &control).expect("memory is not bounded");
        let mut summary = prepared
            .run(device, &control, &mut |found| each_rule.add(found, Some(&truth_read)))
            .unwrap_or_else(|error| panic!("{}: {error}", device.name()));
        each_rule.tell(Some(&truth_read), &mut summary);
        let got = summary.each_rule.expect("it was told");
        assert_eq!(wanted.0, got, "{}\n{}{:?}", device.name(), near.toml(), near.case);
        // By their names even where candidates have no witness.
        assert_eq!(wanted.1, summary.by_rule, "{}\n{}{:?}", device.name(), near.toml(), near.case);
        let n_alone: u64 = got.iter().map(|rule| rule.n_alone).sum();
        let n_first: u64 = summary.by_rule.iter().map(|(_, n)| n).sum();
        [n_alone > 0, n_first > n_alone]
    })
}

/// The same of several tables as one; by how many pairs there are of which.
pub fn assert_each_rule_of_several(case: &SeveralCase, device: &dyn Backend) {
    let (files, control) = (case.files(), Control::default());
    let prepared = case.job(&files).prepare(device, &control);
    let prepared = &prepared.unwrap_or_else(|error| panic!("{error}\n{case:?}"));
    let name = |(table, id): &(usize, String)| format!("t{table}:{id}");
    let is_match = |[(_, l), (_, r)]: &&[(usize, String); 2]| {
        l.bytes().chain(r.bytes()).map(u32::from).sum::<u32>().is_multiple_of(3)
    };
    let pairs = case.pairs();
    let matching: Vec<&[(usize, String); 2]> = pairs.iter().filter(is_match).collect();
    let truth: BTreeSet<Ids> = matching.iter().map(|[l, r]| (name(l), name(r))).collect();
    let path = files.folder.path().join("truth.csv");
    let line = |[(t, l), (u, r)]: &&[(usize, String); 2]| format!("t{t},{},t{u},{}\n", quoted(l), quoted(r));
    let lines: String = matching.iter().map(line).collect();
    std::fs::write(&path, format!("source_a,id_a,source_b,id_b\nt0,nobody,t0,nobody\n{lines}"))
        .expect("a file");
    let read = Truth::read(&path, &prepared.left, prepared.second(), &control).expect("a truth");
    let names = prepared.plan.rules.iter().map(|rule| rule.name.clone());
    let names = names.chain(prepared.neighbourhoods.iter().map(|near| near.name.clone()));
    let wanted = counts(names.collect(), &case.alone(&files), &truth);
    let mut each_rule = EachRule::new(prepared, &control).expect("memory is not bounded");
    let ran = prepared.run(device, &control, &mut |found| each_rule.add(found, Some(&read)));
    let mut summary = ran.unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    each_rule.tell(Some(&read), &mut summary);
    assert_eq!(Some(wanted.0), summary.each_rule, "{}\n{case:?}", device.name());
    assert_eq!(wanted.1, summary.by_rule, "{}\n{case:?}", device.name());
}

fn quoted(id: &str) -> String {
    format!("\"{}\"", id.replace('"', "\"\""))
}

/// About a third of all pairs.
fn truth(near: &NearCase) -> BTreeSet<Ids> {
    let left = &near.case.left.ids;
    let right = near.case.right.as_ref().map(|right| &right.ids);
    let is_match = |l: &str, r: &str| l.bytes().chain(r.bytes()).map(u32::from).sum::<u32>() % 3 == 0;
    let pairs = left.iter().enumerate().flat_map(|(nth, l)| {
        let rights = right.map_or(&left[nth + 1..], |right| &right[..]);
        rights.iter().filter(|r| is_match(l, r)).map(|r| (l.clone(), r.clone()))
    });
    pairs.collect()
}

/// What is to be told of each rule, and of which of them how many pairs are told first.
fn counts(
    names: Vec<String>,
    alone: &[Vec<Found>],
    truth: &BTreeSet<Ids>,
) -> (Vec<RuleCounts>, Vec<(String, u64)>) {
    let mut by_pair: BTreeMap<Ids, Vec<usize>> = BTreeMap::new();
    for (rule, found) in alone.iter().enumerate() {
        for (left, right, _) in found {
            by_pair.entry((left.clone(), right.clone())).or_default().push(rule);
        }
    }
    let is_true = |(left, right): &Ids| {
        truth.contains(&(left.clone(), right.clone())) || truth.contains(&(right.clone(), left.clone()))
    };
    let of_rule = |rule: usize| -> Vec<(&Ids, &Vec<usize>)> {
        by_pair.iter().filter(|(_, rules)| rules.contains(&rule)).collect()
    };
    let n = |pairs: &[(&Ids, &Vec<usize>)], is: &dyn Fn(&Ids, &Vec<usize>) -> bool| {
        pairs.iter().filter(|(pair, rules)| is(pair, rules)).count() as u64
    };
    let told = names.iter().enumerate().map(|(rule, name)| {
        let pairs = of_rule(rule);
        RuleCounts {
            name: name.clone(),
            n_allowed: pairs.len() as u64,
            n_alone: n(&pairs, &|_, rules| rules.len() == 1),
            matches: Some(MatchCounts {
                n_allowed: n(&pairs, &|pair, _| is_true(pair)),
                n_alone: n(&pairs, &|pair, rules| rules.len() == 1 && is_true(pair)),
                recall_lost: share(n(&pairs, &|pair, rules| rules.len() == 1 && is_true(pair)), truth.len()),
                precision: share(n(&pairs, &|pair, _| is_true(pair)), pairs.len()),
            }),
        }
    });
    let firsts = names
        .iter()
        .enumerate()
        .map(|(rule, name)| (name.clone(), n(&of_rule(rule), &|_, rules| rules[0] == rule)));
    (told.collect(), firsts.collect())
}

fn share(part: u64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}
