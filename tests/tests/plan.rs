//! Plans as people see them: the tree that comes of rules over a table, and what the statistics behind it say.

use hyperblock::device::cpu::Cpu;
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::{JoinChoice, PortablePlan, Program, ScanOptions, SimilarityChoice, Variant};
use hyperblock::run::loaded::Loaded;
use hyperblock::run::schedule;
use hyperblock::{Control, Error, Prepared};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::Test;
use hyperblock_shared::text::scratch_words;
use hyperblock_tests::case::{Case, Paper, Sheet, is_no_rule};
use hyperblock_tests::generate::{cases, zipf_sheet};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::BTreeSet;

/// A shop's products, some of them twice, in the manner of HyperBlocker's running example.
fn products() -> Case {
    let header = ["pno", "pname", "price", "sname", "description", "color", "saddress"];
    let rows = [
        [
            "a1",
            "Apple MacBook Air",
            "909",
            "Comp. World",
            "13 inch laptop with 8 GB of memory",
            "gray",
            "9 Barton Grove",
        ],
        ["a2", "ThinkPad", "849", "Smart Shop", "Lenovo laptop with 16 GB of memory", "black", "3 Mill Lane"],
        [
            "a3",
            "Apple Macbook Air",
            "909",
            "Comp. World",
            "laptop of 13 inch with 8 GB of memory",
            "gray",
            "9 Barton Grv",
        ],
        [
            "a4",
            "ThinkPad E15",
            "849",
            "Smart Shop",
            "laptop by Lenovo with 16 GB of memory",
            "black",
            "Mill Lane 3",
        ],
        ["a5", "Phone case", "9", "Smart Shop", "fits every phone", "gray", "3 Mill Lane"],
        ["a6", "Phone Case", "9", "Comp. World", "fits every phone of this year", "black", "9 Barton Grove"],
    ];
    let rows = rows.map(|row| row.map(|value| Some(value.to_owned())).to_vec()).to_vec();
    let whens = [
        "levenshtein_similarity(l.pname, r.pname) >= 0.7 AND l.color = r.color AND l.price = r.price",
        "jaccard(words(l.description), words(r.description)) >= 0.5 AND l.price = r.price AND l.sname = r.sname",
        "levenshtein_similarity(l.saddress, r.saddress) >= 0.6 AND l.sname = r.sname AND l.color = r.color",
    ];
    Case { left: Sheet::new(&header, rows), right: None, whens: whens.map(str::to_owned).to_vec() }
}

