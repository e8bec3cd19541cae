//! Paths that must not meet: an output that would replace an input, and two outputs at one place.

use crate::base::error::{Error, Result};
use crate::base::stdin::{self, is_stdin};
use crate::base::target::{Place, folder_of};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// What a path leads to, so that it is known by any spelling and through any link.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    Stdout,
    /// A file that is there, by device and number.
    There(u64, u64),
    /// A file that is not there yet, in a folder that is.
    New(PathBuf),
}

/// An error if one of the outputs is one of the inputs, or another output, or if two inputs are standard input. Each comes with what people call it: an option,
/// or what is read from there.
pub fn keep_apart(outputs: &[(&str, &Path)], inputs: &[(&str, &Path)]) -> Result<()> {
    let mut piped = inputs.iter().filter(|(_, input)| is_stdin(input)).map(|(what, _)| what);
    if let (Some(one), Some(other)) = (piped.next(), piped.next()) {
        let both =
            if one == other { "two inputs are".into() } else { format!("{one} is, and so is {other}") };
        return Err(Error::Job(format!("- is standard input, which is read once, and {both}; name a file")));
    }
    for (nth, &(option, path)) in outputs.iter().enumerate() {
        let Some(own) = of_output(path)? else { continue };
        if let Some((what, _)) = inputs.iter().find(|(_, input)| of_input(input).as_ref() == Some(&own)) {
            let message = format!(
                "{option} {}: that is {what}, which would be lost; name another file",
                path.display()
            );
            return Err(Error::Job(message));
        }
        for &(other, before) in &outputs[..nth] {
            if of_output(before)?.as_ref() == Some(&own) {
                let message =
                    format!("{option} {}: {other} writes to the same place; name another", path.display());
                return Err(Error::Job(message));
            }
        }
    }
    Ok(())
}

/// None of what may be written to by several at once, such as `/dev/null`.
fn of_output(path: &Path) -> Result<Option<Identity>> {
    Ok(match Place::of(path)? {
        // If it was led into a file, it is that file.
        Place::Stdout => {
            let led = Path::new("/dev/stdout").metadata().ok();
            Some(led.filter(Metadata::is_file).and_then(there).unwrap_or(Identity::Stdout))
        }
        Place::Special(at) => at.metadata().ok().filter(is_pipe_or_file).and_then(there),
        Place::File(at) => Some(match at.metadata().ok().and_then(there) {
            Some(there) => there,
            None => {
                let folder = folder_of(&at).canonicalize().map_err(Error::io(path))?;
                Identity::New(folder.join(at.file_name().unwrap_or_default()))
            }
        }),
    })
}

fn of_input(path: &Path) -> Option<Identity> {
    let metadata = if is_stdin(path) { stdin::metadata() } else { path.metadata().ok() };
    metadata.filter(is_pipe_or_file).and_then(there)
}

#[cfg(unix)]
fn is_pipe_or_file(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.is_file() || metadata.file_type().is_fifo()
}

#[cfg(unix)]
fn there(metadata: Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::There(metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn places_are_known_by_any_spelling() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("in.csv"), "id\n").unwrap();
        symlink("in.csv", at("link.csv")).unwrap();
        fs::hard_link(at("in.csv"), at("hard.csv")).unwrap();
        let input = at("in.csv");
        for spelling in ["in.csv", "./in.csv", "sub/../in.csv", "link.csv", "hard.csv"] {
            let path = at(spelling);
            let error = keep_apart(&[("-o", &path)], &[("the table", &input)]).unwrap_err().to_string();
            assert!(error.ends_with("that is the table, which would be lost; name another file"), "{error}");
        }
        let (new, same, other) = (at("new.csv"), at("sub/../new.csv"), at("other.csv"));
        keep_apart(&[("-o", &new), ("--pairs", &other)], &[("the table", &input)]).unwrap();
        let error = keep_apart(&[("-o", &new), ("--pairs", &same)], &[]).unwrap_err().to_string();
        assert!(error.ends_with("-o writes to the same place; name another"), "{error}");
        let stdout = Path::new("-");
        assert!(keep_apart(&[("-o", stdout), ("--pairs", stdout)], &[]).is_err());
        assert!(keep_apart(&[("-o", stdout), ("--pairs", Path::new("/dev/stdout"))], &[]).is_err());
        let error = keep_apart(&[], &[("the table", stdout), ("the truth", stdout)]).unwrap_err().to_string();
        assert!(error.ends_with("read once, and the table is, and so is the truth; name a file"), "{error}");
        let null = Path::new("/dev/null");
        keep_apart(&[("-o", null), ("--pairs", null)], &[]).unwrap();
    }
}
