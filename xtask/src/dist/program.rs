//! The program as it is given to others: an archive of the binary, its completions and manual, and the licences of all that is in it.
//!
//! ```text
//! sources ─► a stripped binary for glibc 2.17 ─► what it says of itself ─► an archive ─► unpacked elsewhere, and run
//! ```
//!
//! The same sources make the same bytes, wherever they are: folders are left out of the binary, and files of the archive have the
//! commit's time and nobody's name.

use super::{ZIG, licences, path_with};
use crate::cargo::{at_root, output, root, run as run_command, target};
use crate::python::{emptied, environment};
use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What gives Zig to cargo as a linker, and what is told of the C library.
const ZIGBUILD: &str = "cargo-zigbuild==0.24.0";
/// The C library that is linked against: that of manylinux2014. Any newer one will do.
const GLIBC: (u32, u32) = (2, 17);
/// All that the program may need to be there: the C library, in its parts.
const NEEDED: [&str; 7] =
    ["libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libutil.so", "ld-linux"];
const SHELLS: [(&str, &str); 3] =
    [("bash", "hyperblock.bash"), ("zsh", "_hyperblock"), ("fish", "hyperblock.fish")];

/// Builds the archive; a second time elsewhere, and compares, if `twice`.
pub(super) fn build(twice: bool) -> Result<()> {
    // Those of both, if it is built twice: to gather them takes longer than to build.
    let licences = target().join("dist-licences.txt");
    licences::write(&licences)?;
    let archive = built(&root(), &target(), &licences)?;
    try_out(&archive)?;
    if twice {
        let elsewhere = target().join("dist-again");
        let copy = elsewhere.join("a-checkout-elsewhere");
        emptied(&elsewhere)?;
        run_command(at_root("git").args(["clone", "--quiet", "--no-hardlinks", "."]).arg(&copy))?;
        let again = built(&copy, &elsewhere, &licences)?;
        ensure!(
            digest(&archive)? == digest(&again)?,
            "{} and {} differ; is all committed?",
            archive.display(),
            again.display()
        );
        println!("built twice, in two folders: the same bytes");
    }
    let size = fs::metadata(&archive)?.len() as f64 / 1e6;
    let name = archive.strip_prefix(root()).unwrap_or(&archive).display();
    println!("wrote {name} ({size:.1} MB, sha256 {})", digest(&archive)?);
    Ok(())
}

/// The archive of the checkout `from`, with all that is built for it below `to`.
fn built(from: &Path, to: &Path, licences: &Path) -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("hyperblock-{version}-{ARCH}-linux");
    let folder = to.join("dist/program").join(&name);
    emptied(&folder)?;
    let (completions, manual) = (folder.join("completions"), folder.join("man/man1"));
    made(&completions)?;
    made(&manual)?;
    let program = folder.join("hyperblock");
    copied(&compiled(from, &to.join("dist-build"))?, &program)?;
    let said = |arguments: &[&str]| {
        let said = output(Command::new(&program).args(arguments)).filter(|said| !said.is_empty());
        said.map(|said| said + "\n")
            .with_context(|| format!("hyperblock {} said nothing", arguments.join(" ")))
    };
    for (shell, file) in SHELLS {
        fs::write(completions.join(file), said(&["completions", shell])?)?;
    }
    fs::write(manual.join("hyperblock.1"), said(&["man"])?)?;
    for file in ["LICENSE", "README.md", "CHANGELOG.md"] {
        copied(&from.join(file), &folder.join(file))?;
    }
    copied(licences, &folder.join("LICENCES-OF-DEPENDENCIES.txt"))?;
    packed(&folder, from)
}

/// Compiles the program of a checkout.
fn compiled(from: &Path, to: &Path) -> Result<PathBuf> {
    let python = environment("dist-program", &[ZIG, ZIGBUILD])?;
    let triple = format!("{ARCH}-unknown-linux-gnu");
    let mut build = at_root(python.with_file_name("cargo-zigbuild"));
    build.current_dir(from).env("PATH", path_with(&python)?).env("CARGO_TARGET_DIR", to);
    build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols").env("RUSTFLAGS", remapped(from)?);
    build.args(["zigbuild", "--release", "--locked", "--package", "hyperblock", "--bin", "hyperblock"]);
    run_command(build.arg("--target").arg(format!("{triple}.{}.{}", GLIBC.0, GLIBC.1)))?;
    let program = to.join(triple).join("release/hyperblock");
    look_at_what_it_needs(&program)?;
    Ok(program)
}

