//! A curve: how good pairs and entities are at each threshold; and whether probabilities are what they say. As tables, and as a
//! picture.

use crate::base::billionths::Billionths;
use crate::tell::evaluate::Agreement;
use std::fmt::Write;

/// A threshold, and what it comes to.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Billionths of the mean, or of the probability.
    pub threshold: u32,
    /// Pairs that reach it.
    pub n_pairs: u64,
    /// How good those are.
    pub pairs: Agreement,
    /// How good the entities are that they make.
    pub entities: Agreement,
}

/// Pairs of nearly the same probability, or mean, of which it is known whether they match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bin {
    /// From so many billionths on,
    pub from: u32,
    /// and below so many; the last one has those too.
    pub to: u32,
    /// How many pairs there are.
    pub n_pairs: u64,
    /// How many pairs they stand for: as many, unless they were chosen with probabilities that the truth tells.
    pub weight: f64,
    /// The billionths of all of those together.
    pub sum: f64,
    /// How many of those match.
    pub right: f64,
}

impl Bin {
    /// One more, that stands for so many.
    pub(crate) fn add(&mut self, billionths: u32, is_right: bool, weight: f64) {
        self.n_pairs += 1;
        self.weight += weight;
        self.sum += weight * f64::from(billionths);
        self.right += if is_right { weight } else { 0.0 };
    }
}

/// Thresholds, and pairs by their probability.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Rising.
    pub points: Vec<Point>,
    /// From 0 to 1.
    pub bins: Vec<Bin>,
}

/// A line of the picture: what it is of, its colour, and which number of a point it shows.
type Line = (&'static str, &'static str, fn(&Point) -> f64);

/// Pairs are drawn thin, entities thick.
const LINES: [(Line, f64); 6] = [
    (("pairs: precision", "#4e79a7", |point| point.pairs.precision), 1.2),
    (("pairs: recall", "#f28e2b", |point| point.pairs.recall), 1.2),
    (("pairs: F1", "#59a14f", |point| point.pairs.f1), 1.2),
    (("entities: precision", "#4e79a7", |point| point.entities.precision), 2.8),
    (("entities: recall", "#f28e2b", |point| point.entities.recall), 2.8),
    (("entities: F1", "#59a14f", |point| point.entities.f1), 2.8),
];

/// Pixels: of the plot, and of what stands around it.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;
const LEGEND: f64 = 170.0;

impl Curve {
    /// A row for each threshold. What no label decides is left empty.
    pub fn csv(&self) -> String {
        let mut csv =
            String::from("threshold,pairs,precision,recall,f1,entity_precision,entity_recall,entity_f1\n");
        for Point { threshold, n_pairs, pairs, entities } in &self.points {
            let _ = write!(csv, "{},{n_pairs}", Billionths(*threshold));
            for Agreement { precision, recall, f1 } in [pairs, entities] {
                for measure in [precision, recall, f1] {
                    let _ = match measure.is_nan() {
                        true => write!(csv, ","),
                        false => write!(csv, ",{measure:.6}"),
                    };
                }
            }
            csv.push('\n');
        }
        csv
    }

    /// A row for each range of probabilities that a pair has: what they say, and how many were right.
    pub fn reliability(&self) -> String {
        let mut csv = String::from("from,to,pairs,expected,right\n");
        for Bin { from, to, n_pairs, weight, sum, right } in self.bins.iter().filter(|bin| bin.n_pairs > 0) {
            let (from, to) = (Billionths(*from), Billionths(*to));
            let (expected, right) = (sum / weight / 1e9, right / weight);
            let _ = writeln!(csv, "{from},{to},{n_pairs},{expected:.6},{right:.6}");
        }
        csv
    }

    /// The picture: precision, recall and F1 over thresholds, as SVG.
    pub fn svg(&self) -> String {
        let (x, y) = (|share: f64| LEFT + WIDTH * share, |share: f64| TOP + HEIGHT * (1.0 - share));
        let (width, height) = (LEFT + WIDTH + LEGEND, TOP + HEIGHT + 50.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for tenth in 0..=10 {
            let share = f64::from(tenth) / 10.0;
            let (x, y) = (x(share), y(share));
            let (bottom, right) = (TOP + HEIGHT, LEFT + WIDTH);
            let _ = write!(
                svg,
                "<path d=\"M{x} {TOP}V{bottom}M{LEFT} {y}H{right}\" stroke=\"#ddd\" fill=\"none\"/>\n\
                 <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{share:.1}</text>\n\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{share:.1}</text>\n",
                bottom + 18.0,
                LEFT - 8.0,
                y + 4.0
            );
        }
        let (middle, below) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 40.0);
        let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">threshold</text>");
        for (nth, ((name, colour, of), thickness)) in LINES.iter().enumerate() {
            let place =
                |point: &Point| format!("{:.1},{:.1}", x(f64::from(point.threshold) / 1e9), y(of(point)));
            let places: Vec<String> =
                self.points.iter().filter(|point| !of(point).is_nan()).map(place).collect();
            let (from, at) = (LEFT + WIDTH + 15.0, TOP + 15.0 + 22.0 * nth as f64);
            let stroke = format!("stroke=\"{colour}\" stroke-width=\"{thickness}\" fill=\"none\"");
            let _ = write!(
                svg,
                "<polyline points=\"{}\" {stroke}/>\n<path d=\"M{from} {at}h24\" {stroke}/>\n\
                 <text x=\"{}\" y=\"{}\">{name}</text>\n",
                places.join(" "),
                from + 30.0,
                at + 4.0
            );
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_a_picture() {
        let point = |threshold, precision, recall| Point {
            threshold,
            n_pairs: 7,
            pairs: Agreement::new(precision, recall),
            entities: Agreement::new(1.0, 0.5),
        };
        let bin = Bin { from: 0, to: 500_000_000, n_pairs: 4, weight: 4.0, sum: 1e9, right: 1.0 };
        let curve = Curve {
            points: vec![point(0, 0.5, 1.0), point(950_000_000, 0.75, 0.25)],
            bins: vec![bin, Bin { from: 500_000_000, to: 1_000_000_000, ..Bin::default() }],
        };
        assert_eq!(
            curve.csv(),
            "threshold,pairs,precision,recall,f1,entity_precision,entity_recall,entity_f1\n\
             0,7,0.500000,1.000000,0.666667,1.000000,0.500000,0.666667\n\
             0.95,7,0.750000,0.250000,0.375000,1.000000,0.500000,0.666667\n"
        );
        assert_eq!(curve.reliability(), "from,to,pairs,expected,right\n0,0.5,4,0.250000,0.250000\n");
        let svg = curve.svg();
        assert!(svg.contains("points=\"60.0,210.0 592.0,115.0\"") && svg.ends_with("</svg>\n"), "{svg}");
    }
}
