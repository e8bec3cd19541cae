//! The modules of some crates, and what paths in them lead to.

use crate::source::{Item, items, parts, without_comments};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A module by its path, which begins with its crate: `["hyperblock", "plan", "cost"]`.
pub(crate) type Module = Vec<String>;

/// The items of all modules.
pub(crate) struct House {
    pub(crate) modules: BTreeMap<Module, Vec<Item>>,
}

/// What a `use` brings: a path, and the name that it goes by.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
}

impl House {
    /// Reads the sources of crates by their folders.
    pub(crate) fn read(crates: &[(&str, &Path)]) -> Self {
        let mut house = Self { modules: BTreeMap::new() };
        for (name, folder) in crates {
            house.add(folder, "lib", vec![(*name).to_owned()]);
        }
        house
    }

    /// Adds the module in a file, and those below it.
    fn add(&mut self, folder: &Path, file: &str, module: Module) {
        let path = folder.join(format!("{file}.rs"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let below = if file == "lib" { folder.to_owned() } else { folder.join(file) };
        self.add_items(&below, items(&without_comments(&text)), module);
    }

    fn add_items(&mut self, below: &Path, all: Vec<Item>, module: Module) {
        for item in all.iter().filter(|item| !item.has("cfg(test)")) {
            if let ("mod", name) = item.named() {
                let inner = [module.clone(), vec![name.to_owned()]].concat();
                match &item.body {
                    Some(body) => self.add_items(&below.join(name), items(body), inner),
                    None => self.add(below, name, inner),
                }
            }
        }
        self.modules.insert(module, all);
    }

    /// The item that a path in a module leads to, and the module that it stands in: through all that hand it on.
    pub(crate) fn lead(&self, from: &Module, path: &[String]) -> Option<(Module, &Item)> {
        let (first, rest) = path.split_first()?;
        let mut at: Module = match first.as_str() {
            "crate" => from[..1].to_vec(),
            "self" => from.clone(),
            "super" => from[..from.len() - 1].to_vec(),
            name if self.modules.contains_key(&vec![name.to_owned()]) => vec![name.to_owned()],
            _ => return self.within(from, path),
        };
        let n_up = rest.iter().take_while(|piece| *piece == "super").count();
        at.truncate(at.len() - n_up);
        self.within(&at, &rest[n_up..])
    }

    fn within(&self, module: &Module, path: &[String]) -> Option<(Module, &Item)> {
        let (first, rest) = path.split_first()?;
        let below = [module.clone(), vec![first.clone()]].concat();
        if !rest.is_empty() && self.modules.contains_key(&below) {
            return self.within(&below, rest);
        }
        let all = self.modules.get(module)?;
        let here = all.iter().find(|item| rest.is_empty() && is_defined(item) && item.named().1 == first);
        if let Some(item) = here {
            return Some((module.clone(), item));
        }
        let mut used = all.iter().flat_map(used);
        let Used { path, .. } = used.find(|used| used.name == *first && used.path != [first.clone()])?;
        self.lead(module, &[path, rest.to_vec()].concat())
    }
}

fn is_defined(item: &Item) -> bool {
    ["struct", "enum", "trait", "fn", "type", "const", "static", "mod"].contains(&item.named().0)
}

/// What an item brings, if it is a `use`.
pub(crate) fn used(item: &Item) -> Vec<Used> {
    item.bare().strip_prefix("use ").map(expanded).unwrap_or_default()
}

fn expanded(tree: &str) -> Vec<Used> {
    let (head, inner) = match tree.split_once('{') {
        Some((head, inner)) => (head, inner.trim_end().strip_suffix('}')),
        None => (tree, None),
    };
    let pieces = |path: &str| -> Vec<String> {
        path.split("::").map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
    };
    let Some(inner) = inner else {
        let (path, name) = head.split_once(" as ").unwrap_or((head, ""));
        let mut path = pieces(path);
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = match name {
            "" => path.last().cloned().unwrap_or_default(),
            name => name.trim().to_owned(),
        };
        return vec![Used { path, name }];
    };
    let head = pieces(head);
    let below = parts(inner).into_iter().flat_map(|part| expanded(&part.head));
    let whole = |used: Used| match used.path == ["self"] {
        true => Used { name: head.last().cloned().unwrap_or_default(), path: head.clone() },
        false => Used { path: [head.clone(), used.path].concat(), name: used.name },
    };
    below.map(whole).collect()
}
