//! Several tables: which files a pattern stands for, and what each table is called.

use super::Input;
use crate::base::error::{Error, Result};
use crate::base::stdin::is_stdin;
use hashbrown::{HashMap, HashSet};
use std::path::{Component, Path};

/// What a shell would expand.
const WILD: [char; 3] = ['*', '?', '['];
/// The ending of a file that is packed as a whole: what it holds, the ending before it says.
pub(super) const PACKED: [&str; 4] = ["gz", "bgz", "zst", "zstd"];

impl Input {
    /// The files that a pattern such as `parts/*.csv` stands for, sorted; at least one. Nothing, if it is the name of a file, or no
    /// pattern.
    pub fn matching(pattern: &Path) -> Result<Option<Vec<Self>>> {
        let Some(text) = pattern.to_str().filter(|text| text.contains(WILD)) else { return Ok(None) };
        if pattern.exists() {
            return Ok(None);
        }
        let wrong = |error| Error::table(pattern, format!("this is no pattern of files: {error}"));
        let mut files = Vec::new();
        for found in glob::glob(text).map_err(wrong)? {
            let path =
                found.map_err(|error| Error::Io { path: error.path().to_owned(), source: error.into() })?;
            if !path.is_dir() {
                files.push(path);
            }
        }
        if files.is_empty() {
            return Err(Error::table(pattern, "no file matches; the pattern is looked up where you are"));
        }
        files.sort_unstable();
        Ok(Some(files.into_iter().map(Self::File).collect()))
    }
}

/// An error, if a file is there twice.
pub(crate) fn check_each_once(tables: &[Input]) -> Result<()> {
    let mut seen: HashMap<_, &Path> = HashMap::new();
    for path in tables.iter().filter_map(Input::file) {
        // What is not there is told of when it is read.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(other) = seen.insert(place, path) {
            let other = match other == path {
                true => "it is given twice".to_owned(),
                false => format!("it is given twice, also as {}", other.display()),
            };
            return Err(Error::table(path, format!("{other}; name each table once")));
        }
    }
    Ok(())
}

/// What each of several tables is called: its file's name without folder and endings, or as much of its path as tells it from the
/// others.
pub(crate) fn names(tables: &[Input]) -> Vec<String> {
    let mut names: Vec<String> = tables.iter().map(|table| named(table, false, 0)).collect();
    let deepest = tables.iter().filter_map(Input::file).map(|path| path.components().count());
    let deepest = deepest.max().unwrap_or(0);
    // With the endings only where folders do not tell two apart.
    for (with_ending, n_folders) in (1..deepest).map(|n| (false, n)).chain((0..deepest).map(|n| (true, n))) {
        let alike = alike(&names);
        if alike.is_empty() {
            return names;
        }
        // Tables that are called the same get longer names together.
        for same in alike {
            let longer: Vec<String> =
                same.iter().map(|&nth| named(&tables[nth], with_ending, n_folders)).collect();
            if longer.iter().collect::<HashSet<_>>().len() == longer.len() {
                same.into_iter().zip(longer).for_each(|(nth, name)| names[nth] = name);
            }
        }
    }
    // Tables in memory may all be called the same, and a table may be compared with itself.
    for same in alike(&names) {
        same.into_iter().for_each(|nth| names[nth] = format!("{}_{}", names[nth], nth + 1));
    }
    names
}

/// The tables that are called the same as another one, together.
fn alike(names: &[String]) -> Vec<Vec<usize>> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    names.iter().enumerate().for_each(|(nth, name)| by_name.entry(name).or_default().push(nth));
    let mut alike: Vec<Vec<usize>> = by_name.into_values().filter(|same| same.len() > 1).collect();
    alike.sort_unstable();
    alike
}

/// What a table by itself is called.
pub(super) fn name_of(path: &Path) -> String {
    named(&Input::from(path), false, 0)
}

/// A table's name, with so many of the folders that it is in.
fn named(table: &Input, with_ending: bool, n_folders: usize) -> String {
    let Some(path) = table.file() else { return table.path().display().to_string() };
    if is_stdin(path) {
        return "stdin".into();
    }
    let file = path.file_name().map(Path::new).unwrap_or(path);
    let mut name = file.to_owned();
    if !with_ending {
        let is_packed =
            |ending: &std::ffi::OsStr| PACKED.iter().any(|packed| ending.eq_ignore_ascii_case(packed));
        if file.extension().is_some_and(is_packed) {
            name.set_extension("");
        }
        name.set_extension("");
    }
    let folders: Vec<&str> =
        path.parent().into_iter().flat_map(Path::components).filter_map(folder).collect();
    let folders = &folders[folders.len().saturating_sub(n_folders)..];
    folders.iter().copied().chain([&*name.to_string_lossy()]).collect::<Vec<_>>().join("/")
}

fn folder(component: Component<'_>) -> Option<&str> {
    match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn tables_are_called_by_their_files() {
        for (paths, wanted) in [
            (vec!["data/shop.csv.gz", "x.parquet"], vec!["shop", "x"]),
            (vec!["-", "shop.csv.zst"], vec!["stdin", "shop"]),
            (vec!["2024.01.csv", "2024.02.csv"], vec!["2024.01", "2024.02"]),
            (vec!["a/t.csv", "b/t.csv", "u.csv"], vec!["a/t", "b/t", "u"]),
            (vec!["x/a/t.csv", "y/a/t.csv"], vec!["x/a/t", "y/a/t"]),
            (vec!["a/t.csv", "a/t.parquet"], vec!["t.csv", "t.parquet"]),
            (vec!["t.csv", "b/t.csv"], vec!["t", "b/t"]),
            (vec![".hidden", "no_ending"], vec![".hidden", "no_ending"]),
        ] {
            let tables: Vec<Input> = paths.iter().map(|path| Input::from(Path::new(path))).collect();
            assert_eq!(names(&tables), wanted, "{paths:?}");
        }
    }

    #[test]
    fn a_file_is_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        fs::write(&path, "id\n1\n").unwrap();
        let again = folder.path().join(".").join("t.csv");
        let error = check_each_once(&[path.clone().into(), again.into()]).unwrap_err().to_string();
        assert!(error.contains("it is given twice"), "{error}");
        assert!(check_each_once(&[path.into(), folder.path().join("other.csv").into()]).is_ok());
    }

    #[test]
    fn patterns_are_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "c.txt", "d[1].csv"] {
            fs::write(folder.path().join(name), "id\n1\n").unwrap();
        }
        fs::create_dir(folder.path().join("e.csv")).unwrap();
        let matching = |pattern: &str| Input::matching(&folder.path().join(pattern));
        let names = |pattern: &str| -> Option<Vec<String>> {
            let found = matching(pattern).unwrap()?;
            Some(found.iter().map(|it| it.path().file_name().unwrap().to_str().unwrap().to_owned()).collect())
        };
        assert_eq!(names("[ab].csv").unwrap(), ["a.csv", "b.csv"]);
        assert_eq!(names("*.csv").unwrap(), ["a.csv", "b.csv", "d[1].csv"]);
        assert_eq!(names("a.csv"), None);
        // A file of that very name is meant by it.
        assert_eq!(names("d[1].csv"), None);
        assert!(matching("*.parquet").unwrap_err().to_string().contains("no file matches"));
        assert!(matching("a**b").unwrap_err().to_string().contains("no pattern"));
    }
}
