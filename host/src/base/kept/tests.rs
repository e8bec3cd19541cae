//! What was kept comes back as it was, or not at all.

use super::*;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt;

fn candidate((left, right, rule): (u32, u32, u32)) -> Candidate {
    Candidate { left, right, rule }
}

proptest! {
    #[test]
    fn a_run_comes_back(pairs in prop::collection::vec((0u32..50, any::<u32>(), 0u32..3), 0..300)) {
        let run: Vec<Candidate> = pairs.into_iter().map(candidate).collect();
        prop_assert_eq!(unpacked(&packed(&run).unwrap()), Some(run));
    }

    #[test]
    fn damage_is_found(
        pairs in prop::collection::vec((0u32..50, any::<u32>(), 0u32..3), 0..30), at in any::<prop::sample::Index>(),
        bit in 0u32..8,
    ) {
        let run: Vec<Candidate> = pairs.into_iter().map(candidate).collect();
        let bytes = packed(&run).unwrap();
        let mut damaged = bytes.clone();
        damaged[at.index(bytes.len())] ^= 1 << bit;
        prop_assert_eq!(unpacked(&damaged), None);
        prop_assert_eq!(unpacked(&bytes[..at.index(bytes.len())]), None);
    }

    #[test]
    fn any_bytes_are_no_run(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        // Whatever they hold, and with a checksum that is right.
        prop_assert_eq!(unpacked(&bytes), None);
        let sealed_bytes = sealed(&[&MAGIC[..], &bytes].concat());
        let _ = unpacked(&sealed_bytes);
    }
}

#[test]
fn a_folder_is_of_one_job_and_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("checkpoint");
    let run = [candidate((1, 2, 0)), candidate((1, 3, 1))];
    let kept = Kept::open(&at, "job", false).unwrap();
    kept.keep("1", &run).unwrap();
    assert_eq!(kept.run("1", 9).unwrap(), run);
    assert_eq!(kept.run("1", 1), None, "there are two");
    kept.within("part-".into());
    assert_eq!(kept.run("1", 9), None);
    let said = |opened: Result<Kept>| opened.unwrap_err().to_string();
    assert!(said(Kept::open(&at, "job", true)).contains("another process"));
    drop(kept);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&at), mode(&at.join("1.run")), mode(&at.join(MANIFEST))], [0o700, 0o600, 0o600]);

    assert!(said(Kept::open(&at, "job", false)).contains("--resume"));
    assert!(said(Kept::open(&at, "another", true)).contains("another job"));
    let kept = Kept::open(&at, "job", true).unwrap();
    assert_eq!((kept.run("1", 9).unwrap(), kept.counts()), (run.to_vec(), (1, 0)));
    drop(kept);

    // Nothing is trusted that a damaged manifest stands for.
    fs::write(at.join(MANIFEST), "job").unwrap();
    let kept = Kept::open(&at, "job", true).unwrap();
    assert_eq!(kept.run("1", 9), None);
    kept.remove().unwrap();
    assert!(!at.exists());

    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    assert!(said(Kept::open(folder.path(), "job", true)).contains("letter.txt"));
}
