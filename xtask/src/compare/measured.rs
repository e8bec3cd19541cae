//! Measuring: each job by the engine on each device, and then by each program that is asked.
//!
//! What a program was seen to do stays in the build folder, so a call that was cut off goes on where it stopped. The engine is
//! always measured anew: answers are held against its own.

use super::Args;
use super::check::{self, Found, Verdict};
use super::job::{self, Ask, Claim, Job};
use super::page;
use super::peer::{self, Peer};
use super::row::{self, ENGINE, Row};
use super::script::{Script, Told};
use super::tables::Ready;
use crate::bench::pairs::{Pairs, read};
use crate::bench::scan::names;
use crate::cargo::{cargo, run as run_command, target};
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a call has in common.
struct Bench<'a> {
    args: &'a Args,
    program: PathBuf,
    /// Where rows of programs stay, and modules of scripts.
    kept: PathBuf,
    /// Pythons, or why there is none.
    installed: HashMap<&'static str, Result<PathBuf, String>>,
    wrong: Vec<String>,
}

pub(super) fn run(args: &Args, output: &Path) -> Result<()> {
    let known = |asked: &[String], all: &[&str], what: &str| -> Result<()> {
        for name in asked {
            ensure!(all.contains(&name.as_str()), "no {what} {name}: there are {}", all.join(", "));
        }
        Ok(())
    };
    known(&args.job, &job::ALL.each_ref().map(|job| job.name), "job")?;
    known(&args.peer, &peer::ALL.each_ref().map(|peer| peer.name), "program")?;
    run_command(cargo().args(["build", "--release", "--quiet", "--package", "hyperblock"]))?;
    let kept = format!("{}-{}-{}", args.scale, args.most_seconds, record::commit());
    let mut bench = Bench {
        args,
        program: target().join("release").join(ENGINE),
        kept: target().join("compare").join("runs").join(kept),
        installed: HashMap::new(),
        wrong: Vec::new(),
    };
    replace(&bench.kept.join("quality.py"), |file| file.write_all(peer::QUALITY.as_bytes()))?;
    let mut rows = Vec::new();
    for job in job::ALL.iter().filter(|job| is_asked(&args.job, job.name)) {
        bench.job(job, &mut rows)?;
    }
    let folder = output.join("compare");
    let rows = merged(rows, &row::read(&folder.join("compare.csv")).unwrap_or_default());
    page::write(output, &folder, &rows)?;
    ensure!(bench.wrong.is_empty(), "{} went wrong:\n  {}", bench.wrong.len(), bench.wrong.join("\n  "));
    Ok(())
}

fn is_asked(asked: &[String], name: &str) -> bool {
    asked.is_empty() || asked.iter().any(|asked| asked == name)
}

/// What was measured now, and before of the same tables, in the order of jobs and programs.
fn merged(mut rows: Vec<Row>, old: &[Row]) -> Vec<Row> {
    for row in old {
        let is_new = rows.iter().any(|new| new.is_as(row));
        let is_of_others = rows.iter().any(|new| new.job == row.job && new.rows != row.rows);
        if !is_new && !is_of_others {
            rows.push(row.clone());
        }
    }
    let place = |row: &Row| {
        let job = job::ALL.iter().position(|job| job.name == row.job);
        let peers = job.map_or(&[][..], |ix| job::ALL[ix].peers);
        (job, peers.iter().position(|(name, _)| *name == row.program), row.device.clone())
    };
    rows.sort_by_key(place);
    rows
}

