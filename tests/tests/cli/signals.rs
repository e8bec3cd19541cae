//! A run that is told to stop ends in good order: no file is left, and the exit code says why.

use crate::program::Folder;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough that a run over it never ends by itself within a test.
fn names(n_rows: u64) -> String {
    let mut state = 88_172_645_463_325_252u64;
    let mut table = String::from("id,name\n");
    for id in 0..n_rows {
        let mut name = String::new();
        for _ in 0..10 {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            name.push(char::from(b'a' + (state % 26) as u8));
        }
        table.push_str(&format!("{id},{name}\n"));
    }
    table
}

/// A process that does not outlive the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn stops_on(signal: &str) {
    let rules = "[[rules]]\nwhen = \"jaro_winkler_similarity(l.name, r.name) >= 0.8\"\n";
    let folder = Folder::with(&[("names.csv", &names(60_000)), ("rules.toml", rules)]);
    let before = folder.names();
    let mut command = folder.command("dedupe names.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    let mut running = Running(command.stderr(Stdio::piped()).spawn().expect("the program starts"));

    // The temporary output appears just before pairs are compared.
    wait_for("the run to start", || folder.names() != before);
    std::thread::sleep(Duration::from_millis(200));
    let pid = running.0.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().expect("kill runs");
    assert!(sent.success());

    wait_for("the run to end", || running.0.try_wait().expect("a child can be asked").is_some());
    let status = running.0.wait().expect("a child can be waited for");
    let mut stderr = String::new();
    let pipe = running.0.stderr.as_mut().expect("a pipe was asked for");
    std::io::Read::read_to_string(pipe, &mut stderr).expect("a pipe can be read");
    assert_eq!(status.code(), Some(130), "{stderr}");
    assert_eq!(stderr, "error: interrupted; nothing was written\n");
    assert_eq!(folder.names(), before, "something was left behind");
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whatever it is doing: reading, encoding, planning, comparing or writing.
#[test]
fn terminate_at_any_moment() {
    let rules = "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 1 OR substr(l.name, 1, 3) = substr(r.name, 1, 3)\"\n";
    let folder = Folder::with(&[("names.csv", &names(60_000)), ("rules.toml", rules), ("out.csv", "old")]);
    terminated_at_any_moment(
        &folder,
        "dedupe names.csv -r rules.toml -o out.csv --device cpu --quiet",
        "out.csv",
    );
}

/// Fitting encodes and compares several times over: for each rule and each level that is rare.
#[test]
fn terminate_a_fit_at_any_moment() {
    let rules = "\
[[rules]]
when = 'l.first = r.first'
[[rules]]
when = 'l.last = r.last'
[score]
score = 'fellegi-sunter'
threshold = 0.5
[[score.attributes]]
name = 'first'
measure = 'l.first = r.first'
[[score.attributes]]
name = 'middle'
measure = 'levenshtein_similarity(l.middle, r.middle)'
levels = [1, 0.7]
[[score.attributes]]
name = 'last'
measure = 'l.last = r.last'
[[score.attributes]]
name = 'name'
measure = 'jaro_winkler_similarity(l.name, r.name)'
levels = [1, 0.9]
";
    // One in three comes twice.
    let rows = |copies: &str, step| -> String {
        let row = |line: &str| {
            let (id, name) = line.split_once(',').expect("two fields");
            format!("{copies}{id},{},{},{},{}\n", &name[..2], &name[2..5], &name[5..7], &name[7..])
        };
        names(60_000).lines().skip(1).step_by(step).map(row).collect()
    };
    let table = format!("id,first,middle,last,name\n{}{}", rows("a", 1), rows("b", 3));
    let folder = Folder::with(&[("names.csv", &table), ("rules.toml", rules), ("out.toml", "old")]);
    terminated_at_any_moment(
        &folder,
        "fit names.csv -r rules.toml -o out.toml --prior 0.00001 --device cpu --quiet",
        "out.toml",
    );
}

/// Runs `command`, which writes to the file `out`, to its end, and then again and again, stopped later and later, until it is done
/// before.
fn terminated_at_any_moment(folder: &Folder, command: &str, out: &str) {
    let (before, old) = (folder.names(), folder.read(out));
    let begun = Instant::now();
    assert!(folder.command(command).status().expect("the program starts").success());
    // However fast this machine is, there are some moments before the end.
    let step = begun.elapsed() / 12;
    std::fs::write(folder.path(out), &old).expect("a file can be written");
    let (mut n_stopped, mut moment) = (0, Duration::ZERO);
    loop {
        let mut running =
            Running(folder.command(command).stderr(Stdio::piped()).spawn().expect("the program starts"));
        std::thread::sleep(moment);
        let pid = running.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).stderr(Stdio::null()).status().expect("kill runs");
        let asked = Instant::now();
        wait_for("the run to end", || running.0.try_wait().expect("a child can be asked").is_some());
        // Generous, for a machine that does other things too.
        assert!(asked.elapsed() < Duration::from_secs(5), "{moment:?}: {:?}", asked.elapsed());
        let status = running.0.wait().expect("a child can be waited for");
        match status.code() {
            Some(0) => break,
            Some(130) => n_stopped += 1,
            // Before it could say what signals are to do.
            None if moment < Duration::from_millis(100) => {}
            _ => panic!("{moment:?}: {status}"),
        }
        assert_eq!((folder.names(), folder.read(out)), (before.clone(), old.clone()), "{moment:?}");
        moment += step;
    }
    assert!(n_stopped > 2, "{n_stopped}");
}

#[test]
fn interrupt() {
    stops_on("-INT");
}

#[test]
fn terminate() {
    stops_on("-TERM");
}
