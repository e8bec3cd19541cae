//! The one error type. Every message says what is wrong, where, and what to do about it. What comes from files is shown
//! as a terminal should see it ([`shown`]); that is seen to here, once for all messages.

use crate::base::shown::{Shown, shown};
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
    #[error("{}: {source}", named(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table, or a truth file, is not what it should be.
    #[error("{}: {}", named(path), shown(message))]
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
    #[error("{}", shown(.0))]
    Job(String),
    /// There is no device such as was asked for.
    #[error("no device `{}`: {}", shown(asked), shown(reason))]
    NoDevice {
        /// As the user named it.
        asked: String,
        /// Why not.
        reason: String,
    },
    /// The driver failed.
    #[error("{device}: {doing}: {}", shown(reason))]
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
    /// The job does not fit into the memory that it may use.
    #[error(
        "{what}: needs {:.1} MiB of memory in all, and --memory allows {:.1}; allow more, or leave columns or records out",
        mebibytes(*need),
        mebibytes(*most)
    )]
    Memory {
        /// What does not.
        what: &'static str,
        /// Bytes that the process would need.
        need: u64,
        /// Bytes that it may use.
        most: u64,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A defect of this program.
    #[error("internal error: {}; please report it", shown(.0))]
    Internal(String),
}

impl Error {
    /// For `map_err` on anything that opens, reads or writes `path`.
    #[doc(hidden)]
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// For `map_err` on what starts a thread.
    pub(crate) fn no_thread(error: io::Error) -> Self {
        Self::Job(format!("threads cannot be started: {error}; ask for fewer with --threads"))
    }

    /// A complaint about a table.
    #[doc(hidden)]
    pub fn table(path: &Path, message: impl Into<String>) -> Self {
        Self::Table { path: path.to_owned(), message: message.into() }
    }
}

fn mebibytes(n_bytes: u64) -> f64 {
    n_bytes as f64 / f64::from(1 << 20)
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
        let (path, message) = (named(&self.path), shown(&self.message));
        let snippet = Snippet::source(&self.source)
            .path(&path)
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        let mut groups =
            vec![Group::with_title(Level::ERROR.no_name().primary_title(&*message)).element(snippet)];
        let help = self.help.as_deref().map(shown);
        if let Some(help) = &help {
            groups.push(Group::with_title(Level::HELP.secondary_title(&**help)));
        }
        Shown(Renderer::plain().render(&groups)).fmt(f)
    }
}

/// A file, for people.
fn named(path: &Path) -> String {
    shown(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_hold_is_not_obeyed() {
        let table = Error::table(Path::new("a\x1b[1m.csv"), "row 1 holds `\u{9b}2J\nerror: none`");
        assert_eq!(table.to_string(), r"a\x1b[1m.csv: row 1 holds `\u{9b}2J\nerror: none`");
        let source = "when = \"l.a = '\u{202e}\x1b'\"\nname = 'b'\n".to_owned();
        let rule = RuleError {
            path: "r\x07.toml".into(),
            span: 8..11,
            message: "no `\x1b`".into(),
            help: Some("leave \x1b out".into()),
            source,
        };
        let said = Error::Rule(Box::new(rule)).to_string();
        assert!(
            said.chars().all(|char| char == '\n' || !(char.is_control() || char == '\u{202e}')),
            "{said:?}"
        );
        assert!(said.starts_with("no `\\x1b`\n --> r\\x07.toml:1:9\n"), "{said}");
        assert!(said.ends_with("help: leave \\x1b out"), "{said}");
    }
}
