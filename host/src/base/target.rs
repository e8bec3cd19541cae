//! Where the bytes of an output go until it is whole.
//!
//! A file appears whole or not at all: its bytes go to a temporary file beside it, its *part*, which takes its name only when
//! all is written and on disk. A file that is replaced keeps its mode and its owner, and a link to it stays a link. What has
//! no name to take, a device, a pipe or a file that is open already, is written as it is.
//!
//! Whoever writes a part holds a lock on it. A part that nobody holds belongs to a process that was killed, and is removed by
//! the next one that writes to its folder.

mod ahead;

use crate::base::error::{Error, Result};
use ahead::Ahead;
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".hyperblock-";
const SUFFIX: &str = ".part";

/// A link that leads to a link, and so on, so often is one that leads nowhere.
const MOST_LINKS: usize = 40;

/// What the name of an output leads to, links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Standard output, by whatever name.
    Stdout,
    /// A device, a pipe, or a file by its number in a process: renaming over it would replace what leads there.
    Special(PathBuf),
    /// A file, which may not be there yet.
    File(PathBuf),
}

impl Place {
    /// Follows `path`. `-` is standard output.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let mut at = path.to_owned();
        for _ in 0..MOST_LINKS {
            if let Some(number) = open_file(&at) {
                return Ok(if number == "1" { Self::Stdout } else { Self::Special(at) });
            }
            match at.symlink_metadata() {
                Ok(there) if there.is_symlink() => {
                    let to = at.read_link().map_err(Error::io(path))?;
                    at = folder_of(&at).join(to);
                }
                Ok(there) if there.is_dir() => {
                    let message = format!("{}: the output is a directory; name a file in it", path.display());
                    return Err(Error::Job(message));
                }
                Ok(there) if there.is_file() => return Ok(Self::File(at)),
                Ok(_) => return Ok(Self::Special(at)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::File(at)),
                Err(error) => return Err(Error::io(path)(error)),
            }
        }
        Err(Error::Job(format!("{}: the link leads to nothing but links; name a file", path.display())))
    }
}

/// The number of a file that this process has open, if the path names it by that: `/proc/self/fd/1`.
fn open_file(path: &Path) -> Option<String> {
    let folder = folder_of(path).canonicalize().ok()?;
    let own = Path::new("/proc/self/fd").canonicalize().ok()?;
    (folder == own).then(|| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that takes its name at the end, or something that has no name to take.
#[derive(Debug)]
pub struct Target {
    /// As it was named.
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Stdout,
    Special(PathBuf),
    Part { part: Part, to: PathBuf },
}

impl Target {
    /// Makes ready to write to `path`; `-` is standard output.
    pub fn create(path: &Path) -> Result<Self> {
        let kind = match Place::of(path)? {
            Place::Stdout => Kind::Stdout,
            Place::Special(at) => Kind::Special(at),
            Place::File(to) => {
                let replaced = replaced(path, &to)?;
                let part = Part::beside(&to, replaced.as_ref()).map_err(Error::io(path))?;
                Kind::Part { part, to }
            }
        };
        Ok(Self { path: path.to_owned(), kind })
    }

    /// A handle to write with.
    pub fn file(&self) -> Result<Box<dyn Write + Send>> {
        Ok(match &self.kind {
            Kind::Stdout => Box::new(io::stdout()),
            Kind::Special(at) => {
                Box::new(File::options().write(true).open(at).map_err(Error::io(&self.path))?)
            }
            Kind::Part { part, .. } => {
                Box::new(Ahead::new(part.file.reopen().map_err(Error::io(&self.path))?))
            }
        })
    }

    /// Puts a finished file in its place. Dropped before that, it leaves nothing behind.
    pub fn finish(self) -> Result<()> {
        if let Kind::Part { part, to } = self.kind {
            // A full disk may show only here.
            part.file.as_file().sync_all().map_err(Error::io(&self.path))?;
            part.persist(&to).map_err(Error::io(&self.path))?;
        }
        Ok(())
    }

    /// As it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a small file whole.
    pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
        let target = Self::create(path)?;
        let mut file = target.file()?;
        file.write_all(bytes).and_then(|()| file.flush()).map_err(Error::io(path))?;
        target.finish()
    }
}

/// The file that is to be replaced, if there is one and its owner allows it.
fn replaced(path: &Path, at: &Path) -> Result<Option<Metadata>> {
    let metadata = match at.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(Error::io(path))?,
    };
    // Asked of the mode first: some users may write to whatever they like.
    if metadata.permissions().readonly() {
        let message = format!("{}: the file is read-only; make it writable, or name another", path.display());
        return Err(Error::Job(message));
    }
    File::options().write(true).open(at).map_err(Error::io(path))?;
    Ok(Some(metadata))
}

