//! What the truth covers, and how many pairs are missed and wrong by it.

use crate::inspect::errors::SomeErrors;
use crate::tell::evaluate::Truth;
use indicatif::HumanCount;
use serde_json::{Value, json};

pub(super) fn section(errors: &Option<SomeErrors>, truth: Option<&Truth>) -> Value {
    let Some(truth) = truth else { return Value::Null };
    let coverage = truth.coverage();
    let mut text = vec![match coverage.is_complete {
        true => format!("The truth is about all records: {} pairs match.", HumanCount(truth.n_matches())),
        false => format!("Labels {coverage}: {} of those pairs match.", HumanCount(truth.n_matches())),
    }];
    if coverage.n_unknown > 0 {
        let n = HumanCount(coverage.n_unknown);
        text.push(format!("{n} rows of the truth name ids that are in no table; they count for nothing."));
    }
    let (n_missed, n_wrong) = errors.as_ref().map_or((0, 0), |errors| (errors.n_missed, errors.n_wrong));
    json!({ "text": text, "missed": n_missed, "wrong": n_wrong })
}

/// What measures rest on, where the truth covers a part.
pub(super) fn decided(truth: Option<&Truth>) -> Option<String> {
    let part = truth.filter(|truth| !truth.coverage().is_complete)?;
    let n = HumanCount(part.coverage().n_decided);
    Some(format!(
        "Precision and recall are of the {n} pairs that labels decide, each for as many as it stands for."
    ))
}
