//! The score of a pair as a waterfall: what each attribute brings, down to what they come to together.
//!
//! ```text
//! Its weight is 11.44 bits, a probability of 0.99964; a candidate with it is kept, as it is not below 0.95.
//!                             m         u      bits
//!   any two records                         -12.52
//!   name      >= 1         0.81    0.0002   +11.98
//!   city      missing                        +0.00
//! ```

use super::PairScore;
use crate::base::billionths::{Billionths, Millionths};
use crate::base::json::number;
use crate::base::shown::shown;
use crate::entities::score::{AttributeShare, LevelShare};
use crate::rules::ScoreAttribute;
use hyperblock_shared::score::ONE;
use serde_json::{Value, json};
use std::fmt::{self, Display, Formatter};

/// A line of a table: its cells, and what stands behind them.
type Line = (Vec<String>, String);

/// The score, and the attributes that it is made of.
impl Display for PairScore {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (reached, threshold) = (Billionths(self.reached()), Billionths(self.threshold));
        let kept = if self.is_kept() { "kept, as it is not below" } else { "dropped, as it is below" };
        match self.shares.weight() {
            None => writeln!(f, "\nIts score is {reached}; a candidate with it is {kept} {threshold}.")?,
            Some(weight) => writeln!(
                f,
                "\nIts weight is {} bits, a probability of {reached}; a candidate with it is {kept} {threshold}.",
                Millionths(weight)
            )?,
        }
        let lines = self.lines();
        let n_cells = lines.iter().map(|(cells, _)| cells.len()).max().unwrap_or(0);
        let width = |nth: usize| {
            let cells = lines.iter().filter_map(|(cells, _)| cells.get(nth));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n_cells).map(width).collect();
        for (cells, behind) in &lines {
            let mut line = String::from(" ");
            for (nth, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                // Names and levels on the left, numbers on the right.
                let is_text = nth == 0 || (nth == 1 && self.shares.prior.is_some());
                line += &if is_text { format!(" {cell:width$} ") } else { format!(" {cell:>width$} ") };
            }
            writeln!(f, "{}", format!("{line} {behind}").trim_end())?;
        }
        Ok(())
    }
}

impl PairScore {
    fn all(&self) -> impl Iterator<Item = (&ScoreAttribute, &AttributeShare)> {
        self.attributes.iter().zip(&self.shares.attributes)
    }

    fn lines(&self) -> Vec<Line> {
        let measure = |attribute: &ScoreAttribute| match attribute.measure() {
            measure if measure == attribute.name => String::new(),
            measure => shown(&measure).into_owned(),
        };
        let Some(prior) = self.shares.prior else {
            let of = |(attribute, share): (&ScoreAttribute, &AttributeShare)| {
                let similarity =
                    share.similarity.map_or("missing".to_owned(), |it| Billionths(it).to_string());
                let weight = share.weight.map_or(String::new(), |weight| format!("{:.1}%", 100.0 * weight));
                let brings = share.weight.map_or(String::new(), |weight| {
                    format!("{:+.4}", weight * f64::from(share.similarity.unwrap_or(0)) / f64::from(ONE))
                });
                (vec![shown(&attribute.name).into_owned(), similarity, weight, brings], measure(attribute))
            };
            let header = ["", "alike", "weight", "brings"].map(str::to_owned).to_vec();
            return [(header, String::new())].into_iter().chain(self.all().map(of)).collect();
        };
        let bits = |millionths: i32| format!("{:+.2}", f64::from(millionths) / 1e6);
        let mut lines = vec![
            (["", "level", "m", "u", "bits"].map(str::to_owned).to_vec(), String::new()),
            (["any two records", "", "", "", &bits(prior)].map(str::to_owned).to_vec(), String::new()),
        ];
        for (attribute, share) in self.all() {
            let name = shown(&attribute.name).into_owned();
            let Some(LevelShare { nth, m, u, bits: weight, more }) = &share.level else {
                let cells = [&name, "missing", "", "", &bits(0)].map(str::to_owned).to_vec();
                lines.push((cells, measure(attribute)));
                continue;
            };
            let level = shown(&attribute.level_name(*nth)).into_owned();
            let cells = vec![name, level, format!("{m:.4}"), format!("{u:.2e}"), bits(*weight)];
            let behind = match share.similarity.filter(|_| attribute.is_similarity) {
                Some(similarity) => format!("{} = {}", measure(attribute), Billionths(similarity)),
                None => measure(attribute),
            };
            lines.push((cells, behind));
            if attribute.term_frequency.is_some() && *nth == 0 {
                let cells = ["", "its value's frequency", "", "", &bits(*more)].map(str::to_owned).to_vec();
                lines.push((cells, String::new()));
            }
        }
        lines
    }

    pub(super) fn json(&self) -> Value {
        let decimal = |billionths: u32| number(&Billionths(billionths).to_string());
        let bits = |millionths: i32| number(&Millionths(millionths).to_string());
        let attributes = self.all().map(|(attribute, share)| {
            let mut object = json!({
                "name": attribute.name,
                "measure": attribute.measure(),
                "similarity": share.similarity.map(decimal),
            });
            if let Some(weight) = share.weight {
                object["weight"] = weight.into();
            }
            if let Some(LevelShare { nth, m, u, bits: of_level, more }) = &share.level {
                object["level"] = attribute.level_name(*nth).into();
                object["m"] = (*m).into();
                object["u"] = (*u).into();
                object["bits"] = bits(*of_level);
                object["bits_of_value"] = bits(*more);
            }
            object
        });
        let attributes = attributes.collect::<Value>();
        let mut object = match self.shares.weight() {
            None => json!({ "score": decimal(self.shares.score) }),
            Some(weight) => json!({
                "weight": bits(weight),
                "probability": decimal(self.reached()),
                "prior_bits": self.shares.prior.map(bits),
            }),
        };
        object["threshold"] = decimal(self.threshold);
        object["attributes"] = attributes;
        object
    }
}
