//! Several tables: what comes out of them, in which form, and what is said when they do not go together.

use crate::program::Folder;
use hyperblock::read::table::{IdSource, ReadOptions, Table};
use hyperblock::{Control, Job, Truth};
use insta::assert_snapshot;
use std::fs;

const SHOP: &str = "id,title,cost,source\n1,Red Tea,3,x\n2,Green Tea,4,x\n3,Green Tea,5,x\n";
const CATALOGUE: &str = "code,name,eur\n9,Green Tea,4\n1,red tea,3.5\n";
const LIST: &str = "id,product_name\nx,red tea\ny,GREEN TEA\n";

const RULES: &str = "\
[[rules]]
name = \"name\"
when = \"lower(l.name) = lower(r.name)\"
[columns]
name = [\"title\", \"product_name\"]
";

fn folder() -> Folder {
    let shop = SHOP.replace(",source", "").replace(",x\n", "\n");
    Folder::with(&[
        ("shop.csv", &shop),
        ("catalogue.csv", CATALOGUE),
        ("list.csv", LIST),
        ("rules.toml", RULES),
    ])
}

const ACROSS: &str = "\
left_source,left,right_source,right,rule
shop,1,catalogue,1,name
shop,1,list,x,name
shop,2,catalogue,9,name
shop,2,list,y,name
shop,3,catalogue,9,name
shop,3,list,y,name
catalogue,1,list,x,name
catalogue,9,list,y,name
";
const THREE: &str = "shop.csv catalogue.csv list.csv -r rules.toml --id code --device cpu";

/// The columns of a file, as text.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(&folder.path(name), &options, &|_| true, &Control::default()).unwrap();
    let header: Vec<String> = table.schema.columns.iter().map(|column| column.name.clone()).collect();
    let row = |row: usize| {
        (0..header.len()).map(|column| table.values(column).unwrap().value(row).to_owned()).collect()
    };
    [header.clone()].into_iter().chain((0..table.n_records() as usize).map(row)).collect()
}

#[test]
fn pairs_across_three_tables_in_all_formats() {
    let folder = folder();
    assert_eq!(folder.stdout(&format!("link {THREE} -o -")), ACROSS);
    let wanted: Vec<Vec<String>> =
        ACROSS.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    for name in ["pairs.csv", "pairs.tsv", "pairs.parquet", "pairs.arrow"] {
        folder.stdout(&format!("link {THREE} -o {name}"));
        assert_eq!(rows(&folder, name), wanted, "{name}");
    }
    assert_eq!(folder.stdout(&format!("link {THREE} --count")), "8\n");
    let within = folder.stdout(&format!("link {THREE} --within -o -"));
    let (one, other) = ("shop,2,list,y,name\n", "shop,2,shop,3,name\n");
    assert_eq!(
        within,
        ACROSS.replace(one, &format!("{other}{one}")).replace(
            &format!("shop,2,catalogue,9,name\n{other}{one}"),
            &format!("{other}shop,2,catalogue,9,name\n{one}")
        )
    );
    assert_eq!(folder.stdout(&format!("dedupe {THREE} -o -")), within);
}

#[test]
fn entities_are_named_by_table_and_id() {
    let folder = folder();
    let entities = "\
source,id,entity_id
shop,1,shop:1
shop,2,shop:2
shop,3,shop:2
catalogue,1,shop:1
catalogue,9,shop:2
list,x,shop:1
list,y,shop:2
";
    assert_eq!(folder.stdout(&format!("resolve {THREE} -o -")), entities);
    let wanted: Vec<Vec<String>> =
        entities.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    for name in ["entities.parquet", "entities.arrow"] {
        folder.stdout(&format!("resolve {THREE} -o {name}"));
        assert_eq!(rows(&folder, name), wanted, "{name}");
    }
    // What came out is a truth about the same tables.
    folder.stdout(&format!("resolve {THREE} -o entities.csv"));
    let said = folder.run(&format!("resolve {THREE} -o again.csv --truth entities.csv")).stderr;
    assert!(said.contains("entities                 8   1.0000  1.0000  1.0000"), "{said}");
    let refused = folder.failure(1, &format!("resolve {THREE} -o e.csv --method best"));
    assert!(refused.contains("`best` links the records of two tables, and here are 3"), "{refused}");
}

