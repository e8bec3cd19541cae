//! Packs the kernels, and finds the machine code that was made of them; puts the page of reports together.
//!
//! PTX is text, and takes a fifth of the room when deflated. Machine code is packed already. The name of its file has the
//! checksum of the PTX that it was made of: what was made of another one is not found, and the driver compiles the PTX.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use sha2::{Digest, Sha256};
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
    page(Path::new("src/report/page"), &out)
}

/// The page of reports around its data: style and scripts in their places, and a policy that allows no others, by their hashes.
fn page(folder: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut scripts = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?.path();
        if file.extension().is_some_and(|extension| extension == "js") {
            scripts.push(file);
        }
    }
    // Their names begin with numbers.
    scripts.sort();
    let scripts = scripts.iter().map(fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", scripts.concat());
    let style = fs::read_to_string(folder.join("style.css"))?;
    let [of_script, of_style] = [&script, &style].map(|text| base64(&Sha256::digest(text.as_bytes())));
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{of_script}'; \
         style-src 'sha256-{of_style}'; base-uri 'none'; form-action 'none'\">"
    );
    let mut page = fs::read_to_string(folder.join("page.html"))?;
    for (mark, text) in [("<!--policy-->", &policy), ("<!--style-->", &style), ("<!--script-->", &script)] {
        if page.matches(mark).count() != 1 {
            return Err(format!("page.html has {mark} not once").into());
        }
        page = page.replacen(mark, text, 1);
    }
    let (before, behind) = page.split_once("<!--data-->").ok_or("page.html has no <!--data-->")?;
    fs::write(out.join("report.before.html"), before)?;
    fs::write(out.join("report.behind.html"), behind)?;
    Ok(())
}

/// Bytes as policies have them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, nth| bits << 8 | u32::from(three.get(nth).copied().unwrap_or(0)));
        for nth in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * nth) & 63) as usize];
            text.push(if nth <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// CRC-32 of the text after its header, as `cargo xtask device --machine-code` computes it: comments make no code.
fn checksum(text: &str) -> u32 {
    let mut checksum = Crc::new();
    for line in text.split_inclusive('\n').skip_while(|line| line.starts_with("//")) {
        checksum.update(line.as_bytes());
    }
    checksum.sum()
}
