//! The cache, and little memory: whatever is kept, damaged, changed or read in passes, the output is the same bytes.

use crate::program::{Folder, Ran, program};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Tables with columns of all kinds, rules that need everything that is encoded, a neighbourhood and a score.
const RULES: &str = r#"
[[rules]]
when = "l.city = r.city AND levenshtein(lower(l.name), lower(r.name)) <= 2"
[[rules]]
when = "abs(l.born - r.born) <= 30 AND jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.4 AND l.city <> 'Leeds'"
[[rules]]
when = "abs(l.size - r.size) <= 0.5 AND jaccard(words(l.name), words(r.name)) >= 0.5"
[[rules]]
when = "overlap(split(l.name, ' '), split(r.name, ' ')) >= 2 AND coalesce(l.city, l.name) = coalesce(r.city, r.name)"
[[rules]]
when = "concat(l.city, ' ', l.name) = r.city || ' ' || r.name"
[missing]
words = ["York"]
[[neighbourhoods]]
key = "concat(l.city, l.name)"
window = 2
[[neighbourhoods]]
key = "soundex(l.name)"
window = 3
[[neighbourhoods]]
key = "l.born"
window = 2
[score]
threshold = 0.3
[[score.attributes]]
measure = "jaro_winkler(l.name, r.name)"
[[score.attributes]]
measure = "l.city = r.city"
"#;

fn table(n_rows: u64, seed: u64) -> String {
    let mut table = String::from("key,name,city,born,size,unused\n");
    let firsts = ["Ann", "Anna", "Bob", "Rob \"R\"", "Zoë", "ann"];
    let lasts = ["Smith", "Smyth", "Jones, J", "Stone", "Wood\nhouse", ""];
    for row in 0..n_rows {
        let draw = ((row + seed) * 7919 + 104_729).pow(2) >> 9;
        let name =
            format!("{} {}", firsts[draw as usize % 6], lasts[(draw >> 4) as usize % 6]).replace('"', "\"\"");
        let city = ["Leeds", "York", "Bath", ""][(draw >> 8) as usize % 4];
        let (month, day, size) = (1 + (draw >> 10) % 12, 1 + (draw >> 14) % 28, (draw >> 3) % 400);
        // Neither all integers, nor in order.
        let key = format!("k{}", (row * 37) % n_rows);
        table.push_str(&format!(
            "{key},\"{name}\",{city},1980-{month:02}-{day:02},{}.{},x\n",
            size / 10,
            size % 10
        ));
    }
    table
}

fn folder() -> Folder {
    Folder::with(&[("a.csv", &table(400, 1)), ("b.csv", &table(250, 9)), ("rules.toml", RULES)])
}

/// One table and two; what each writes.
const JOBS: [&str; 3] = [
    "dedupe a.csv --id key -r rules.toml --device cpu -o",
    "link a.csv b.csv --id key -r rules.toml --device cpu -o",
    "resolve a.csv b.csv --id key -r rules.toml --device cpu --pairs pairs.csv -o",
];

fn wanted(folder: &Folder, job: &str) -> String {
    folder.stdout(&format!("{job} wanted.csv --quiet"));
    written(folder, "wanted.csv")
}

/// All that a job wrote.
fn written(folder: &Folder, output: &str) -> String {
    let pairs = folder.names().contains("pairs.csv").then(|| folder.read("pairs.csv"));
    folder.read(output) + &pairs.unwrap_or_default()
}

fn ran(folder: &Folder, command: &str) -> Ran {
    let ran = folder.run(command);
    assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    ran
}

fn files(folder: &Folder) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder.path("kept")).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Writes something else of the same length into a file, which then looks as it did.
fn changed_unseen(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let before = fs::metadata(path).expect("a file");
    let text = fs::read_to_string(path).expect("text");
    assert!(text.contains(from));
    fs::write(path, text.replace(from, to)).expect("it can be written");
    let times = FileTimes::new().set_modified(before.modified().expect("a time"));
    File::options().write(true).open(path).and_then(|file| file.set_times(times)).expect("a time can be set");
}

#[test]
fn the_second_job_reads_no_table() {
    for job in JOBS {
        let folder = folder();
        let wanted = wanted(&folder, job);
        for _ in 0..2 {
            ran(&folder, &format!("{job} found.csv --cache kept"));
            assert_eq!(written(&folder, "found.csv"), wanted, "{job}");
        }
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path("kept")), 0o700);
        assert!(files(&folder).iter().all(|file| mode(file) == 0o600));
        // What nobody reads can be anything, as long as it looks the same.
        changed_unseen(&folder.path("a.csv"), "York", "Bath");
        ran(&folder, &format!("{job} found.csv --cache kept"));
        assert_eq!(written(&folder, "found.csv"), wanted, "{job}");
        // Unless somebody asks.
        let verified = ran(&folder, &format!("{job} found.csv --cache kept --verify-cache"));
        let said = "the table's content is not what it was made of; it is made anew";
        assert!(verified.stderr.contains(said), "{}", verified.stderr);
        let other = self::wanted(&folder, job);
        assert!(other != wanted && written(&folder, "found.csv") == other, "{job}");
        // From then on it is made of that.
        let again = ran(&folder, &format!("{job} found.csv --cache kept --verify-cache"));
        assert!(!again.stderr.contains("anew") && written(&folder, "found.csv") == other, "{}", again.stderr);
    }
}

