//! Ranks: which records' keys come before which, as numbers.
//!
//! A key's rank is its place among the distinct ones, in order. Keys of text are made and sorted record by
//! record, by all threads: most are distinct, so a dictionary of them would only be in the way. Numbers and
//! dates are read as they are for predicates, which codes them in order.

use super::group::{Group, Slot};
use super::transform::{Fields, Pipeline};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::read::table::Table;
use crate::rules::{Domain, Operand};
use hyperblock_shared::columns::MISSING;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// The ranks of two tables' keys; of one table, the second are none.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// By table, by record; `MISSING` where there is no key.
    pub(crate) by_table: [Vec<u32>; 2],
    /// Distinct keys: ranks are below it.
    pub(crate) n_keys: u32,
}

/// The ranks of a key of the left table, and of one of the right table if there are two.
pub(crate) fn ranks(
    left: &Table,
    right: Option<&Table>,
    keys: &[Operand; 2],
    domain: Domain,
    control: &Control,
) -> Result<Ranks> {
    if domain == Domain::Text {
        let left = texts(left, &keys[0], control)?;
        let right = right.map(|right| texts(right, &keys[1], control)).transpose()?;
        return Ok(of_texts([&left, right.as_deref().unwrap_or_default()], control));
    }
    let n_tables = 1 + usize::from(right.is_some());
    let slot = |table: usize| Slot { table, operand: keys[table].clone(), domain };
    let slots: Vec<Slot> = (0..n_tables).map(slot).collect();
    let slots: Vec<&Slot> = slots.iter().collect();
    let Group { values, codes } = Group::new(&[left, right.unwrap_or(left)], &slots, control)?;
    let mut codes = codes.into_iter().map(Arc::unwrap_or_clone);
    let by_table = [codes.next().unwrap_or_default(), codes.next().unwrap_or_default()];
    Ok(Ranks { by_table, n_keys: values.len() as u32 })
}

/// By record: its key.
fn texts<'a>(table: &'a Table, key: &Operand, control: &Control) -> Result<Vec<Option<Cow<'a, str>>>> {
    let (pipeline, fields) = (Pipeline::new(key)?, Fields::of(table, key)?);
    let text = |record: u32| {
        let row = table.ids.row(record);
        if control.is_cancelled() { None } else { pipeline.apply(&fields.row(row)) }
    };
    let texts = (0..table.n_records()).into_par_iter().map(text).gather();
    control.check().map(|()| texts)
}

fn of_texts(tables: [&[Option<Cow<'_, str>>]; 2], control: &Control) -> Ranks {
    let of_table = |table: usize| {
        let keys = tables[table].par_iter().zip(0u32..tables[table].len() as u32);
        keys.filter_map(move |(key, record)| {
            let key = key.as_deref()?;
            Some((beginning(key), key, table, record))
        })
    };
    let mut order: Vec<(u64, &str, usize, u32)> = of_table(0).chain(of_table(1)).collect();
    // UTF-8 is ordered as its code points are, and most keys part early.
    order.par_sort_unstable_by(|a, b| {
        control.pass();
        (a.0, a.1).cmp(&(b.0, b.1))
    });
    let mut by_table = tables.map(|keys| vec![MISSING; keys.len()]);
    let mut n_keys = 0;
    for same in order.chunk_by(|a, b| a.1 == b.1) {
        for &(_, _, table, record) in same {
            by_table[table][record as usize] = n_keys;
        }
        n_keys += 1;
    }
    Ranks { by_table, n_keys }
}

/// The first bytes as a number.
fn beginning(key: &str) -> u64 {
    key.bytes().chain(std::iter::repeat(0)).take(8).fold(0, |number, byte| number << 8 | u64::from(byte))
}
