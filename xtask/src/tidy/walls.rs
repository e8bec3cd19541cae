//! The walls of the house: which way imports point.
//!
//! Three things are held up. The rooms of `host/src` stand in an order, and a room imports only from those before it. In no
//! folder of any crate do modules import each other in a circle: of the modules side by side, each with all that is below
//! it, some order can be found. And the crates themselves depend one way: xtask, tests → host → shared ← device. Parents
//! and children may import each other, and what a module hands on from another one counts as that one's.

use super::imports::{Import, imports};
use std::collections::{BTreeMap, BTreeSet};

/// The rooms of `host/src`, from the base to the top. What imports, imports from before itself.
const ROOMS: [&str; 19] = [
    "base",
    "read",
    "rules",
    "encode",
    "plan",
    "operators",
    "device",
    "run",
    "entities",
    "graph",
    "tell",
    "job",
    "resolve",
    "spread",
    "fit",
    "inspect",
    "report",
    "draft",
    // The product imports nothing from here.
    "baselines",
];
/// The only place that calls backends by their names, and the room they are in.
const BACKENDS: [&str; 2] = ["cpu", "cuda"];
const OPENS: &str = "host/src/device";
/// Each crate, and the crates of this workspace that it may depend on.
const CRATES: [(&str, &[&str]); 6] = [
    ("shared", &[]),
    ("device", &["hyperblock-shared"]),
    ("host", &["hyperblock-shared"]),
    ("tests", &["hyperblock", "hyperblock-shared", "hyperblock-device"]),
    ("xtask", &["hyperblock", "hyperblock-shared"]),
    ("python", &["hyperblock"]),
];
/// What crates of this workspace are called.
const PACKAGES: [&str; 3] = ["hyperblock", "hyperblock-shared", "hyperblock-device"];

/// What is wrong with the imports of these files: paths from the root, and their texts.
pub(super) fn complain(files: &BTreeMap<String, String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, _) in CRATES {
        let House { modules, used } = House::of(name, files);
        if name == "host" {
            complaints.extend(used.iter().filter_map(|edge| backwards(&modules, edge)));
            complaints.extend(used.iter().filter_map(|edge| by_name(&modules, edge)));
        }
        complaints.extend(circles(&modules, &used));
    }
    complaints
}

/// What is wrong with the dependencies in a crate's manifest.
pub(super) fn complain_of_manifest(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = CRATES.iter().find(|(other, _)| *other == name) else {
        return vec![format!("{name}/Cargo.toml: the walls do not know this crate")];
    };
    let depends = |package: &str| {
        manifest
            .lines()
            .any(|line| line.split(['.', ' ', '=']).next() == Some(package) && !line.starts_with('['))
    };
    let wrong = PACKAGES.iter().filter(|package| depends(package) && !allowed.contains(package));
    wrong.map(|package| format!("{name}/Cargo.toml: {name} may not depend on {package}")).collect()
}

/// A module by its path below the crate: `["plan", "cost"]`.
type Module = Vec<String>;

/// An import of one module by another.
struct Used {
    from: Module,
    to: Module,
    line: usize,
}

/// The modules of a crate, each with its file, and who imports whom.
struct House {
    modules: BTreeMap<Module, String>,
    used: Vec<Used>,
}

impl House {
    fn of(name: &str, files: &BTreeMap<String, String>) -> Self {
        let folder = format!("{name}/src/");
        let mut modules = BTreeMap::new();
        let mut all: BTreeMap<Module, Vec<Import>> = BTreeMap::new();
        for (path, text) in files {
            let Some(inner) = path.strip_prefix(&folder).and_then(|inner| inner.strip_suffix(".rs")) else {
                continue;
            };
            let module: Module = match inner {
                "lib" | "main" => Vec::new(),
                _ => inner.split('/').map(str::to_owned).collect(),
            };
            if module.iter().any(|piece| piece == "tests" || piece == "testing") {
                continue;
            }
            all.entry(module.clone()).or_default().extend(imports(text));
            modules.insert(module, path.clone());
        }
        let house = Names { modules: &modules, imports: &all };
        let mut used = Vec::new();
        for (from, found) in &all {
            for import in found {
                let to = house.lead(from, &import.path);
                used.extend(to.map(|to| Used { from: from.clone(), to, line: import.line }));
            }
        }
        Self { modules, used }
    }
}

