//! What a source file imports: the paths of its `use` lines, and those it names where it needs them.
//!
//! No parser for Rust is needed for that: comments and strings go, and what is left has few forms. Test code is left out;
//! it may look wherever it likes.

/// A path that a file names, beginning with `crate`, `super` or a crate's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// Counted from 1.
    pub(crate) line: usize,
    /// The path, piece by piece.
    pub(crate) path: Vec<String>,
    /// Whether it is handed on (`pub use`).
    pub(crate) is_public: bool,
}

/// All imports of a file's text.
pub(crate) fn imports(text: &str) -> Vec<Import> {
    let code = without_tests(&without_comments(text));
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(at) = next_path(&code, rest) {
        let line = code[..at].matches('\n').count() + 1;
        let before = code[..at].trim_end();
        let is_use = before.ends_with("use") || before.ends_with("use ::");
        let statement = before.trim_end_matches("::").trim_end().trim_end_matches("use").trim_end();
        let is_public = is_use && (statement.ends_with("pub") || statement.ends_with(')'));
        let end = if is_use {
            code[at..].find(';').map_or(code.len(), |n| at + n)
        } else {
            code[at..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                .map_or(code.len(), |n| at + n)
        };
        for path in expand(&code[at..end]) {
            found.push(Import { line, path, is_public });
        }
        rest = end.max(at + 1);
    }
    found
}

/// The next place at which a path begins that may lead to another module.
fn next_path(code: &str, from: usize) -> Option<usize> {
    let starts = ["crate::", "super::", "use "];
    let mut at = from;
    while at < code.len() {
        let next =
            starts.iter().filter_map(|start| Some((at + code.get(at..)?.find(start)?, *start))).min()?;
        let (place, start) = next;
        let is_word =
            code[..place].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':'));
        if is_word && start == "use " {
            return Some(place + start.len());
        }
        if is_word {
            return Some(place);
        }
        at = place + start.len();
    }
    None
}

/// The paths of a tree such as `a::{b, c::{d, e}}`; what is renamed goes by its own name.
fn expand(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let (head, inner) = match tree.split_once('{') {
        Some((head, inner)) => (head, Some(inner.trim_end().trim_end_matches('}'))),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let pieces = |path: &str| -> Vec<String> {
        let whole = path.split("::").map(str::trim).filter(|piece| !piece.is_empty() && *piece != "self");
        whole.map(str::to_owned).collect()
    };
    let head = pieces(head);
    let Some(inner) = inner else { return vec![head] };
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let full = parts.filter(|part| !part.trim().is_empty()).flat_map(expand);
    full.map(|path| [head.clone(), path].concat()).collect()
}

/// The text with blanks for comments and strings, so that lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = match line.find("//") {
            Some(at) => &line[..at],
            None => line,
        };
        let mut in_string = false;
        let mut before = ' ';
        for c in bare.chars() {
            let is_quote = c == '"' && before != '\\' && before != '\'';
            in_string ^= is_quote;
            code.push(if in_string || is_quote { ' ' } else { c });
            before = c;
        }
        if !bare.ends_with('\n') && line.ends_with('\n') {
            code.push('\n');
        }
    }
    code
}

/// The code before the module of its tests, which stands last.
fn without_tests(code: &str) -> String {
    let is_tests = |at: usize| code[at..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let mut at = 0;
    while let Some(found) = code[at..].find("#[cfg(test)]\nmod ") {
        at += found;
        if is_tests(at) {
            return code[..at].to_owned();
        }
        at += 1;
    }
    code.to_owned()
}

#[cfg(test)]
mod tests {
    use super::imports;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found: Vec<_> = imports(text).into_iter().map(|it| (it.line, it.path.join("::"))).collect();
        let expected: Vec<_> = expected.iter().map(|(line, path)| (*line, (*path).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn trees_are_expanded() {
        check(
            "//! Story of crate::a.\nuse crate::plan::{self, cost::{CostModel, Features as F}, Plan};\nuse std::fmt;\n",
            &[
                (2, "crate::plan"),
                (2, "crate::plan::cost::CostModel"),
                (2, "crate::plan::cost::Features"),
                (2, "crate::plan::Plan"),
                (3, "std::fmt"),
            ],
        );
    }

    #[test]
    fn paths_within_code_count_and_words_do_not() {
        check(
            "fn f() -> super::Id {\n    // crate::no\n    let x = \"crate::no\";\n    crate::base::g(x)\n}\n",
            &[(1, "super::Id"), (4, "crate::base::g")],
        );
        check("fn refuse () { because crate_x::y; }\n", &[]);
    }

    #[test]
    fn tests_may_look_anywhere() {
        check("use crate::a;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n", &[(1, "crate::a")]);
        check("#[cfg(test)]\nmod tests;\nuse crate::a;\n", &[(3, "crate::a")]);
    }

    #[test]
    fn what_is_handed_on_is_told() {
        let found = imports("pub use a::B;\npub(crate) use c::D;\nuse e::F;\n");
        assert_eq!(found.iter().map(|it| it.is_public).collect::<Vec<_>>(), [true, true, false]);
    }
}
