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
    let rules = "[[rules]]\nwhen = \"jaro_winkler_similarity(l.name, r.name) >= 0.99\"\n";
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

#[test]
fn interrupt() {
    stops_on("-INT");
}

#[test]
fn terminate() {
    stops_on("-TERM");
}