/// Two tables are as they always were, unless pairs within them count too.
#[test]
fn two_tables_are_linked_as_they_are() {
    let folder = folder();
    let two = "shop.csv catalogue.csv -r rules.toml --device cpu --right-id code";
    assert_eq!(folder.stdout(&format!("link {two} -o -")), "left,right,rule\n1,1,name\n2,9,name\n3,9,name\n");
    let entities = folder.stdout(&format!("resolve {two} -o -"));
    assert!(entities.starts_with("table,id,entity_id\nleft,1,left:1\n"), "{entities}");
    let within = folder.stdout(&format!("link {two} --within -o -"));
    let wanted = "left_source,left,right_source,right,rule\nshop,1,catalogue,1,name\nshop,2,shop,3,name\n\
                  shop,2,catalogue,9,name\nshop,3,catalogue,9,name\n";
    assert_eq!(within, wanted);
}

const RECORDS: &str =
    "--records shop.csv --records catalogue.csv --records list.csv --id code --device cpu --quiet";

/// What resolve does in one go, link and cluster do in two: the same id of two tables is two records.
#[test]
fn pairs_of_several_tables_are_clustered() {
    let folder = folder();
    let entities = folder.stdout(&format!("resolve {THREE} -o - --quiet"));
    let by_name = "\
source,id,entity_id
catalogue,1,catalogue:1
catalogue,9,catalogue:9
list,x,catalogue:1
list,y,catalogue:9
shop,1,catalogue:1
shop,2,catalogue:9
shop,3,catalogue:9
";
    for pairs in ["pairs.csv", "pairs.parquet"] {
        folder.stdout(&format!("link {THREE} -o {pairs} --quiet"));
        assert_eq!(folder.stdout(&format!("cluster {pairs} {RECORDS} -o -")), entities, "{pairs}");
        assert_eq!(folder.stdout(&format!("cluster {pairs} -o - --device cpu --quiet")), by_name, "{pairs}");
    }
    // Pairs of other programs, and tables that are the sources themselves.
    let others = "id_a,source_a,id_b,source_b,score\n2,shop,9,catalogue,0.9\n3,shop,9,catalogue,0.8\n";
    let folder = folder.file("others.csv", others);
    for (options, third) in [("", "catalogue:9"), ("--source source", "shop:3")] {
        let found = folder.stdout(&format!("cluster others.csv {options} -o - --device cpu --quiet"));
        let wanted =
            format!("source,id,entity_id\ncatalogue,9,catalogue:9\nshop,2,catalogue:9\nshop,3,{third}\n");
        assert_eq!(found, wanted, "{options}");
    }
    // Tables that are given are sources too.
    let apart = folder.stdout(&format!("cluster pairs.csv {RECORDS} -o - --source source"));
    let of_one = apart.matches(",shop:2\n").count();
    assert_eq!((of_one, apart.lines().count()), (3, 8), "{apart}");
}

/// Pairs within a table are no pairs, or are, to cluster as to resolve.
#[test]
fn pairs_of_several_tables_are_measured() {
    let truth = "source,id,entity_id\nshop,1,a\ncatalogue,1,a\nlist,x,c\nshop,2,b\nshop,3,b\ncatalogue,9,b\nlist,y,b\n";
    let folder = folder().file("truth.csv", truth);
    let json = |arguments: &str| -> hyperblock::serde_json::Value {
        folder.run(&format!("{arguments} --summary json")).stderr.parse().unwrap()
    };
    let mut seen = Vec::new();
    for within in ["", "--within"] {
        let resolved = json(&format!("resolve {THREE} {within} -o e.csv --truth truth.csv"));
        folder.stdout(&format!("link {THREE} {within} -o pairs.csv --quiet"));
        let clustered = json(&format!("cluster pairs.csv {within} -o f.csv --device cpu --truth truth.csv"));
        let steps = resolved["entities"]["steps"].as_array().expect("steps");
        let entities = steps.last().expect("a step");
        assert_eq!(entities["name"], "entities");
        assert_eq!(clustered["quality"]["pairwise"], entities["pairwise"], "{within}");
        assert_eq!(clustered["quality"]["decided"], entities["decided"], "{within}");
        assert_eq!(clustered["quality"]["b_cubed"], entities["b_cubed"], "{within}");
        seen.push(clustered["quality"]["decided"].as_u64().unwrap());
    }
    // shop:2 and shop:3 are within a table.
    assert_eq!(seen, [8, 9]);
    let refused = folder.failure(1, "cluster pairs.csv -o g.csv --device cpu --truth truth.csv --quiet");
    let wanted = "error: the pair of `shop:2` and `shop:3` is within a table; say --within, so that such pairs are measured too\n";
    assert_eq!(refused, wanted);
}

