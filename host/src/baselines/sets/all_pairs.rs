//! AllPairs (Bayardo, Ma and Srikant, *Scaling up all pairs similarity search*, WWW 2007), as it is for sets (Xiao and others,
//! WWW 2008; Mann, Augsten and Bouros, PVLDB 9(9), 2016). One thread, as published.
//!
//! Sets come from small to large. Each looks its prefix up in an index of those before it, which leaves out sets that are too
//! small, and counts for each set that it finds how often; then it is indexed itself. What was found is compared from where
//! counting ended, until it has enough or cannot have enough.

use super::ordered::Ordered;
use super::prefix::{List, Need, Seen, verify};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::baselines::sink::Sink;

pub(super) fn join<S: Sink>(sets: &Ordered<'_>, mut sink: S, control: &Control) -> Result<S> {
    let mut index: Vec<List<u32>> = List::all(sets.n_elements);
    // By place: by how many elements it is indexed, and how many of them the set at hand has.
    let mut prefixes = vec![0; sets.sets.len() as usize];
    let mut counts = vec![0u32; sets.sets.len() as usize];
    let mut found = Vec::new();
    for (size, places) in &sets.runs {
        let Some(need) = Need::of(sets, *size) else { continue };
        let first = sets.first(need.smallest);
        for place in places.clone() {
            control.check()?;
            let set = sets.sets.get(place);
            for &element in &set[..need.probing] {
                for &other in index[element as usize].from(|other| other < first) {
                    let count = &mut counts[other as usize];
                    if *count == 0 {
                        found.push(other);
                    }
                    *count += 1;
                }
            }
            for other in found.drain(..) {
                let common = std::mem::take(&mut counts[other as usize]);
                let own = Seen { set, prefix: need.probing };
                let theirs = Seen { set: sets.sets.get(other), prefix: prefixes[other as usize] };
                if verify(own, theirs, common, need.least(theirs.set.len() as u32)) {
                    let (left, right) = sets.pair(place, other);
                    sink.pair(left, right);
                }
            }
            for &element in &set[..need.indexed] {
                index[element as usize].push(place);
            }
            prefixes[place as usize] = need.indexed;
        }
    }
    Ok(sink)
}
