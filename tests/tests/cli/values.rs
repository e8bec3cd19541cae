//! What values are made of, as a user meets it: columns of lists, tables that values are looked up in, words that count as
//! missing, values of several columns.

use crate::program::Folder;
use arrow_array::builder::{
    Date32Builder, FixedSizeListBuilder, Int64Builder, LargeListBuilder, ListBuilder, StringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use insta::assert_snapshot;
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

const DEDUPE: &str = "-r rules.toml -o - --device cpu --quiet";

fn rules(when: &str) -> String {
    format!("[[rules]]\nname = \"r\"\nwhen = \"{when}\"\n")
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let rows = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), None).expect("a writer");
    // Two row groups: the second one's elements do not begin at the front.
    let half = rows.num_rows() / 2;
    for part in [rows.slice(0, half), rows.slice(half, rows.num_rows() - half)] {
        writer.write(&part).expect("rows can be written");
        writer.flush().expect("a row group can be written");
    }
    writer.close().expect("a footer can be written");
    bytes
}

/// Lists of texts, of numbers and of dates; a list that is missing, one without elements, one with a missing element.
fn lists() -> Vec<u8> {
    let mut phones = ListBuilder::new(StringBuilder::new());
    let mut sizes = LargeListBuilder::new(Int64Builder::new());
    let mut days = FixedSizeListBuilder::new(Date32Builder::new(), 2);
    for (texts, numbers, dates) in [
        (Some(vec![Some("1"), Some("2")]), vec![10, 20], Some([0, 1])),
        (Some(vec![Some("2"), None, Some("3")]), vec![30], Some([1, 0])),
        (Some(vec![Some("2"), Some("1"), Some("2")]), vec![20, 10], None),
        (None, vec![], Some([2, 2])),
        (Some(vec![]), vec![20], Some([2, 1])),
        (Some(vec![Some(""), None]), vec![5], Some([7, 8])),
    ] {
        let is_there = texts.is_some();
        texts.into_iter().flatten().for_each(|text| phones.values().append_option(text));
        phones.append(is_there);
        numbers.into_iter().for_each(|number| sizes.values().append_value(number));
        sizes.append(true);
        dates.unwrap_or_default().into_iter().for_each(|day| days.values().append_value(day));
        days.append(dates.is_some());
    }
    let (phones, sizes, days) = (phones.finish(), sizes.finish(), days.finish());
    parquet(vec![("phones", Arc::new(phones)), ("sizes", Arc::new(sizes)), ("days", Arc::new(days))])
}

#[test]
fn columns_of_lists() {
    let found = |when: &str| {
        let folder = Folder::with(&[("rules.toml", &rules(when))]).file("t.parquet", lists());
        folder
            .stdout(&format!("dedupe t.parquet {DEDUPE}"))
            .replace("left,right,rule\n", "")
            .replace(",r\n", " ")
    };
    assert_eq!(found("overlap(l.phones, r.phones) >= 1"), "1,2 1,3 2,3 ");
    assert_eq!(found("overlap(l.phones, r.phones) >= 2"), "1,3 ");
    assert_eq!(found("jaccard(l.phones, r.phones) > 0.3 AND l.phones <> r.phones"), "1,2 2,3 ");
    assert_eq!(found("l.phones = r.phones"), "1,3 ");
    assert_eq!(found("l.phones IS NULL AND r.phones IS NULL"), "4,5 4,6 5,6 ");
    assert_eq!(found("overlap(l.sizes, r.sizes) >= 1"), "1,3 1,5 3,5 ");
    assert_eq!(found("dice(l.days, r.days) >= 1"), "1,2 ");
    assert_eq!(found("overlap(l.days, r.days) >= 1"), "1,2 1,5 2,5 4,5 ");
}

