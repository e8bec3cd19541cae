//! Windows of 10 to 500 (section 6.1 of the paper): what a wider one finds, and what it takes.
//!
//! The paper saw the F-measure gain at most two hundredths above a window of 20, and took 20 for all else.

use super::{Found, found, measured, rules};
use crate::cargo::target;
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result};
use hyperblock::operators::Backend;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The configurations with windows.
const ROWS: [&str; 2] = ["snm-levenshtein", "snm-jaro-winkler"];
/// The window that the paper takes, and what its F-measure gains above it at most.
const USUAL: u32 = 20;
const GAIN: f64 = 0.02;
/// How a rule file has its windows.
const WINDOW: &str = "window = ";

pub(super) fn run(
    windows: &[u32],
    devices: &[Box<dyn Backend>],
    (table, truth): (&Path, &Path),
    save: Option<&Path>,
) -> Result<()> {
    let mut lines = vec!["configuration,window,device,pairs,seconds,precision,recall,f1".to_owned()];
    println!(
        "{:22} {:>7} {:24} {:>12} {:>9}  precision  recall      F1",
        "", "window", "device", "pairs", "seconds"
    );
    for name in ROWS {
        let mut by_window = Vec::new();
        for &window in windows {
            let rules = resized(name, window)?;
            let measured = |device: &dyn Backend| measured(table, &rules, truth, device);
            for (device, found) in found(&format!("{name}, {window}"), devices, measured)? {
                let Found { n_pairs, seconds, .. } = found;
                let [precision, recall, f1] = found.figures();
                println!(
                    "{name:22} {window:7} {device:24} {n_pairs:12} {seconds:9.3}     {precision:.4}  {recall:.4}  {f1:.4}"
                );
                lines.push(format!(
                    "{name},{window},{device},{n_pairs},{seconds:.4},{precision:.4},{recall:.4},{f1:.4}"
                ));
                by_window.push((window, f1));
            }
        }
        if let Some(gain) = gain(&by_window) {
            println!("{name}: above a window of {USUAL}, F1 gains at most {gain:.4} (the paper: {GAIN})");
        }
    }
    save.map_or(Ok(()), |folder| record::save(folder, "gpudet-windows", &lines))
}

/// How much better the best of the wider windows is than the usual one, where both were tried.
fn gain(by_window: &[(u32, f64)]) -> Option<f64> {
    let usual = by_window.iter().find(|(window, _)| *window == USUAL)?.1;
    by_window.iter().filter(|(window, _)| *window > USUAL).map(|(_, f1)| f1 - usual).max_by(f64::total_cmp)
}

/// A configuration with another window, as a file in the build folder.
fn resized(name: &str, window: u32) -> Result<PathBuf> {
    let own = rules(name);
    let text = fs::read_to_string(&own).with_context(|| format!("cannot read {}", own.display()))?;
    let path = target().join("bench").join("gpudet").join(format!("{name}-{window}.toml"));
    replace(&path, |file| file.write_all(with_window(&text, window).as_bytes()))?;
    Ok(path)
}

fn with_window(text: &str, window: u32) -> String {
    let line = |line: &str| match line.starts_with(WINDOW) {
        true => format!("{WINDOW}{window}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{ROWS, USUAL, gain, rules, with_window};
    use std::fs;

    #[test]
    fn all_windows_are_resized_and_nothing_else() {
        for name in ROWS {
            let text = fs::read_to_string(rules(name)).unwrap();
            let other = with_window(&text, 500);
            assert_eq!(other.matches("\nwindow = 500\n").count(), 4);
            assert_eq!(with_window(&other, USUAL), text);
        }
    }

    #[test]
    fn wider_windows_are_held_against_the_usual_one() {
        assert_eq!(gain(&[(10, 0.9), (20, 0.5), (50, 0.75), (100, 0.625)]), Some(0.25));
        assert_eq!(gain(&[(10, 0.9), (20, 0.5)]), None);
        assert_eq!(gain(&[(50, 0.9)]), None);
    }
}