#[test]
fn pairs_that_do_not_say_of_which_tables() {
    let folder = folder()
        .file("half.csv", "left_source,left,right\nshop,1,2\n")
        .file("gap.csv", "left_source,left,right_source,right\nshop,1,list,x\n,1,list,x\n")
        .file("plain.csv", "left,right\n1,2\n");
    folder.stdout(&format!("link {THREE} -o pairs.csv --quiet"));
    let said =
        |arguments: &str| folder.failure(1, &format!("cluster {arguments} -o e.csv --device cpu --quiet"));
    assert_snapshot!(said("half.csv"), @"error: half.csv: column `left_source` says which tables ids are of, and there is no `right_source`; write both, or neither");
    assert_snapshot!(said("gap.csv"), @"error: gap.csv: row 2, column `left_source`: the table is missing");
    assert_snapshot!(said("pairs.csv --two-tables"), @"error: pairs.csv: the columns `left_source` and `right_source` say which table each id is of; leave --two-tables out, or the columns");
    assert_snapshot!(said("pairs.csv --records shop.csv --records list.csv"), @"error: pairs.csv: some pairs are of the table `catalogue`, and the tables of records are called `shop`, `list`; name all with --records, or none");
    assert_snapshot!(said("plain.csv --records shop.csv --records list.csv"), @"error: list.csv: this is a second table of records, and the pairs do not say which table each id is of; write that in columns `left_source` and `right_source`, as link does");
    assert_snapshot!(said("pairs.csv --source shop"), @"error: --source `shop` is a column of the tables of records, and they are not there; name them with --records, or write --source source for the tables themselves");
}

#[test]
fn the_summary_lists_the_tables() {
    let folder = folder();
    let said = folder.run(&format!("link {THREE} -o pairs.csv")).stderr;
    let tables = "records          7\n  shop       3\n  catalogue  2\n  list       2\n\
         ids from         shop: column id, catalogue: column code, list: column id\npairs compared   at most 9 of 16 (at least 7 ruled out unseen)\n";
    assert!(said.contains(tables), "{said}");
    let said = folder.run(&format!("link {THREE} -o pairs.csv --summary json")).stderr;
    let json: hyperblock::serde_json::Value = said.parse().unwrap();
    assert_eq!(json["records"]["tables"][1]["name"], "catalogue");
    assert_eq!(json["records"]["tables"][1]["records"], 2);
    assert_eq!(json["records"]["ids"], hyperblock::serde_json::json!(["id", "code", "id"]));
    // Of those with one title, one pair is within the shop.
    assert_eq!((&json["pairs"]["all"], &json["pairs"]["compared"]), (&16.into(), &9.into()));
    let plan = folder.stdout(&format!("explain {THREE}"));
    assert!(plan.starts_with("Tables: shop=3, catalogue=2, list=2\n"), "{plan}");
    assert!(plan.contains("pairs=16\n"), "{plan}");
}