/// A temporary file that goes when it is dropped.
#[derive(Debug)]
struct Part {
    file: NamedTempFile,
    /// Until it is dropped or has taken its place.
    _noted: Noted,
}

/// The parts of this process, for those who leave it without unwinding.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An entry of [`PARTS`].
#[derive(Debug)]
struct Noted(PathBuf);

impl Noted {
    fn new(path: &Path) -> Self {
        PARTS.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        PARTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|part| *part != self.0);
    }
}

impl Part {
    /// Beside `path`, with the mode and the owner of what it will replace.
    fn beside(path: &Path, replaced: Option<&Metadata>) -> io::Result<Self> {
        let folder = folder_of(path);
        // The system says best what is wrong with the folder: not there, or no folder.
        folder.join(".").metadata()?;
        clear_dead(folder);
        // Not the whole error: it goes on with the temporary file's name, which means nothing to anybody.
        let file = locked_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        if let Some(replaced) = replaced {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                // Only some users may give files away; the others' are then their own.
                let _ = fchown(file.as_file(), Some(replaced.uid()), Some(replaced.gid()));
            }
            file.as_file().set_permissions(replaced.permissions())?;
        }
        let _noted = Noted::new(file.path());
        Ok(Self { file, _noted })
    }

    /// Takes the place of `path`.
    fn persist(self, path: &Path) -> io::Result<()> {
        self.file.persist(path).map(drop).map_err(|error| error.error)
    }
}

/// Removes the parts of this process: for those who leave it without unwinding.
pub fn abandon() {
    // Whoever holds the lock may be the one who leaves.
    if let Ok(parts) = PARTS.try_lock() {
        for part in parts.iter() {
            let _ = std::fs::remove_file(part);
        }
    }
}

/// A new part, locked. One that another process takes for dead before it is locked is left to it.
fn locked_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // What any new file gets, the umask taken off; temporary files are otherwise for their owner alone.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        match file.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => continue,
            // Where there are no locks nobody takes parts for dead.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes the parts of processes that were killed.
fn clear_dead(folder: &Path) {
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PREFIX) && name.ends_with(SUFFIX)
    };
    // What cannot be looked at, or removed, is not ours to clear.
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if is_part(&path)
            && let Ok(file) = File::options().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_at_the_end_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let target = Target::create(&path).unwrap();
        target.file().unwrap().write_all(b"new").unwrap();
        assert!(!path.exists());
        drop(target);
        assert_eq!(names(folder.path()), [""; 0]);
        Target::write(&path, b"new").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(folder.path())),
            (b"new".to_vec(), vec!["out.csv".into()])
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_replaced_keeps_its_mode_and_its_links() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real.csv"), "old").unwrap();
        fs::set_permissions(at("real.csv"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real.csv", at("link.csv")).unwrap();
        symlink("link.csv", at("far.csv")).unwrap();
        Target::write(&at("far.csv"), b"new").unwrap();
        assert!(at("far.csv").is_symlink() && at("link.csv").is_symlink());
        assert_eq!(fs::read(at("real.csv")).unwrap(), b"new");
        assert_eq!(at("real.csv").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        // One that leads to nothing yet, and one that never will.
        symlink("later.csv", at("early.csv")).unwrap();
        Target::write(&at("early.csv"), b"new").unwrap();
        assert!(at("early.csv").is_symlink() && at("later.csv").is_file());
        symlink("circle.csv", at("circle.csv")).unwrap();
        assert!(Target::create(&at("circle.csv")).unwrap_err().to_string().contains("nothing but links"));
    }

    #[test]
    fn what_is_read_only_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut permissions = path.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = Target::create(&path).unwrap_err().to_string();
        assert!(error.ends_with("the file is read-only; make it writable, or name another"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn parts_of_the_dead_are_cleared_and_those_of_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let living = Target::create(&folder.path().join("a.csv")).unwrap();
        fs::write(folder.path().join(".hyperblock-dead.part"), "half").unwrap();
        fs::write(folder.path().join(".hyperblock-other"), "not ours").unwrap();
        Target::write(&folder.path().join("b.csv"), b"new").unwrap();
        let left = names(folder.path());
        assert_eq!(left.len(), 3, "{left:?}");
        assert!(!left.contains(&".hyperblock-dead.part".into()), "{left:?}");
        living.finish().unwrap();
        assert_eq!(names(folder.path()), [".hyperblock-other", "a.csv", "b.csv"]);
    }
}
