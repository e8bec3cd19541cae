//! The build itself: cargo with another compiler, then names that do not change from build to build.

use super::compiler::{Compiler, TARGET};
use super::{Module, symbols};
use crate::cargo::run;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The oldest GPUs that hyperblock supports.
const CPU: &str = "sm_70";
const PACKAGE: &str = "hyperblock-device";

/// A module's kernels as PTX, built in a folder that nobody else builds in meanwhile.
pub(super) fn build(compiler: &Compiler, module: &Module, folder: &Path) -> Result<String> {
    // The assembly is the product. What comes after it, the linker, has nothing to do.
    // Threading jumps would write what stands between two tests of the same condition twice, barriers and votes included,
    // and lanes that part over it would wait for each other in different places.
    let mut flags = format!(
        "-C target-cpu={CPU} -C linker=/bin/true -Zlocation-detail=none -Zmir-enable-passes=-JumpThreading"
    );
    if compiler.builds_core {
        // A panic is a trap and nothing more: no messages, no functions to format them.
        flags += " -Zunstable-options -Cpanic=immediate-abort";
    }
    let cargo = |command| {
        let mut cargo = compiler.cargo();
        cargo.env("RUSTC", &compiler.rustc).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", &flags);
        cargo
            .args([command, "--profile", "device", "--target", TARGET, "-p", PACKAGE, "--target-dir"])
            .arg(folder);
        cargo
    };

    println!("building {} with {}", module.path, compiler.name);
    // Cargo does not know the assembly for its product: it would call it fresh after another checkout, with the same
    // build folder, has written it.
    run(cargo("clean").arg("--quiet"))?;
    let assembly = folder.join("kernels.s");
    let mut rustc = cargo("rustc");
    rustc.args(["--lib", "--crate-type", "cdylib", "--features", module.feature]);
    if compiler.builds_core {
        rustc.arg("-Zbuild-std=core");
    }
    run(rustc.arg("--").arg(format!("--emit=asm={}", assembly.display())))?;
    let ptx = fs::read_to_string(&assembly).with_context(|| format!("cannot read {}", assembly.display()))?;
    let ptx = symbols::steady(&ptx);
    module.most_registers.iter().try_fold(ptx, |ptx, (kernel, most)| limit(&ptx, kernel, *most))
}

/// The PTX with a limit to the registers of a kernel: a directive between its parameters and its body.
fn limit(ptx: &str, kernel: &str, most: u32) -> Result<String> {
    let entry =
        ptx.find(&format!(".entry {kernel}(")).with_context(|| format!("there is no kernel {kernel}"))?;
    let (before, body) = ptx.split_at(entry);
    Ok(format!("{before}{}", body.replacen("\n)\n{", &format!("\n)\n.maxnreg {most}\n{{"), 1)))
}