#[test]
fn lists_that_are_compared_wrongly() {
    let said = |when: &str| {
        let folder = Folder::with(&[("rules.toml", &rules(when))]).file("t.parquet", lists());
        folder.failure(1, &format!("dedupe t.parquet {DEDUPE}"))
    };
    assert_snapshot!(said("l.phones = '1'"), @r#"
    error: `l.phones` holds lists, and this is one value
     --> rules.toml:3:9
      |
    3 | when = "l.phones = '1'"
      |         ^^^^^^^^
      |
    help: of a list, ask whether it IS NULL; or compare it with a list: overlap(l.phones, r.phones) >= 1
    "#);
    assert_snapshot!(said("overlap(words(l.phones), words(r.phones)) >= 1"), @r#"
    error: `l.phones` holds lists, whose elements are its tokens
     --> rules.toml:3:9
      |
    3 | when = "overlap(words(l.phones), words(r.phones)) >= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare the lists themselves: overlap(l.phones, r.phones) >= 1
    "#);
}

/// What names something is one value, wherever it stands.
#[test]
fn no_list_is_an_id() {
    let texts = |values: [&str; 6]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let beside = |list: &str, other: &str| {
        let mut phones = ListBuilder::new(StringBuilder::new());
        for nth in 0..6 {
            phones.values().append_value(format!("{nth}"));
            phones.values().append_value(format!("{}", nth + 1));
            phones.append(true);
        }
        parquet(vec![(list, Arc::new(phones.finish())), (other, texts(["a", "b", "c", "d", "e", "f"]))])
    };
    let folder = Folder::with(&[
        ("rules.toml", &rules("l.name = r.name")),
        ("looked.toml", &rules("lookup(l.name, 'words.parquet') = lookup(r.name, 'words.parquet')")),
        ("t.csv", "id,name\na,Ann\nb,Ann\n"),
        ("pairs.csv", "left,right\na,b\n"),
    ]);
    let folder = folder
        .file("ids.parquet", beside("id", "name"))
        .file("phones.parquet", beside("phones", "id"))
        .file("words.parquet", beside("words", "for"))
        .file("pairs.parquet", beside("left", "right"))
        .file("edges.parquet", beside("from", "to"))
        .file("truth.parquet", beside("id_a", "id_b"))
        .file("before.parquet", beside("entity_id", "id"));
    let said = |arguments: &str| folder.failure(1, &format!("{arguments} --device cpu --quiet"));
    let of_id =
        "holds lists, and an id is one value; name another column with --id, or write the lists as text";
    let run = "-r rules.toml -o o.csv";
    assert_eq!(
        said(&format!("dedupe ids.parquet {run}")),
        format!("error: ids.parquet: column `id` {of_id}\n")
    );
    assert_eq!(
        said(&format!("link t.csv phones.parquet --right-id phones {run}")),
        format!("error: phones.parquet: column `phones` {of_id}\n")
    );
    assert_eq!(
        said("cluster pairs.csv --records ids.parquet -o o.csv"),
        format!("error: ids.parquet: column `id` {of_id}\n")
    );
    for (arguments, file, column) in [
        ("cluster pairs.parquet -o o.csv", "pairs.parquet", "left"),
        ("cluster pairs.csv --records phones.parquet --source phones -o o.csv", "phones.parquet", "phones"),
        ("closure edges.parquet -o o.csv", "edges.parquet", "from"),
        (&format!("dedupe t.csv --truth truth.parquet {run}"), "truth.parquet", "id_a"),
        (&format!("resolve t.csv --previous before.parquet {run}"), "before.parquet", "entity_id"),
        (&format!("resolve phones.parquet --source phones --map name=id {run}"), "phones.parquet", "phones"),
        ("dedupe t.csv -r looked.toml -o o.csv", "words.parquet", "words"),
    ] {
        let wanted = format!(
            "error: {file}: column `{column}` holds lists, and here each row has one value; name another column, or \
             write the lists as text\n"
        );
        assert_eq!(said(arguments), wanted, "{arguments}");
    }
}

#[test]
fn a_missing_word_is_an_empty_field() {
    let table =
        "id,name,phone,n\n1,NA,0000000000,5\n2,NA,0000000000,NA\n3,ann,1,5\n4,ann ,1,\n5,-,0000000000,6\n";
    let section = "[missing]\nwords = [\"NA\", \"-\"]\n[missing.columns]\nphone = [\"0000000000\"]\n";
    let found = |when: &str, section: &str| {
        let rules = rules(when) + section;
        let folder = Folder::with(&[("t.csv", table), ("rules.toml", &rules)]);
        folder.stdout(&format!("dedupe t.csv {DEDUPE}")).replace("left,right,rule\n", "").replace(",r\n", " ")
    };
    assert_eq!(found("l.name = r.name", ""), "1,2 ");
    assert_eq!(found("l.name = r.name", section), "");
    assert_eq!(found("l.phone = r.phone", section), "3,4 ");
    assert_eq!(found("l.name IS NULL AND r.name IS NULL", section), "1,2 1,5 2,5 ");
    // A number column, in spite of the word.
    assert_eq!(found("abs(l.n - r.n) <= 1", section), "1,3 1,5 3,5 ");
    // Ids are what they are.
    assert_eq!(found("l.phone = r.phone", "[missing]\nwords = [\"3\", \"1\"]\n"), "1,2 1,5 2,5 ");
    let misnamed = rules("l.name = r.name") + "[missing.columns]\nfone = [\"0\"]\n";
    let folder = Folder::with(&[("t.csv", table), ("rules.toml", &misnamed)]);
    assert_snapshot!(folder.failure(1, &format!("dedupe t.csv {DEDUPE}")), @r#"
    error: t.csv has no column `fone`
     --> rules.toml:5:1
      |
    5 | fone = ["0"]
      | ^^^^
      |
    help: the columns are `id`, `name`, `phone`, `n`
    "#);
}

const NICKNAMES: &str = "name,stands for\nbob,robert\nrob,robert\nbob,bobby\n";
const PEOPLE: &str = "id,first,last\n1,Bob,Ash\n2,Robert,Ash\n3,Rob,Ash\n4,Ann,Ash\n5,Ann,Elm\n6,Bobby,Ash\n";
const BY_NICKNAME: &str =
    "overlap(lookup(lower(l.first), 'nicknames.csv'), lookup(lower(r.first), 'nicknames.csv')) >= 1";

#[test]
fn names_that_stand_for_others() {
    let folder =
        Folder::with(&[("t.csv", PEOPLE), ("nicknames.csv", NICKNAMES), ("rules.toml", &rules(BY_NICKNAME))]);
    let pairs = "left,right,rule\n1,2,r\n1,3,r\n1,6,r\n2,3,r\n4,5,r\n";
    assert_eq!(folder.stdout(&format!("dedupe t.csv {DEDUPE}")), pairs);
    // With a cache, what is in the table counts, not its name.
    let cached = format!("dedupe t.csv {DEDUPE} --cache kept");
    assert_eq!(folder.stdout(&cached), pairs);
    assert_eq!(folder.stdout(&cached), pairs);
    let folder = folder.file("nicknames.csv", "name,stands for\nann,robert\n");
    assert_eq!(folder.stdout(&cached), "left,right,rule\n2,4,r\n2,5,r\n4,5,r\n");
    // From another folder, the table is beside the rules.
    let plan = folder.stdout("explain t.csv -r rules.toml --device cpu");
    assert!(plan.contains("lookup(lower(l.first), 'nicknames.csv')"), "{plan}");
    assert_snapshot!(folder.stdout("why 2 4 t.csv -r rules.toml"), @r#"
    2 and 4

    rule "r": holds — the witness
      holds  overlap(lookup(lower(l.first), 'nicknames.csv'), lookup(lower(r.first), 'nicknames.csv')) >= 1
             '[robert]' and '[robert]'
             1 token in common, of 1 and 1: 'robert'

    The pair is a candidate; its witness is "r".
    "#);
}

#[test]
fn a_table_that_is_looked_up_is_an_input() {
    let folder =
        Folder::with(&[("t.csv", PEOPLE), ("nicknames.csv", NICKNAMES), ("rules.toml", &rules(BY_NICKNAME))]);
    let said = folder.failure(1, "dedupe t.csv -r rules.toml -o nicknames.csv --device cpu --quiet");
    assert_snapshot!(said, @"error: -o nicknames.csv: that is a table that the rules look up, which would be lost; name another file");
    let said = |nicknames: &str| {
        let files = [("t.csv", PEOPLE), ("nicknames.csv", nicknames), ("rules.toml", &rules(BY_NICKNAME))];
        Folder::with(&files).failure(1, &format!("dedupe t.csv {DEDUPE}"))
    };
    assert_snapshot!(said("name,a,b\nbob,c,d\n"), @"error: nicknames.csv: a table for lookup has two columns, what is looked up and what it stands for, and this one has 3 columns; write it with two");
    assert_snapshot!(said("name\nbob\n"), @"error: nicknames.csv: a table for lookup has two columns, what is looked up and what it stands for, and this one has 1 column; write it with two");
    assert_snapshot!(said("name,other\nbob,robert\nann,\n"), @"error: nicknames.csv: row 2, column `other`: the cell is empty; a table for lookup has two values in every row");
    let folder = Folder::with(&[("t.csv", PEOPLE), ("rules.toml", &rules(BY_NICKNAME))]);
    assert_snapshot!(folder.failure(1, &format!("dedupe t.csv {DEDUPE}")), @r#"
    error: cannot read nicknames.csv: No such file or directory (os error 2)
     --> rules.toml:3:40
      |
    3 | when = "overlap(lookup(lower(l.first), 'nicknames.csv'), lookup(lower(r.first), 'nicknames.csv')) >= 1"
      |                                        ^^^^^^^^^^^^^^^
      |
    help: name a table of two columns, by its path from the folder of the rule file
    "#);
}

#[test]
fn why_shows_the_value_that_is_made() {
    let table = "id,first,last,tags\n1,Ann,Ash,a;b\n2,Ann,Ash,b;c\n";
    let rules = "[[rules]]\nname = \"n\"\nwhen = \"lower(concat(l.first, ' ', l.last)) = lower(r.first || ' ' || r.last) \
                 AND overlap(split(l.tags, ';'), split(r.tags, ';')) >= 1 AND split(l.tags, ';') <> split(r.tags, ';')\"\n";
    let folder = Folder::with(&[("t.csv", table), ("rules.toml", rules)]);
    assert_snapshot!(folder.stdout("why 1 2 t.csv -r rules.toml"), @r#"
    1 and 2

    rule "n": holds — the witness
      conjunction 1 of 2: holds
        holds  lower(concat(l.first, ' ', l.last)) = lower(r.first || ' ' || r.last)
               'ann ash' and 'ann ash'
        holds  overlap(split(l.tags, ';'), split(r.tags, ';')) >= 1
               '[a, b]' and '[b, c]'
               1 token in common, of 2 and 2: 'b'
        holds  split(l.tags, ';') <> split(r.tags, ';')
               '[a, b]' and '[b, c]'
      conjunction 2 of 2, which is 1 mirrored: holds
        holds  lower(l.first || ' ' || l.last) = lower(concat(r.first, ' ', r.last))
               'ann ash' and 'ann ash'
        holds  overlap(split(l.tags, ';'), split(r.tags, ';')) >= 1
               '[a, b]' and '[b, c]'
               1 token in common, of 2 and 2: 'b'
        holds  split(l.tags, ';') <> split(r.tags, ';')
               '[a, b]' and '[b, c]'

    The pair is a candidate; its witness is "n".
    "#);
}
