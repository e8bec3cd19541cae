//! The tree of HyperBlocker's running example: Figure 4 of the paper, as the planner makes it of the paper's Table 1.

use crate::cargo::root;
use crate::record;
use anyhow::{Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::{Control, Job};
use std::path::Path;

/// Prints the tree, and saves its edges in the order in which they are walked: the path that a GPU is given.
pub(super) fn run(device: &dyn Backend, save: Option<&Path>) -> Result<()> {
    let folder = root().join("tests/data/hyperblocker");
    let job = Job::dedupe(folder.join("products.csv"), folder.join("rules.toml"));
    let prepared = job.prepare(device, &Control::default())?;
    let explained = prepared.explain(&Control::default())?.to_string();
    println!("{explained}");
    let lines = edges(&explained);
    ensure!(lines.len() > 1, "the plan has no tree");
    match save {
        Some(folder) => record::save(folder, "plan-example", &lines),
        None => Ok(()),
    }
}

/// A line for each edge and each leaf, after a head. Edges below others are moved in.
fn edges(explained: &str) -> Vec<String> {
    let tree = explained.lines().skip(1).take_while(|line| line.starts_with(' '));
    let line = |(ix, line): (usize, &str)| {
        let mut words = line.split("  ").filter(|word| !word.is_empty()).map(str::trim);
        let edge = words.next().unwrap_or_default().to_owned();
        let said: Vec<&str> = words.collect();
        let value = |name: &str| said.iter().find_map(|word| word.strip_prefix(name)).unwrap_or_default();
        let depth = (line.len() - line.trim_start().len()) / 2;
        let edge = format!("{}{edge}", "· ".repeat(depth.saturating_sub(1)));
        format!("{},\"{edge}\",{},{}", ix + 1, value("sp="), value("score="))
    };
    std::iter::once("step,edge,share,score".to_owned()).chain(tree.enumerate().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::edges;

    #[test]
    fn edges_are_walked_in_order() {
        let explained = "Scan: all pairs\n  l.a = r.a            sp=4.00e-1  cost=1 ns  score=8.0e-2\n    → phi2  \
                         pairs≈2.0\nSweep: none\n";
        assert_eq!(
            edges(explained),
            ["step,edge,share,score", "1,\"l.a = r.a\",4.00e-1,8.0e-2", "2,\"· → phi2\",,"]
        );
    }
}