#[test]
fn patterns_are_expanded_and_name_tables() {
    let folder =
        Folder::with(&[("rules.toml", "[[rules]]\nwhen = \"l.name = r.name AND l.source <> r.source\"\n")]);
    fs::create_dir(folder.path("a")).unwrap();
    fs::create_dir(folder.path("b")).unwrap();
    for (name, id) in [("a/t.csv", 1), ("b/t.csv", 1), ("b/u.csv", 2)] {
        fs::write(folder.path(name), format!("id,name\n{id},ann\n7{id},ann\n")).unwrap();
    }
    let pairs = folder.stdout("dedupe */*.csv -r rules.toml --device cpu -o -");
    assert!(pairs.starts_with("left_source,left,right_source,right,rule\na/t,1,b/t,1,rule 1\n"), "{pairs}");
    assert_eq!(pairs.lines().count(), 13);
    // A pattern is one also where one file matches: what reads the output need not care.
    let one = folder.stdout("dedupe a/*.csv -r rules.toml --device cpu -o -");
    assert_eq!(one, "left_source,left,right_source,right,rule\n");
    let none = folder.failure(1, "dedupe c/*.csv -r rules.toml --device cpu -o pairs.csv");
    assert!(none.starts_with("error: c/*.csv: no file matches"), "{none}");
    // An output among the inputs would be lost.
    let lost = folder.failure(1, "dedupe */*.csv -r rules.toml --device cpu -o b/u.csv");
    assert!(lost.contains("-o b/u.csv: that is one of the tables, which would be lost"), "{lost}");
}

/// A column of that name stays what it is; the output tells the tables all the same.
#[test]
fn a_table_s_own_source() {
    let rules = "[[rules]]\nname = \"same\"\nwhen = \"l.source = r.source AND l.title = r.title\"\n";
    let other = SHOP.replace(",x", ",y");
    let folder = Folder::with(&[("a.csv", SHOP), ("b.csv", &other), ("c.csv", SHOP), ("rules.toml", rules)]);
    let pairs = folder.stdout("link a.csv b.csv c.csv -r rules.toml --device cpu -o -");
    let wanted = "left_source,left,right_source,right,rule\na,1,c,1,same\na,2,c,2,same\na,2,c,3,same\na,3,c,2,same\na,3,c,3,same\n";
    assert_eq!(pairs, wanted);
    // Made, it is of different tables in each pair.
    let made = folder.path("made.csv");
    fs::write(&made, "id,title\n1,tea\n").unwrap();
    for name in ["more.csv", "most.csv"] {
        fs::copy(&made, folder.path(name)).unwrap();
    }
    let never = folder.failure(1, "link made.csv more.csv most.csv -r rules.toml --device cpu -o p.csv");
    assert!(never.contains("the rule can never hold"), "{never}");
    assert!(never.contains("`l.source = r.source` and `l.source <> r.source`"), "{never}");
}

#[test]
fn columns_of_other_names() {
    let folder = folder();
    // In a table of one, of two, and over what the file says.
    let one = folder.stdout("dedupe shop.csv -r rules.toml --device cpu -o -");
    assert_eq!(one, "left,right,rule\n2,3,name\n");
    let itself = folder.stdout("link shop.csv shop.csv -r rules.toml --device cpu -o -");
    assert_eq!(itself, "left,right,rule\n1,1,name\n2,2,name\n2,3,name\n3,2,name\n3,3,name\n");
    let mapped =
        folder.stdout(&format!("link {THREE} --map name=nothing,title --map name=list.product_name -o -"));
    assert_eq!(mapped, ACROSS);
    let other = folder.stdout(&format!("link {THREE} --map name=shop.cost,list.id -o -"));
    assert_eq!(other, "left_source,left,right_source,right,rule\n");
    // The rule's name is what is shown.
    let why = folder.stdout("why shop:1 list:x shop.csv catalogue.csv list.csv -r rules.toml --id code");
    assert!(
        why.contains("shop:1 and list:x\n") && why.contains("holds  lower(l.name) = lower(r.name)"),
        "{why}"
    );
    let unknown = folder.failure(1, &format!("link {THREE} --map price=kosten,preis -o p.csv"));
    assert!(unknown.contains(
        "error: --map price=kosten,preis: no table has a column `kosten` or `preis`, nor one named `price`; the union of \
         shop.csv, catalogue.csv and list.csv has `id`, "
    ), "{unknown}");
    let folder = folder.file("wrong.toml", format!("{RULES}price = [\"kosten\"]\n"));
    let unknown = folder.failure(1, "dedupe shop.csv -r wrong.toml --device cpu -o p.csv");
    assert!(unknown.contains("no table has a column `kosten`, nor one named `price`"), "{unknown}");
    assert!(
        unknown.contains("price = [\"kosten\"]") && unknown.contains("shop.csv has `id`, `title`"),
        "{unknown}"
    );
}

