//! What was written comes back, and what was changed since is found out.

use super::*;
use std::os::unix::fs::PermissionsExt;

fn stored(folder: &Path) -> (PathBuf, Array, Array) {
    let path = folder.join("inner/a.data");
    let mut writer = Writer::create(&path).unwrap().unwrap();
    let control = Control::default();
    let first = writer.array(&[1u32, 2, 3], &control).unwrap();
    let second = writer.array(&vec![7u64; BLOCK / 8 + 5], &control).unwrap();
    writer.finish(b"what they are").unwrap();
    (path, first, second)
}

#[test]
fn arrays_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, first, second) = stored(folder.path());
    let (reader, header) = Reader::open(&path).unwrap().unwrap();
    let control = Control::default();
    assert_eq!(header, b"what they are");
    assert_eq!(reader.array::<u32>(&first, &control).unwrap(), [1, 2, 3]);
    assert_eq!(reader.array::<u64>(&second, &control).unwrap(), vec![7; BLOCK / 8 + 5]);
    assert_eq!(Reader::open(&folder.path().join("none")).unwrap().map(|(_, header)| header), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert!(!path.with_extension("part").exists());
}

/// Every byte of the ends, and one of each block.
#[test]
fn damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (path, first, second) = stored(folder.path());
    let whole = fs::read(&path).unwrap();
    let read = || {
        let (reader, header) = Reader::open(&path)?.unwrap();
        let control = Control::default();
        Ok::<_, Damaged>((
            header,
            reader.array::<u32>(&first, &control)?,
            reader.array::<u64>(&second, &control)?,
        ))
    };
    let places = (0..8).chain([64, 75, 128, 1 << 20, BLOCK + 200]).chain(whole.len() - END - 13..whole.len());
    for place in places {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        assert!(read().is_err(), "byte {place}");
    }
    for n in [0, 7, 8, 27, 100, BLOCK, whole.len() - 1] {
        fs::write(&path, &whole[..n]).unwrap();
        assert!(read().is_err(), "{n} bytes");
    }
    fs::write(&path, &whole).unwrap();
    assert!(read().is_ok());
}

#[test]
fn one_that_another_process_makes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.data");
    let first = Writer::create(&path).unwrap();
    assert!(first.is_some() && Writer::create(&path).unwrap().is_none());
    drop(first);
    // Nothing is left of what was not finished, and what a killed process left is written over.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::write(path.with_extension("part"), "left behind").unwrap();
    Writer::create(&path).unwrap().unwrap().finish(b"").unwrap();
    assert_eq!(Reader::open(&path).unwrap().unwrap().1, b"");
}
