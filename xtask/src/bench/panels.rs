//! Charts: several of lines, beside and below each other, with one legend for all, as SVG.

use super::chart::{COLOURS, Chart, FONT, SAMPLE};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// Of the title with the strip that explains the colours, and of each chart.
const HEAD: u32 = 64;
const CHART: (u32, u32) = (520, 400);
const MARGIN: u32 = 16;
/// Of that strip, and of what is left for a name.
const LEGEND: i32 = 30;
const NAME: i32 = 96;

/// Charts of the same lines.
pub(super) struct Panels<'a> {
    pub(super) title: &'a str,
    /// How many stand beside each other.
    pub(super) columns: usize,
    /// Row by row.
    pub(super) charts: Vec<Chart<'a>>,
}

impl Panels<'_> {
    pub(super) fn draw(&self, path: &Path) -> Result<()> {
        let mut svg = String::new();
        self.paint(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))?;
        crate::replace::replace(path, |file| std::io::Write::write_all(file, svg.as_bytes()))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    fn paint(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let columns = self.columns.max(1);
        let rows = self.charts.len().div_ceil(columns).max(1);
        let size = (CHART.0 * columns as u32, HEAD + CHART.1 * rows as u32);
        let root = SVGBackend::with_string(svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (legend, rest) =
            root.margin(MARGIN, 0, 0, 0).titled(self.title, (FONT, 18))?.split_vertically(LEGEND);
        self.explain(&legend)?;
        for (chart, area) in self.charts.iter().zip(rest.split_evenly((rows, columns))) {
            chart.plot(&area)?;
        }
        root.present()?;
        Ok(())
    }

    /// A stroke and a name for each line.
    fn explain(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn std::error::Error>> {
        let lines = self.charts.first().map_or(&[][..], |chart| &chart.lines);
        let from = (area.dim_in_pixel().0 as i32 - lines.len() as i32 * (SAMPLE + NAME)).max(0) / 2;
        for (nth, (line, colour)) in (0..).zip(lines.iter().zip(COLOURS.into_iter().cycle())) {
            let (x, y) = (from + nth * (SAMPLE + NAME), LEGEND / 2);
            area.draw(&PathElement::new([(x, y), (x + line.sample(), y)], colour.stroke_width(2)))?;
            area.draw(&Text::new(line.name.clone(), (x + SAMPLE + 6, y - 6), (FONT, 14)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Panels;
    use crate::bench::chart::{Chart, Line};
    use plotters::prelude::SeriesLabelPosition;

    #[test]
    fn every_chart_has_its_lines_and_the_legend_is_there_once() {
        let line = |name: &str, points: &[(f64, f64)]| Line {
            name: name.to_owned(),
            points: points.to_vec(),
            is_dashed: false,
        };
        let chart = |title| Chart {
            title,
            x: "threshold",
            y: "milliseconds",
            range: 1.0..100.0,
            logarithmic: true,
            legend: SeriesLabelPosition::UpperRight,
            lines: vec![line("first", &[(0.5, 10.0), (0.9, 2.0)]), line("second", &[])],
        };
        let panels =
            Panels { title: "t", columns: 2, charts: vec![chart("left"), chart("right"), chart("below")] };
        let mut svg = String::new();
        panels.paint(&mut svg).unwrap();
        // Two points of the first line in each chart.
        assert_eq!(svg.matches("<circle").count(), 6);
        for (text, times) in [("first", 1), ("second", 1), ("left", 1), ("below", 1), ("threshold", 3)] {
            assert_eq!(svg.matches(&format!("\n{text}\n")).count(), times, "{text} in {svg}");
        }
    }
}
