//! Lists of all shapes, and what is said of those that are none.

use super::{EdgeList, Names};
use crate::base::control::Control;
use crate::operators::closure::tuple;
use std::io::Write;

fn read(text: impl AsRef<[u8]>, header: bool) -> Result<EdgeList, String> {
    let mut file = tempfile::Builder::new().suffix(".tsv").tempfile().expect("a file can be made");
    file.write_all(text.as_ref()).expect("a file can be written");
    let path = file.path().display().to_string();
    EdgeList::read(file.path(), header, None, &Control::default())
        .map_err(|error| error.to_string().replace(&path, "edges.tsv"))
}

fn edges(list: &EdgeList) -> Vec<(u32, u32)> {
    list.graph.edges.iter().map(|edge| ((edge >> 32) as u32, *edge as u32)).collect()
}

#[test]
fn integers_in_many_shapes() {
    let wanted = read("10\t-3\n-3\t9\n10\t9\n", false).expect("a list");
    assert_eq!(wanted.names, Names::Integers(vec![-3, 9, 10]));
    assert_eq!((edges(&wanted), wanted.n_lines), (vec![(0, 1), (2, 0), (2, 1)], 3));
    for text in [
        "10,-3\r\n-3,9\r\n10,9",
        "10 -3\n\n-3   9 \n10 9\n",
        "# nodes\n% more\n10 , -3\n-3\t 9\n10 9\n",
        "\u{feff}10 -3\n-3 9\n10 9",
        " 10 -3\n-3 9\n10 9",
        "\"10\",\"-3\"\n-3,9\n10,9\n",
        "10\t-3\n-3\t9\n10 ,\"9\" \n",
    ] {
        assert_eq!(read(text, false).as_ref(), Ok(&wanted), "{text:?}");
        let headed = format!("# c\nsource,target\n{}", text.trim_start_matches('\u{feff}'));
        assert_eq!(read(headed, true).as_ref(), Ok(&wanted), "{text:?}");
    }
}

/// One label, and all names are as they are written.
#[test]
fn names_are_as_written() {
    for label in ["007", "+7", "-0", "-07"] {
        let list = read(format!("{label} 7\n7 10\n"), false).expect("a list");
        assert_eq!(list.names, Names::Texts([label, "10", "7"].map(str::to_owned).to_vec()));
        assert_eq!(edges(&list), [(0, 2), (2, 1)]);
    }
    let list = read("7,0\n0,-7\n", false).expect("a list");
    assert_eq!(list.names, Names::Integers(vec![-7, 0, 7]));
}

#[test]
fn comments_begin_a_line_and_are_not_quoted() {
    let list = read("# a,b\n%c,d\n\"#e\",%f\n ,#g\n", false);
    assert_eq!(list, Err("edges.tsv: line 4: the source is missing".into()));
    let list =
        read("# a,b\n%c,d\n\"#e\",%f\n \"%h\" , #g\n\" i\",\"say \"\"i\"\", \"\n", false).expect("a list");
    let wanted = [" i", "#e", "#g", "%f", "%h", "say \"i\", "].map(str::to_owned);
    assert_eq!(list.names, Names::Texts(wanted.to_vec()));
    assert_eq!(edges(&list), [(0, 5), (1, 3), (4, 2)]);
}

#[test]
fn repeated_edges_count_once() {
    let list = read("1 2\n2 1\n1 2\n1 1\n1 1\n", false).expect("a list");
    assert_eq!((list.graph.edges.len(), list.n_lines), (3, 5));
}

#[test]
fn names_far_apart() {
    let (least, most) = (i64::MIN, i64::MAX);
    let list = read(format!("{most}\t{least}\n0\t{most}\n"), false).expect("a list");
    assert_eq!(list.names, Names::Integers(vec![least, 0, most]));
    assert_eq!(list.graph.edges, [tuple(1, 2), tuple(2, 0)]);
}

#[test]
fn names_that_are_text() {
    let list = read("b,\"a, c\"\n10,é\n9,b\n", false).expect("a list");
    assert_eq!(list.names, Names::Texts(["10", "9", "a, c", "b", "é"].map(str::to_owned).to_vec()));
    assert_eq!(edges(&list), [(0, 4), (1, 3), (3, 2)]);
    let tabs = read("new york\tlos angeles, ca\n", false).expect("a list");
    assert_eq!(tabs.names, Names::Texts(vec!["los angeles, ca".into(), "new york".into()]));
}

#[test]
fn many_lines_are_parsed_in_parts() {
    let text: String = (0..60_000).map(|node| format!("{node}\t{}\n", node * 7 % 60_000)).collect();
    let list = read(&text, false).expect("a list");
    assert_eq!((list.graph.n_nodes, list.n_lines), (60_000, 60_000));
    assert_eq!(list.graph.edges[59_999], tuple(59_999, 59_999 * 7 % 60_000));
}

#[test]
fn what_is_wrong() {
    for (text, wanted) in [
        ("", "there are no edges in the file; a line is a source and a target"),
        ("# nothing\n\n", "there are no edges in the file; a line is a source and a target"),
        (
            "1 2\n1 2 3\n",
            "line 2: 3 fields, not a source and a target; they are separated by a tab, a comma or blanks",
        ),
        (
            "#\n1\n",
            "line 2: 1 field, not a source and a target; they are separated by a tab, a comma or blanks",
        ),
        ("1\t2\n1\t\n", "line 2: the target is missing"),
        (",2\n", "line 1: the source is missing"),
        ("1,2\n\"a,b\n", "line 2: a quote is opened and not closed at the end of its field"),
        ("1,2\n\"a\"b,c\n", "line 2: a quote is opened and not closed at the end of its field"),
        (
            "from,to\n1,2\n2,3\n",
            "line 1: `from` and `to` are no integers, and all other nodes are; if they are a header, use --header",
        ),
    ] {
        assert_eq!(read(text, false), Err(format!("edges.tsv: {wanted}")), "{text:?}");
    }
    let said = read(b"1 2\n\xff 3\n", false);
    assert_eq!(said, Err("edges.tsv: line 2: not valid UTF-8; convert the file to UTF-8".into()));
    let said = read(b"\xff\xfe1\0", false);
    assert_eq!(said, Err("edges.tsv: the file is UTF-16; convert it to UTF-8 first".into()));
}