impl Bench<'_> {
    /// One job by all; what goes wrong with one of them leaves the others.
    fn job(&mut self, job: &'static Job, rows: &mut Vec<Row>) -> Result<()> {
        let ready = Ready::make(job, self.args.scale)?;
        println!("{}: {}, {} records", job.name, job.title, ready.rows);
        let mut ours = Pairs::new();
        for device in names(&[]) {
            let (row, found) =
                self.engine(&ready, &device).with_context(|| format!("{ENGINE} on {}", job.name))?;
            println!("  {}", page::describe(&row, rows));
            rows.push(row);
            if device != "cpu" && found != ours {
                self.wrong.push(format!("{}: {device} finds others than the CPU", job.name));
            }
            ours = found;
        }
        for (name, claim) in job.peers {
            let peer = peer::ALL.iter().find(|peer| peer.name == *name).context("a program is not known")?;
            if !is_asked(&self.args.peer, name) {
                continue;
            }
            match self.peer(peer, *claim, &ready, &ours) {
                Ok(row) => {
                    println!("  {}", page::describe(&row, rows));
                    rows.push(row);
                }
                Err(error) => {
                    eprintln!("  {name}: {error:#}");
                    self.wrong.push(format!("{} by {name}: {error:#}", job.name));
                    rows.push(Row::absent(&ready, name, &format!("went wrong: {error:#}")));
                }
            }
        }
        Ok(())
    }

    /// The engine on a device.
    fn engine(&self, ready: &Ready, device: &str) -> Result<(Row, Pairs)> {
        let output = ready.folder.join(format!("{ENGINE}-{device}.csv"));
        let mut commands = ready.commands(device, &output);
        for words in &mut commands {
            words.insert(0, self.program.to_string_lossy().into_owned());
        }
        let commands = serde_json::to_string(&commands)?;
        let python = Path::new("python3");
        let told = self.script(ready, (python, peer::ENGINE, ENGINE), &output, OsStr::new(&commands))?;
        ensure!(told.times().is_some(), "it takes longer than --most-seconds");
        let Found { pairs, .. } = check::read(ready.job.ask, &output)?;
        let verdict = match ready.job.ask {
            Ask::Truth => check::judge(&pairs, &ready.truth())?,
            Ask::Pairs(_) | Ask::Components => Verdict::default(),
        };
        Ok((Row::of(ready, (ENGINE, device), &told, Some((pairs.len(), &verdict))), pairs))
    }

    /// Another program, unless that was done before.
    fn peer(&mut self, peer: &'static Peer, claim: Claim, ready: &Ready, ours: &Pairs) -> Result<Row> {
        let kept = self.kept.join(format!("{}-{}.csv", ready.job.name, peer.name));
        if !self.args.again
            && let Ok(rows) = row::read(&kept)
            && let [row] = &rows[..]
        {
            return Ok(row.clone());
        }
        let installed = self
            .installed
            .entry(peer.name)
            .or_insert_with(|| peer.install().map_err(|why| format!("{why:#}")));
        let python = match installed {
            Ok(python) => python.clone(),
            Err(why) => return Ok(Row::absent(ready, peer.name, &format!("could not be installed: {why}"))),
        };
        let output = ready.folder.join(format!("{}.csv", peer.name));
        let more = match ready.job.ask {
            Ask::Truth => ready.rules().into_os_string(),
            Ask::Pairs(_) | Ask::Components => OsString::new(),
        };
        let told = self.script(ready, (&python, peer.script, peer.name), &output, &more)?;
        let row = match told.times() {
            None => Row::of(ready, (peer.name, "cpu"), &told, None),
            Some(_) => {
                let theirs = check::read(ready.job.ask, &output)?.pairs;
                let truth = (claim == Claim::Judged).then(|| ready.truth());
                let shifted = |by| match ready.job.ask {
                    Ask::Pairs(_) => self.shifted(ready, by),
                    // Nothing is at a threshold: what differs is wrong.
                    Ask::Components | Ask::Truth => Ok(ours.clone()),
                };
                let verdict = check::check(claim, ours, &theirs, truth.as_deref(), shifted)?;
                Row::of(ready, (peer.name, "cpu"), &told, Some((theirs.len(), &verdict)))
            }
        };
        let lines = row::lines(std::slice::from_ref(&row))?;
        replace(&kept, |file| lines.iter().try_for_each(|line| writeln!(file, "{line}")))?;
        Ok(row)
    }

    fn script(
        &self,
        ready: &Ready,
        (python, text, program): (&Path, &str, &str),
        output: &Path,
        more: &OsStr,
    ) -> Result<Told> {
        let script = Script {
            python,
            text,
            program,
            job: ready.job.name,
            table: &ready.table,
            output,
            most_seconds: self.args.most_seconds,
            more,
            modules: &self.kept,
        };
        script.run(|written| Ok(check::read(ready.job.ask, written)?.n_lines))
    }

    /// Our pairs with all thresholds so much higher.
    fn shifted(&self, ready: &Ready, by: f64) -> Result<Pairs> {
        let ready = ready.shifted(by)?;
        let output = ready.folder.join("shifted.csv");
        for words in ready.commands("cpu", &output) {
            let ran = Command::new(&self.program).args(&words).output()?;
            if !ran.status.success() {
                bail!("{ENGINE} {}: {}", words.join(" "), String::from_utf8_lossy(&ran.stderr).trim());
            }
        }
        read(&output)
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::example;
    use super::{Row, merged};

    #[test]
    fn what_was_measured_before_stays() {
        let row = |job, program, seconds| example(job, program, Some(seconds), "compared");
        let old = [
            row("e1", "hyperblock", 1.0),
            row("e1", "splink", 2.0),
            row("e1", "duckdb", 3.0),
            Row { rows: 7, ..row("e2", "duckdb", 4.0) },
            row("s1w", "hyperblock", 5.0),
        ];
        let new = vec![row("e2", "hyperblock", 0.3), row("e1", "hyperblock", 0.1), row("e1", "splink", 0.2)];
        let merged = merged(new, &old);
        let told: Vec<_> =
            merged.iter().map(|row| (row.job.as_str(), row.program.as_str(), row.median_s)).collect();
        // In order; and nothing of a table of another size beside what is new.
        let right = [
            ("e1", "hyperblock", 0.1),
            ("e1", "duckdb", 3.0),
            ("e1", "splink", 0.2),
            ("e2", "hyperblock", 0.3),
            ("s1w", "hyperblock", 5.0),
        ];
        assert_eq!(told, right.map(|(job, program, seconds)| (job, program, Some(seconds))));
    }
}
