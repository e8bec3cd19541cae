//! What the program does where there is too little of something: a message and exit code 1, never a signal.

use crate::program::{Folder, PAIRS, people, program};
use insta::assert_snapshot;
use std::collections::BTreeMap;
use std::process::{Command, Output};

/// Runs with so much memory at most.
fn within(folder: &Folder, kilobytes: u64, arguments: &str) -> Output {
    let script = format!("ulimit -v {kilobytes}; exec {} {arguments}", program().display());
    Command::new("sh").arg("-c").arg(script).current_dir(folder.path(".")).output().expect("a shell")
}

#[test]
fn memory_that_runs_out() {
    let mut table = String::from("id,name\n");
    for id in 0..200_000 {
        table.push_str(&format!("{id},name number {id} of very many\n"));
    }
    let rules = "[[rules]]\nwhen = \"jaccard(qgrams(l.name, 3), qgrams(r.name, 3)) >= 0.99\"\n";
    let folder = people().file("names.csv", &table).file("names.toml", rules);
    let (mut told, mut done) = (0, 0);
    // With less the system cannot load the program.
    for megabytes in [80, 96, 112, 128, 160, 192, 256, 384, 512, 1024] {
        let ran = within(
            &folder,
            megabytes << 10,
            "dedupe names.csv -r names.toml -o pairs.csv --device cpu --threads 2 --quiet",
        );
        let message = String::from_utf8_lossy(&ran.stderr);
        match ran.status.code() {
            Some(0) => done += 1,
            Some(1) => {
                assert!(message.starts_with("error: "), "{megabytes} MB: {message}");
                told += usize::from(message.contains("out of memory in stage `"));
            }
            other => panic!("{megabytes} MB: {other:?} {:?} {message}", ran.status),
        }
        let left = folder.names().into_iter().filter(|name| name.ends_with(".part")).count();
        assert_eq!(left, 0, "{megabytes} MB");
    }
    assert!(told > 0 && done > 0, "{told} told, {done} done");
}

/// From where the program begins at all: stacks and threads take their memory one after another, and each may be what lacks it.
#[test]
fn memory_to_begin_with() {
    let folder = people();
    let begins = |kilobytes: &u64| within(&folder, *kilobytes, "--version").status.success();
    let least = (8 << 10..512 << 10).step_by(500).find(begins).expect("it begins within 512 MB");
    let mut codes = BTreeMap::<_, u32>::new();
    for kilobytes in (least..least + (20 << 10)).step_by(500) {
        let ran =
            within(&folder, kilobytes, "dedupe people.csv -r rules.toml --count --device cpu --threads 2");
        let code = ran.status.code();
        let message = String::from_utf8_lossy(&ran.stderr);
        assert!(matches!(code, Some(0 | 1)), "{kilobytes} kB: {:?} {message}", ran.status);
        assert_eq!(code == Some(1), message.starts_with("error: "), "{kilobytes} kB: {message}");
        *codes.entry(code).or_default() += 1;
    }
    assert_eq!(codes.len(), 2, "{codes:?}");
}

#[test]
fn threads() {
    let message = people().failure(2, "dedupe people.csv -r rules.toml -o pairs.csv --threads 2000");
    assert_snapshot!(message, @r"
    error: invalid value '2000' for '--threads <N>': 2000 is not in 1..=1024

    For more information, try '--help'.
    ");
    let folder = people();
    folder.stdout("dedupe people.csv -r rules.toml -o pairs.csv --threads 64 --device cpu --quiet");
    assert_eq!(folder.read("pairs.csv"), PAIRS);
}
