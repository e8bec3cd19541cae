//! The package beside the command line: E1 from a table in memory, and from Parquet.

use super::{Args, MATURIN, SEED, TABLES, released};
use crate::cargo::{at_root, output, target};
use crate::r#gen;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// Times it.
pub(super) fn bench(args: &Args) -> Result<()> {
    let python = released::installed("python-bench", &[MATURIN, TABLES[0]])?;
    let program = released::program()?;
    let folder = target().join("python-bench-data");
    let (rows, skew) = (args.rows, Some(0.8));
    r#gen::run(&r#gen::Command::People { rows, seed: SEED, duplicates: 0.2, skew, output: folder.clone() })?;
    let mut beside = at_root(&python);
    beside.args(["-I", "-c", include_str!("beside.py")]).arg(program);
    beside.arg(&folder).arg(folder.join("people.csv")).arg(args.runs.to_string());
    let said = output(&mut beside).context("the runs failed")?;
    let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
    let medians = medians(&lines)?;
    let [program, of_python] =
        ["program", "python"].map(|side| medians.get(side).copied().unwrap_or(f64::NAN));
    println!(
        "E1 over {rows} people: {program:.3} s by the program from Parquet, {of_python:.3} s in Python from memory"
    );
    println!("{:.3} times as long", of_python / program);
    lines[0].insert_str(0, "rows,");
    lines[1..].iter_mut().for_each(|line| line.insert_str(0, &format!("{rows},")));
    match &args.save {
        Some(folder) => record::save(folder, "python", &lines),
        None => Ok(()),
    }
}

/// The median time of each side, all of whose runs found as many pairs.
fn medians(lines: &[String]) -> Result<BTreeMap<&str, f64>> {
    let (mut times, mut known) = (BTreeMap::<&str, Vec<f64>>::new(), None);
    for line in lines.iter().skip(1) {
        let [side, _, seconds, n_pairs] = line.split(',').collect::<Vec<_>>()[..] else {
            bail!("no line of a run: {line}");
        };
        times.entry(side).or_default().push(seconds.parse()?);
        ensure!(*known.get_or_insert(n_pairs) == n_pairs, "{line}: {n_pairs} pairs, but {known:?} before");
    }
    let median = |(side, mut times): (_, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        (side, times[times.len() / 2])
    };
    Ok(times.into_iter().map(median).collect())
}

#[cfg(test)]
mod tests {
    use super::medians;

    #[test]
    fn both_sides_find_the_same() {
        let lines = |all: &[&str]| all.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let said = ["side,run,seconds,pairs", "a,1,3,7", "b,1,9,7", "a,2,1,7", "b,2,8,7", "a,3,2,7"];
        let said = lines(&said);
        let medians_of = medians(&said).unwrap();
        assert_eq!((medians_of["a"], medians_of["b"]), (2.0, 9.0));
        assert!(medians(&lines(&["side,run,seconds,pairs", "a,1,3,7", "b,1,9,8"])).is_err());
    }
}
