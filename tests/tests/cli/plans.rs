//! Plans of other devices: a file of costs stands in for a device that is not there.

use crate::program::Folder;
use insta::assert_snapshot;

const RULES: &str = "
[[rules]]
when = \"l.phone = r.phone\"

[[rules]]
when = \"l.city = r.city AND jaro_winkler(l.email, r.email) >= 0.9\"
";

fn people() -> Folder {
    Folder::with(&[
        ("people.csv", include_str!("../../../examples/people/people.csv")),
        ("rules.toml", RULES),
        ("cpu.toml", include_str!("../../../host/cost/cpu.toml")),
        ("cuda.toml", include_str!("../../../host/cost/cuda.toml")),
    ])
}

/// What takes a CPU least is not what takes a GPU least. Only what is chosen is shown: costs are fitted again and again.
#[test]
fn each_device_has_its_paths() {
    let folder = people();
    // On a CPU, what a path takes depends on how many threads there are.
    let explain = "explain people.csv -r rules.toml --device cpu --threads 2 --cost";
    let chosen = |costs: &str| {
        let explained = folder.stdout(&format!("{explain} {costs}"));
        let mut lines = explained.lines();
        let mut chosen: String = lines
            .clone()
            .filter(|line| line.starts_with("Planned"))
            .map(|line| format!("{line}\n"))
            .collect();
        while lines.any(|line| line.starts_with("Considered")) {
            let path = lines.next().and_then(|line| line.trim().rsplit_once("  ≈"));
            chosen.extend(path.map(|(path, _)| format!("{path}\n")));
        }
        chosen
    };
    assert_snapshot!(chosen("cpu.toml"), @"
    hash join on l.phone = r.phone
    hash join on l.city = r.city, heavy keys swept by jaro_winkler_similarity(l.email, r.email) >= 0.9
    ");
    assert_snapshot!(chosen("cuda.toml"), @"
    Planned for: cuda, as its costs say
    hash join on l.phone = r.phone
    sweep led by jaro_winkler_similarity(l.email, r.email) >= 0.9
    ");
    let json = folder.stdout(&format!("{explain} cuda.toml --format json"));
    assert!(json.contains("\"planned_for\": \"cuda\""), "{json}");
    let dot = folder.stdout(&format!("{explain} cuda.toml --format dot"));
    assert!(dot.contains("planned for cuda"), "{dot}");
}

/// What is run is planned for what runs it.
#[test]
fn what_runs_takes_its_own_costs() {
    let folder = people();
    for command in ["explain people.csv --analyze", "dedupe people.csv -o pairs.csv"] {
        let message =
            folder.failure(1, &format!("{command} -r rules.toml --device cpu --threads 2 --cost cuda.toml"));
        let wanted = "a cost model for cuda, and the job runs on cpu (2 threads)";
        assert!(message.contains(wanted), "{message}");
    }
}
