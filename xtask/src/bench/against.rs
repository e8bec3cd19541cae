//! A benchmark side by side with an older commit: `cargo xtask bench NAME … --against COMMIT`.
//!
//! Both are programs of their own, so nothing of one is linked into the other. They measure the same by
//! [`turns`], portion by portion, and pass their figures on as [`rows`] of the
//! file that `--save` writes, which commits had before they knew of this. Both must have found the same. What
//! is told of every row are the [`ratios`] of new to old, with their spread. A pair of programs that were built
//! before can be given instead of a commit; then neither git nor a compiler is needed.

mod ratios;
mod report;
mod rows;
mod side;
mod turns;

pub(super) use ratios::{Compared, compare};
pub(super) use report::{conclude, print, print_head, save};
pub(super) use rows::Row;
pub(super) use side::{Pair, Program, Subject};
pub(super) use turns::{Budget, Turns};

use super::{AgainstArgs, Command, SetjoinData, Workload, closure};
use crate::cargo::target;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use side::at_home;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fs, process};

/// The benchmarks of which two sides can be compared.
pub(super) const COMPARED: [&str; 9] =
    ["scan", "join", "setjoin", "closure", "cluster", "score", "workflow", "plan", "job"];
/// Rounds, if nothing else is said. Benchmarks repeat their work themselves, too.
const ROUNDS: u32 = 3;
/// What clap exits with when it does not know an argument.
const UNKNOWN: i32 = 2;

impl AgainstArgs {
    /// Whether there is another side.
    pub(super) fn are_asked(&self) -> bool {
        self.against.is_some() || !self.binaries.is_empty()
    }
}

pub(super) fn run(command: &Command, args: &AgainstArgs) -> Result<()> {
    let Some((bench, words)) = asked(std::env::args_os()) else { bail!("no benchmark is named") };
    ensure!(
        COMPARED.contains(&bench.as_str()),
        "{bench} is no benchmark of the engine alone: --against knows {}",
        COMPARED.join(", ")
    );
    let Some(pair) = Pair::open(args, Program::Xtask, Subject::ourselves)? else {
        bail!("there is no other side");
    };
    pair.print()?;
    print_head();
    let portions = portions(command, words);
    let budget = Budget::new(args.within);
    let mut all = Vec::new();
    for (nth, portion) in portions.iter().enumerate() {
        let turns = Turns {
            n_sides: 2,
            rounds: args.repeat.unwrap_or(ROUNDS) as usize,
            warms_up: false,
            within: budget.share(portions.len() - nth),
        };
        let measured = turns.take(|side| measure(pair.sides()[side], &bench, portion))?;
        let compared = compare(&measured)?;
        print(&compared);
        all.extend(compared);
    }
    println!("{}", conclude(&all));
    match command.save() {
        Some(folder) => save(folder, &bench, &pair, &all),
        None => Ok(()),
    }
}

impl Command {
    fn save(&self) -> Option<&Path> {
        let save = match self {
            Self::Scan(args) => &args.save,
            Self::Join(args) => &args.save,
            Self::Setjoin(args) => &args.save,
            Self::Closure(args) => &args.save,
            Self::Cluster(args) => &args.save,
            Self::Score(args) => &args.save,
            Self::Workflow(args) => &args.save,
            Self::Plan(args) => &args.save,
            _ => &None,
        };
        save.as_deref()
    }
}

/// The parts of a benchmark that are compared one after the other, with the arguments of each: the shorter they are, the
/// less a machine changes from one side to the other.
fn portions(command: &Command, mut words: Vec<OsString>) -> Vec<Vec<OsString>> {
    fn named<T: ValueEnum + Copy>(asked: &[T], name: fn(T) -> String) -> Vec<String> {
        let all = if asked.is_empty() { T::value_variants() } else { asked };
        all.iter().copied().map(name).collect()
    }
    let (flag, values) = match command {
        Command::Scan(args) => ("--workload", named(&args.workload, Workload::name)),
        Command::Setjoin(args) => ("--data", named(&args.data, SetjoinData::name)),
        Command::Closure(args) if args.graph.is_empty() => {
            ("--graph", closure::names().map(str::to_owned).collect())
        }
        Command::Closure(args) => ("--graph", args.graph.clone()),
        // Programs of others are the same on both sides.
        Command::Cluster(args) if !args.no_peers => {
            words.push("--no-peers".into());
            return vec![words];
        }
        _ => return vec![words],
    };
    let words = without(words.into_iter(), &[(flag, 1)]);
    let with = |value: String| words.iter().cloned().chain([flag.into(), value.into()]).collect();
    values.into_iter().map(with).collect()
}

