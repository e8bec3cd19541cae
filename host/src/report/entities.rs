//! Entities by size, and the largest of them.

use crate::entities::cluster::ClusterMethod;
use crate::job::Prepared;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Sizes that are told of, the smallest first.
const MOST_SIZES: usize = 60;
/// The largest entities.
const LARGEST: usize = 10;

/// Of each record its entity, named by its first record.
pub(super) fn section(job: &Prepared, entities: &[u32], method: ClusterMethod) -> Value {
    let mut of = vec![0u32; entities.len()];
    entities.iter().for_each(|&entity| of[entity as usize] += 1);
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    of.iter().filter(|size| **size > 0).for_each(|&size| *sizes.entry(size).or_default() += 1);
    let mut largest: Vec<usize> = (0..of.len()).filter(|&entity| of[entity] > 1).collect();
    largest.sort_by_key(|&entity| (std::cmp::Reverse(of[entity]), entity));
    let n_left = job.left.n_records();
    let id = |entity: u32| match entity.checked_sub(n_left).zip(job.second()) {
        Some((right, table)) => table.ids.text(right),
        None => job.left.ids.text(entity),
    };
    let largest = largest.into_iter().take(LARGEST);
    let largest = largest.map(|entity| json!({ "id": id(entity as u32), "size": of[entity] }));
    let told = sizes.iter().take(MOST_SIZES).map(|(size, n)| json!({ "size": size, "entities": n }));
    json!({
        "records": entities.len(),
        "entities": sizes.values().sum::<u64>(),
        "sizes": told.collect::<Value>(),
        "larger": sizes.len().saturating_sub(MOST_SIZES),
        "largest": largest.collect::<Value>(),
        "method": method.to_string(),
    })
}
