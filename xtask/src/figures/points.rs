//! From rows to what is drawn: points in panels, or the lines of a table.

use super::definition::{Definition, Kind, Plot, Stated, Value};
use super::rows::Rows;
use super::variants;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// A point, a bar or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) panel: String,
    pub(super) series: String,
    pub(super) x: String,
    /// The height; if it is a bound, it was ended there.
    pub(super) y: f64,
    pub(super) is_bound: bool,
}

/// A table, with a head.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) lines: Vec<Vec<String>>,
}

type Row = BTreeMap<String, String>;

/// The points of all rows that are asked for.
pub(super) fn of(plot: &Plot, all: &[Rows]) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for rows in all {
        for row in rows.rows.iter().filter(|row| is_asked(plot, row)) {
            let panel = panel(plot, rows, row)?;
            let x = column(row, "plot.x", &plot.x)?.clone();
            for (series, y, is_bound) in heights(plot, row)? {
                if plot.variants.is_empty() || plot.variants.contains(&series) {
                    ensure!(variants::known(&series).is_some(), "unknown variant {series:?} in the rows");
                    points.push(Point { panel: panel.clone(), series, x: x.clone(), y, is_bound });
                }
            }
        }
    }
    ensure!(!points.is_empty(), "plot: no row has what it asks for");
    if let Some(base) = &plot.relative_to {
        points = relative(points, base);
        ensure!(!points.is_empty(), "plot.relative_to: no row of {base} to divide by");
    }
    let place = |point: &Point| plot.variants.iter().position(|name| *name == point.series);
    points.sort_by_key(place);
    Ok(points)
}

fn is_asked(plot: &Plot, row: &Row) -> bool {
    plot.only.iter().all(|(column, values)| row.get(column).is_none_or(|value| values.contains(value)))
}

fn panel(plot: &Plot, rows: &Rows, row: &Row) -> Result<String> {
    let mut parts = vec![rows.place()];
    for name in &plot.panels {
        let value = column(row, "plot.panels", name)?;
        // A number alone says nothing.
        let is_number = value.parse::<f64>().is_ok();
        parts.push(if is_number { format!("{} {value}", name.replace('_', " ")) } else { value.clone() });
    }
    Ok(parts.join(", "))
}

fn column<'a>(row: &'a Row, key: &str, name: &str) -> Result<&'a String> {
    let known = || row.keys().cloned().collect::<Vec<_>>().join(", ");
    row.get(name).with_context(|| format!("{key}: no column {name}: there are {}", known()))
}

/// The variants of a row with their heights, and whether they are bounds.
fn heights(plot: &Plot, row: &Row) -> Result<Vec<(String, f64, bool)>> {
    if let Some(name) = &plot.parts {
        let parts = column(row, "plot.parts", name)?;
        let part = |part: &str| -> Result<(String, f64, bool)> {
            let (name, value) =
                part.split_once('=').with_context(|| format!("plot.parts: {part:?} has no ="))?;
            Ok((name.to_owned(), number(value)?, false))
        };
        return parts.split(';').filter(|part| !part.is_empty()).map(part).collect();
    }
    if !plot.wide.is_empty() {
        // A file of an older commit may lack a column.
        let there = plot.wide.iter().filter_map(|name| Some((name, row.get(name)?)));
        return there.map(|(name, value)| Ok((name.clone(), number(value)?, false))).collect();
    }
    let Some(by) = &plot.series else { bail!("plot.series: it is wanted") };
    let series = column(row, "plot.series", by)?;
    let series = plot.named.get(series).unwrap_or(series).clone();
    let y = column(row, "plot.y", &plot.y)?;
    match (y.is_empty(), bound(row)) {
        (false, _) => Ok(vec![(series, number(y)?, false)]),
        (true, Some(seconds)) => Ok(vec![(series, seconds, true)]),
        (true, None) => Ok(Vec::new()),
    }
}

/// The seconds after which a benchmark ended what the row is of.
fn bound(row: &Row) -> Option<f64> {
    row.get("seen")?.strip_prefix("over ")?.split(' ').next()?.parse().ok()
}

fn number(text: &str) -> Result<f64> {
    text.parse().with_context(|| format!("{text:?} is not a number"))
}

/// Heights divided by those of `base` at the same place.
fn relative(points: Vec<Point>, base: &str) -> Vec<Point> {
    let bases: Vec<Point> = points.iter().filter(|point| point.series == base).cloned().collect();
    let divided = |mut point: Point| {
        let base = bases.iter().find(|base| base.panel == point.panel && base.x == point.x)?;
        point.y /= base.y;
        Some(point)
    };
    points.into_iter().filter(|point| point.series != base).filter_map(divided).collect()
}

/// What the paper states, as points in panels of its own: all that has a number, a variant and a place.
pub(super) fn stated(definition: &Definition) -> Vec<Point> {
    let machine =
        definition.paper_machine.as_ref().map_or_else(String::new, |machine| format!(" ({machine})"));
    let point = |stated: &Stated| {
        let Value::Number(y) = stated.value else { return None };
        let panel = stated.panel.as_ref().map_or_else(String::new, |panel| format!(", {panel}"));
        let (series, x) = (stated.series.clone()?, stated.x.clone()?);
        Some(Point { panel: format!("the paper{machine}{panel}"), series, x, y, is_bound: false })
    };
    definition.stated.iter().filter_map(point).collect()
}

