//! Charts: lines over a number, as SVG.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

const SIZE: (u32, u32) = (760, 480);
pub(super) const FONT: &str = "sans-serif";

/// Colours that are told apart also when printed grey, or by people who see few of them.
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 90, 160),
    RGBColor(190, 80, 0),
    RGBColor(120, 175, 220),
    RGBColor(240, 165, 100),
    RGBColor(140, 140, 140),
    RGBColor(60, 140, 60),
    RGBColor(110, 60, 130),
];

/// What a chart shows.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    pub(super) range: Range<f64>,
    /// Whether the vertical axis is that of the decimal logarithm.
    pub(super) logarithmic: bool,
    pub(super) legend: SeriesLabelPosition,
    pub(super) lines: Vec<Line>,
}

/// A line with its points.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

impl Chart<'_> {
    pub(super) fn draw(&self, path: &Path) -> Result<()> {
        let mut svg = String::new();
        self.paint(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))?;
        crate::replace::replace(path, |file| std::io::Write::write_all(file, svg.as_bytes()))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    fn paint(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let place = |value: f64| if self.logarithmic { value.log10() } else { value };
        let xs = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        let (from, upto) = (xs().fold(f64::INFINITY, f64::min), xs().fold(1.0, f64::max));
        // Numbers that are all small are shares or exponents, not counts.
        let decimals = usize::from(upto - from <= 2.0);
        let mut chart = ChartBuilder::on(&root)
            .margin(16)
            .caption(self.title, (FONT, 18))
            .x_label_area_size(48)
            .y_label_area_size(68)
            .build_cartesian_2d(from..upto, place(self.range.start)..place(self.range.end))?;
        let number = |y: &f64| match self.logarithmic {
            true => short(10f64.powf(*y)),
            false => format!("{y:.1}"),
        };
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .y_labels(7)
            .x_label_formatter(&|x| format!("{x:.decimals$}"))
            .y_label_formatter(&number)
            .axis_desc_style((FONT, 15))
            .label_style((FONT, 13))
            .light_line_style(WHITE)
            .draw()?;
        for (Line { name, points }, colour) in self.lines.iter().zip(COLOURS.into_iter().cycle()) {
            let points = || points.iter().map(|&(x, y)| (x, place(y)));
            chart
                .draw_series(LineSeries::new(points(), colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
            chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
        }
        chart
            .configure_series_labels()
            .position(self.legend.clone())
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
}

/// A number above 0 with three digits, but at most three behind the point.
pub(super) fn short(number: f64) -> String {
    let decimals = (2.0 - number.log10().floor()).clamp(0.0, 3.0) as usize;
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0.0316, "0.032"), (0.5, "0.500"), (3.162, "3.16"), (31.62, "31.6"), (14_999.6, "15000")];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}
