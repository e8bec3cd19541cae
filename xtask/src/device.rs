//! `cargo xtask device`: the kernels, from Rust to PTX and to machine code.
//!
//! device/ptx/*.ptx are committed, so that nobody needs the kernels' compiler to build hyperblock. A file's [`header`] says
//! which [`sources`] it was built from and by which [`compiler`]. `--check` proves that it still is what [`build`] makes
//! of them, then lets [`ptxas`] assemble it for the GPUs we care about and looks at their [`usage`] of registers and
//! memory. What is assembled is committed too, as [`machine_code`], but only when `--machine-code` asks for it. [`install`]
//! gets what is missing.

mod build;
mod compiler;
mod header;
mod install;
mod machine_code;
mod ptxas;
mod sources;
mod symbols;
mod usage;

use crate::cargo::{root, target};
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use header::Header;
use machine_code::MachineCode;
use ptxas::Assembled;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// At most so many modules are built at a time: each of these has `core` compiled for itself.
const MOST_BUILDERS: usize = 4;

/// What hyperblock is tuned on: kernels keep to their registers there. sm_70 lacks registers that later ones have for what
/// is the same in all lanes, and may keep some of that in memory.
const TUNED: [&str; 2] = ["sm_80", "sm_90"];

/// What is built of the device crate, each file by itself: a function that two kernels shared would be called, not inlined.
const MODULES: &[Module] = &[
    Module {
        path: "device/ptx/kernels.ptx",
        feature: "scan",
        // Two blocks of 256 threads then share a multiprocessor.
        most_registers: &[("hyperblock_scan", 128)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/descent.ptx",
        feature: "descent",
        // As the scan's, so that a block may have 512 threads; and as those of the others.
        most_registers: &[("hyperblock_scan", 128), ("hyperblock_residual", 168), ("hyperblock_listed", 128)],
        recurses: true,
        is_rare: true,
    },
    Module {
        path: "device/ptx/counted.ptx",
        feature: "counted",
        most_registers: &[("hyperblock_scan", 128), ("hyperblock_residual", 168), ("hyperblock_listed", 128)],
        recurses: false,
        is_rare: true,
    },
    // No job without an equality needs it, and the driver takes its time to compile one.
    Module {
        path: "device/ptx/join.ptx",
        feature: "join",
        // Two blocks of 512 threads, or three.
        most_registers: &[
            ("hyperblock_join_partition", 64),
            ("hyperblock_join_light_count", 40),
            ("hyperblock_join_light_pairs", 64),
        ],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/residual.ptx",
        feature: "residual",
        most_registers: &[("hyperblock_residual", 168)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/overlap.ptx",
        feature: "overlap",
        // Four blocks of 256 threads.
        most_registers: &[("hyperblock_overlap_probe", 64), ("hyperblock_overlap_dense", 64)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/elements.ptx",
        feature: "elements",
        // As many threads as a multiprocessor has room for, or half as many where values are looked at.
        most_registers: &[("hyperblock_elements_number", 64), ("hyperblock_elements_values", 64)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/listed.ptx",
        feature: "listed",
        // As the scan's.
        most_registers: &[("hyperblock_listed", 128)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/listing.ptx",
        feature: "listing",
        // As many threads as a multiprocessor has room for, or half as many where values are looked at.
        most_registers: &[("hyperblock_listing_items", 64), ("hyperblock_listing_reach", 64)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/neighbours.ptx",
        feature: "neighbours",
        // As many threads as a multiprocessor has room for.
        most_registers: &[("hyperblock_neighbours_count", 32), ("hyperblock_neighbours_write", 32)],
        recurses: false,
        is_rare: false,
    },
    // Scores, each kind by itself: four blocks of 128 threads, or three.
    Module {
        path: "device/ptx/mean.ptx",
        feature: "mean",
        most_registers: &[("hyperblock_mean", 128)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/pattern.ptx",
        feature: "pattern",
        most_registers: &[("hyperblock_pattern", 128)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/weight.ptx",
        feature: "weight",
        most_registers: &[("hyperblock_weight", 168)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/cluster.ptx",
        feature: "cluster",
        // All threads that a multiprocessor has room for: they wait for memory.
        most_registers: &[("hyperblock_cluster_hook", 40), ("hyperblock_cluster_compress", 32)],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/closure.ptx",
        feature: "closure",
        // A block of 1,024 threads; four of 256.
        most_registers: &[
            ("hyperblock_closure_rows", 64),
            ("hyperblock_closure_count", 64),
            ("hyperblock_closure_write", 64),
        ],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/relation.ptx",
        feature: "relation",
        // Three blocks of 256 threads, which have many loads under way, and four or more of the others.
        most_registers: &[
            ("hyperblock_relation_scatter", 80),
            ("hyperblock_relation_count", 80),
            ("hyperblock_relation_merge", 80),
            ("hyperblock_relation_deduplicate", 64),
            ("hyperblock_relation_join", 64),
        ],
        recurses: false,
        is_rare: false,
    },
    Module {
        path: "device/ptx/baselines.ptx",
        feature: "baselines",
        // Two blocks of 512 threads, or three.
        most_registers: &[
            ("hyperblock_baselines_partition", 64),
            ("hyperblock_baselines_gbase_count", 40),
            ("hyperblock_baselines_gbase_pairs", 64),
            ("hyperblock_baselines_normal_count", 40),
            ("hyperblock_baselines_normal_pairs", 64),
        ],
        recurses: false,
        is_rare: true,
    },
];

/// A file of PTX.
struct Module {
    path: &'static str,
    /// The feature of the device crate that it is built with.
    feature: &'static str,
    /// Kernels that are to do with so many.
    most_registers: &'static [(&'static str, u32)],
    /// Recursion is what a stack is for: it may use one.
    recurses: bool,
    /// Only who looks at a job or measures variants needs it, and so no machine code of it: the driver compiles it then.
    is_rare: bool,
}

/// What `cargo xtask device` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First install what is missing: Debian's rustc-web and rust-web-src, and ptxas from PyPI
    #[arg(long)]
    install: bool,
    /// Write nothing: check that the committed PTX belongs to the sources, that the files assemble without spills, and that
    /// machine code is what they assemble to
    #[arg(long)]
    check: bool,
    /// Leave the PTX as it is, and write its machine code
    #[arg(long, conflicts_with = "check")]
    machine_code: bool,
    /// Only these files, by the feature that each is built with: scan, join and so on
    #[arg(long, value_name = "FEATURES", value_delimiter = ',')]
    only: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let is_known = |name: &&String| MODULES.iter().any(|module| module.feature == name.as_str());
    if let Some(unknown) = args.only.iter().find(|name| !is_known(name)) {
        let known: Vec<_> = MODULES.iter().map(|module| module.feature).collect();
        bail!("there is no `{unknown}`; there are {}", known.join(", "));
    }
    if args.install {
        install_missing()?;
    }
    let work = match args {
        Args { check: true, .. } => Module::check,
        Args { machine_code: true, .. } => Module::write_machine_code,
        _ => Module::write,
    };
    if args.check || args.machine_code {
        // Once, not by each that needs it.
        ptxas::find_or_install()?;
    }
    let is_asked =
        |module: &&Module| args.only.is_empty() || args.only.iter().any(|name| name == module.feature);
    let asked: Vec<_> = MODULES.iter().filter(is_asked).collect();
    side_by_side(&asked, work)?;
    if args.check { check_machine_code() } else { Ok(()) }
}

/// Checks the committed kernels, on a machine that may have nothing to do it with.
pub(crate) fn install_and_check() -> Result<()> {
    install_missing()?;
    side_by_side(&MODULES.iter().collect::<Vec<_>>(), Module::check)?;
    check_machine_code()
}

/// Does some work for all modules, several at a time, each in a folder of its own.
fn side_by_side(modules: &[&Module], work: fn(&Module, &Path) -> Result<()>) -> Result<()> {
    let next = &AtomicUsize::new(0);
    let builder = |nth: usize| {
        let folder = target().join("device").join(nth.to_string());
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        while let Some(module) = modules.get(next.fetch_add(1, Relaxed)) {
            // The others go no further than what they are at.
            work(module, &folder).inspect_err(|_| next.store(modules.len(), Relaxed))?;
        }
        Ok(())
    };
    let n_builders = thread::available_parallelism().map_or(1, usize::from).min(MOST_BUILDERS);
    thread::scope(|scope| {
        let builders: Vec<_> = (0..n_builders).map(|nth| scope.spawn(move || builder(nth))).collect();
        let ends = builders.into_iter().map(thread::ScopedJoinHandle::join);
        let ends = ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ends.fold(Ok(()), Result::and)
    })
}

fn install_missing() -> Result<()> {
    if compiler::find(None).is_err() {
        install::compiler()?;
    }
    ptxas::find_or_install().map(drop)
}

impl Module {
    fn file(&self) -> PathBuf {
        root().join(self.path)
    }

    fn write(&self, folder: &Path) -> Result<()> {
        // The compiler that made the committed file makes the smallest change to it.
        let before = fs::read_to_string(self.file()).ok().and_then(|text| Header::parse(&text));
        let compiler = compiler::find(before.as_ref().map(|header| header.compiler.as_str()))?;
        let ptx = build::build(&compiler, self, folder)?;
        let header = Header { compiler: compiler.name, sources: sources::hash(&root())? };
        replace(&self.file(), |file| write!(file, "{header}{ptx}"))?;
        println!("wrote {}: {} lines, by {}", self.path, ptx.lines().count(), header.compiler);
        self.machine_code(&ptx).remove_others()
    }

    fn write_machine_code(&self, folder: &Path) -> Result<()> {
        if self.is_rare {
            return Ok(());
        }
        let code = self.machine_code(&self.committed()?.0);
        let n_bytes = code.write(&ptxas::assemble(&self.file(), folder)?)?;
        println!("wrote {}: {n_bytes} bytes", code.path);
        Ok(())
    }

    fn machine_code(&self, ptx: &str) -> MachineCode {
        let name = Path::new(self.path).file_stem().and_then(|stem| stem.to_str());
        MachineCode::of(name.unwrap_or(self.feature), ptx)
    }

    fn committed(&self) -> Result<(String, Header)> {
        let path = self.path;
        let text = fs::read_to_string(self.file())
            .with_context(|| format!("cannot read {path}: `cargo xtask device` writes it"))?;
        let header = Header::parse(&text)
            .with_context(|| format!("{path} has no header: `cargo xtask device` writes one"))?;
        Ok((text, header))
    }

    /// Checks that the committed file was built from sources that are as they are now.
    fn check_sources(&self) -> Result<()> {
        let path = self.path;
        ensure!(
            self.committed()?.1.sources == sources::hash(&root())?,
            "{path} was built from other sources: run `cargo xtask device` and commit the file"
        );
        println!("{path} was built from these sources");
        Ok(())
    }

    fn check(&self, folder: &Path) -> Result<()> {
        self.check_sources()?;
        let path = self.path;
        let (text, header) = self.committed()?;
        let compiler = compiler::find(Some(&header.compiler))?;
        if compiler.name == header.compiler {
            let ptx = build::build(&compiler, self, folder)?;
            ensure!(
                text == format!("{header}{ptx}"),
                "{path} is not what its sources make: run `cargo xtask device` and commit the file"
            );
            println!("{path} is what {} makes of these sources", compiler.name);
        } else {
            // Another compiler's PTX differs for no fault of the sources, but they should build.
            build::build(&compiler, self, folder)?;
            println!("{path} was built by {}", header.compiler);
            println!("and here is {}: only the hash of the sources was compared", compiler.name);
        }
        let assembled = ptxas::assemble(&self.file(), folder)?;
        let code = self.machine_code(&text);
        if code.is_there() {
            code.check(&assembled)?;
            println!("{} is what ptxas makes of it", code.path);
        }
        self.check_usage(&assembled)
    }

    fn check_usage(&self, assembled: &[Assembled]) -> Result<()> {
        let reports = assembled.iter().map(|one| (one.architecture.as_str(), usage::parse(&one.report)));
        let mut usages: Vec<_> = reports.collect();
        print!("{}", usage::table(&usages));
        usages.retain(|(architecture, _)| TUNED.contains(architecture) && !self.recurses);
        let faults = usage::faults(&usages);
        ensure!(faults.is_empty(), "kernels must keep to their registers:\n  {}", faults.join("\n  "));
        Ok(())
    }
}

/// Checks that the committed files were built from sources that are as they are now, and machine code from those files.
pub(crate) fn check_sources() -> Result<()> {
    MODULES.iter().try_for_each(Module::check_sources)?;
    check_machine_code()
}

/// Checks that all machine code belongs to PTX, and says which PTX has none.
fn check_machine_code() -> Result<()> {
    let mut codes = Vec::new();
    for module in MODULES.iter().filter(|module| !module.is_rare) {
        let code = module.machine_code(&module.committed()?.0);
        if !code.is_there() {
            println!("{} has no machine code: `cargo xtask device --machine-code` makes it", module.path);
        }
        codes.push(code);
    }
    machine_code::check_names(&codes)
}
