//! Charts: bars in groups, up and down from 1, as SVG. For factors: the vertical axis is that of the logarithm.

use super::chart::{COLOURS, FONT};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

const SIZE: (u32, u32) = (980, 520);
/// Heights of the strip that explains the colours, and of its squares.
const LEGEND: i32 = 30;
const SQUARE: i32 = 11;
/// Left of all bars, for the numbers of the axis and what they mean.
const AXIS: u32 = 76;
const MARGIN: u32 = 16;
/// The part of a group's width that its bars fill.
const FILLED: f64 = 0.84;
/// Steps of the axis within a decade.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
/// More lines than this, and only decades have theirs.
const MOST_LINES: usize = 9;

/// What a chart shows.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    pub(crate) groups: Vec<String>,
    pub(crate) series: Vec<Series>,
}

/// The bars of one colour.
pub(crate) struct Series {
    pub(crate) name: String,
    /// By group: a factor above 0, if there is one.
    pub(crate) factors: Vec<Option<f64>>,
}

impl Bars<'_> {
    pub(crate) fn draw(&self, path: &Path) -> Result<()> {
        let mut svg = String::new();
        self.paint(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))?;
        crate::replace::replace(path, |file| std::io::Write::write_all(file, svg.as_bytes()))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    fn paint(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (legend, root) =
            root.margin(MARGIN, 0, 0, 0).titled(self.title, (FONT, 18))?.split_vertically(LEGEND);
        self.explain(&legend)?;
        let range = self.range();
        let mut chart = ChartBuilder::on(&root)
            .margin(MARGIN)
            .x_label_area_size(48)
            .y_label_area_size(AXIS - MARGIN)
            .build_cartesian_2d(
                -0.5..self.groups.len() as f64 - 0.5,
                range.start.log10()..range.end.log10(),
            )?;
        // Groups are at whole numbers, so their names stand below their middles.
        let group = |x: &f64| {
            let is_whole = (x - x.round()).abs() < 1e-6 && *x > -0.5;
            let name = is_whole.then(|| self.groups.get(x.round() as usize)).flatten();
            name.cloned().unwrap_or_default()
        };
        chart
            .configure_mesh()
            .disable_mesh()
            .x_labels(self.groups.len().max(2))
            .x_label_formatter(&group)
            .y_labels(0)
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_desc_style((FONT, 15))
            .label_style((FONT, 14))
            .draw()?;
        let width = self.groups.len() as f64;
        for factor in lines(&range) {
            let line = vec![(-0.5, factor.log10()), (width - 0.5, factor.log10())];
            let grey = if factor == 1.0 { RGBColor(60, 60, 60) } else { RGBColor(215, 215, 215) };
            chart.draw_series([PathElement::new(line, grey)])?;
            let (x, y) = chart.backend_coord(&(-0.5, factor.log10()));
            let style = TextStyle::from((FONT, 13).into_font());
            let right = plotters::style::text_anchor::Pos::new(
                plotters::style::text_anchor::HPos::Right,
                plotters::style::text_anchor::VPos::Center,
            );
            // What is drawn here is placed from the corner of the chart's own strip, not of the picture.
            let (left, top) = root.get_base_pixel();
            root.draw_text(&format!("{factor}×"), &style.pos(right), (x - left - 8, y - top))?;
        }
        let bar = FILLED / self.series.len().max(1) as f64;
        for (nth, (series, colour)) in self.series.iter().zip(COLOURS.into_iter().cycle()).enumerate() {
            let bars = (0..).zip(&series.factors).filter_map(|(group, factor)| {
                let from = f64::from(group) - FILLED / 2.0 + bar * nth as f64;
                let corners = [(from, 0.0), (from + 0.9 * bar, (*factor)?.log10())];
                Some(Rectangle::new(corners, colour.filled()))
            });
            chart.draw_series(bars)?;
        }
        drop(chart);
        root.present()?;
        Ok(())
    }

    /// A square and a name for each series.
    fn explain(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn std::error::Error>> {
        let pitch = (SIZE.0 - AXIS - MARGIN) as i32 / self.series.len().max(1) as i32;
        for (nth, (series, colour)) in (0..).zip(self.series.iter().zip(COLOURS.into_iter().cycle())) {
            let (x, y) = (AXIS as i32 + nth * pitch, LEGEND / 2);
            let square = [(x, y - SQUARE / 2), (x + SQUARE, y + SQUARE - SQUARE / 2)];
            area.draw(&Rectangle::new(square, colour.filled()))?;
            area.draw(&Text::new(series.name.clone(), (x + SQUARE + 6, y - 6), (FONT, 14)))?;
        }
        Ok(())
    }

    /// All factors, with some room, and the half and the double of nothing changed.
    fn range(&self) -> Range<f64> {
        let factors = || self.series.iter().flat_map(|series| &series.factors).flatten().copied();
        let (least, most) = (factors().fold(0.6, f64::min), factors().fold(1.7, f64::max));
        least / 1.2..most * 1.2
    }
}

/// Where lines help to read the factors of a range.
fn lines(range: &Range<f64>) -> Vec<f64> {
    let decades = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    // Written and read as decimals, so that a tenth is 0.1.
    let at = |step: f64, decade: i32| format!("{step}e{decade}").parse::<f64>().ok();
    let within = |steps: &[f64]| -> Vec<f64> {
        let all = decades.clone().flat_map(|decade| steps.iter().filter_map(move |step| at(*step, decade)));
        all.filter(|factor| range.contains(factor)).collect()
    };
    let fine = within(&STEPS);
    if fine.len() > MOST_LINES { within(&STEPS[..1]) } else { fine }
}

#[cfg(test)]
mod tests {
    use super::{Bars, Series, lines};

    #[test]
    fn lines_are_at_round_factors() {
        assert_eq!(lines(&(0.45..2.5)), [0.5, 1.0, 2.0]);
        assert_eq!(lines(&(0.09..12.0)), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(lines(&(0.5..2e6))[..3], [1.0, 10.0, 100.0]);
    }

    #[test]
    fn a_bar_for_every_factor() {
        let series =
            |name: &str, factors: &[Option<f64>]| Series { name: name.to_owned(), factors: factors.to_vec() };
        let bars = Bars {
            title: "t",
            x: "data",
            y: "slowdown",
            groups: vec!["first".to_owned(), "second".to_owned()],
            series: vec![series("a", &[Some(2.0), Some(0.5)]), series("b", &[None, Some(30.0)])],
        };
        let mut svg = String::new();
        bars.paint(&mut svg).unwrap();
        // The ground, three bars and two squares.
        assert_eq!(svg.matches("<rect").count(), 6);
        assert!(
            ["first", "second", "data", "slowdown", "10×"].iter().all(|text| svg.contains(text)),
            "{svg}"
        );
    }
}