/// A cache and a checkpoint tell jobs apart whose rules read the same and mean other columns.
#[test]
fn other_columns_are_another_job() {
    let folder = Folder::with(&[
        ("t.csv", "id,a,b\n1,x,y\n2,x,z\n3,q,z\n"),
        ("rules.toml", "[[rules]]\nwhen = \"l.name = r.name\"\n"),
    ]);
    let of = |column: &str| {
        folder
            .stdout(&format!("dedupe t.csv -r rules.toml --device cpu --map name={column} --cache kept -o -"))
    };
    let (a, b) = ("left,right,rule\n1,2,rule 1\n", "left,right,rule\n2,3,rule 1\n");
    assert_eq!([of("a"), of("b"), of("a"), of("b")], [a, b, a, b]);
    let job = |column: &str| {
        format!("dedupe t.csv -r rules.toml --device cpu --map name={column} -o p.csv --checkpoint run")
    };
    folder.stdout(&format!("{} --keep-checkpoint", job("a")));
    folder.stdout(&format!("{} --resume --keep-checkpoint", job("a")));
    let other = folder.failure(1, &format!("{} --resume", job("b")));
    assert!(other.contains("run"), "{other}");
    // So do several tables: which they are, and which pairs count.
    fs::copy(folder.path("t.csv"), folder.path("u.csv")).unwrap();
    let job = |more: &str| {
        format!(
            "link t.csv u.csv --within -r rules.toml --device cpu --map name=a -o p.csv --checkpoint both {more}"
        )
    };
    folder.stdout(&job("--keep-checkpoint"));
    folder.stdout(&job("--keep-checkpoint --resume"));
    fs::copy(folder.path("t.csv"), folder.path("v.csv")).unwrap();
    folder.failure(1, &job("--resume").replace("u.csv", "v.csv"));
}

#[test]
fn what_does_not_go_together() {
    let folder = folder();
    let fails =
        |arguments: &str| folder.failure(1, &format!("{arguments} -r rules.toml --device cpu -o p.csv"));
    assert!(fails("link shop.csv").contains("link takes two tables or more, and here is one"));
    assert!(fails("dedupe shop.csv shop.csv").contains("shop.csv: it is given twice; name each table once"));
    let twice = fails("link shop.csv catalogue.csv ./shop.csv");
    assert!(twice.contains("it is given twice, also as shop.csv"), "{twice}");
    assert!(fails("resolve shop.csv --right-id x").contains("--right-id is for a second table"));
    let ids = fails("link shop.csv catalogue.csv list.csv --id kode");
    assert!(ids.contains("none of the tables has a column `kode` for the ids"), "{ids}");
    let cache = fails("link shop.csv catalogue.csv list.csv --cache kept");
    assert!(cache.contains("leave the cache out"), "{cache}");
    // Ids must differ within a table.
    let folder = folder.file("again.csv", "id,name\n1,a\n1,b\n");
    let again = folder.failure(1, "dedupe shop.csv again.csv -r rules.toml --device cpu -o p.csv");
    assert!(again.contains("again.csv: rows 1 and 2 have the same id `1`"), "{again}");
    // A column that no table has, and one that some lack.
    let folder = folder.file("bad.toml", "[[rules]]\nwhen = \"l.nam = r.nam\"\n");
    let unknown = folder.failure(1, "dedupe shop.csv again2.csv -r bad.toml --device cpu -o p.csv");
    assert!(unknown.contains("again2.csv"), "{unknown}");
    let unknown = folder.failure(1, "dedupe shop.csv list.csv -r bad.toml --device cpu -o p.csv");
    assert!(unknown.contains("the union of shop.csv and list.csv has no column `nam`"), "{unknown}");
    let said = folder
        .run("dedupe shop.csv catalogue.csv --map name=title -r rules.toml --device cpu -o p.csv -v")
        .stderr;
    assert!(!said.contains("there is no column"), "{said}");
    let folder = folder.file("cost.toml", "[[rules]]\nwhen = \"l.cost = r.cost\"\n");
    let said = folder.run("dedupe shop.csv list.csv -r cost.toml --device cpu -o p.csv -v").stderr;
    assert!(said.contains("list.csv: there is no column `cost`; it counts as missing there"), "{said}");
    // Text in one of them: which, is said.
    let folder = folder.file("dear.csv", "id,cost\n1,c. 3\n");
    let folder = folder.file("near.toml", "[[rules]]\nwhen = \"abs(l.cost - r.cost) <= 1\"\n");
    let text = folder.failure(1, "dedupe shop.csv dear.csv -r near.toml --device cpu -o p.csv");
    assert!(text.contains("`l.cost` holds text (in dear.csv row 1 holds `c. 3`)"), "{text}");
    // Values that are no numbers are named where they stand.
    let folder = folder.file("odd.csv", "id,cost\n1,3\n2,NaN\n");
    let said = folder.run("dedupe shop.csv odd.csv -r near.toml --device cpu -o p.csv").stderr;
    assert!(said.contains("odd.csv: row 2, column `cost`: `NaN` cannot be compared"), "{said}");
}

