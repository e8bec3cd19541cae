//! The two programs that are compared: an older commit, built in a worktree of its own, and this checkout; or any two.
//!
//! Worktree and build stay in the build folder, one for each commit, and are used again.

use super::AgainstArgs;
use crate::cargo::{at_root, cargo, output, root, run, target};
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// What is built of a commit.
#[derive(Clone, Copy, Debug)]
pub(in crate::bench) enum Program {
    /// The benchmarks.
    Xtask,
    /// What users run.
    Hyperblock,
}

/// One side.
#[derive(Debug)]
pub(in crate::bench) struct Subject {
    pub(in crate::bench) program: PathBuf,
    /// The commit, where it is known.
    commit: Option<String>,
}

/// Both.
#[derive(Debug)]
pub(in crate::bench) struct Pair {
    pub(in crate::bench) old: Subject,
    pub(in crate::bench) new: Subject,
}

impl Pair {
    /// As asked for; nothing if there is no other side. `here` is the new one, if it is not given.
    pub(in crate::bench) fn open(
        args: &AgainstArgs,
        program: Program,
        here: impl FnOnce() -> Result<Subject>,
    ) -> Result<Option<Self>> {
        match (&args.against, &args.binaries[..]) {
            (None, []) => Ok(None),
            (None, [old, new]) => {
                let [old, new] = [Subject::given(old)?, Subject::given(new)?];
                Ok(Some(Self { old, new }))
            }
            (Some(commit), []) => {
                let old = build(commit, program)?;
                Ok(Some(Self { old, new: here()? }))
            }
            _ => bail!("--against and --binaries both name the other side: give one of them"),
        }
    }

    pub(in crate::bench) fn sides(&self) -> [&Subject; 2] {
        [&self.old, &self.new]
    }

    pub(in crate::bench) fn print(&self) -> Result<()> {
        println!("old: {}\nnew: {}", self.old.describe()?, self.new.describe()?);
        Ok(())
    }
}

impl Subject {
    /// This program, which was built from this checkout.
    pub(super) fn ourselves() -> Result<Self> {
        Ok(Self { program: std::env::current_exe()?, commit: Some(record::commit()) })
    }

    /// A program that is there; of which commit, nobody says.
    pub(in crate::bench) fn given(path: &Path) -> Result<Self> {
        // Where it is started from may be elsewhere.
        let program = path.canonicalize().with_context(|| format!("no program {}", path.display()))?;
        Ok(Self { program, commit: None })
    }

    /// What this checkout has of it, built.
    pub(in crate::bench) fn built_here(program: Program) -> Result<Self> {
        run(arguments(program, &mut cargo()))?;
        let commit = Some(record::commit());
        Ok(Self { program: target().join("release").join(program.name()), commit })
    }

    /// The commit, and which bytes exactly.
    pub(in crate::bench) fn describe(&self) -> Result<String> {
        let bytes =
            fs::read(&self.program).with_context(|| format!("cannot read {}", self.program.display()))?;
        let digest: String =
            Sha256::digest(&bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let name = self.commit.as_deref().unwrap_or(&name);
        Ok(format!("{name} (sha256 {digest}…)"))
    }
}

/// Builds a program of a commit, if that is not done yet.
fn build(commit: &str, program: Program) -> Result<Subject> {
    let git = |args: &[&str]| output(at_root("git").args(args));
    let hash = git(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{commit}}")])
        .with_context(|| format!("there is no commit {commit} here"))?;
    let folder = target().join("against").join(hash.get(..12).unwrap_or(&hash));
    let there = |args: &[&str]| output(at_root("git").current_dir(&folder).args(args));
    if !folder.join("Cargo.toml").is_file() {
        // By force: it may be known, and gone with the build folder.
        let add = ["worktree", "add", "--quiet", "--force", "--detach"];
        run(at_root("git").args(add).arg(&folder).arg(&hash))?;
    }
    ensure!(
        there(&["rev-parse", "HEAD"]) == Some(hash.clone()),
        "{} is not at {commit}: remove it",
        folder.display()
    );
    let built = folder.join("target");
    println!("building {commit} in {} (some minutes the first time)", folder.display());
    // It may want another toolchain than ours, and says so in its own folder.
    let mut cargo = at_root("cargo");
    cargo.current_dir(&folder).env_remove("RUSTUP_TOOLCHAIN").env("CARGO_TARGET_DIR", &built);
    run(arguments(program, &mut cargo))?;
    Ok(Subject { program: built.join("release").join(program.name()), commit: Some(hash[..12].to_owned()) })
}

fn arguments(program: Program, cargo: &mut std::process::Command) -> &mut std::process::Command {
    cargo.args(["build", "--release", "--quiet", "--package", program.name()]);
    match program {
        Program::Xtask => cargo.args(["--features", "bench"]),
        Program::Hyperblock => cargo,
    }
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Xtask => "xtask",
            Self::Hyperblock => "hyperblock",
        }
    }
}

/// Where a program of another checkout is to look for data, and to put it.
pub(super) fn at_home(command: &mut std::process::Command) -> &mut std::process::Command {
    command.env(crate::cargo::MANIFEST, root().join("xtask")).env("CARGO_TARGET_DIR", target())
}

#[cfg(test)]
mod tests {
    use super::{Pair, Program, Subject};
    use crate::bench::AgainstArgs;
    use std::path::PathBuf;

    #[test]
    fn two_programs_make_a_pair() {
        let here = std::env::current_exe().unwrap();
        let open = |args: &AgainstArgs| Pair::open(args, Program::Xtask, Subject::ourselves);
        assert!(open(&AgainstArgs::default()).unwrap().is_none());
        let both = AgainstArgs { binaries: vec![here.clone(), here.clone()], ..AgainstArgs::default() };
        let pair = open(&both).unwrap().unwrap();
        // Of a program that is given, no commit is claimed.
        let name = here.file_name().unwrap().to_string_lossy().into_owned();
        assert!(pair.new.describe().unwrap().starts_with(&format!("{name} (sha256 ")));
        assert!(!Subject::ourselves().unwrap().describe().unwrap().starts_with(&name));
        assert!(open(&AgainstArgs { against: Some("HEAD".to_owned()), ..both }).is_err());
        let missing =
            AgainstArgs { binaries: vec![PathBuf::from("no/such"), here], ..AgainstArgs::default() };
        assert!(Pair::open(&missing, Program::Xtask, || unreachable!()).is_err());
    }
}
