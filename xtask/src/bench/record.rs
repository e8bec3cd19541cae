//! Results on file: the figures as CSV, and beside them the machine they were taken on.

use crate::cargo::output;
use crate::replace::replace;
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Writes `<bench>.csv` and `<bench>.txt` to `folder`.
pub(crate) fn save(folder: &Path, bench: &str, lines: &[String]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let figures = folder.join(format!("{bench}.csv"));
    replace(&figures, |file| lines.iter().try_for_each(|line| writeln!(file, "{line}")))?;
    let machine = machine();
    replace(&folder.join(format!("{bench}.txt")), |file| file.write_all(machine.as_bytes()))?;
    println!("wrote {}", figures.display());
    Ok(())
}

fn machine() -> String {
    // Where the figures went says nothing about them.
    let command = std::env::args().skip(1).take_while(|word| word != "--save").collect::<Vec<_>>().join(" ");
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    let gpu = ["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"];
    let gpu = output(Command::new("nvidia-smi").args(gpu)).unwrap_or_else(|| "none".to_owned());
    let cpu = cpu();
    format!("command  cargo xtask {command}\ncpu      {cpu}, {threads} threads\ngpu      {gpu}\n")
}

/// The CPU's model.
pub(crate) fn cpu() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    model.trim_start_matches([':', ' ', '\t']).to_owned()
}