/// What paths lead to.
struct Names<'a> {
    modules: &'a BTreeMap<Module, String>,
    imports: &'a BTreeMap<Module, Vec<Import>>,
}

impl Names<'_> {
    /// The module that a path in another one leads to, if it is of the same crate.
    fn lead(&self, from: &Module, path: &[String]) -> Option<Module> {
        let mut at = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            child => {
                let below = [from.clone(), vec![child.to_owned()]].concat();
                return self.modules.contains_key(&below).then(|| self.walk(below, &path[1..]));
            }
        };
        let mut rest = &path[1..];
        while rest.first().is_some_and(|piece| piece == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        Some(self.walk(at, rest))
    }

    /// Down the path as far as it names modules; a name that is handed on leads to where it is from.
    fn walk(&self, mut at: Module, path: &[String]) -> Module {
        for (ix, piece) in path.iter().enumerate() {
            let below = [at.clone(), vec![piece.clone()]].concat();
            if self.modules.contains_key(&below) {
                at = below;
                continue;
            }
            let handed_on = self.imports.get(&at).into_iter().flatten().find(|import| {
                import.is_public && import.path.last() == Some(piece) && import.path.first() != Some(piece)
            });
            if let Some(import) = handed_on
                && let Some(to) = self.lead(&at, &import.path).filter(|to| *to != at)
            {
                return self.walk(to, &path[ix + 1..]);
            }
            break;
        }
        at
    }
}

/// An import from a room that stands after the one it is in.
fn backwards(modules: &BTreeMap<Module, String>, Used { from, to, line }: &Used) -> Option<String> {
    let place =
        |module: &Module| ROOMS.iter().position(|room| Some(*room) == module.first().map(String::as_str));
    let (room, other) = (from.first()?, to.first()?);
    match (place(from), place(to)) {
        (Some(here), Some(there)) if there > here => Some(format!(
            "{}:{line}: `{room}` imports from `{other}`, which stands after it in the order of rooms",
            modules[from]
        )),
        (None, _) if room != "cli" => {
            Some(format!("{}: `{room}` has no place in the order of rooms", modules[from]))
        }
        _ => None,
    }
}

/// A backend that is called by its name outside of the room that opens it.
fn by_name(modules: &BTreeMap<Module, String>, Used { from, to, line }: &Used) -> Option<String> {
    let is_backend = to.len() >= 2 && to[0] == "device" && BACKENDS.contains(&to[1].as_str());
    (is_backend && !modules[from].starts_with(OPENS)).then(|| {
        format!("{}:{line}: `{}` is called by its name: ask {OPENS} to open it", modules[from], to[1])
    })
}

