//! Charts: what a whole is made of, as columns of stacked shares, as SVG.
//!
//! Wholes may be of very different size, so each is drawn as high as the next, and its size is written above
//! it.

use super::chart::{COLOURS, FONT};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

const WIDTH: u32 = 980;
/// Of the title with the strip that explains the colours, and of each panel.
const HEAD: u32 = 64;
const PANEL: u32 = 340;
/// Of that strip, and of its squares.
const LEGEND: i32 = 30;
const SQUARE: i32 = 11;
const MARGIN: u32 = 16;
/// Left of all columns, for the numbers of the axis and what they mean.
const AXIS: u32 = 76;
/// The part of its place that a column fills.
const FILLED: f64 = 0.7;
/// The axis ends above 100, so that what is written above columns has room.
const TOP: f64 = 112.0;

/// What a chart shows.
pub(super) struct Stacks<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    /// The names of the parts, which all columns have.
    pub(super) parts: Vec<String>,
    /// One below the other.
    pub(super) panels: Vec<Panel>,
}

/// Columns beside each other.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
}

/// A whole.
pub(super) struct Column {
    pub(super) name: String,
    /// What is written above it.
    pub(super) above: String,
    /// By part: how much it is, in any unit.
    pub(super) parts: Vec<f64>,
}

impl Stacks<'_> {
    pub(super) fn draw(&self, path: &Path) -> Result<()> {
        let mut svg = String::new();
        self.paint(&mut svg).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))?;
        crate::replace::replace(path, |file| std::io::Write::write_all(file, svg.as_bytes()))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    fn paint(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let size = (WIDTH, HEAD + PANEL * self.panels.len() as u32);
        let root = SVGBackend::with_string(svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (legend, rest) =
            root.margin(MARGIN, 0, 0, 0).titled(self.title, (FONT, 18))?.split_vertically(LEGEND);
        self.explain(&legend)?;
        for (panel, area) in self.panels.iter().zip(rest.split_evenly((self.panels.len().max(1), 1))) {
            self.panel(panel, &area)?;
        }
        root.present()?;
        Ok(())
    }

    fn panel(
        &self,
        panel: &Panel,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let mut chart = ChartBuilder::on(area)
            .margin(MARGIN)
            .caption(&panel.title, (FONT, 15))
            .x_label_area_size(44)
            .y_label_area_size(AXIS - MARGIN)
            .build_cartesian_2d(-0.5..panel.columns.len() as f64 - 0.5, 0.0..TOP)?;
        // Columns are at whole numbers, so their names stand below their middles.
        let name = |x: &f64| {
            let is_whole = (x - x.round()).abs() < 1e-6 && *x > -0.5;
            let column = is_whole.then(|| panel.columns.get(x.round() as usize)).flatten();
            column.map_or_else(String::new, |column| column.name.clone())
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(panel.columns.len().max(2))
            .x_label_formatter(&name)
            .y_labels(6)
            .y_label_formatter(&|share| format!("{share:.0}"))
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_desc_style((FONT, 14))
            .label_style((FONT, 13))
            .light_line_style(WHITE)
            .draw()?;
        let centred = TextStyle::from((FONT, 12).into_font()).pos(Pos::new(HPos::Center, VPos::Bottom));
        for (at, column) in (0..).map(f64::from).zip(&panel.columns) {
            let whole: f64 = column.parts.iter().sum();
            let mut below = 0.0;
            for (part, colour) in column.parts.iter().zip(COLOURS.into_iter().cycle()) {
                let share = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
                let corners = [(at - FILLED / 2.0, below), (at + FILLED / 2.0, below + share)];
                chart.draw_series([Rectangle::new(corners, colour.filled())])?;
                below += share;
            }
            let text = Text::new(column.above.clone(), (at, below + 2.0), centred.clone());
            chart.draw_series([text])?;
        }
        Ok(())
    }

    /// A square and a name for each part.
    fn explain(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Box<dyn std::error::Error>> {
        let pitch = (WIDTH - AXIS - MARGIN) as i32 / self.parts.len().max(1) as i32;
        for (nth, (part, colour)) in (0..).zip(self.parts.iter().zip(COLOURS.into_iter().cycle())) {
            let (x, y) = (AXIS as i32 + nth * pitch, LEGEND / 2);
            let square = [(x, y - SQUARE / 2), (x + SQUARE, y + SQUARE - SQUARE / 2)];
            area.draw(&Rectangle::new(square, colour.filled()))?;
            area.draw(&Text::new(part.clone(), (x + SQUARE + 6, y - 6), (FONT, 14)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Panel, Stacks};

    #[test]
    fn a_rectangle_for_every_part_of_a_column() {
        let column = |name: &str, parts: [f64; 2]| Column {
            name: name.to_owned(),
            above: format!("{name} in all"),
            parts: parts.to_vec(),
        };
        let panel = |columns| Panel { title: "counted".to_owned(), columns };
        let stacks = Stacks {
            title: "t",
            x: "skew",
            y: "share",
            parts: vec!["first".to_owned(), "second".to_owned()],
            panels: vec![
                panel(vec![column("0.5", [1.0, 3.0]), column("nothing", [0.0, 0.0])]),
                panel(vec![column("1", [2.0, 2.0])]),
            ],
        };
        let mut svg = String::new();
        stacks.paint(&mut svg).unwrap();
        // The ground, two parts of three columns, and two squares.
        assert_eq!(svg.matches("<rect").count(), 9);
        for text in ["first", "second", "0.5 in all", "1 in all", "counted", "skew", "share"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
    }
}