/// The tree under fixed costs, which no machine and no training changes.
fn tree(variants: &[Variant]) -> String {
    let case = products();
    let paper = case
        .prepare_with(&|job| job.cost(CostSource::Static).variants(variants.to_vec()))
        .unwrap_or_else(|error| panic!("{error}"));
    let explained =
        paper.prepared.explain(&Control::default()).unwrap_or_else(|error| panic!("{error}")).to_string();
    explained
        .lines()
        .take_while(|line| !line.starts_with("Expected"))
        // How long something takes depends on the number of threads.
        .map(|line| match line.rsplit_once("  ≈") {
            Some((path, took)) if took.ends_with(" ms") => format!("{path}  [time]\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

#[test]
fn rules_share_what_they_begin_with() {
    insta::assert_snapshot!(tree(&[]), @r"
    Scan: all pairs, left=6, right=6, pairs=15
      l.sname = r.sname                                               sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈6.0
        l.color = r.color                                             sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈2.0
          levenshtein_similarity(l.saddress, r.saddress) >= 0.6       sp=4.00e-1  cost=23.2 ns  score=6.4e-2  pairs≈2.0
            → rule 3                                                  pairs≈2.0
      l.price = r.price                                               sp=2.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈3.0
        l.sname = r.sname                                             sp=4.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈2.0
          jaccard(words(l.description), words(r.description)) >= 0.5  sp=3.33e-1  cost=11.7 ns  score=2.7e-2  pairs≈2.0
            → rule 2                                                  pairs≈2.0
        l.color = r.color                                             sp=4.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈2.0
          levenshtein_similarity(l.pname, r.pname) >= 0.7             sp=1.33e-1  cost=23.5 ns  score=1.1e-2  pairs≈1.0
            → rule 1                                                  pairs≈1.0
    Hash join: on l.sname = r.sname AND l.color = r.color, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.price = r.price, records=6 × 6, keys=3, pairs with the same key=3
    Considered, with what it is expected to take:
      hash join on l.sname = r.sname AND l.color = r.color  [time]
      sweep by key of l.sname = r.sname AND l.color = r.color  [time]
      sweep led by levenshtein_similarity(l.saddress, r.saddress) >= 0.6  [time]
    Considered, with what it is expected to take:
      hash join on l.price = r.price  [time]
      sweep by key of l.price = r.price  [time]
    ");
}

#[test]
fn without_a_plan_rules_stand_as_in_the_file() {
    insta::assert_snapshot!(tree(&[Variant::NoEpg]), @r"
    Scan: all pairs, left=6, right=6, pairs=15
      levenshtein_similarity(l.pname, r.pname) >= 0.7             sp=1.33e-1  cost=23.5 ns  score=1.1e-2  pairs≈2.0
        l.color = r.color                                         sp=4.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈1.0
          l.price = r.price                                       sp=2.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈1.0
            → rule 1                                              pairs≈1.0
      jaccard(words(l.description), words(r.description)) >= 0.5  sp=3.33e-1  cost=11.7 ns  score=2.7e-2  pairs≈5.0
        l.price = r.price                                         sp=2.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈3.0
          l.sname = r.sname                                       sp=4.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈2.0
            → rule 2                                              pairs≈2.0
      levenshtein_similarity(l.saddress, r.saddress) >= 0.6       sp=4.00e-1  cost=23.2 ns  score=6.4e-2  pairs≈6.0
        l.sname = r.sname                                         sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈6.0
          l.color = r.color                                       sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈2.0
            → rule 3                                              pairs≈2.0
    Hash join: on l.color = r.color AND l.price = r.price, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.price = r.price AND l.sname = r.sname, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.sname = r.sname AND l.color = r.color, records=4 × 4, keys=2, pairs with the same key=2
    Considered, with what it is expected to take:
      hash join on l.color = r.color AND l.price = r.price  [time]
      sweep by key of l.color = r.color AND l.price = r.price  [time]
      sweep led by levenshtein_similarity(l.pname, r.pname) >= 0.7  [time]
    Considered, with what it is expected to take:
      hash join on l.price = r.price AND l.sname = r.sname  [time]
      sweep by key of l.price = r.price AND l.sname = r.sname  [time]
      sweep led by jaccard(words(l.description), words(r.description)) >= 0.5  [time]
    Considered, with what it is expected to take:
      hash join on l.sname = r.sname AND l.color = r.color  [time]
      sweep by key of l.sname = r.sname AND l.color = r.color  [time]
      sweep led by levenshtein_similarity(l.saddress, r.saddress) >= 0.6  [time]
    ");
}

#[test]
fn by_cost_or_by_selectivity_alone() {
    insta::assert_snapshot!(tree(&[Variant::COrder]), @r"
    Scan: all pairs, left=6, right=6, pairs=15
      l.sname = r.sname                                               sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈6.0
        l.color = r.color                                             sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈2.0
          levenshtein_similarity(l.saddress, r.saddress) >= 0.6       sp=4.00e-1  cost=23.2 ns  score=6.4e-2  pairs≈2.0
            → rule 3                                                  pairs≈2.0
      l.price = r.price                                               sp=2.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈3.0
        l.sname = r.sname                                             sp=4.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈2.0
          jaccard(words(l.description), words(r.description)) >= 0.5  sp=3.33e-1  cost=11.7 ns  score=2.7e-2  pairs≈2.0
            → rule 2                                                  pairs≈2.0
      l.color = r.color                                               sp=4.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈6.0
        l.price = r.price                                             sp=2.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈2.0
          levenshtein_similarity(l.pname, r.pname) >= 0.7             sp=1.33e-1  cost=23.5 ns  score=1.1e-2  pairs≈1.0
            → rule 1                                                  pairs≈1.0
    Hash join: on l.sname = r.sname AND l.color = r.color, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.price = r.price AND l.sname = r.sname, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.color = r.color AND l.price = r.price, records=4 × 4, keys=2, pairs with the same key=2
    Considered, with what it is expected to take:
      hash join on l.sname = r.sname AND l.color = r.color  [time]
      sweep by key of l.sname = r.sname AND l.color = r.color  [time]
      sweep led by levenshtein_similarity(l.saddress, r.saddress) >= 0.6  [time]
    Considered, with what it is expected to take:
      hash join on l.price = r.price AND l.sname = r.sname  [time]
      sweep by key of l.price = r.price AND l.sname = r.sname  [time]
      sweep led by jaccard(words(l.description), words(r.description)) >= 0.5  [time]
    Considered, with what it is expected to take:
      hash join on l.color = r.color AND l.price = r.price  [time]
      sweep by key of l.color = r.color AND l.price = r.price  [time]
      sweep led by levenshtein_similarity(l.pname, r.pname) >= 0.7  [time]
    ");
    insta::assert_snapshot!(tree(&[Variant::SOrder]), @r"
    Scan: all pairs, left=6, right=6, pairs=15
      levenshtein_similarity(l.saddress, r.saddress) >= 0.6         sp=4.00e-1  cost=23.2 ns  score=6.4e-2  pairs≈6.0
        l.sname = r.sname                                           sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈6.0
          l.color = r.color                                         sp=4.00e-1  cost=2.0 ns  score=6.4e-2  pairs≈2.0
            → rule 3                                                pairs≈2.0
      l.price = r.price                                             sp=2.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈3.0
        jaccard(words(l.description), words(r.description)) >= 0.5  sp=3.33e-1  cost=11.7 ns  score=2.7e-2  pairs≈3.0
          l.sname = r.sname                                         sp=4.00e-1  cost=2.0 ns  score=2.7e-2  pairs≈2.0
            → rule 2                                                pairs≈2.0
      levenshtein_similarity(l.pname, r.pname) >= 0.7               sp=1.33e-1  cost=23.5 ns  score=1.1e-2  pairs≈2.0
        l.price = r.price                                           sp=2.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈2.0
          l.color = r.color                                         sp=4.00e-1  cost=2.0 ns  score=1.1e-2  pairs≈1.0
            → rule 1                                                pairs≈1.0
    Hash join: on l.sname = r.sname AND l.color = r.color, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.price = r.price AND l.sname = r.sname, records=4 × 4, keys=2, pairs with the same key=2
    Hash join: on l.price = r.price AND l.color = r.color, records=4 × 4, keys=2, pairs with the same key=2
    Considered, with what it is expected to take:
      hash join on l.sname = r.sname AND l.color = r.color  [time]
      sweep by key of l.sname = r.sname AND l.color = r.color  [time]
      sweep led by levenshtein_similarity(l.saddress, r.saddress) >= 0.6  [time]
    Considered, with what it is expected to take:
      hash join on l.price = r.price AND l.sname = r.sname  [time]
      sweep by key of l.price = r.price AND l.sname = r.sname  [time]
      sweep led by jaccard(words(l.description), words(r.description)) >= 0.5  [time]
    Considered, with what it is expected to take:
      hash join on l.price = r.price AND l.color = r.color  [time]
      sweep by key of l.price = r.price AND l.color = r.color  [time]
      sweep led by levenshtein_similarity(l.pname, r.pname) >= 0.7  [time]
    ");
}

/// A rule that another one makes needless is said to be, and named as a witness all the same where it comes first.
#[test]
fn subsumed_rules_are_told() {
    let whens = [
        "l.sname = r.sname AND l.price = r.price",
        "l.sname = r.sname",
        "l.sname = r.sname AND l.color = r.color",
    ];
    let case = Case { whens: whens.map(str::to_owned).to_vec(), ..products() };
    let paper =
        case.prepare_with(&|job| job.cost(CostSource::Static)).unwrap_or_else(|error| panic!("{error}"));
    let explained =
        paper.prepared.explain(&Control::default()).unwrap_or_else(|error| panic!("{error}")).to_string();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"≈[\d.]+ ms", "[time]");
    settings.add_filter(r"(?m)^Expected: .*\n", "");
    let _redacted = settings.bind_to_scope();
    insta::assert_snapshot!(explained, @r#"
    Scan: all pairs, left=6, right=6, pairs=15
      l.sname = r.sname      sp=4.00e-1  cost=2.0 ns  score=4.0e-1  pairs≈6.0
        → rule 2             pairs≈6.0
        l.sname = r.sname    sp=4.00e-1  cost=2.0 ns  score=8.0e-2  pairs≈6.0
          l.price = r.price  sp=2.00e-1  cost=2.0 ns  score=8.0e-2  pairs≈2.0
            → rule 1         pairs≈2.0
    Hash join: on l.sname = r.sname, records=6 × 6, keys=2, pairs with the same key=6
    Considered, with what it is expected to take:
      hash join on l.sname = r.sname  [time]
      sweep by key of l.sname = r.sname  [time]
    Subsumed: every pair that "rule 1" allows is allowed by "rule 2"
    Subsumed: every pair that "rule 3" allows is allowed by "rule 2"
    Domains: 3, device bytes=72
      l.sname: values=2
      l.price: values=3
      l.color: values=2
    "#);
    paper.assert_same("the CPU", &paper.oracle(), &paper.run(&Cpu::new()));
}

/// The access paths of a case, a line each.
fn access(case: &Case, join: JoinChoice) -> String {
    let options = ScanOptions { join, ..ScanOptions::default() };
    let paper = case
        .prepare_with(&|job| job.cost(CostSource::Static).scan_options(options))
        .unwrap_or_else(|error| panic!("{error}"));
    let explained =
        paper.prepared.explain(&Control::default()).unwrap_or_else(|error| panic!("{error}")).to_string();
    let lines = explained.lines().filter(|line| line.starts_with("Hash join") || line.starts_with("Sweep"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// How a rule comes by its pairs: by a key, light or heavy, or led by a predicate.
#[test]
fn access_paths() {
    let when = "l.home = r.home AND l.state = r.state AND levenshtein(l.name, r.name) <= 1";
    let case = Case { left: zipf_sheet(2000, 0), right: None, whens: vec![when.to_owned()] };
    insta::assert_snapshot!(access(&case, JoinChoice::Skew), @r"
    Hash join: on l.home = r.home AND l.state = r.state, records=1,249 × 1,249, keys=78, pairs with the same key=18,928
    Sweep: within heavy keys=4 of l.home = r.home AND l.state = r.state, led by levenshtein(l.name, r.name) <= 1, values=28 × 28, pairs in reach≈196, screen: signatures of 64 bits
    ");
    insta::assert_snapshot!(access(&case, JoinChoice::Plain), @r"
    Hash join: on l.home = r.home AND l.state = r.state, records=1,943 × 1,943, keys=82, pairs with the same key=85,060
    ");
    insta::assert_snapshot!(access(&case, JoinChoice::None), @r"
    Sweep: led by levenshtein(l.name, r.name) <= 1, values=7 × 7, pairs in reach≈49, screen: signatures of 64 bits
    ");
}

/// Rules that share a key and nothing else are taken apart, and each sweeps heavy keys by what it asks for.
#[test]
fn shared_keys() {
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1",
        "l.home = r.home AND l.state = r.state AND jaro_winkler_similarity(l.name, r.name) >= 0.9",
    ];
    let case = Case { left: zipf_sheet(6000, 0), right: None, whens: whens.map(str::to_owned).to_vec() };
    insta::assert_snapshot!(access(&case, JoinChoice::Skew), @r"
    Hash join: on l.home = r.home, records=1,198 × 1,198, keys=26, pairs with the same key=30,646
    Sweep: within heavy keys=15 of l.home = r.home, led by levenshtein(l.name, r.name) <= 1, values=105 × 105, pairs in reach≈735, screen: signatures of 64 bits
    Hash join: on l.state = r.state AND l.home = r.home, records=2,052 × 2,052, keys=66, pairs with the same key=42,358
    Sweep: within heavy keys=16 of l.state = r.state AND l.home = r.home, led by jaro_winkler_similarity(l.name, r.name) >= 0.9, values=112 × 112, pairs in reach≈784, screen: signatures of 64 bits
    ");
    let case = Case { left: zipf_sheet(400, 0), ..case };
    let paper = case.prepare().unwrap_or_else(|error| panic!("{error}"));
    paper.assert_same("the CPU", &paper.oracle(), &paper.run(&Cpu::new()));
}

/// The graph and the object, for programs.
#[test]
fn other_formats() {
    let case = Case { whens: vec![products().whens[1].clone()], ..products() };
    let paper =
        case.prepare_with(&|job| job.cost(CostSource::Static)).unwrap_or_else(|error| panic!("{error}"));
    let explained = paper.prepared.explain(&Control::default()).unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(explained.dot(), @r#"
    digraph plan {
      node [shape=box, fontname="sans-serif"];
      root [label="all pairs\n15"];
      step0 [label="l.price = r.price\nsp 2.00e-1, 2.0 ns\n≈ 3.0 pairs"];
      root -> step0 [label="2.7e-2"];
      step1 [label="l.sname = r.sname\nsp 4.00e-1, 2.0 ns\n≈ 2.0 pairs"];
      step0 -> step1 [label="2.7e-2"];
      step2 [label="jaccard(words(l.description), words(r.description)) >= 0.5\nsp 3.33e-1, 11.7 ns\n≈ 2.0 pairs"];
      step1 -> step2 [label="2.7e-2"];
      step3 [label="rule 1\n≈ 2.0 pairs", shape=ellipse, style=bold];
      step2 -> step3;
    }
    "#);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r#""milliseconds": [\d.e-]+"#, r#""milliseconds": "[time]""#);
    settings.add_filter(r#"_seconds": [\d.e-]+"#, r#"_seconds": "[time]""#);
    settings.add_filter(r#""memory_bytes": \d+"#, r#""memory_bytes": "[memory]""#);
    let _redacted = settings.bind_to_scope();
    insta::assert_snapshot!(format!("{:#}", explained.json()), @r#"
    {
      "left_records": 6,
      "right_records": 6,
      "left_compared": 6,
      "right_compared": 6,
      "pairs": 15,
      "branches": [
        {
          "predicate": "l.price = r.price",
          "selectivity": 0.2,
          "selectivity_is_exact": true,
          "cost_ns": 2,
          "score": 0.026666666666666672,
          "remembered": false,
          "expected_pairs": 3,
          "children": [
            {
              "predicate": "l.sname = r.sname",
              "selectivity": 0.4,
              "selectivity_is_exact": true,
              "cost_ns": 2,
              "score": 0.026666666666666672,
              "remembered": false,
              "expected_pairs": 2,
              "children": [
                {
                  "predicate": "jaccard(words(l.description), words(r.description)) >= 0.5",
                  "selectivity": 0.3333333333333333,
                  "selectivity_is_exact": true,
                  "cost_ns": 11.666666666666666,
                  "score": 0.026666666666666672,
                  "remembered": false,
                  "expected_pairs": 2,
                  "children": [
                    {
                      "rule": "rule 1",
                      "expected_pairs": 2
                    }
                  ]
                }
              ]
            }
          ]
        }
      ],
      "accesses": [
        {
          "access": "hash join",
          "on": [
            "l.price = r.price",
            "l.sname = r.sname"
          ],
          "left_records": 4,
          "right_records": 4,
          "keys": 2,
          "pairs": 2
        }
      ],
      "considered": [
        [
          {
            "access": "hash join on l.price = r.price AND l.sname = r.sname",
            "path": {
              "type": "hash join",
              "on": [
                "l.price = r.price",
                "l.sname = r.sname"
              ],
              "heavy_keys": null
            },
            "milliseconds": "[time]"
          },
          {
            "access": "sweep by key of l.price = r.price AND l.sname = r.sname",
            "path": {
              "type": "sweep by key",
              "on": [
                "l.price = r.price",
                "l.sname = r.sname"
              ],
              "heavy_keys": null
            },
            "milliseconds": "[time]"
          },
          {
            "access": "sweep led by jaccard(words(l.description), words(r.description)) >= 0.5",
            "path": {
              "type": "sweep",
              "lead": "jaccard(words(l.description), words(r.description)) >= 0.5"
            },
            "milliseconds": "[time]"
          }
        ]
      ],
      "subsumed": [],
      "expected": {
        "prepare_seconds": "[time]",
        "find_seconds": "[time]",
        "memory_bytes": "[memory]"
      }
    }
    "#);
}

/// Where a share of pairs is said to be counted, it is: against every pair of the job.
#[test]
fn counted_shares_are_exact() {
    let config = Config { cases: 100, failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(&cases(40), |case| {
        match case.prepare() {
            Ok(paper) => assert_counted(&paper),
            Err(error) if is_no_rule(&error) => return Err(TestCaseError::reject("no rule")),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

fn assert_counted(paper: &Paper<'_>) {
    let Prepared { encoded, plan, .. } = &paper.prepared;
    let one_table = paper.prepared.second().is_none();
    let walk = plan.program().walk().unwrap_or_else(|error| panic!("{error}"));
    let mut scratch = vec![0; scratch_words(encoded.longest()) as usize];
    for (ix, predicate) in encoded.predicates.iter().enumerate() {
        // Of two columns of one table it is not known which way round a pair stands, nor which of its records is left.
        let is_certain = match predicate.test {
            Test::Compare { left, right, measure: Measure::Equal } => !one_table || left == right,
            Test::Compare { .. } => !one_table,
            Test::Left { .. } | Test::Right { .. } => !one_table,
        };
        if !plan.statistics.counted[ix] || predicate.negated || !is_certain {
            continue;
        }
        let (mut n_pairs, mut n_holding) = (0u32, 0u32);
        for left in 0..encoded.n_left {
            for right in if one_table { left + 1 } else { 0 }..encoded.n_right {
                n_pairs += 1;
                n_holding += u32::from(walk.holds(ix as u32, encoded, left, right, scratch.as_mut_slice()));
            }
        }
        let (said, is) = (plan.statistics.selectivity[ix], f64::from(n_holding) / f64::from(n_pairs.max(1)));
        assert!((said - is).abs() < 1e-9, "{}: said {said}, is {is}", plan.predicates[ix]);
    }
}

/// What a program finds in the tables of a job.
fn found(job: &Prepared, program: &Program) -> hyperblock::Result<Vec<(u32, u32, u32)>> {
    let (mut all, device) = (Vec::new(), Cpu::new());
    let mut loaded = Loaded::new(&device, &job.encoded, program)?;
    schedule::run(&mut loaded, vec![job.area()], usize::MAX, &Control::default(), &mut |found| {
        all.extend(found.iter().map(|found| (found.left, found.right, found.rule)));
        Ok(())
    })?;
    Ok(all)
}

/// Rules of which one may be joined by a key, and the other by what values have in common.
const CARRIED: [&str; 2] = [
    "l.home = r.home AND levenshtein(l.name, r.name) <= 1",
    "jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.5 AND l.state = r.state",
];

fn places(whens: &[&str], n_rows: usize, salt: usize) -> Case {
    let whens = whens.iter().map(|&when| when.to_owned()).collect();
    Case { left: zipf_sheet(n_rows, salt), right: None, whens }
}

/// What a plan over one table decided finds the same in another one as that one's own plan.
#[test]
fn a_plan_is_carried_to_other_tables() {
    let same_predicates = [CARRIED[0], "l.state = r.state", CARRIED[1].split(" AND ").next().unwrap()];
    let cases = [
        places(&CARRIED, 3_000, 1),
        places(&CARRIED, 2_000, 2),
        places(&["l.name = r.name"], 100, 3),
        places(&same_predicates, 100, 3),
    ];
    let [from, to, other, as_many] =
        cases.each_ref().map(|case| case.prepare().unwrap_or_else(|error| panic!("{error}")));
    let bytes = PortablePlan::of(&from.prepared.plan).to_bytes().unwrap();
    let plan = PortablePlan::from_bytes(&bytes).unwrap();
    assert_eq!(plan, PortablePlan::of(&from.prepared.plan));
    let Prepared { encoded, plan: own, .. } = &to.prepared;
    let carried = plan.bind(&own.rules, encoded, ScanOptions::default()).unwrap();
    assert_eq!(carried.paths(), from.prepared.plan.program().paths());
    let wanted = found(&to.prepared, own.program()).unwrap();
    assert!(wanted.len() > 100, "{}", wanted.len());
    assert_eq!(found(&to.prepared, &carried).unwrap(), wanted);
    // Bytes that are cut off, or of other rules, are refused.
    assert!(PortablePlan::from_bytes(&bytes[..bytes.len() / 2]).is_err());
    for Prepared { encoded, plan: own, .. } in [&other.prepared, &as_many.prepared] {
        let refused = plan.bind(&own.rules, encoded, ScanOptions::default());
        assert!(refused.unwrap_err().to_string().contains("other rules"));
    }
    // So are options under which its paths cannot be taken.
    let options = ScanOptions { filter: false, ..ScanOptions::default() };
    let refused = plan.bind(&own.rules, encoded, options).unwrap_err().to_string();
    assert!(refused.contains("an access path by"), "{refused}");
}

/// Whatever becomes of a plan on its way, it is refused, or can be run: no byte of it makes a panic.
#[test]
fn damaged_plans_end_in_an_error() {
    let keyed = ["l.home = r.home AND l.state = r.state", CARRIED[0], "l.home = r.home AND l.name = r.name"];
    let mut complaints = BTreeSet::new();
    for whens in [&CARRIED[..], &keyed] {
        let case = places(whens, 60, 1);
        for (join, similarity) in [
            (JoinChoice::Skew, SimilarityChoice::Cheapest),
            (JoinChoice::Cheapest, SimilarityChoice::Join),
            (JoinChoice::None, SimilarityChoice::Dense),
        ] {
            let options = ScanOptions { join, similarity, heavy: 16, ..ScanOptions::default() };
            let paper = case.prepare_with(&|job| job.scan_options(options)).unwrap();
            let Prepared { encoded, plan, .. } = &paper.prepared;
            let bytes = PortablePlan::of(plan).to_bytes().unwrap();
            for (ix, &byte) in bytes.iter().enumerate() {
                for other in [0, byte ^ 1, byte.wrapping_add(1), byte.wrapping_sub(1), 64, 255] {
                    let mut damaged = bytes.clone();
                    damaged[ix] = other;
                    let read = PortablePlan::from_bytes(&damaged);
                    let bound = read.and_then(|read| read.bind(&plan.rules, encoded, options));
                    match bound.and_then(|program| found(&paper.prepared, &program)) {
                        Ok(found) => assert!(found.iter().all(|&(.., rule)| (rule as usize) < whens.len())),
                        Err(Error::Job(complaint)) => {
                            let complaint = complaint.strip_prefix("the plan is damaged: ");
                            complaints.extend(complaint.map(|it| it.replace(char::is_numeric, "N")));
                        }
                        Err(error) => panic!("byte {ix} as {other}: {error}"),
                    }
                }
            }
        }
    }
    // Those of paths depend on which were chosen.
    for complaint in [
        "step N tests no predicate",
        "step N ends outside of what it hangs on",
        "step N is remembered where it has no place",
        "step N is a witness of no rule",
        "step N goes on nowhere",
        "step N goes on below a test that it does not hang on",
        "an access path of no branch",
        "an access path by another key",
    ] {
        assert!(complaints.contains(complaint), "{complaint}: {complaints:?}");
    }
}
