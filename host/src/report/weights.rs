//! The weights of a score: m and u of each level.

use super::cells::rounded;
use crate::base::json::float;
use crate::entities::score::{AttributeWeights, LevelName, LevelWeights, Weights};
use crate::job::Prepared;
use crate::rules::{ScoreAttribute, ScoreMethod};
use serde_json::{Value, json};

/// Those that candidates were scored by, if they were.
pub(super) fn of_job(job: &Prepared) -> Value {
    let scoring = job.scoring().filter(|scoring| scoring.method() == ScoreMethod::FellegiSunter);
    let weights = scoring.and_then(|scoring| scoring.weights().ok());
    weights.map_or(Value::Null, |(weights, _)| of_fit(weights, job))
}

pub(super) fn of_fit(weights: &Weights, job: &Prepared) -> Value {
    let attributes = job.scoring().map_or(&[][..], |scoring| scoring.attributes());
    let of = |own: &AttributeWeights| {
        let attribute = attributes.iter().find(|attribute| attribute.name == own.name);
        let level = |(nth, level): (usize, &LevelWeights)| {
            json!({
                "name": name(attribute, nth, level),
                "m": float(level.m),
                "u": float(level.u),
                "weight": rounded((level.m / level.u).log2()),
            })
        };
        let levels = own.levels.iter().enumerate().map(level);
        json!({ "name": own.name, "levels": levels.collect::<Value>() })
    };
    json!({ "prior": float(weights.prior), "attributes": weights.attributes.iter().map(of).collect::<Value>() })
}

/// A level as people know it.
fn name(attribute: Option<&ScoreAttribute>, nth: usize, level: &LevelWeights) -> String {
    match (attribute, &level.name) {
        (Some(attribute), _) => attribute.level_name(nth),
        (None, Some(LevelName::When(condition))) => condition.clone(),
        (None, Some(LevelName::AtLeast(_))) | (None, None) => format!("level {}", nth + 1),
    }
}
