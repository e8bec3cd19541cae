//! Packs the kernels. They are text, and take a fifth of the room when deflated.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let kernels = Path::new("../device/ptx");
    println!("cargo::rerun-if-changed={}", kernels.display());
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    for file in fs::read_dir(kernels)? {
        let file = file?;
        let packed = File::create(out.join(file.file_name()).with_extension("ptx.zz"))?;
        let mut packer = ZlibEncoder::new(packed, Compression::best());
        std::io::copy(&mut File::open(file.path())?, &mut packer)?;
        packer.finish()?;
    }
    Ok(())
}