/// Memory is refused with the numbers.
#[test]
fn too_little_memory() {
    let rows: String = (0..200_000).map(|id| format!("{id},{id:040}\n")).collect();
    let folder = Folder::with(&[("a.csv", &format!("id,name\n{rows}")), ("rules.toml", RULES)]);
    fs::copy(folder.path("a.csv"), folder.path("b.csv")).unwrap();
    let said = folder.failure(1, "dedupe a.csv b.csv -r rules.toml --device cpu --memory 64 -o p.csv");
    assert!(said.contains("the text of several tables together, and encoding it: needs "), "{said}");
    assert!(said.contains("and --memory allows 64.0"), "{said}");
}

#[test]
fn truths_name_tables_where_ids_do_not() {
    let folder = folder();
    let truth = |text: &str| {
        let name = folder.path("truth.csv");
        fs::write(name, text).unwrap();
        folder.run(&format!("link {THREE} --truth truth.csv -o p.csv"))
    };
    // 1 is an id of two tables.
    let ambiguous = truth("id_a,id_b\n1,x\n");
    assert_eq!(ambiguous.code, Some(1));
    let wanted = "row 1: the id `1` stands in several tables, `shop` and `catalogue`; say in a column `source_a` which one is meant";
    assert!(ambiguous.stderr.contains(wanted), "{}", ambiguous.stderr);
    let ambiguous = truth("id,entity_id\nx,1\n1,1\n");
    assert!(
        ambiguous.stderr.contains("row 2: the id `1`") && ambiguous.stderr.contains("column `source` which"),
        "{}",
        ambiguous.stderr
    );
    // Those of one table are no pairs that could be found, and unknown ids are counted.
    let said = truth("source_a,id_a,source_b,id_b\nshop,1,list,x\nlist,y,shop,3\nshop,2,shop,3\nshop,7,list,x\n,9,list,y\n").stderr;
    assert!(said.contains("matches found    3 of 3\ntruth left out   1 "), "{said}");
    let said =
        truth("source,id,entity_id\nshop,1,a\nlist,x,a\ncatalogue,1,a\nshop,2,b\nshop,3,b\n,y,b\n").stderr;
    assert!(said.contains("matches found    5 of 5\n"), "{said}");
    let twice = truth("source,id,entity_id\nshop,1,a\nshop,1,b\n").stderr;
    assert!(
        twice.contains("rows 1 and 2: `shop:1` is of entity `a` and of entity `b`; a record is of one"),
        "{twice}"
    );
}

