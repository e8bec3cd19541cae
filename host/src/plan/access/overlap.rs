//! The overlap join of a branch: the elements of its lists, and the records that have the very same value.

use super::{Access, KeyJoin, KeyList};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::join::JoinMethod;
use crate::plan::overlap::{BlockShare, Elements, Grams, Manner, OverlapJoin, Sampled};
use crate::plan::path::KeyMethod;
use crate::plan::sweep::{ItemList, Lead, Sweep};
use crate::plan::{JoinChoice, Program};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::sweep::{Order, Settings};
use std::ops::Range;
use std::sync::Arc;

/// What a branch looks at if it is led by an overlap join over the lists of a sweep, group by group: that, records with the
/// same value, and the sweep itself if it has short values.
pub(super) fn accesses(
    encoded: &Encoded,
    program: &Program,
    (lead, manner): (&Lead, &Manner),
    sweep: Sweep,
    groups: Vec<[Range<u32>; 2]>,
    control: &Control,
) -> Result<Vec<Access>> {
    let Some(operands) = lead.operands else { return Ok(vec![Access::Sweep(sweep)]) };
    let kind = match manner.elements {
        Sampled::Tokens(sets) | Sampled::Cells(sets) => Elements::Tokens(sets),
        Sampled::Grams { texts, q } => Elements::Grams(Arc::new(Grams::new(encoded, texts, q, control)?)),
    };
    let left = Arc::new(kind.list(encoded, &sweep.left, encoded.codes(operands[0])));
    let right = match sweep.settings.order {
        Order::Unordered => left.clone(),
        _ => Arc::new(kind.list(encoded, &sweep.right, encoded.codes(operands[1]))),
    };
    let is_decided = manner.elements.are_all();
    let join = OverlapJoin {
        sweep: Sweep { settings: Settings { is_decided, ..sweep.settings }, ..sweep.without_intervals() },
        lists: [left, right],
        groups,
        n_elements: kind.n_elements(encoded),
        kind,
        bare: manner.bare,
        method: manner.method,
        share: BlockShare::WHOLE,
    };
    let same = same_value(encoded, program, &join, manner.longest_swept())?;
    Ok([Access::Sweep(sweep)]
        .into_iter()
        .chain(same.map(Access::Join))
        .chain([Access::Overlap(join)])
        .collect())
}

/// Of one list with itself: the records that have the same value, if that is like itself and not swept.
fn same_value(
    encoded: &Encoded,
    program: &Program,
    join: &OverlapJoin,
    longest_swept: u32,
) -> Result<Option<KeyJoin>> {
    let Sweep { left: items, settings, .. } = &join.sweep;
    if settings.order != Order::Unordered || items.starts.is_empty() {
        return Ok(None);
    }
    let walk = program.walk()?;
    let mut scratch = vec![0; hyperblock_shared::text::scratch_words(encoded.longest()) as usize];
    let mut list = KeyList::default();
    let (mut n_keys, mut n_pairs) = (0, 0);
    for item in 0..items.len() {
        let places = items.items().places(item);
        let n_records = u64::from(places.end - places.start);
        if n_records < 2 || items.lens[item as usize] <= longest_swept {
            continue;
        }
        let records = &items.records[places.start as usize..places.end as usize];
        let lead = settings.lead();
        if walk.witness(lead, encoded, records[0], records[1], &mut scratch[..], &mut ()).is_none() {
            continue;
        }
        list.keys.extend(records.iter().map(|_| item));
        list.rows.extend(records);
        n_keys += 1;
        n_pairs += n_records * (n_records - 1) / 2;
    }
    let list = Arc::new(list);
    let settings = Settings { is_decided: true, ..*settings };
    Ok(Some(key_join([list.clone(), list], settings, program, n_keys, n_pairs)))
}

fn key_join(
    [left, right]: [Arc<KeyList>; 2],
    settings: Settings,
    program: &Program,
    n_keys: u32,
    n_pairs: u64,
) -> KeyJoin {
    let options = program.options();
    let method = match options.join {
        JoinChoice::Plain => JoinMethod::Plain,
        JoinChoice::Cheapest | JoinChoice::Skew | JoinChoice::None => JoinMethod::Skew,
    };
    let n_rows = left.keys.len() + right.keys.len();
    KeyJoin {
        found_by: KeyMethod::of_same(n_rows, n_pairs, &options),
        left,
        right,
        settings,
        method,
        predicates: vec![settings.lead],
        is_same_value: true,
        n_keys,
        n_pairs,
    }
}

impl OverlapJoin {
    /// The records of pairs of items that hold and stand for very many of them: the number of the pair is their key.
    pub fn heavy(&self, program: &Program, pairs: &[(u32, u32)]) -> KeyJoin {
        let Sweep { left, right, settings, .. } = &self.sweep;
        let mut lists = [KeyList::default(), KeyList::default()];
        let mut add = |side: usize, key: u32, items: &ItemList, item: u32| {
            let places = items.items().places(item);
            let records = &items.records[places.start as usize..places.end as usize];
            lists[side].keys.extend(records.iter().map(|_| key));
            lists[side].rows.extend(records);
            records.len() as u64
        };
        let (mut n_keys, mut n_pairs) = (0, 0);
        for &(item_l, item_r) in pairs {
            // Of one list a pair stands for pairs of records either way round, and each counts where it ascends.
            let turned = (self.is_self()).then_some((item_r, item_l));
            for (item_l, item_r) in [(item_l, item_r)].into_iter().chain(turned) {
                n_pairs += add(0, n_keys, left, item_l) * add(1, n_keys, right, item_r);
                n_keys += 1;
            }
        }
        let order = if self.is_self() { Order::Ascending } else { settings.order };
        let settings = Settings { is_decided: true, order, ..*settings };
        key_join(lists.map(Arc::new), settings, program, n_keys, n_pairs)
    }
}