/// The table of all rows that are asked for. A column that a file lacks is left empty there.
pub(super) fn table(plot: &Plot, all: &[Rows], prices: &[(String, f64)]) -> Result<Table> {
    ensure!(plot.kind == Kind::Table, "plot.kind: this is no table");
    let mut head = vec!["measured on".to_owned()];
    head.extend(plot.columns.iter().cloned());
    if plot.priced.is_some() {
        head.extend(["price in euro".to_owned(), "euro × minutes".to_owned()]);
    }
    let every = || all.iter().flat_map(|rows| &rows.rows);
    for name in &plot.columns {
        ensure!(every().any(|row| row.contains_key(name)), "plot.columns: no column {name}");
    }
    let mut lines = Vec::new();
    for rows in all {
        for row in rows.rows.iter().filter(|row| is_asked(plot, row)) {
            let mut line = vec![rows.place()];
            line.extend(plot.columns.iter().map(|name| row.get(name).cloned().unwrap_or_default()));
            if let Some(name) = &plot.priced {
                line.extend(priced(rows.device.name(), number(column(row, "plot.priced", name)?)?, prices));
            }
            lines.push(line);
        }
    }
    ensure!(!lines.is_empty(), "plot: no row has what it asks for");
    Ok(Table { head, lines })
}

/// The price of a device, and times minutes, as GPUDet has it: a GPU needs a CPU, whose price counts, too.
fn priced(device: &str, seconds: f64, prices: &[(String, f64)]) -> [String; 2] {
    let of = |device: &str| prices.iter().find(|(name, _)| name == device).map(|(_, euro)| *euro);
    let price = match device {
        "cuda" => of("cuda").zip(of("cpu")).map(|(gpu, cpu)| gpu + cpu),
        _ => of(device),
    };
    match price {
        Some(price) => [price.to_string(), format!("{:.3}", price * seconds / 60.0)],
        None => ["--price says it", ""].map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::Plot;
    use super::super::rows::example;
    use super::{of, priced, table};

    fn plot(text: &str) -> Plot {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn rows_become_points() {
        let plot = plot(
            r#"kind = "lines"
               x = "s"
               y = "median_s"
               series = "method"
               variants = ["csh", "cbase"]
               only = { output = ["pairs"] }"#,
        );
        let lines = [
            "0,cbase,pairs,2,",
            "0,csh,pairs,1,",
            "0,csh,count,9,",
            "1,cbase,pairs,,over 60 s",
            "1,csh,pairs,,left out",
        ];
        let points = of(&plot, &[example("s,method,output,median_s,seen", &lines)]).unwrap();
        let told: Vec<_> = points
            .iter()
            .map(|point| (point.series.as_str(), point.x.as_str(), point.y, point.is_bound))
            .collect();
        assert_eq!(told, [("csh", "0", 1.0, false), ("cbase", "0", 2.0, false), ("cbase", "1", 60.0, true)]);
        let all = Plot { variants: Vec::new(), ..plot.clone() };
        let error = of(&all, &[example("s,method,median_s", &["0,cshh,1"])]).unwrap_err().to_string();
        assert!(error.contains("unknown variant \"cshh\""), "{error}");
        let error = of(&plot, &[example("zipf,method,median_s", &["0,csh,1"])]).unwrap_err().to_string();
        assert!(error.contains("no column s: there are median_s, method, zipf"), "{error}");
    }

    #[test]
    fn parts_and_columns_are_variants() {
        let parts = plot("kind = \"stacks\"\nx = \"s\"\nparts = \"phases_ms\"");
        let points = of(&parts, &[example("s,phases_ms", &["0,sample=1.5;partition=2"])]).unwrap();
        assert_eq!(points.iter().map(|point| point.y).collect::<Vec<_>>(), [1.5, 2.0]);
        let wide = plot("kind = \"lines\"\nx = \"noise\"\nwide = [\"ndcg_mean\", \"rmse_mean\"]");
        let points = of(&wide, &[example("noise,ndcg_mean", &["0,0.9"])]).unwrap();
        assert_eq!(points.len(), 1);
    }

    #[test]
    fn heights_are_divided() {
        let plot =
            plot("kind = \"bars\"\nx = \"n\"\ny = \"t\"\nseries = \"order\"\nrelative_to = \"planned\"");
        let points =
            of(&plot, &[example("n,order,t", &["2,planned,2", "2,COrder,3", "4,SOrder,9"])]).unwrap();
        assert_eq!(
            points.iter().map(|point| (point.series.as_str(), point.y)).collect::<Vec<_>>(),
            [("COrder", 1.5)]
        );
    }

    #[test]
    fn tables_have_prices() {
        let plot = plot("kind = \"table\"\ncolumns = [\"rows\"]\npriced = \"t\"");
        let rows = [example("rows,t", &["5,120"])];
        let table = table(&plot, &rows, &[("cpu".to_owned(), 200.0)]).unwrap();
        assert_eq!(table.lines, [["cpu", "5", "200", "400.000"]]);
        assert_eq!(priced("cuda", 60.0, &[("cuda".to_owned(), 279.0)])[0], "--price says it");
        assert_eq!(
            priced("cuda", 2100.0, &[("cuda".to_owned(), 279.0), ("cpu".to_owned(), 185.0)])[1],
            "16240.000"
        );
    }
}
