//! Where outputs go: never over an input, never two to one place, and with the mode and the links of what they replace.

use crate::program::{Folder, PAIRS, people, program};
use insta::assert_snapshot;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

const DEDUPE: &str = "dedupe people.csv -r rules.toml --device cpu --quiet";

/// The message about an output that is an input, which stays as it was.
#[track_caller]
fn refused(folder: &Folder, input: &str, arguments: &str) -> String {
    let before = folder.read(input);
    let message = folder.failure(1, arguments);
    assert_eq!(folder.read(input), before);
    message
}

#[test]
fn an_output_that_is_the_table() {
    let folder = people();
    fs::create_dir(folder.path("sub")).expect("a folder can be made");
    symlink("people.csv", folder.path("link.csv")).expect("a link can be made");
    fs::hard_link(folder.path("people.csv"), folder.path("hard.csv")).expect("a link can be made");
    assert_snapshot!(refused(&folder, "people.csv", &format!("{DEDUPE} -o people.csv")), @"error: -o people.csv: that is the table, which would be lost; name another file");
    for spelling in ["./people.csv", "sub/../people.csv", "link.csv", "hard.csv"] {
        refused(&folder, "people.csv", &format!("{DEDUPE} -o {spelling}"));
    }
}

#[test]
fn an_output_that_is_another_input() {
    let folder = people().file("truth.csv", "id_a,id_b\n2,33\n");
    symlink("rules.toml", folder.path("rules.csv")).expect("a link can be made");
    assert_snapshot!(refused(&folder, "truth.csv", &format!("{DEDUPE} --truth truth.csv -o truth.csv")), @"error: -o truth.csv: that is the truth, which would be lost; name another file");
    assert_snapshot!(refused(&folder, "rules.toml", &format!("{DEDUPE} -o rules.csv")), @"error: -o rules.csv: that is the file of rules, which would be lost; name another file");
    assert_snapshot!(refused(&folder, "rules.toml", "fit people.csv -r rules.toml -o rules.toml --quiet --device cpu"), @"error: -o rules.toml: that is the file of rules, which would be lost; name another file");
    assert_snapshot!(refused(&folder, "truth.csv", "cluster truth.csv -o truth.csv --quiet --device cpu"), @"error: -o truth.csv: that is the file of pairs, which would be lost; name another file");
    assert_snapshot!(refused(&folder, "truth.csv", "closure truth.csv --header -o truth.csv --quiet --device cpu"), @"error: -o truth.csv: that is the file of edges, which would be lost; name another file");
}

#[test]
fn an_output_that_is_the_file_of_weights() {
    let score = "\n[score]\nscore = \"fellegi-sunter\"\nweights = \"weights.csv\"\nthreshold = 0.5\n\
                 [[score.attributes]]\nmeasure = \"jaro_winkler(l.name, r.name)\"\nlevels = [0.9]\n";
    let rules = format!("{}{score}", crate::program::RULES);
    let folder = people().file("rules.toml", rules).file("weights.csv", "prior = 0.5\n");
    assert_snapshot!(refused(&folder, "weights.csv", &format!("{DEDUPE} -o weights.csv")), @"error: -o weights.csv: that is the file of weights, which would be lost; name another file");
}

#[test]
fn two_outputs_at_one_place() {
    let folder = people();
    let resolve = "resolve people.csv -r rules.toml --device cpu --quiet";
    assert_snapshot!(folder.failure(1, &format!("{resolve} -o s.csv --pairs ./s.csv")), @"error: --pairs ./s.csv: -o writes to the same place; name another");
    assert_snapshot!(folder.failure(1, &format!("{resolve} -o - --pairs -")), @"error: --pairs -: -o writes to the same place; name another");
    folder.stdout(&format!("{resolve} -o /dev/null --pairs /dev/null"));
}

#[test]
fn what_is_replaced_keeps_its_mode_and_links_stay_links() {
    let folder = people().file("pairs.csv", "old");
    fs::set_permissions(folder.path("pairs.csv"), Permissions::from_mode(0o600)).expect("a mode can be set");
    symlink("pairs.csv", folder.path("link.csv")).expect("a link can be made");
    folder.stdout(&format!("{DEDUPE} -o link.csv"));
    assert!(folder.path("link.csv").is_symlink());
    assert_eq!(folder.read("pairs.csv"), PAIRS);
    let mode = fs::metadata(folder.path("pairs.csv")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_read_only_file_stays() {
    let folder = people().file("pairs.csv", "old");
    fs::set_permissions(folder.path("pairs.csv"), Permissions::from_mode(0o444)).expect("a mode can be set");
    assert_snapshot!(folder.failure(1, &format!("{DEDUPE} -o pairs.csv")), @"error: pairs.csv: the file is read-only; make it writable, or name another");
    assert_eq!(folder.read("pairs.csv"), "old");
}

#[test]
fn standard_output_by_its_path_in_a_file() {
    let folder = people();
    let to = fs::File::create(folder.path("led.csv")).expect("a file can be made");
    let mut command = folder.command(&format!("{DEDUPE} -o /dev/stdout"));
    assert!(command.stdout(to).status().expect("the program starts").success());
    assert_eq!(folder.read("led.csv"), PAIRS);
    assert!(std::path::Path::new("/dev/stdout").is_symlink());
}

#[test]
fn what_cannot_be_told_stops_nothing() {
    let folder = people();
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").expect("a device"));
    let dedupe = "dedupe people.csv -r rules.toml --device cpu -v -o pairs.csv";
    let status = folder.command(dedupe).stderr(full()).status().expect("the program starts");
    assert!(status.success());
    assert_eq!(folder.read("pairs.csv"), PAIRS);
    // Closed altogether.
    let closed = format!("{} {dedupe} 2>&-", program().display());
    let status = Command::new("sh").arg("-c").arg(closed).current_dir(folder.path(".")).status();
    assert!(status.expect("a shell").success());
    let output = folder.command("devices").stdout(full()).output().expect("the program starts");
    let message = String::from_utf8(output.stderr).expect("the program speaks UTF-8");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(message, @"error: standard output: No space left on device (os error 28)");
}
