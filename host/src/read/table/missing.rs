//! What is written where nothing is known: `NA`, `unknown`, `0000000000`. Such a value is as an empty field.
//!
//! It goes while a table is read, before the kinds of CSV columns are known: a number column in which somebody wrote `NA`
//! is one. Ids are taken as they are, before that.

use super::{Kind, Schema, kind};
use crate::base::control::Control;
use crate::base::list::{elements, list};
use arrow_array::{Array, LargeStringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows that a thread looks at: a multiple of 8, since 8 share a byte.
const ROWS: usize = 1 << 16;

/// What counts as missing. Words are compared as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// In every column.
    all: Vec<String>,
    /// In columns of these names as well.
    by_column: Vec<(String, Vec<String>)>,
}

impl Words {
    pub(crate) fn new(all: Vec<String>, by_column: Vec<(String, Vec<String>)>) -> Self {
        Self { all, by_column }
    }

    /// Whether nothing does but what is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.by_column.is_empty()
    }

    /// Those of a column.
    fn of(&self, column: usize, schema: &Schema) -> HashSet<&str> {
        let named = self.by_column.iter().filter(|(name, _)| schema.find(name) == Some(column));
        self.all.iter().chain(named.flat_map(|(_, words)| words)).map(String::as_str).collect()
    }

    /// Takes them out of the values of a table. Where kinds are what values look like, they are looked at again.
    pub(super) fn take_out(
        &self,
        schema: &mut Schema,
        values: &mut [Option<LargeStringArray>],
        infers_kinds: bool,
        control: &Control,
    ) {
        for (ix, values) in values.iter_mut().enumerate() {
            let Some(all) = values else { continue };
            let words = self.of(ix, schema);
            let left = match schema.columns[ix].kind {
                Kind::List => without_elements(all, &words),
                Kind::Text | Kind::Integer | Kind::Float | Kind::Date => without(all, &words),
            };
            let Some(left) = left else { continue };
            if infers_kinds {
                let name = schema.columns[ix].name.clone();
                schema.columns[ix] = kind::infer(name, &left, control);
            }
            *all = left;
        }
    }
}

/// The values without words, if there are any among them. No text is copied.
fn without(values: &LargeStringArray, words: &HashSet<&str>) -> Option<LargeStringArray> {
    let stays = |row: usize| values.is_valid(row) && !words.contains(values.value(row));
    let starts: Vec<usize> = (0..values.len()).step_by(ROWS).collect();
    let bits = starts.into_par_iter().flat_map_iter(|start| {
        let end = (start + ROWS).min(values.len());
        (start..end).step_by(8).map(move |first| {
            let rows = first..(first + 8).min(end);
            rows.fold(0u8, |byte, row| byte | u8::from(stays(row)) << (row - first))
        })
    });
    let nulls = NullBuffer::new(BooleanBuffer::new(bits.collect::<Vec<u8>>().into(), 0, values.len()));
    let some_go = nulls.null_count() > values.null_count();
    some_go.then(|| LargeStringArray::new(values.offsets().clone(), values.values().clone(), Some(nulls)))
}

/// Lists without elements that are words.
fn without_elements(values: &LargeStringArray, words: &HashSet<&str>) -> Option<LargeStringArray> {
    let is_word = |value: &str| elements(value).any(|element| words.contains(&*element));
    let some_go =
        (0..values.len()).into_par_iter().any(|row| values.is_valid(row) && is_word(values.value(row)));
    some_go.then(|| {
        let without = |value: &str| {
            let stay = elements(value).filter(|element| !words.contains(&**element));
            list(stay.collect::<Vec<Cow<'_, str>>>())
        };
        let all = values.iter().map(|value| value.map(without).filter(|value| !value.is_empty()));
        LargeStringArray::from_iter(all)
    })
}
