//! Machine code: the committed PTX, assembled for the GPUs that people have.
//!
//! A file of PTX has one file of machine code, `device/cubin/NAME.CHECKSUM.zst`, for all GPUs together: half of
//! what they are is the same. The checksum is the PTX's. So machine code of another PTX has another name, and the host's
//! build does not find it: kernels may change without it, and each change need not add megabytes to the repository.

use super::ptxas::Assembled;
use crate::cargo::root;
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use flate2::Crc;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

const FOLDER: &str = "device/cubin";
/// The host unpacks it as fast as any other.
const BEST: i32 = 22;

/// The machine code of a file of PTX, whether it is there or not.
pub(super) struct MachineCode {
    /// Relative to the root.
    pub(super) path: String,
    name: &'static str,
}

impl MachineCode {
    /// The one of this PTX.
    pub(super) fn of(name: &'static str, ptx: &str) -> Self {
        Self { path: format!("{FOLDER}/{name}.{:08x}.zst", checksum(ptx)), name }
    }

    fn file(&self) -> PathBuf {
        root().join(&self.path)
    }

    pub(super) fn is_there(&self) -> bool {
        self.file().is_file()
    }

    /// Packs and writes it, in the place of what was made of another PTX.
    pub(super) fn write(&self, assembled: &[Assembled]) -> Result<usize> {
        let packed = zstd::encode_all(contents(assembled).as_slice(), BEST)?;
        replace(&self.file(), |file| file.write_all(&packed))?;
        self.remove_others()?;
        Ok(packed.len())
    }

    /// Checks that it is what was assembled just now.
    pub(super) fn check(&self, assembled: &[Assembled]) -> Result<()> {
        let path = &self.path;
        let packed = fs::read(self.file()).with_context(|| format!("cannot read {path}"))?;
        let unpacked = zstd::decode_all(packed.as_slice());
        ensure!(
            unpacked.with_context(|| format!("{path} does not unpack"))? == contents(assembled),
            "{path} is not what ptxas makes: run `cargo xtask device --machine-code` and commit the file"
        );
        Ok(())
    }

    /// Removes what was made of another PTX of this name.
    pub(super) fn remove_others(&self) -> Result<()> {
        for path in committed()? {
            let is_ours =
                path.strip_prefix(FOLDER).is_some_and(|file| file[1..].split('.').next() == Some(self.name));
            if is_ours && path != self.path {
                fs::remove_file(root().join(&path)).with_context(|| format!("cannot remove {path}"))?;
                println!("removed {path}: its PTX is no more");
            }
        }
        Ok(())
    }
}

/// Checks that each file is of PTX that is there: the host's build would never look at another one.
pub(super) fn check_names(known: &[MachineCode]) -> Result<()> {
    let known: BTreeSet<_> = known.iter().map(|code| &code.path).collect();
    let lost: Vec<_> = committed()?.into_iter().filter(|path| !known.contains(path)).collect();
    ensure!(
        lost.is_empty(),
        "made of PTX that is not here: {}\nremove it, or run `cargo xtask device --machine-code` and commit {FOLDER}",
        lost.join(", ")
    );
    Ok(())
}

/// The files there are, relative to the root.
fn committed() -> Result<Vec<String>> {
    let folder = root().join(FOLDER);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {FOLDER}"))?;
    entries.map(|entry| Ok(format!("{FOLDER}/{}", entry?.file_name().to_string_lossy()))).collect()
}

/// What is packed: a line of capabilities and sizes, then the code of each.
fn contents(assembled: &[Assembled]) -> Vec<u8> {
    let of = |one: &Assembled| format!("{} {}", one.capability, one.code.len());
    let mut contents = assembled.iter().map(of).collect::<Vec<_>>().join(" ").into_bytes();
    contents.push(b'\n');
    assembled.iter().for_each(|one| contents.extend(&one.code));
    contents
}

/// CRC-32 of the text after its header, as the host's `build.rs` computes it: comments make no code.
fn checksum(ptx: &str) -> u32 {
    let mut checksum = Crc::new();
    for line in ptx.split_inclusive('\n').skip_while(|line| line.starts_with("//")) {
        checksum.update(line.as_bytes());
    }
    checksum.sum()
}

#[cfg(test)]
mod tests {
    use super::{Assembled, MachineCode, contents};

    #[test]
    fn a_header_makes_no_other_code() {
        let code = |ptx| MachineCode::of("scan", ptx).path;
        assert_eq!(code("// sources: sha256 0f\n//\n.version 6.0\n"), "device/cubin/scan.0eef60d4.zst");
        assert_eq!(code(".version 6.0\n"), code("// sources: sha256 1e\n.version 6.0\n"));
        assert_ne!(code(".version 6.0\n"), code(".version 6.1\n"));
    }

    #[test]
    fn a_line_says_what_follows() {
        let of = |capability, code: &[u8]| Assembled {
            capability,
            architecture: String::new(),
            report: String::new(),
            code: code.to_vec(),
        };
        assert_eq!(contents(&[of("7.0", b"abc"), of("9.0", b"de")]), b"7.0 3 9.0 2\nabcde");
    }
}
