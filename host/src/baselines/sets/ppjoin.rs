//! PPJoin (Xiao, Wang, Lin and Yu, *Efficient similarity joins for near duplicate detection*, WWW 2008): AllPairs with a
//! positional filter. One thread, as published.
//!
//! A posting also says where in its set the element stands. Elements ascend, so what two sets can have in common is what was
//! found before, and from here on as much as the shorter rest. Where that is too little, the pair is dropped, and not counted
//! any further. The suffix filter of PPJoin+ is left out, as it is by those who compare themselves with PPJoin.

use super::ordered::Ordered;
use super::prefix::{List, Need, Seen, verify};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::baselines::sink::Sink;
use hyperblock_shared::overlap::NEVER;

/// A set that is indexed under an element.
#[derive(Clone, Copy)]
struct Posting {
    place: u32,
    /// How many elements it has from there on.
    rest: u32,
}

/// What the set at hand has in common with one that it found.
#[derive(Clone, Copy, Default)]
struct Found {
    common: u32,
    /// How much they need: 0 if it was not found yet, [`NEVER`] if it was dropped.
    least: u32,
}

pub(super) fn join<S: Sink>(sets: &Ordered<'_>, mut sink: S, control: &Control) -> Result<S> {
    let mut index: Vec<List<Posting>> = List::all(sets.n_elements);
    // By place: by how many elements it is indexed, and what the set at hand has found of it.
    let mut prefixes = vec![0; sets.sets.len() as usize];
    let mut founds = vec![Found::default(); sets.sets.len() as usize];
    let mut places_found = Vec::new();
    for (size, places) in &sets.runs {
        let Some(need) = Need::of(sets, *size) else { continue };
        let first = sets.first(need.smallest);
        for place in places.clone() {
            control.check()?;
            let set = sets.sets.get(place);
            for (own_rest, &element) in (1..=*size).rev().zip(&set[..need.probing]) {
                for posting in index[element as usize].from(|posting| posting.place < first) {
                    let found = &mut founds[posting.place as usize];
                    if found.least == 0 {
                        found.least = need.least(sets.sets.size(posting.place));
                        places_found.push(posting.place);
                    }
                    if found.common + own_rest.min(posting.rest) < found.least {
                        found.least = NEVER;
                    } else {
                        found.common += 1;
                    }
                }
            }
            for other in places_found.drain(..) {
                let Found { common, least } = std::mem::take(&mut founds[other as usize]);
                if least == NEVER {
                    continue;
                }
                let own = Seen { set, prefix: need.probing };
                let theirs = Seen { set: sets.sets.get(other), prefix: prefixes[other as usize] };
                if verify(own, theirs, common, least) {
                    let (left, right) = sets.pair(place, other);
                    sink.pair(left, right);
                }
            }
            for (rest, &element) in (1..=*size).rev().zip(&set[..need.indexed]) {
                index[element as usize].push(Posting { place, rest });
            }
            prefixes[place as usize] = need.indexed;
        }
    }
    Ok(sink)
}