/// Modules side by side that import each other in a circle.
fn circles(modules: &BTreeMap<Module, String>, used: &[Used]) -> Vec<String> {
    // By folder: which of its modules import which, and where.
    let mut folders: BTreeMap<&[String], BTreeMap<&str, BTreeMap<&str, String>>> = BTreeMap::new();
    for Used { from, to, line } in used {
        let n_shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (Some(here), Some(there)) = (from.get(n_shared), to.get(n_shared)) {
            let folder = folders.entry(&from[..n_shared]).or_default();
            let place = format!("{}:{line}", modules[from]);
            folder.entry(here.as_str()).or_default().entry(there.as_str()).or_insert(place);
        }
    }
    let mut complaints = Vec::new();
    for imports in folders.values() {
        let mut left: BTreeSet<&str> =
            imports.iter().flat_map(|(from, to)| std::iter::once(*from).chain(to.keys().copied())).collect();
        // Whoever imports nothing that is left can stand first, and whom nothing left imports can stand last. What then
        // remains goes in circles.
        let imports_any = |module: &str, left: &BTreeSet<&str>| {
            imports.get(module).is_some_and(|to| to.keys().any(|other| left.contains(other)))
        };
        let is_imported = |module: &str, left: &BTreeSet<&str>| {
            left.iter().any(|other| imports.get(other).is_some_and(|to| to.contains_key(module)))
        };
        let is_free =
            |module: &str, left: &BTreeSet<&str>| !imports_any(module, left) || !is_imported(module, left);
        while let Some(free) = left.iter().copied().find(|module| is_free(module, &left)) {
            left.remove(free);
        }
        let within = imports.iter().filter(|(from, _)| left.contains(*from)).flat_map(|(from, to)| {
            let circular = to.iter().filter(|(other, _)| left.contains(*other));
            circular.map(move |(other, place)| {
                format!("{place}: `{from}` and `{other}` import each other in a circle")
            })
        });
        complaints.extend(within);
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{complain, complain_of_manifest};

    fn check(files: &[(&str, &str)], complaints: &[&str]) {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(complain(&files), complaints);
    }

    #[test]
    fn a_room_imports_from_those_before_it() {
        check(&[("host/src/plan.rs", "use crate::encode::Encoded;\n"), ("host/src/encode.rs", "")], &[]);
        check(
            &[("host/src/plan/cost.rs", "\nuse crate::run::pieces;\n"), ("host/src/run.rs", "")],
            &[
                "host/src/plan/cost.rs:2: `plan` imports from `run`, which stands after it in the order of rooms",
            ],
        );
        check(
            &[
                ("host/src/plan.rs", "fn f() { crate::job::f(super::tell::g()) }\n"),
                ("host/src/job.rs", ""),
                ("host/src/tell.rs", ""),
            ],
            &[
                "host/src/plan.rs:1: `plan` imports from `job`, which stands after it in the order of rooms",
                "host/src/plan.rs:1: `plan` imports from `tell`, which stands after it in the order of rooms",
            ],
        );
    }

    #[test]
    fn what_is_handed_on_counts_where_it_is_from() {
        check(
            &[
                ("host/src/base.rs", "pub use crate::job::Job;\n"),
                ("host/src/job.rs", ""),
                ("host/src/plan.rs", "use crate::base::Job;\n"),
            ],
            &[
                "host/src/base.rs:1: `base` imports from `job`, which stands after it in the order of rooms",
                "host/src/plan.rs:1: `plan` imports from `job`, which stands after it in the order of rooms",
            ],
        );
    }

    #[test]
    fn tests_may_look_ahead() {
        check(
            &[
                ("host/src/plan.rs", "#[cfg(test)]\nmod tests {\n    use crate::job;\n}\n"),
                ("host/src/plan/tests.rs", "use crate::job;\n"),
                ("host/src/job.rs", ""),
            ],
            &[],
        );
    }

    #[test]
    fn backends_are_opened_in_one_place() {
        let files = [
            ("host/src/device/cpu.rs", ""),
            ("host/src/device.rs", ""),
            ("host/src/device/open.rs", "use super::cpu::Cpu;\n"),
        ];
        check(&files, &[]);
        check(
            &[files[0], files[1], ("host/src/entities.rs", "use crate::device::cpu::Cpu;\n")],
            &["host/src/entities.rs:1: `cpu` is called by its name: ask host/src/device to open it"],
        );
    }

    #[test]
    fn modules_do_not_import_each_other_in_a_circle() {
        let parent_and_child =
            [("shared/src/a.rs", "mod b;\npub use b::B;\n"), ("shared/src/a/b.rs", "use super::A;\n")];
        check(&parent_and_child, &[]);
        check(
            &[
                ("shared/src/a.rs", "use crate::b::B;\n"),
                ("shared/src/b.rs", "\nuse crate::c::C;\n"),
                ("shared/src/c/d.rs", "use crate::a::A;\n"),
                ("shared/src/c.rs", ""),
                ("shared/src/e.rs", "use crate::a::A;\n"),
            ],
            &[
                "shared/src/a.rs:1: `a` and `b` import each other in a circle",
                "shared/src/b.rs:2: `b` and `c` import each other in a circle",
                "shared/src/c/d.rs:1: `c` and `a` import each other in a circle",
            ],
        );
    }

    #[test]
    fn crates_depend_one_way() {
        assert!(
            complain_of_manifest("host", "[dependencies]\nhyperblock-shared.workspace = true\n").is_empty()
        );
        assert_eq!(
            complain_of_manifest("shared", "[dependencies]\nhyperblock.workspace = true\n"),
            ["shared/Cargo.toml: shared may not depend on hyperblock"]
        );
        assert_eq!(complain_of_manifest("new", ""), ["new/Cargo.toml: the walls do not know this crate"]);
    }
}
