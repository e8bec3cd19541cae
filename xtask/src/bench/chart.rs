//! Charts: lines over a number, as SVG.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

const SIZE: (u32, u32) = (760, 480);
pub(super) const FONT: &str = "sans-serif";
/// Of a line in the legend.
pub(super) const SAMPLE: i32 = 22;
/// Of a dash, and between dashes.
const DASH: i32 = 9;
const GAP: i32 = 7;
/// Labels of the horizontal axis, where there is no reason for fewer.
const LABELS: f64 = 11.0;

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

/// A chart that is drawn, but for its legend.
type Plotted<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A line with its points.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    /// Whether it is drawn as dashes, without its points: so that what it may lie upon is seen.
    pub(super) is_dashed: bool,
}

impl Line {
    /// How much of the line the legend shows, of the room that there is.
    pub(super) fn sample(&self) -> i32 {
        if self.is_dashed { DASH } else { SAMPLE }
    }
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
        let mut chart = self.plot(&root)?;
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

    /// Draws axes and lines.
    pub(super) fn plot<'b>(
        &self,
        area: &DrawingArea<SVGBackend<'b>, Shift>,
    ) -> Result<Plotted<'_, 'b>, Box<dyn std::error::Error>> {
        let place = |value: f64| if self.logarithmic { value.log10() } else { value };
        let xs = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        let (from, upto) = (xs().fold(f64::INFINITY, f64::min), xs().fold(1.0, f64::max));
        // Numbers that are all small are shares or exponents, not counts.
        let decimals = usize::from(upto - from <= 2.0);
        // Labels that are less than a tenth apart would read the same.
        let n_labels = if decimals == 1 { ((upto - from) * 10.0).round() + 1.0 } else { LABELS };
        let mut chart = ChartBuilder::on(area)
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
            .x_labels(n_labels.min(LABELS) as usize)
            .y_labels(7)
            .x_label_formatter(&|x| format!("{x:.decimals$}"))
            .y_label_formatter(&number)
            .axis_desc_style((FONT, 15))
            .label_style((FONT, 13))
            .light_line_style(WHITE)
            .draw()?;
        let coloured = self.lines.iter().zip(COLOURS.into_iter().cycle());
        for (line, colour) in coloured.filter(|(line, _)| !line.points.is_empty()) {
            let points = || line.points.iter().map(|&(x, y)| (x, place(y)));
            let (style, sample) = (colour.stroke_width(2), line.sample());
            let drawn = match line.is_dashed {
                true => chart.draw_series(DashedLineSeries::new(points(), DASH, GAP, style))?,
                false => chart.draw_series(LineSeries::new(points(), style))?,
            };
            drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + sample, y)], style));
            if line.is_dashed {
                continue;
            }
            chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
        }
        Ok(chart)
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
