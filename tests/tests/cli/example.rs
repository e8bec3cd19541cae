//! The running example of *HyperBlocker* (PVLDB 18(2), 2024): Table 1, its three rules, and what the paper says of them.

use crate::program::Folder;
use insta::assert_snapshot;

const PRODUCTS: &str = include_str!("../../data/hyperblocker/products.csv");
const RULES: &str = include_str!("../../data/hyperblocker/rules.toml");

fn example() -> Folder {
    // The entities of Table 1 are the truth.
    let entities = PRODUCTS.lines().skip(1).filter_map(|line| {
        let mut fields = line.split(',');
        Some(fields.next().zip(fields.next())).flatten()
    });
    let truth: String = entities.map(|(entity, id)| format!("{id},{entity}\n")).collect();
    Folder::with(&[("products.csv", PRODUCTS), ("rules.toml", RULES)])
        .file("truth.csv", format!("id,entity_id\n{truth}"))
}

/// Exactly the pairs of one entity; the witness is the first rule of the file that holds, and a missing value never does.
#[test]
fn candidates_are_the_pairs_of_one_entity() {
    let folder = example();
    let run =
        folder.run("dedupe products.csv --id pno -r rules.toml -o pairs.csv --truth truth.csv --device cpu");
    assert_snapshot!(folder.read("pairs.csv"), @"
    left,right,rule
    t1,t4,phi1
    t1,t5,phi1
    t2,t3,phi2
    t4,t5,phi1
    ");
    let said: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with(['r', 'p', 'F'])).collect();
    assert!(
        said.contains(&"recall           1.0000") && said.contains(&"precision        1.0000"),
        "{said:?}"
    );
}

/// The shares of pairs on which predicates hold are the paper's, and so are the scores of the edges, the order of siblings and
/// what is remembered.
#[test]
fn the_tree_is_the_papers() {
    let explained = example().stdout("explain products.csv --id pno -r rules.toml --device cpu");
    let tree = explained.lines().skip(1).take_while(|line| line.starts_with(' '));
    let without_cost = tree.map(|line| {
        let words = line.split("  ").filter(|word| !word.starts_with("cost=") && !word.is_empty());
        let indent = line.len() - line.trim_start().len();
        format!("{:indent$}{}\n", "", words.map(str::trim).collect::<Vec<_>>().join("  "))
    });
    assert_snapshot!(without_cost.collect::<String>(), @"
    l.sname = r.sname  sp=4.00e-1  score=8.0e-2  pairs≈4.0
      jaccard(words(l.description), words(r.description)) >= 0.2  sp=2.00e-1  score=8.0e-2  remembered  pairs≈2.0
        → phi2  pairs≈2.0
      l.price = r.price  sp=3.00e-1  score=4.8e-2  pairs≈3.0
        levenshtein(l.pname, r.pname) <= 9  sp=4.00e-1  score=4.8e-2  pairs≈3.0
          l.color = r.color  sp=1.00e0  score=4.8e-2  pairs≈3.0
            → phi1  pairs≈3.0
    jaccard(words(l.description), words(r.description)) >= 0.2  sp=2.00e-1  score=4.0e-2  remembered  pairs≈2.0
      levenshtein_similarity(l.address, r.address) >= 0.9  sp=2.00e-1  score=4.0e-2  pairs≈1.0
        → phi3  pairs≈1.0
    ");
}

/// Where nobody is named, the file is the same bytes whatever the plan: the paper's, which ends at the first witness in the
/// order of its tree, or any other.
#[test]
fn pairs_are_the_same_without_names() {
    let folder = example();
    let pairs = |options: &str| {
        folder
            .run(&format!("dedupe products.csv --id pno -r rules.toml -o pairs.csv --device cpu {options}"));
        folder.read("pairs.csv")
    };
    assert_snapshot!(pairs("--witness any"), @r"
    left,right,rule
    t1,t4,
    t1,t5,
    t2,t3,
    t4,t5,
    ");
    let plans =
        ["", "--selectivity evenness", "--selectivity evenness --buckets 7 --cost static", "--witness any"];
    for options in plans.map(|options| format!("--plan paper {options}")) {
        assert_eq!(pairs(&options), pairs("--witness any"), "{options}");
    }
    let paper =
        folder.stdout("explain products.csv --id pno -r rules.toml --plan paper --cost static --device cpu");
    assert!(paper.contains("Sweep: without a lead, records=5 × 5"), "{paper}");
    assert_eq!(paper.matches("\nSweep: ").count(), 1, "{paper}");
}
