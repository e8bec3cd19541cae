//! Where the bytes of an output go until it is whole.

use crate::base::error::{Error, Result};
use arrow_schema::ArrowError;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that takes its name at the end, or something that has no name to take.
pub(super) struct Target {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Stdout,
    /// A device or a pipe is written as it is: renaming over it would replace it.
    Special,
    Temporary(NamedTempFile),
}

impl Target {
    pub(super) fn create(path: &Path) -> Result<Self> {
        let kind = match path.metadata() {
            _ if path == Path::new("-") => Kind::Stdout,
            Ok(metadata) if metadata.is_dir() => {
                return Err(Error::Job(format!(
                    "{}: the output is a directory; name a file in it",
                    path.display()
                )));
            }
            Ok(metadata) if !metadata.is_file() => Kind::Special,
            _ => Kind::Temporary(temporary_beside(path).map_err(Error::io(path))?),
        };
        Ok(Self { path: path.to_owned(), kind })
    }

    /// A handle to write with.
    pub(super) fn file(&self) -> Result<Box<dyn Write + Send>> {
        Ok(match &self.kind {
            Kind::Stdout => Box::new(io::stdout()),
            Kind::Special => {
                Box::new(File::options().write(true).open(&self.path).map_err(Error::io(&self.path))?)
            }
            Kind::Temporary(file) => Box::new(file.reopen().map_err(Error::io(&self.path))?),
        })
    }

    /// Puts a finished file in its place. Dropped before that, it leaves nothing behind.
    pub(super) fn finish(self) -> Result<()> {
        if let Kind::Temporary(file) = self.kind {
            // A full disk may show only here.
            file.as_file().sync_all().map_err(Error::io(&self.path))?;
            file.persist(&self.path)
                .map_err(|error| Error::Io { path: self.path.clone(), source: error.error })?;
        }
        Ok(())
    }

    /// For `map_err` on anything that writes.
    pub(super) fn failed(&self) -> impl Fn(ArrowError) -> Error + use<> {
        let path = self.path.clone();
        move |error| {
            let source = match error {
                ArrowError::IoError(_, source) => source,
                other => io::Error::other(other),
            };
            Error::Io { path: path.clone(), source }
        }
    }
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The system says best what is wrong with the folder: not there, or no folder.
    folder.join(".").metadata()?;
    let mut builder = Builder::new();
    builder.prefix(".hyperblock-").suffix(".part");
    #[cfg(unix)]
    {
        // What any new file gets, the umask taken off; temporary files are otherwise for their owner alone.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // Not the whole error: it goes on with the temporary file's name, which means nothing to anybody.
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}
