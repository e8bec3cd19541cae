//! What came of it: a table and a figure for each device, one file for all.

use super::data::{VARIANTS, name};
use super::timing::Figure;
use crate::bench::bars::{Bars, Series};
use crate::record;
use anyhow::Result;
use hyperblock::plan::Variant;
use std::path::Path;

/// By device, the figures of each data set.
fn by_device(figures: &[Figure]) -> Vec<Vec<&[Figure]>> {
    let devices = figures.iter().fold(Vec::new(), |mut devices: Vec<&str>, figure| {
        if !devices.contains(&figure.device.as_str()) {
            devices.push(&figure.device);
        }
        devices
    });
    let rows: Vec<&[Figure]> = figures.chunk_by(|a, b| (a.data, &a.device) == (b.data, &b.device)).collect();
    let of = |device: &str| rows.iter().copied().filter(|row| row[0].device == device).collect();
    devices.into_iter().map(of).collect()
}

/// The slowdown of a variant, if it was measured.
fn slowdown(row: &[Figure], variant: Variant) -> Option<f64> {
    row.iter().find(|figure| figure.part == Some(variant)).map(Figure::slowdown)
}

/// Prints how many times as long every variant takes: a row for each, with what is off.
pub(super) fn print(figures: &[Figure]) {
    for rows in by_device(figures) {
        println!("\n{}", rows[0][0].device);
        let cells = |first: &str, off: &str, cell: &dyn Fn(&[Figure]) -> String| {
            print!("{first:14}{off:16}");
            rows.iter().for_each(|row| print!("{:>12}", cell(row)));
            println!();
        };
        cells("variant", "off", &|row| row[0].data.name());
        cells("", "rows", &|row| row[0].rows.to_string());
        cells("full", "seconds", &|row| format!("{:.4}", row[0].full));
        for variant in
            VARIANTS.into_iter().filter(|variant| rows.iter().any(|row| slowdown(row, *variant).is_some()))
        {
            let mark = if variant.leaves_paths() { "" } else { "*" };
            cells(&format!("{variant}{mark}"), variant.off(), &|row| {
                slowdown(row, variant).map_or_else(String::new, |factor| format!("{factor:.2}"))
            });
        }
        println!("* cannot leave the access paths as they are");
        let is_smaller =
            |row: &[Figure], figure: &Figure| figure.part.is_some() && figure.rows != row[0].rows;
        let smaller: Vec<String> = rows
            .iter()
            .flat_map(|row| row.iter().filter(|figure| is_smaller(row, figure)))
            .map(small)
            .collect();
        if !smaller.is_empty() {
            println!("on fewer rows, as is what they are compared with: {}", smaller.join("; "));
        }
    }
}

fn small(figure: &Figure) -> String {
    let Figure { data, part, rows, full, .. } = figure;
    format!("{} {} {rows} rows, full {full:.4} s", name(*part), data.name())
}

/// Writes `ablate.csv`, the machine, and a figure for each device.
pub(super) fn save(folder: &Path, figures: &[Figure]) -> Result<()> {
    record::save(folder, "ablate", &lines(figures))?;
    for rows in by_device(figures) {
        let Figure { kind, device, .. } = &rows[0][0];
        let series = VARIANTS.into_iter().map(|variant| Series {
            name: variant.to_string(),
            factors: rows.iter().map(|row| slowdown(row, variant)).collect(),
        });
        let bars = Bars {
            title: &format!("Each part of the engine switched off, {device}"),
            x: "data set; people by the exponent of their skew",
            y: "time, as a multiple of the full system's",
            groups: rows.iter().map(|row| row[0].data.name()).collect(),
            series: series.collect(),
        };
        bars.draw(&folder.join(format!("ablate-{kind}.svg")))?;
    }
    Ok(())
}

fn lines(figures: &[Figure]) -> Vec<String> {
    let head =
        "data,device,rows,variant,off,candidates,runs,median_s,fastest_s,slowest_s,slowdown".to_owned();
    let line = |figure: &Figure| {
        let Figure { data, device, rows, part, n_candidates, times, .. } = figure;
        format!(
            "{},{device},{rows},{},{},{n_candidates},{},{:.6},{:.6},{:.6},{:.3}",
            data.name(),
            name(*part),
            part.map_or("nothing", Variant::off),
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
            figure.slowdown(),
        )
    };
    [head].into_iter().chain(figures.iter().map(line)).collect()
}
