//! Checkpoints: a job that is killed goes on where it was, and nothing shows of that in what it writes.

use crate::program::{Folder, PEOPLE, RULES};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const MOST_KILLS: u64 = 20;
const JOB: &str = "dedupe names.csv -r rules.toml --device cpu --threads 1 --quiet --partitions 24";

/// Names that take a while to compare, each of them like some others.
fn names(n_rows: u64) -> String {
    let mut table = String::from("id,name\n");
    for id in 0..n_rows {
        // The middle of a square is as good as random, and the same every time.
        let draw = (id * 7919 + 104_729).pow(2) >> 11;
        let letters = (0..12).map(|nth| char::from(b'a' + ((draw >> (3 * nth)) % 6) as u8));
        table.push_str(&format!("{id},{}\n", letters.collect::<String>()));
    }
    table
}

fn folder() -> Folder {
    let rules = "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 2\"\n\
                 [[rules]]\nwhen = \"substr(l.name, 1, 4) = substr(r.name, 1, 4) AND jaro_winkler(l.name, r.name) >= 0.9\"\n";
    Folder::with(&[("names.csv", &names(6_000)), ("rules.toml", rules)])
}

#[test]
fn killed_at_random_moments() {
    kill(&folder(), JOB);
}

/// The same with more candidates than fit into memory.
#[test]
fn killed_while_candidates_are_spilled() {
    let rules = "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 2\"\n\
                 [[rules]]\nwhen = \"substr(l.name, 1, 1) = substr(r.name, 1, 1)\"\n";
    let folder = Folder::with(&[("names.csv", &names(4_000)), ("rules.toml", rules)]);
    fs::create_dir(folder.path("spilled")).expect("a folder can be made");
    kill(&folder, &format!("{JOB} --memory 64 --spill spilled"));
    let left = fs::read_dir(folder.path("spilled")).expect("a folder can be listed").count();
    assert_eq!(left, 0, "something is left of what was spilled");
}

/// Kills a job again and again, and has it go on.
fn kill(folder: &Folder, job: &str) {
    folder.stdout(&format!("{JOB} -o wanted.csv"));
    let mut n_killed = 0;
    for nth in 0..MOST_KILLS {
        let command =
            format!("{job} -o found.csv --checkpoint kept{}", if nth == 0 { "" } else { " --resume" });
        let mut running = folder.command(&command).stderr(Stdio::null()).spawn().expect("the program starts");
        sleep(Duration::from_millis(40 + (nth * 7919) % 160));
        // With SIGKILL nothing can be put in order.
        let _ = running.kill();
        n_killed += u64::from(!running.wait().expect("a child can be waited for").success());
        assert!(n_killed == nth + 1 || folder.names().contains("found.csv"));
        if folder.names().contains("found.csv") {
            break;
        }
    }
    // It may also have been killed between its last two steps.
    if !folder.names().contains("found.csv") || folder.names().contains("kept") {
        folder.stdout(&format!("{job} -o found.csv --checkpoint kept --resume"));
    }
    assert!(n_killed > 0, "the job is too short");
    assert_eq!(folder.read("found.csv"), folder.read("wanted.csv"));
    assert!(!folder.names().contains("kept"), "a checkpoint goes when the job is done");
}

#[test]
fn what_is_damaged_is_done_again() {
    let folder = folder();
    folder.stdout(&format!("{JOB} -o wanted.csv --checkpoint kept --keep-checkpoint"));
    let kept = folder.path("kept");
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&kept), 0o700);
    let mut runs: Vec<_> =
        fs::read_dir(&kept).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    runs.retain(|path| path.extension().is_some_and(|extension| extension == "run"));
    assert!(runs.len() > 10, "{} runs", runs.len());
    assert!(runs.iter().all(|run| mode(run) == 0o600));
    // The head, the number, what is packed, the checksum; and one is cut off, one is empty, one is gone.
    for (nth, run) in runs.iter().take(7).enumerate() {
        let mut bytes = fs::read(run).expect("a run");
        let last = bytes.len() - 1;
        match nth {
            0 => bytes[3] ^= 1,
            1 => bytes[9] ^= 1,
            2 => bytes[last / 2] ^= 1,
            3 => bytes[last] ^= 1,
            4 => bytes.truncate(last),
            5 => bytes.clear(),
            _ => {}
        }
        if nth < 6 { fs::write(run, bytes) } else { fs::remove_file(run) }.expect("it can be changed");
    }
    let ran = folder.run(&format!("{JOB} -o found.csv --checkpoint kept --resume").replace(" --quiet", ""));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("is damaged; the task is done again").count(), 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("tasks were done before, and 7 now"), "{}", ran.stderr);
    assert_eq!(folder.read("found.csv"), folder.read("wanted.csv"));
}

#[test]
fn a_checkpoint_is_of_one_job() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", RULES)]);
    let job = "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --checkpoint kept";
    folder.stdout(&format!("{job} --keep-checkpoint"));
    assert!(folder.failure(1, job).contains("add --resume"));
    assert!(folder.failure(1, &format!("{job} --resume --interval 64")).contains("another job"));
    let other = folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --checkpoint .");
    assert!(other.contains("is no part of a checkpoint"), "{other}");
    assert!(folder.failure(2, &job.replace("--checkpoint kept", "--resume")).contains("--checkpoint"));
    // Also from the pairs of a resolve, which is another command over the same tables.
    folder.stdout(&format!("{job} --resume"));
    let resolve = "resolve people.csv -r rules.toml -o entities.csv --device cpu --checkpoint kept";
    folder.stdout(&format!("{resolve} --keep-checkpoint"));
    let entities = folder.read("entities.csv");
    folder.stdout(&format!("{resolve} --resume"));
    assert_eq!(folder.read("entities.csv"), entities);
}
