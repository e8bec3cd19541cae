//! Running the program, each time in a folder of its own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) use hyperblock_tests::program::program;

/// A folder to run the program in.
pub(crate) struct Folder(TempDir);

/// How a run ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// With these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        files.iter().fold(Self::new(), |folder, (name, text)| folder.file(name, text))
    }

    /// With one more file.
    pub(crate) fn file(self, name: &str, contents: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), contents).expect("a file can be written");
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder can be listed");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// The program, about to run here.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(program());
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).env_remove("RUST_LOG");
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        let Output { status, stdout, stderr } = self.command(arguments).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
        Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Runs what must go well; returns what it wrote to standard output.
    #[track_caller]
    pub(crate) fn stdout(&self, arguments: &str) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
        ran.stdout
    }

    /// Runs what must go wrong, with this exit code, and leave nothing behind; returns the message.
    #[track_caller]
    pub(crate) fn failure(&self, code: i32, arguments: &str) -> String {
        let before = self.names();
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        assert_eq!(self.names(), before, "{arguments}: it failed and left files behind");
        assert_eq!(ran.stdout, "", "{arguments}: it failed and wrote to standard output");
        ran.stderr
    }
}

/// Replaces what differs from run to run, or from layout to layout, in snapshots, until the guard is dropped.
pub(crate) fn redacted() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"cpu \(\d+ threads?\)", "cpu (N threads)");
    // In a table, how far a time stands from the left depends on its digits.
    settings.add_filter(r" +\d+\.\d{3} ms", " [time]");
    settings.add_filter(r"\d+(\.\d+)? m?s\b", "[time]");
    settings.add_filter(r"\d+\.\d MiB", "[memory]");
    // A matter of layout, which changes for reasons of its own.
    settings.add_filter(r"device bytes=[\d,]+", "device bytes=[bytes]");
    // When what was done, and in which order threads told of it.
    settings.add_filter(r"(?m)^  (job|read|encode|scan|device) +\w[\w ]* +\[time\] \|.*\|\n", "");
    settings.bind_to_scope()
}

/// A table, and rules over it.
pub(crate) const PEOPLE: &str = "\
id,name,city,born
10,Ann Lee,Oslo,1990-01-01
9,Anne Lee,Oslo,1990-01-02
2,Bob Ray,Bergen,1985-05-05
33,Bob Ray,\"Bergen, Norway\",
4,Zoë,Oslo,2000-02-29
";

pub(crate) const RULES: &str = "\
[[rules]]
name = \"same name\"
when = \"l.name = r.name\"

[[rules]]
name = \"near name, near birth\"
when = \"levenshtein(l.name, r.name) <= 2 AND l.city = r.city AND abs(l.born - r.born) <= 1\"
";

/// What [`RULES`] find in [`PEOPLE`].
pub(crate) const PAIRS: &str = "\
left,right,rule
2,33,same name
9,10,\"near name, near birth\"
";

pub(crate) fn people() -> Folder {
    Folder::with(&[("people.csv", PEOPLE), ("rules.toml", RULES)])
}
