//! The summary, line by line, and what somebody should look at first.

use super::asked::ShownValues;
use super::cut::shortened;
use crate::job::Prepared;
use crate::tell::left_out::LeftOut;
use crate::tell::report::Summary;
use serde_json::{Value, json};

/// Characters of a line.
const MOST_TEXT: usize = 400;
/// Lines.
const MOST_LINES: usize = 400;

/// A summary for people: what stands before two blanks is a name, and what is behind them its value.
pub(super) fn lines(text: &str) -> Value {
    let line = |line: &str| {
        let said = line.trim_start();
        let depth = u8::from(said.len() < line.len());
        let (name, value) = said.split_once("  ").unwrap_or((said.trim_end(), ""));
        let [name, value] = [name, value.trim()].map(|text| shortened(text, MOST_TEXT));
        json!({ "name": name, "value": value, "depth": depth })
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES).map(line).collect()
}

/// What may surprise: rules that are for nothing, and what may miss pairs.
pub(super) fn warnings(job: &Prepared, values: ShownValues) -> Vec<String> {
    let name = |rule: usize| &job.plan.rules[rule].name;
    let subsumed = job.subsumed.iter().map(|it| {
        format!("Every pair that rule `{}` allows is allowed by `{}`.", name(it.rule), name(it.by))
    });
    let near = job.neighbourhoods.iter().map(|near| {
        format!("Sorted neighbourhood {}: pairs outside the windows are not looked at.", near.name)
    });
    let left_out = job.left_out.iter().map(|it| told(it, values));
    let all = subsumed.chain(near).chain(left_out);
    all.take(MOST_LINES).map(|warning| shortened(&warning, MOST_TEXT)).collect()
}

/// Blocks that were left out; their values are records' values.
fn told(left_out: &LeftOut, values: ShownValues) -> String {
    match values {
        ShownValues::Sample => left_out.to_string(),
        ShownValues::None => without_values(left_out),
    }
}

fn without_values(left_out: &LeftOut) -> String {
    let blocks = left_out.blocks.iter().map(|(_, n)| ("withheld".to_owned(), *n)).collect();
    LeftOut { blocks, ..left_out.clone() }.to_string()
}

/// The text of a summary, with values of blocks that were left out only if they may be shown.
pub(super) fn withheld(text: &str, summary: &Summary, values: ShownValues) -> String {
    let mut text = text.to_owned();
    if values == ShownValues::None {
        for left_out in &summary.left_out {
            text = text.replace(&left_out.to_string(), &without_values(left_out));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_names_and_values() {
        let text = "device           cpu (2 threads)\ncandidates       760\n  same phone  616\n";
        assert_eq!(
            lines(text),
            json!([
                { "name": "device", "value": "cpu (2 threads)", "depth": 0 },
                { "name": "candidates", "value": "760", "depth": 0 },
                { "name": "same phone", "value": "616", "depth": 1 },
            ])
        );
    }
}
