//! Parts of a few bytes each, compared with the csv crate's reader.

use super::*;
use arrow_array::Array;
use proptest::prelude::*;

/// What the csv crate's reader gives.
fn wanted(text: &str) -> Vec<Vec<String>> {
    let records = crate::read::table::csv::reader(text.as_bytes(), b',').into_byte_records();
    let shown = |field: &[u8]| String::from_utf8(field.to_vec()).unwrap();
    records.map(|record| record.unwrap().iter().map(shown).collect()).collect()
}

fn of_columns((columns, n_rows): Columns) -> Vec<Vec<String>> {
    let columns: Vec<_> = columns.into_iter().flatten().collect();
    let value = |column: &LargeStringArray, row| {
        if column.is_null(row) { String::new() } else { column.value(row).to_owned() }
    };
    (0..n_rows).map(|row| columns.iter().map(|column| value(column, row)).collect()).collect()
}

/// The rows by parts of `block` bytes, all columns kept.
fn rows(text: &str, n_columns: usize, block: u64) -> Option<Vec<Vec<String>>> {
    let layout = Layout::new(&vec![true; n_columns], b',');
    let (source, control) = (Source::of_bytes(text.to_owned()), Control::default());
    Parts { source: &source, first: 0, layout: &layout, control: &control, block }
        .read()
        .unwrap()
        .map(of_columns)
}

/// As a program would write it.
fn written(rows: &[Vec<String>], line_end: &str) -> String {
    let field = |field: &String| {
        let is_plain = !field.is_empty() && !field.contains(['"', ',', '\n', '\r']);
        if is_plain { field.clone() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
    };
    let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",") + line_end;
    rows.iter().map(line).collect()
}

proptest! {
    /// Line ends of all kinds, empty lines and fields, rows of other lengths.
    #[test]
    fn plain_rows(text in "([a-cé]{0,2}[,,\n]){0,12}[a,\r\n]{0,4}", n_columns in 1usize..4, block in 1u64..9) {
        let wanted = wanted(&text);
        let is_even = wanted.iter().all(|row| row.len() == n_columns);
        prop_assert_eq!(rows(&text, n_columns, block), is_even.then_some(wanted));
    }

    /// Whatever is read is right; what is well-formed is read.
    #[test]
    fn any_quotes(text in "([a\"é,\n\r]|\"\"|\",\"|\"\n){0,40}", n_columns in 1usize..4, block in 1u64..9) {
        if let Some(rows) = rows(&text, n_columns, block) {
            prop_assert_eq!(rows, wanted(&text));
        }
    }

    #[test]
    fn well_formed_quotes(
        rows in prop::collection::vec(prop::collection::vec("[a\",\n\ré]{0,6}", 3), 0..20),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        block in 1u64..40,
    ) {
        let text = written(&rows, line_end);
        prop_assert_eq!(wanted(&text), &rows[..]);
        prop_assert_eq!(super::tests::rows(&text, 3, block), Some(rows));
    }
}

/// Guesses that hold as far as a part can see, and are wrong.
#[test]
fn wrong_guesses_are_mended() {
    let text = format!("\"{}\",b\n\"c\",d\n", "x,y\n".repeat(200));
    for block in [16, 64, 200, 4096] {
        assert_eq!(rows(&text, 2, block), Some(wanted(&text)), "{block}");
    }
    let layout = Layout::new(&[true, true], b',');
    let (source, control) = (Source::of_bytes(text), Control::default());
    let parts = Parts { source: &source, first: 0, layout: &layout, control: &control, block: 64 };
    let guessed = parts.guessed().unwrap();
    assert!(guessed[1].rows.n_rows > 0);
    let checked = parts.checked(guessed).unwrap();
    assert_eq!(checked[1].rows.n_rows, 0);
}

/// Guesses are right where files are as most are: whatever a part begins with.
#[test]
fn many_parts_begin_inside_quotes() {
    let lines = |ix: usize| vec![ix.to_string(), "said \"so\",\nand more\n\n".repeat(ix % 5)];
    let words = |ix: usize| vec![format!("no. {ix}, or so"), "a, \"b\", and more".repeat(ix % 5)];
    for row in [lines, words] {
        let all: Vec<Vec<String>> = (0..20_000).map(row).collect();
        let text = written(&all, "\n");
        let layout = Layout::new(&[true, true], b',');
        let (source, control) = (Source::of_bytes(text.clone()), Control::default());
        let parts = Parts { source: &source, first: 0, layout: &layout, control: &control, block: BLOCK / 8 };
        let guessed = parts.guessed().unwrap();
        assert!(guessed.len() >= 4);
        let records: Vec<Range<u64>> = guessed.iter().flat_map(|part| part.records.clone()).collect();
        assert_eq!(records.len(), guessed.len());
        assert!(records.windows(2).all(|two| two[0].end == two[1].start), "{records:?}");
        assert_eq!(rows(&text, 2, BLOCK).unwrap(), all);
    }
}

#[test]
fn columns_that_nobody_wants() {
    let line = "ab,\"c,d\",".repeat(100) + "é\n";
    let text = line.repeat((5 << 20) / line.len());
    let keeps: Vec<bool> = (0..201).map(|ix| ix == 200).collect();
    let read = |text: &str| {
        let source = Source::of_bytes(text.to_owned());
        read(&source, 0, &Layout::new(&keeps, b','), &Control::default()).unwrap()
    };
    let (columns, n_rows) = read(&text).unwrap();
    assert_eq!(n_rows, text.lines().count());
    assert!(columns[200].as_ref().unwrap().iter().all(|value| value == Some("é")));
    assert!(columns[..200].iter().all(Option::is_none));
    assert!(read(&(text + "\"")).is_none());
}
