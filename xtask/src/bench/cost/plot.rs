//! The plot: NDCG by share of noise, as SVG.

use super::{Level, spread};
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (760, 480);
const FONT: &str = "sans-serif";
/// The least NDCG shown. An order at random is above it.
const LEAST: f64 = 0.5;

struct Line {
    name: &'static str,
    colour: RGBColor,
    value: fn(&Level) -> f64,
}

const LINES: [Line; 5] = [
    Line {
        name: "all predicates, mean of seeds",
        colour: RGBColor(0, 90, 160),
        value: |level| spread(&level.all).0,
    },
    Line {
        name: "all predicates, worst seed",
        colour: RGBColor(120, 175, 220),
        value: |level| spread(&level.all).1,
    },
    Line {
        name: "groups of 10, mean of seeds",
        colour: RGBColor(190, 80, 0),
        value: |level| spread(&level.groups).0,
    },
    Line {
        name: "groups of 10, worst seed",
        colour: RGBColor(240, 165, 100),
        value: |level| spread(&level.groups).1,
    },
    Line { name: "groups of 10, random order", colour: RGBColor(140, 140, 140), value: |level| level.random },
];

pub(super) fn draw(path: &Path, levels: &[Level], title: &str) -> Result<()> {
    let mut svg = String::new();
    paint(&mut svg, levels, title).map_err(|error| anyhow!("{error}"))?;
    crate::replace::replace(path, |file| std::io::Write::write_all(file, svg.as_bytes()))
}

fn paint(svg: &mut String, levels: &[Level], title: &str) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let most = levels.iter().map(|level| f64::from(level.percent)).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .margin(16)
        .caption(title, (FONT, 18))
        .x_label_area_size(48)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..most, LEAST..1.0)?;
    chart
        .configure_mesh()
        .x_desc("training timings replaced by noise (%)")
        .y_desc("NDCG on validation timings")
        .x_labels(levels.len())
        .y_labels(6)
        .x_label_formatter(&|percent| format!("{percent:.0}"))
        .y_label_formatter(&|ndcg| format!("{ndcg:.1}"))
        .axis_desc_style((FONT, 15))
        .label_style((FONT, 13))
        .light_line_style(WHITE)
        .draw()?;
    for Line { name, colour, value } in LINES {
        let points = || levels.iter().map(|level| (f64::from(level.percent), value(level)));
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
        chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .margin(12)
        .legend_area_size(30)
        .label_font((FONT, 13))
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .draw()?;
    root.present()?;
    drop(chart);
    Ok(())
}
