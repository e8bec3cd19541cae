//! The one error type. Every message says what is wrong, where, and what to do about it.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What every fallible function here returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused something about a file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table, or a truth file, is not what it should be.
    #[error("{}: {message}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong, with row and column, and what to do.
        message: String,
    },
    /// The rule file is not what it should be.
    #[error("{0}")]
    Rule(Box<RuleError>),
    /// The job does not fit the machine, or the options do not fit the job.
    #[error("{0}")]
    Job(String),
    /// There is no device such as was asked for.
    #[error("no device `{asked}`: {reason}")]
    NoDevice {
        /// As the user named it.
        asked: String,
        /// Why not.
        reason: String,
    },
    /// The driver failed.
    #[error("{device}: {doing}: {reason}")]
    Driver {
        /// The device.
        device: String,
        /// What was under way.
        doing: String,
        /// What the driver said.
        reason: String,
    },
    /// The device has too little memory, even for the smallest piece.
    #[error("{device}: needs {need} bytes of device memory, {free} are free; free some, or use --device cpu")]
    DeviceMemory {
        /// The device.
        device: String,
        /// Bytes needed.
        need: u64,
        /// Bytes free.
        free: u64,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A defect of this program.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// For `map_err` on anything that opens, reads or writes `path`.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// A complaint about a table.
    pub fn table(path: &Path, message: impl Into<String>) -> Self {
        Self::Table { path: path.to_owned(), message: message.into() }
    }
}

/// A complaint that points at characters of the rule file.
#[derive(Clone, Debug)]
pub struct RuleError {
    /// The rule file.
    pub path: PathBuf,
    /// Its text.
    pub source: String,
    /// The bytes in question.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let snippet = Snippet::source(&self.source)
            .path(&path)
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        let mut groups =
            vec![Group::with_title(Level::ERROR.no_name().primary_title(&self.message)).element(snippet)];
        if let Some(help) = &self.help {
            groups.push(Group::with_title(Level::HELP.secondary_title(help)));
        }
        f.write_str(&Renderer::plain().render(&groups))
    }
}
