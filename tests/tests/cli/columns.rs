//! Values beside ids: `--columns` adds what both records say, in every format, wherever the tables' text was meanwhile.

use crate::program::{Folder, PEOPLE, RULES, people};
use hyperblock::read::table::{IdSource, ReadOptions, Table};
use hyperblock::{Control, arrow_array::Array};
use insta::assert_snapshot;
use std::process::Stdio;

const RUN: &str = "dedupe people.csv -r rules.toml --device cpu --quiet";

#[test]
fn values_of_both_records() {
    let folder = people();
    assert_snapshot!(folder.stdout(&format!("{RUN} -o - --columns l.name,r.city")), @r#"
    left,right,rule,left_name,right_city
    2,33,same name,Bob Ray,"Bergen, Norway"
    9,10,"near name, near birth",Anne Lee,Oslo
    "#);
    // All but the ids, those of the same name side by side; what is missing is empty.
    assert_snapshot!(folder.stdout(&format!("{RUN} -o - --columns all")), @r#"
    left,right,rule,left_name,right_name,left_city,right_city,left_born,right_born
    2,33,same name,Bob Ray,Bob Ray,Bergen,"Bergen, Norway",1985-05-05,
    9,10,"near name, near birth",Anne Lee,Ann Lee,Oslo,Oslo,1990-01-02,1990-01-01
    "#);
    // A name without a side is both; each column stands once, as the table writes its name.
    let named = folder.stdout(&format!("{RUN} -o - --columns BORN,l.born,r.id"));
    assert!(named.starts_with("left,right,rule,left_born,right_born,right_id\n2,33,same name,1985-05-05,,33\n"), "{named}");
    assert_eq!(folder.stdout(&format!("{RUN} -o -")), crate::program::PAIRS);
}

#[test]
fn behind_scores() {
    let score = "[score]\nthreshold = 0.5\n[[score.attributes]]\nmeasure = \"jaro(l.name, r.name)\"\n";
    let folder = people().file("scored.toml", format!("{RULES}{score}"));
    let run = "-r scored.toml --device cpu --quiet --columns name";
    let pairs = folder.stdout(&format!("dedupe people.csv {run} -o -"));
    assert!(pairs.starts_with("left,right,rule,score,left_name,right_name\n2,33,same name,1,Bob Ray,Bob Ray\n"), "{pairs}");
    folder.stdout(&format!("resolve people.csv {run} -o entities.csv --pairs pairs.csv"));
    assert_eq!(folder.read("pairs.csv"), pairs);
    let refused = folder.failure(2, "resolve people.csv -r scored.toml -o e.csv --columns all");
    assert!(refused.contains("--pairs"), "{refused}");
}

/// Each row: values, or that they are missing.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<Option<String>>> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(&folder.path(name), &options, &|_| true, &Control::default()).unwrap();
    let columns = 0..table.schema.columns.len();
    let header = table.schema.columns.iter().map(|column| Some(column.name.clone())).collect();
    let value = |row: usize, column: usize| {
        let values = table.values(column).unwrap();
        values.is_valid(row).then(|| values.value(row).to_owned())
    };
    let row = |row| columns.clone().map(|column| value(row, column)).collect();
    [header].into_iter().chain((0..table.n_records() as usize).map(row)).collect()
}

#[test]
fn every_format_holds_what_csv_holds() {
    let folder = people();
    folder.stdout(&format!("{RUN} -o pairs.csv --columns all"));
    let wanted = rows(&folder, "pairs.csv");
    assert!(wanted[1].contains(&None) && wanted[1].contains(&Some("Bergen, Norway".into())), "{wanted:?}");
    for name in ["pairs.tsv", "pairs.parquet", "pairs.arrow"] {
        folder.stdout(&format!("{RUN} -o {name} --columns all"));
        assert_eq!(rows(&folder, name), wanted, "{name}");
    }
}

#[test]
fn two_tables_and_several() {
    let folder = Folder::with(&[
        ("shop.csv", "id,title,cost\n1,Red Tea,3\n2,Green Tea,4\n"),
        ("list.csv", "id,name,kind\nx,red tea,loose\ny,GREEN TEA,\n"),
        ("two.toml", "[[rules]]\nname = 'n'\nwhen = 'lower(l.title) = lower(r.name)'\n"),
        ("all.toml", "[[rules]]\nname = 'n'\nwhen = 'lower(l.name) = lower(r.name)'\n[columns]\nname = ['title']\n"),
    ]);
    assert_snapshot!(folder.stdout("link shop.csv list.csv -r two.toml --device cpu -q -o - --columns r.kind,l.cost"), @"
    left,right,rule,right_kind,left_cost
    1,x,n,loose,3
    2,y,n,,4
    ");
    // The column that the tables call differently goes by the name that rules have for it.
    assert_snapshot!(folder.stdout("dedupe shop.csv list.csv -r all.toml --device cpu -q -o - --columns name,l.source,r.kind"), @"
    left_source,left,right_source,right,rule,left_name,right_name,right_kind
    shop,1,list,x,n,Red Tea,red tea,loose
    shop,2,list,y,n,Green Tea,GREEN TEA,
    ");
    let all = folder.stdout("link shop.csv list.csv --within -r all.toml --device cpu -q -o - --columns all");
    let header = "left_source,left,right_source,right,rule,left_title,right_title,left_cost,right_cost,";
    assert!(all.starts_with(header), "{all}");
    let unknown = folder.failure(1, "link shop.csv list.csv -r two.toml --device cpu -o o.csv --columns r.cost");
    assert!(
        unknown.contains("list.csv: --columns r.cost: there is no column `cost`; the columns are `id`, `name`, `kind`"),
        "{unknown}"
    );
    let near = folder.failure(1, "link shop.csv list.csv -r two.toml --device cpu -o o.csv --columns l.titel");
    assert!(near.contains("did you mean `title`?"), "{near}");
    assert!(folder.failure(2, "dedupe shop.csv -r two.toml --columns all --count").contains("--output"));
}

/// Kept, read again from a file, or held because it came through a pipe: the values are the same.
#[test]
fn wherever_the_text_was() {
    let folder = people();
    let wanted = folder.stdout(&format!("{RUN} -o - --columns all"));
    let cached = format!("{RUN} -o - --columns all --cache kept");
    assert_eq!(folder.stdout(&cached), wanted);
    assert_eq!(folder.stdout(&cached), wanted);
    // What other columns left there is enough, too.
    assert_eq!(folder.stdout(&format!("{RUN} -o - --cache kept")), crate::program::PAIRS);
    let resumed = format!("{RUN} -o - --checkpoint runs --keep-checkpoint");
    assert_eq!(folder.stdout(&resumed), crate::program::PAIRS);
    assert_eq!(folder.stdout(&format!("{resumed} --resume --columns all")), wanted);
    let arguments = "dedupe /dev/stdin -r rules.toml --device cpu --quiet -o - --columns all";
    let mut piped = folder.command(arguments);
    let mut child = piped.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), PEOPLE.as_bytes()).unwrap();
    let piped = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), wanted);
}

/// A table that is read in passes, and one that is not.
#[test]
fn in_little_memory() {
    let row = |n: u32| format!("{n},name {},{}\n", n / 2, "filling ".repeat(40));
    let table: String = ["id,name,filled\n".to_owned()].into_iter().chain((0..60_000).map(row)).collect();
    let folder = Folder::with(&[("t.csv", &table), ("r.toml", "[[rules]]\nwhen = 'l.name = r.name'\n")]);
    let run = "dedupe t.csv -r r.toml --device cpu --quiet --columns l.name,r.name";
    folder.stdout(&format!("{run} -o free.csv"));
    folder.stdout(&format!("{run} -o bound.csv --memory 110"));
    assert!(folder.read("free.csv").contains("\n58,59,rule 1,name 29,name 29\n"));
    assert_eq!(folder.read("free.csv"), folder.read("bound.csv"));
}