/// Flags that leave the folders of this machine out of the program.
fn remapped(from: &Path) -> Result<String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).context("no cargo home")?;
    let folders = [(from, "/hyperblock"), (home.as_path(), "/cargo")];
    let flag = |(folder, name): &(&Path, &str)| format!("--remap-path-prefix={}={name}", folder.display());
    let flags: Vec<String> = folders.iter().map(flag).collect();
    ensure!(
        folders.iter().all(|(folder, _)| !folder.as_os_str().to_string_lossy().contains(' ')),
        "a folder with a blank in its name cannot be left out of the program"
    );
    Ok(flags.join(" "))
}

/// Is all in it but the C library, and does an old one do?
fn look_at_what_it_needs(program: &Path) -> Result<()> {
    let dynamic = output(at_root("readelf").args(["--dynamic", "--version-info", "--wide"]).arg(program))
        .context("readelf (on Debian, of the package binutils) cannot read the program")?;
    let libraries = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    for library in libraries.filter_map(|line| line.split(['[', ']']).nth(1)) {
        ensure!(NEEDED.iter().any(|known| library.starts_with(known)), "the program needs {library}");
    }
    let versions: BTreeSet<(u32, u32)> = dynamic
        .split("GLIBC_")
        .skip(1)
        .filter_map(|rest| {
            let version = rest.split(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
            let mut parts = version.split('.').map(str::parse);
            Some((parts.next()?.ok()?, parts.next()?.ok()?))
        })
        .collect();
    match versions.last() {
        Some(newest) if *newest > GLIBC => bail!("the program needs glibc {}.{}", newest.0, newest.1),
        Some(_) => Ok(()),
        None => bail!("the program needs no glibc at all: it was not linked as it should be"),
    }
}

/// Packs a folder, with nothing of this machine or this moment.
fn packed(folder: &Path, from: &Path) -> Result<PathBuf> {
    let git = output(at_root("git").current_dir(from).args(["log", "-1", "--format=%ct"]));
    let time = format!("--mtime=@{}", git.as_deref().unwrap_or("0"));
    let parent = folder.parent().context("no folder above")?;
    let name = folder.file_name().context("no name")?.to_string_lossy();
    // A version has dots, so what follows the last is no extension.
    let archive = parent.join(format!("{name}.tar.gz"));
    let mut tar = at_root("tar");
    tar.current_dir(parent).args([
        "--create",
        "--gzip",
        "--format=ustar",
        "--sort=name",
        "--owner=0",
        "--group=0",
    ]);
    tar.args(["--numeric-owner", "--mode=u=rwX,go=rX", &time, "--file"]).arg(&archive);
    run_command(tar.arg(&*name))?;
    Ok(archive)
}

/// Unpacks the archive in a clean folder, and runs the program with nothing around it.
fn try_out(archive: &Path) -> Result<()> {
    let clean = target().join("dist-clean-program");
    emptied(&clean)?;
    made(&clean)?;
    run_command(at_root("tar").args(["--extract", "--file"]).arg(archive).arg("--directory").arg(&clean))?;
    let folder = fs::read_dir(&clean)?.next().context("the archive is empty")??.path();
    let mut job = Command::new(folder.join("hyperblock"));
    job.current_dir(root()).env_clear().args([
        "dedupe",
        "examples/people/people.csv",
        "--device",
        "cpu",
        "--count",
    ]);
    let said =
        output(job.args(["--rules", "examples/people/rules.toml"])).context("the unpacked program failed")?;
    let pairs: u64 = said.trim().parse().with_context(|| format!("`{said}` is no count of pairs"))?;
    ensure!(pairs > 0, "the unpacked program finds no pairs");
    println!("unpacked, it finds {pairs} pairs among the bundled people");
    Ok(())
}

/// Makes a folder, and those above it.
fn made(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

fn copied(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn digest(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
