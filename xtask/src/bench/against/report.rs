//! Ratios for people, and on file.

use super::Pair;
use super::ratios::{Compared, Ratio, SLOWER};
use crate::record;
use anyhow::Result;
use std::path::Path;

/// Of a row's name.
const WIDTH: usize = 52;

pub(in crate::bench) fn print_head() {
    println!("{:WIDTH$}  rounds       old         new    ratio  spread          of the fastest", "");
}

pub(in crate::bench) fn print(compared: &[Compared]) {
    compared.iter().map(line).for_each(|line| println!("{line}"));
}

fn line(compared: &Compared) -> String {
    let label =
        if compared.row.is_part() { format!("  {}", compared.row.label()) } else { compared.row.label() };
    let seconds =
        |side| compared.median(side).map_or_else(|| "-".to_owned(), |median| format!("{median:.4} s"));
    let n_rounds = compared.seconds.iter().map(Vec::len).max().unwrap_or(0);
    let times = format!("{label:WIDTH$}  {n_rounds:6}  {:>10}  {:>10}", seconds(0), seconds(1));
    match compared.ratio() {
        Some(Ratio { median, least, most, fastest }) => {
            format!("{times}   {median:6.3}  {least:.3} to {most:.3}  {fastest:6.3}")
        }
        None => times,
    }
}

/// How all rows came out, not counting parts of others.
pub(in crate::bench) fn conclude(all: &[Compared]) -> String {
    let whole = |compared: &Compared| {
        let ratio = compared.ratio().filter(|_| !compared.row.is_part())?;
        Some((compared.row.label(), ratio.median))
    };
    let ratios: Vec<(String, f64)> = all.iter().filter_map(whole).collect();
    let (Some(least), Some(most)) =
        (ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1)), ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1)))
    else {
        return "there is no row that both sides have".to_owned();
    };
    let mean = (ratios.iter().map(|(_, ratio)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let slower: Vec<&(String, f64)> = ratios.iter().filter(|(_, ratio)| *ratio > SLOWER).collect();
    let mut lines = vec![
        format!("{} rows, the same counts; new / old in the geometric mean {mean:.3}", ratios.len()),
        format!("from {:.3} ({}) to {:.3} ({})", least.1, least.0, most.1, most.0),
        format!("{} more than {:.0}% slower", slower.len(), (SLOWER - 1.0) * 100.0),
    ];
    lines.extend(slower.iter().map(|(label, ratio)| format!("  {ratio:.3}  {label}")));
    lines.join("\n")
}

/// Writes `<bench>-against.csv`, and what both sides are beside it.
pub(in crate::bench) fn save(folder: &Path, bench: &str, pair: &Pair, all: &[Compared]) -> Result<()> {
    let subjects = [("old", pair.old.describe()?), ("new", pair.new.describe()?)];
    record::save_of(folder, &format!("{bench}-against"), &lines(all), &subjects)
}

fn lines(all: &[Compared]) -> Vec<String> {
    let head = "row,counts,rounds,old_s,new_s,ratio,least,most,fastest".to_owned();
    let line = |compared: &Compared| {
        let seconds = |side| compared.median(side).map_or_else(String::new, |median| format!("{median:.6}"));
        let ratio = compared.ratio().map_or_else(
            || ",,,".to_owned(),
            |ratio| format!("{:.4},{:.4},{:.4},{:.4}", ratio.median, ratio.least, ratio.most, ratio.fastest),
        );
        let n_rounds = compared.seconds.iter().map(Vec::len).max().unwrap_or(0);
        let (label, found) = (compared.row.label(), compared.row.found());
        format!("{label},{found},{n_rounds},{},{},{ratio}", seconds(0), seconds(1))
    };
    [head].into_iter().chain(all.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::{conclude, line, lines};
    use crate::bench::against::ratios::Compared;
    use crate::bench::against::rows::Row;

    fn compared(name: &str, stage: &str, old: &[f64], new: &[f64]) -> Compared {
        let names = [("job", name), ("stage", stage)];
        let names = names.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let row = Row { names, counts: vec![("kept".to_owned(), "3".to_owned())], seconds: 0.0 };
        Compared { row, seconds: [old.to_vec(), new.to_vec()] }
    }

    #[test]
    fn slower_rows_are_named() {
        let all = [
            compared("e1", "all", &[2.0, 2.0], &[1.0, 1.0]),
            compared("e2", "all", &[1.0], &[2.0]),
            compared("e2", "read", &[1.0], &[9.0]),
            compared("e2", "bind", &[], &[9.0]),
        ];
        assert_eq!(
            conclude(&all),
            "2 rows, the same counts; new / old in the geometric mean 1.000\n\
             from 0.500 (e1 all) to 2.000 (e2 all)\n1 more than 5% slower\n  2.000  e2 all"
        );
        assert!(conclude(&all[3..]).starts_with("there is no row"));
        assert!(line(&all[3]).starts_with("  e2 bind") && line(&all[3]).ends_with("-    9.0000 s"));
        assert!(line(&all[0]).contains("0.500  0.500 to 0.500"), "{}", line(&all[0]));
        assert_eq!(
            lines(&all[2..])[1..],
            [
                "e2 read,kept 3,1,1.000000,9.000000,9.0000,9.0000,9.0000,9.0000",
                "e2 bind,kept 3,1,,9.000000,,,,"
            ]
        );
    }
}
