//! What the face looks like: each name with all that is public about it, in the order of names.

use crate::house::{House, Module, Used, used};
use crate::source::{Item, items, parts};
use std::collections::{BTreeMap, BTreeSet};

/// The face of a crate, as text.
pub(crate) fn told(house: &House, name: &str) -> String {
    let mut names = BTreeMap::new();
    gather(house, &vec![name.to_owned()], "", &mut names);
    let implemented = implemented(house, &names);
    let tell = |(name, found): (&String, &Option<Found<'_>>)| match found {
        None => format!("use {name}\n"),
        Some(found) => format!("{name}\n{}", of_item(found, &implemented)),
    };
    names.iter().map(tell).collect::<Vec<_>>().join("\n")
}

/// An item, and the module that it stands in.
type Found<'a> = (Module, &'a Item);

/// By name: what it is of, unless that is another crate.
type Names<'a> = BTreeMap<String, Option<Found<'a>>>;

/// All that a module hands on or holds, and the modules in it.
fn gather<'a>(house: &'a House, module: &Module, before: &str, names: &mut Names<'a>) {
    for item in house.modules[module].iter().filter(|item| item.is_public()) {
        match item.named() {
            ("mod", name) => {
                let inner = [module.clone(), vec![name.to_owned()]].concat();
                gather(house, &inner, &format!("{before}{name}::"), names);
            }
            ("use", _) => {
                for Used { path, name } in used(item) {
                    let found = house.lead(module, &path);
                    assert!(found.is_some() || path.len() == 1, "{before}{name}: {path:?} leads nowhere");
                    names.insert(format!("{before}{name}"), found);
                }
            }
            (_, name) => {
                names.insert(format!("{before}{name}"), Some((module.clone(), item)));
            }
        }
    }
}

/// What is implemented, by the module and the name of what it is for; each head with its public items. Traits of the house
/// that are not of its face do not count.
type Implemented = BTreeMap<(Module, String), BTreeMap<String, BTreeSet<String>>>;

fn implemented(house: &House, names: &Names<'_>) -> Implemented {
    let key = |(module, item): Found<'_>| (module, item.named().1.to_owned());
    let face: BTreeSet<_> = names.values().flatten().cloned().map(key).collect();
    let all = house.modules.iter().flat_map(|(module, all)| all.iter().map(move |item| (module, item)));
    let mut implemented = Implemented::new();
    for (module, item) in all.filter(|(_, item)| item.head.starts_with("impl")) {
        let head = after_generics(item.head.trim_start_matches("impl"));
        let (of_trait, what) = match head.split_once(" for ") {
            Some((of_trait, what)) => (Some(of_trait), what),
            None => (None, head),
        };
        let Some(what) = house.lead(module, &path(what)) else { continue };
        if of_trait.and_then(|it| house.lead(module, &path(it))).is_some_and(|it| !face.contains(&key(it))) {
            continue;
        }
        let is_shown = |it: &&Item| match of_trait {
            Some(_) => it.named().0 == "type",
            None => it.is_public(),
        };
        let inner = items(item.body.as_deref().unwrap_or_default());
        let shown: BTreeSet<String> = inner.iter().filter(is_shown).map(head_of).collect();
        if of_trait.is_some() || !shown.is_empty() {
            implemented.entry(key(what)).or_default().entry(item.head.clone()).or_default().extend(shown);
        }
    }
    implemented
}

/// What comes after `<…>`.
fn after_generics(head: &str) -> &str {
    let mut depth = 0;
    let end = head.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    head[end.unwrap_or(0)..].trim_start_matches('>').trim_start()
}

/// The path that a type begins with.
fn path(of_type: &str) -> Vec<String> {
    let end = of_type.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c))).unwrap_or(of_type.len());
    of_type[..end].split("::").filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// The head of an item as others see it; what a constant comes to is its own business.
fn head_of(item: &Item) -> String {
    let head = item.bare();
    match (item.named().0, head.split_once('(')) {
        ("const" | "static", _) => head.split(" = ").next().unwrap_or_default().to_owned(),
        // Of what is in brackets, only what others may see.
        ("struct", Some((head, fields))) => {
            let fields = parts(fields.trim_end_matches(')'));
            let shown = fields.iter().map(|field| if field.is_public() { field.bare() } else { "_" });
            format!("{head}({})", shown.collect::<Vec<_>>().join(", "))
        }
        _ => head.to_owned(),
    }
}

/// What is public of an item, a line each.
fn of_item((module, item): &Found<'_>, implemented: &Implemented) -> String {
    let is_told = |it: &&String| TOLD.iter().any(|kind| it.starts_with(kind));
    let attributes = item.attributes.iter().filter(is_told);
    let mut lines: Vec<String> = attributes.map(|it| format!("#[{}]", it.replace(',', ", "))).collect();
    lines.push(head_of(item));
    let (kind, name) = item.named();
    let body = item.body.as_deref().unwrap_or_default();
    let inner = if kind == "trait" { items(body) } else { parts(body) };
    let is_shown = |it: &Item| if kind == "struct" { it.is_public() } else { !it.has("doc(hidden)") };
    if ["struct", "enum", "trait"].contains(&kind) {
        lines.extend(inner.iter().filter(|it| is_shown(it)).map(|it| format!("    {}", it.bare())));
        lines.extend((!inner.iter().all(is_shown)).then(|| "    ..".to_owned()));
    }
    for (head, inner) in implemented.get(&(module.clone(), name.to_owned())).into_iter().flatten() {
        lines.push(head.clone());
        lines.extend(inner.iter().map(|it| format!("    {it}")));
    }
    lines.join("\n") + "\n"
}

/// Attributes that others see.
const TOLD: [&str; 4] = ["derive(", "non_exhaustive", "must_use", "deprecated"];