#[test]
fn why_of_several_tables() {
    let folder = folder();
    let why = |ids: &str| format!("why {ids} shop.csv catalogue.csv list.csv -r rules.toml --id code");
    let said = folder.stdout(&why("9 y"));
    assert!(said.contains("catalogue:9 and list:y\n") && said.contains("its witness is \"name\""), "{said}");
    let json: hyperblock::serde_json::Value =
        folder.stdout(&format!("{} --format json", why("9 y"))).parse().unwrap();
    assert_eq!(
        (&json["left_source"], &json["left"], &json["right"]),
        (&"catalogue".into(), &"9".into(), &"y".into())
    );
    let several = folder.failure(1, &why("1 x"));
    assert!(
        several.contains("the id `1` stands in several tables; name one of `shop:1` and `catalogue:1`"),
        "{several}"
    );
    let same = folder.failure(1, &why("shop:1 2"));
    assert!(same.contains("`shop:1` and `shop:2` are of the same table"), "{same}");
    assert!(folder.stdout(&format!("{} --within", why("shop:1 2"))).contains("not a candidate"));
    let none = folder.failure(1, &why("shop:4 x"));
    assert!(none.contains("no record has the id `shop:4`; did you mean `shop:1`?"), "{none}");
}

/// Weights that are fitted to two tables together are those of the tables by themselves: what counts is across them.
#[test]
fn weights_of_two_tables_together() {
    let mut tables = [String::from("id,name,zip,born\n"), String::from("id,name,zip,born\n")];
    for nth in 0..300u64 {
        let draw = |salt: u64, n: u64| ((nth + 17) * 7919 * salt + 104_729).pow(2) / 2048 % n;
        for (place, table) in tables.iter_mut().enumerate() {
            let slip = if draw(5 + place as u64, 6) == 0 { "x" } else { "" };
            table.push_str(&format!(
                "{nth},n{}{slip},z{},b{}{slip}\n",
                draw(1, 97),
                draw(2, 23),
                draw(3, 61)
            ));
        }
    }
    let rules = "[[rules]]\nwhen = \"l.zip = r.zip\"\n[score]\nscore = 'fellegi-sunter'\n\
        [[score.attributes]]\nmeasure = 'l.name = r.name'\n[[score.attributes]]\nmeasure = 'levenshtein_similarity(l.born, r.born)'\n\
        levels = [1, 0.5]\n[[score.attributes]]\nmeasure = 'l.zip = r.zip'\n";
    let rules = format!("{rules}[[rules]]\nwhen = \"l.name = r.name AND l.born = r.born\"\n");
    let truth: String = (0..300).map(|nth| format!("a,{nth},b,{nth}\n")).collect();
    let truth = format!("source_a,id_a,source_b,id_b\n{truth}");
    let files = [("a.csv", &tables[0]), ("b.csv", &tables[1]), ("rules.toml", &rules), ("truth.csv", &truth)];
    let folder = Folder::with(&files.map(|(name, text)| (name, text.as_str())));
    let path = |name: &str| folder.path(name);
    // All pairs, and so few that rare levels are counted by the engine.
    for sample in [1_000_000, 500] {
        let fit = |job: Job| {
            let (device, control) = (hyperblock::device::cpu::Cpu::new(), Control::default());
            let options = hyperblock::FitOptions { sample, ..Default::default() };
            let job = job.prepare(&device, &control).unwrap();
            let truth = Truth::read(&path("truth.csv"), &job.left, job.second(), &control).unwrap();
            job.fit(&device, &control, options, Some(&truth)).unwrap()
        };
        let apart = fit(Job::link(path("a.csv"), path("b.csv"), path("rules.toml")));
        let inputs = ["a.csv", "b.csv"].map(|name| hyperblock::Input::from(path(name)));
        let together = fit(Job::link_all(inputs, path("rules.toml").as_path().into()));
        assert_eq!((together.n_pairs, together.n_sampled), (apart.n_pairs, apart.n_sampled));
        assert_eq!(together.weights.prior, apart.weights.prior);
        let u = |fit: &hyperblock::Fit| -> Vec<f64> {
            fit.weights.attributes.iter().map(|attribute| attribute.levels[0].u).collect()
        };
        assert_eq!(u(&apart), u(&together), "{sample}");
        if sample > 90_000 {
            assert_eq!(apart.weights.to_string(), together.weights.to_string());
        }
    }
}
