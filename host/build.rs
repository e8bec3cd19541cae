//! Packs the kernels, and finds the machine code that was made of them.
//!
//! PTX is text, and takes a fifth of the room when deflated. Machine code is packed already. The name of its file has the
//! checksum of the PTX that it was made of: what was made of another one is not found, and the driver compiles the PTX.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let (kernels, machine_code) = (Path::new("../device/ptx"), Path::new("../device/cubin"));
    for folder in [kernels, machine_code] {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    for file in fs::read_dir(kernels)? {
        let file = file?.path();
        let text = fs::read_to_string(&file)?;
        let name = file.file_stem().ok_or("a file without a name")?.to_string_lossy().into_owned();

        let packed = File::create(out.join(format!("{name}.ptx.zz")))?;
        let mut packer = ZlibEncoder::new(packed, Compression::best());
        packer.write_all(text.as_bytes())?;
        packer.finish()?;

        let made = machine_code.join(format!("{name}.{:08x}.zst", checksum(&text)));
        let code = if made.exists() { fs::read(made)? } else { Vec::new() };
        fs::write(out.join(format!("{name}.cubin.zst")), code)?;
    }
    Ok(())
}

/// CRC-32 of the text after its header, as `cargo xtask device --machine-code` computes it: comments make no code.
fn checksum(text: &str) -> u32 {
    let mut checksum = Crc::new();
    for line in text.split_inclusive('\n').skip_while(|line| line.starts_with("//")) {
        checksum.update(line.as_bytes());
    }
    checksum.sum()
}