/// The benchmark and its arguments, but for those that are ours, which older commits do not know.
fn asked(words: impl Iterator<Item = OsString>) -> Option<(String, Vec<OsString>)> {
    const OURS: [(&str, usize); 5] =
        [("--against", 1), ("--binaries", 2), ("--repeat", 1), ("--within", 1), ("--save", 1)];
    let mut theirs = without(words.skip_while(|word| word != "bench").skip(1), &OURS).into_iter();
    let bench = theirs.next()?.into_string().ok()?;
    Some((bench, theirs.collect()))
}

/// Words without some options, each with so many values.
fn without(mut words: impl Iterator<Item = OsString>, options: &[(&str, usize)]) -> Vec<OsString> {
    let mut left = Vec::new();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, n_given) = text.split_once('=').map_or((&*text, 0), |(name, _)| (name, 1));
        match options.iter().find(|(option, _)| *option == name) {
            Some((_, n_values)) => words.by_ref().take(n_values - n_given).for_each(drop),
            None => left.push(word),
        }
    }
    left
}

/// Runs one side once. No rows, if it does not know what it is asked for, or has no data for it.
fn measure(side: &Subject, bench: &str, words: &[OsString]) -> Result<Vec<Row>> {
    let folder = Scratch::new()?;
    let mut command = process::Command::new(&side.program);
    at_home(&mut command).args(["bench", bench]).args(words).arg(OsStr::new("--save")).arg(&folder.0);
    let ran = command.output().with_context(|| format!("cannot start {}", side.program.display()))?;
    let (said, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    if ran.status.code() == Some(UNKNOWN) {
        println!("{}: {}", side.program.display(), errors.lines().next().unwrap_or_default());
        return Ok(Vec::new());
    }
    ensure!(ran.status.success(), "{} bench {bench}: {}", side.program.display(), errors.trim());
    said.lines().filter(|line| line.contains("left out")).for_each(|line| println!("{line}"));
    let file = folder.0.join(format!("{bench}.csv"));
    match fs::read_to_string(&file) {
        Ok(text) => {
            rows::parse(bench, &text).with_context(|| format!("{bench}.csv of {}", side.program.display()))
        }
        // Nothing was measured.
        Err(_) => Ok(Vec::new()),
    }
}

/// A folder for results that are only read once.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new() -> Result<Self> {
        let folder = target().join("bench").join(format!("against-{}", process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left there harms nobody.
        drop(fs::remove_dir_all(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::{COMPARED, asked, portions};
    use crate::{Cli, bench};
    use clap::Parser;
    use std::ffi::OsString;

    fn parse(line: &str) -> bench::Args {
        match Cli::parse_from(line.split(' ')).command {
            crate::Command::Bench(args) => args,
            _ => panic!("{line}"),
        }
    }

    #[test]
    fn sides_get_the_arguments_that_are_not_ours() {
        let asked = |line: &str| asked(line.split(' ').map(OsString::from));
        let (bench, words) = asked(
            "xtask bench --within 5 scan --against a0557a2 --device cpu --repeat=3 --rows 5 --save out",
        )
        .unwrap();
        assert_eq!(
            (bench.as_str(), words),
            ("scan", ["--device", "cpu", "--rows", "5"].map(OsString::from).to_vec())
        );
        let (bench, words) = asked("xtask bench join --binaries old new --s 0.5").unwrap();
        assert_eq!((bench.as_str(), words), ("join", ["--s", "0.5"].map(OsString::from).to_vec()));
        assert!(asked("xtask bench --repeat 3").is_none());
    }

    #[test]
    fn sides_are_named_anywhere() {
        let args = parse("xtask bench scan --against a0557a2 --repeat 2");
        assert_eq!((args.against.against.as_deref(), args.against.repeat), (Some("a0557a2"), Some(2)));
        let args = parse("xtask bench --binaries old new --within 60 join --s 0.5");
        assert_eq!((args.against.binaries.len(), args.against.within), (2, Some(60)));
        for bench in COMPARED {
            assert!(!parse(&format!("xtask bench {bench}")).against.are_asked());
        }
    }

    #[test]
    fn portions_are_compared_one_by_one() {
        let portions = |line: &str| {
            let (_, words) = asked(line.split(' ').map(OsString::from)).unwrap();
            portions(&parse(line).command, words)
        };
        assert_eq!(portions("xtask bench scan").len(), 7);
        assert_eq!(portions("xtask bench closure").len(), 14);
        assert_eq!(portions("xtask bench setjoin").len(), 4);
        let some = portions("xtask bench scan --workload papers --device cpu --workload=jaccard");
        let wanted =
            ["papers", "jaccard"].map(|name| ["--device", "cpu", "--workload", name].map(OsString::from));
        assert_eq!(some, wanted);
        assert_eq!(portions("xtask bench closure --graph wing"), [["--graph", "wing"].map(OsString::from)]);
        assert_eq!(portions("xtask bench join --s 1"), [["--s", "1"].map(OsString::from)]);
        assert_eq!(portions("xtask bench cluster"), [["--no-peers"].map(OsString::from)]);
    }
}
