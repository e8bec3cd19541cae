//! Damaged files that panic in the crates that read them, with one bit changed each: worth a word to their authors.
//!
//! Most of what panicked in arrow-ipc 60.1 is refused before it is asked: buffers that do not lie in their message and
//! messages that do not lie in the file (`Buffer::slice_with_length` asserts that), negative lengths of blocks (`read_block`
//! unwraps them), and packed buffers that say they unpack to exabytes (`Vec::with_capacity` ends the process). What is
//! below is not cheap to see from outside. All other files that differ in one bit are read in `tests/tests/fuzz`.

use crate::base::control::Control;
use crate::read::table::source::Source;
use crate::read::table::{ReadOptions, Table};

/// What is said about a file with one bit changed.
fn with_flipped(bit: usize, file: &[u8]) -> String {
    let mut bytes = file.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    let read = Table::of(&Source::of_bytes(bytes), &ReadOptions::default(), &|_| true, &Control::default());
    read.map(|_| String::from("fine")).unwrap_or_else(|error| error.to_string())
}

/// parquet 60.1: a page of days whose encoding is damaged to BYTE_STREAM_SPLIT.
#[test]
fn a_page_of_another_encoding() {
    let said = with_flipped(2273, include_bytes!("../../../../../tests/data/snappy.parquet"));
    assert_eq!(
        said,
        "memory: damaged Parquet, after row 0: index out of bounds: the len is 4 but the index is 4"
    );
}

/// arrow-ipc 60.1: a buffer of offsets that is 25 bytes long, not 24, which `Buffer::typed_data` asserts.
#[test]
fn a_buffer_of_offsets_and_a_byte() {
    let said = with_flipped(3328, include_bytes!("../../../../../tests/data/stream.arrow"));
    let what = "assertion failed: prefix.is_empty() && suffix.is_empty()";
    assert_eq!(said, format!("memory: damaged Arrow stream, after row 0: {what}"));
}

/// A buffer that is packed says how long it will be: here, 2^62 bytes.
#[test]
fn a_length_that_nobody_has_memory_for() {
    for (name, file) in [
        ("lz4", &include_bytes!("../../../../../tests/data/lz4.feather")[..]),
        ("zstd", &include_bytes!("../../../../../tests/data/zstd.feather")[..]),
    ] {
        let magic: &[u8] = if name == "lz4" { b"\x04\x22\x4d\x18" } else { b"\x28\xb5\x2f\xfd" };
        let packed = file.windows(4).position(|bytes| bytes == magic).expect("a packed buffer");
        let said = with_flipped(8 * packed - 2, file);
        assert!(
            said.contains("unpack") && said.starts_with("memory: damaged Arrow file, in its footer"),
            "{said}"
        );
    }
}
