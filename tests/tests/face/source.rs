//! Items of a source file. No parser of Rust: comments and strings go, and what is left is told apart by its brackets.

/// An item, as far as the face is concerned.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its attributes, without blanks.
    pub(crate) attributes: Vec<String>,
    /// What stands before its body: `pub fn f(x: u32) -> u32`.
    pub(crate) head: String,
    /// What stands between its braces, if there are any.
    pub(crate) body: Option<String>,
}

impl Item {
    /// Whether others may name it.
    pub(crate) fn is_public(&self) -> bool {
        self.head.starts_with("pub ") && !self.has("doc(hidden)")
    }

    /// Whether one of its attributes is this one.
    pub(crate) fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|it| it == attribute)
    }

    /// Its head without who may see it.
    pub(crate) fn bare(&self) -> &str {
        let bare = self.head.strip_prefix("pub").unwrap_or(&self.head).trim_start();
        match bare.starts_with('(') && self.head.starts_with("pub(") {
            true => bare.split_once(')').map_or(bare, |(_, rest)| rest.trim_start()),
            false => bare,
        }
    }

    /// What kind of item it is, and its name: `("fn", "f")`.
    pub(crate) fn named(&self) -> (&str, &str) {
        let modifiers = ["const fn", "async fn", "unsafe fn"];
        let bare = self.bare();
        let skipped = modifiers.iter().find(|it| bare.starts_with(*it)).map_or(0, |it| it.len() - 2);
        let (kind, rest) = bare[skipped..].split_once(' ').unwrap_or((bare, ""));
        (kind, &rest[..rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())])
    }
}

/// All items of a text without comments ([`without_comments`]).
pub(crate) fn items(code: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = code.trim_start();
    while !rest.is_empty() {
        let mut attributes = Vec::new();
        while rest.starts_with('#') {
            let end = end(rest, |depth, c| depth == 0 && c == ']');
            let attribute = rest[..end].trim_start_matches(['#', '!', '[']).trim_end_matches(']');
            attributes.push(attribute.split_whitespace().collect());
            rest = rest[end..].trim_start();
        }
        if rest.is_empty() {
            break;
        }
        let value = ["use ", "const ", "static ", "type "];
        let head = Item { attributes: Vec::new(), head: rest.to_owned(), body: None };
        // Their braces, if any, are no body.
        let is_whole = value.iter().any(|it| head.bare().starts_with(it)) && head.named().0 != "fn";
        let at = end(rest, |depth, c| depth == 0 && c == ';' || !is_whole && depth == 1 && c == '{');
        let (head, body, next) = match rest[..at].ends_with('{') {
            true => {
                let length = end(&rest[at - 1..], |depth, c| depth == 0 && c == '}');
                let body = &rest[at..at + length - 2];
                (&rest[..at - 1], Some(body.to_owned()), &rest[at + length - 1..])
            }
            false => (rest[..at].trim_end_matches(';'), None, &rest[at..]),
        };
        items.push(Item { attributes, head: in_a_line(head), body });
        rest = next.trim_start();
    }
    items
}

/// Parts between commas: fields, variants, or what a `use` names.
pub(crate) fn parts(code: &str) -> Vec<Item> {
    let (mut parts, mut rest) = (Vec::new(), code.trim());
    while !rest.is_empty() {
        let mut attributes = Vec::new();
        while rest.starts_with('#') {
            let end = end(rest, |depth, c| depth == 0 && c == ']');
            attributes.push(rest[..end].trim_matches(['#', '[', ']']).split_whitespace().collect());
            rest = rest[end..].trim_start();
        }
        let mut n_angles = 0i32;
        let mut before = ' ';
        let end = end(rest, |depth, c| {
            n_angles += i32::from(c == '<') - i32::from(c == '>' && before != '-');
            before = c;
            depth == 0 && n_angles == 0 && c == ','
        });
        let head = in_a_line(rest[..end].trim_end_matches(','));
        parts.push(Item { attributes, head, body: None });
        rest = rest[end..].trim_start();
    }
    parts
}

/// The length up to the first character, this one included, at which `is_end` says so, told how many brackets are open.
fn end(code: &str, mut is_end: impl FnMut(i32, char) -> bool) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        if is_end(depth, c) {
            return at + c.len_utf8();
        }
    }
    code.len()
}

/// The same, however its lines were broken.
fn in_a_line(code: &str) -> String {
    let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let closed = words.replace("( ", "(").replace(", )", ")").replace(" )", ")").replace(", }", " }");
    // What an argument is to the function itself is not the caller's concern.
    closed.replace("(mut ", "(").replace(", mut ", ", ")
}

/// The text without comments, and with nothing in its strings and characters.
pub(crate) fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let n_hashes = rest[1.min(rest.len() - c.len_utf8() + 1)..].chars().take_while(|c| *c == '#').count();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if c == 'r' && !is_word && rest[1 + n_hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(n_hashes));
            code.push_str("\"\"");
            let start = n_hashes + 2;
            rest[start..].find(&close).map_or(rest.len(), |at| start + at + close.len())
        } else if c == '"' {
            code.push_str("\"\"");
            closed(rest, '"')
        } else if c == '\'' && (rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'')) {
            code.push_str("''");
            closed(rest, '\'')
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// The length of a string, or of a character, with its quotes.
fn closed(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

#[test]
fn items_are_told_apart() {
    let code = without_comments(
        "//! Story {\n/// A\n#[derive(Clone,\n Debug)]\npub struct A<'a> { /* { */ pub a: &'a str, b: char }\n\
         pub(crate) fn f(\n    x: [u8; 4],\n) -> u8 { '{' as u8 + r#\"}\"#.len() as u8 + b'\\'' }\n\
         pub const C: A = A { a: \"}\", b: '}' };\npub const fn g() {}\npub use a::{b, c::{d, E as F}};\nmod x;\n",
    );
    let items = items(&code);
    let heads: Vec<&str> = items.iter().map(|item| item.head.as_str()).collect();
    assert_eq!(
        heads,
        [
            "pub struct A<'a>",
            "pub(crate) fn f(x: [u8; 4]) -> u8",
            "pub const C: A = A { a: \"\", b: '' }",
            "pub const fn g()",
            "pub use a::{b, c::{d, E as F}}",
            "mod x",
        ]
    );
    let named: Vec<_> = items.iter().map(Item::named).collect();
    assert_eq!(named[..4], [("struct", "A"), ("fn", "f"), ("const", "C"), ("fn", "g")]);
    assert_eq!(items[0].attributes, ["derive(Clone,Debug)"]);
    let fields = parts(items[0].body.as_deref().unwrap());
    assert_eq!(
        fields.iter().map(|field| field.head.as_str()).collect::<Vec<_>>(),
        ["pub a: &'a str", "b: char"]
    );
    assert_eq!(parts("a: B<C, D>, e: fn(F, G) -> H, i: J").len(), 3);
}