#[test]
fn a_table_that_looks_different_is_read() {
    let folder = folder();
    ran(&folder, &format!("{} found.csv --cache kept", JOBS[0]));
    let text = folder.read("a.csv").replace("Ann ", "Anne ");
    fs::write(folder.path("a.csv"), text).expect("it can be written");
    ran(&folder, &format!("{} found.csv --cache kept", JOBS[0]));
    assert_eq!(written(&folder, "found.csv"), wanted(&folder, JOBS[0]));
    // Other ids are other records; other thresholds need nothing else.
    let n_files = files(&folder).len();
    let stricter = RULES.replace("<= 2", "<= 1").replace(">= 0.4", ">= 0.6");
    fs::write(folder.path("rules.toml"), stricter).expect("it can be written");
    ran(&folder, &format!("{} found.csv --cache kept", JOBS[0]));
    assert_eq!(written(&folder, "found.csv"), wanted(&folder, JOBS[0]));
    assert_eq!(files(&folder).len(), n_files);
    let by_row = JOBS[0].replace("--id key ", "");
    ran(&folder, &format!("{by_row} found.csv --cache kept"));
    assert_eq!(written(&folder, "found.csv"), wanted(&folder, &by_row));
    assert!(files(&folder).len() > n_files);
}

/// A byte of each kind of place, and several lengths, of every file.
#[test]
fn what_is_damaged_is_made_anew() {
    let folder = folder();
    let wanted = wanted(&folder, JOBS[1]);
    ran(&folder, &format!("{} found.csv --cache kept", JOBS[1]));
    for file in files(&folder) {
        let whole = fs::read(&file).expect("a file");
        let n = whole.len();
        for (nth, place) in [0, 7, 64, n / 3, n / 2, n - 21, n - 18, n - 10, n - 1].into_iter().enumerate() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (nth % 8);
            if nth % 3 == 2 {
                bytes.truncate(place);
            }
            fs::write(&file, bytes).expect("it can be written");
            let ran = ran(&folder, &format!("{} found.csv --cache kept", JOBS[1]));
            assert!(
                ran.stderr.contains("it is made anew") || !ran.stderr.contains("warning"),
                "{}",
                ran.stderr
            );
            assert_eq!(written(&folder, "found.csv"), wanted, "byte {place} of {n}");
            // Whatever nobody reads, such as what lies between arrays, may stay as it is.
            if fs::read(&file).expect("a file") != whole {
                fs::write(&file, &whole).expect("it can be written");
            }
        }
    }
}

#[test]
fn passes_give_the_same() {
    for job in JOBS {
        let folder = folder();
        let text = table(6_000, 1);
        fs::write(folder.path("a.csv"), &text).expect("it can be written");
        let wanted = wanted(&folder, job);
        // 2 MB of text and 12 times as much to encode it: 64 MiB are 16 more than what any process has.
        for cached in ["", " --cache kept", " --cache kept"] {
            let ran = ran(&folder, &format!("{job} found.csv --memory 64 --spill . -v{cached}"));
            assert_eq!(written(&folder, "found.csv"), wanted, "{job}{cached}: {}", ran.stderr);
        }
    }
}

#[test]
fn what_cannot_fit_is_refused() {
    let folder = folder();
    let mut text = String::from("id,name\n");
    for row in 0..400_000 {
        text.push_str(&format!("{row},name number {row} of very many\n"));
    }
    fs::write(folder.path("a.csv"), text).expect("it can be written");
    fs::write(
        folder.path("rules.toml"),
        "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 1 AND l.name = r.name\"\n",
    )
    .expect("it can be written");
    let ran = folder.run("dedupe a.csv -r rules.toml --device cpu -o found.csv --memory 64");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("MiB of memory in all, and --memory allows 64.0; allow more"),
        "{}",
        ran.stderr
    );
    assert!(!folder.names().contains("found.csv"));
}

/// A cache that cannot be written is no reason to stop.
#[test]
fn nowhere_to_keep_it() {
    let folder = folder();
    let wanted = wanted(&folder, JOBS[0]);
    fs::write(folder.path("kept"), "a file, and no folder").expect("it can be written");
    let ran = ran(&folder, &format!("{} found.csv --cache kept", JOBS[0]));
    assert!(ran.stderr.contains("the job goes on, and nothing of this is kept"), "{}", ran.stderr);
    assert_eq!(written(&folder, "found.csv"), wanted);
}

/// No file may be longer than a few hundred bytes, as on a disk that is full. Results go to a pipe.
#[test]
fn a_full_disk() {
    let folder = folder();
    let job = JOBS[0];
    let wanted = wanted(&folder, job);
    let full = |options: &str| {
        let program = program().display();
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} {job} - --quiet {options}");
        let ran = Command::new("sh").arg("-c").arg(script).current_dir(folder.path(".")).output();
        let Output { status, stdout, stderr } = ran.expect("a shell");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
        Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    };
    // Nothing is kept, and the job goes on.
    let cached = full("--cache kept");
    assert_eq!((cached.code, cached.stdout), (Some(0), wanted), "{}", cached.stderr);
    assert!(cached.stderr.contains("File too large"), "{}", cached.stderr);
    assert!(cached.stderr.contains("the job goes on, and nothing of this is kept"), "{}", cached.stderr);
    assert!(files(&folder).is_empty(), "what is half written goes");
    // What is to be resumed must be kept.
    let checkpointed = full("--checkpoint runs");
    assert_eq!(checkpointed.code, Some(1), "{}", checkpointed.stderr);
    assert!(checkpointed.stderr.contains("File too large"), "{}", checkpointed.stderr);
}
