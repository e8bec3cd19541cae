//! One domain: the slots that share it, their distinct values, and a code for each record.

use super::dictionary::Dictionary;
use super::numbers;
use super::transform::{Pipeline, values};
use crate::base::control::Control;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Side, Sided};
use arrow_array::Array;
use hyperblock_shared::columns::MISSING;
use std::borrow::Cow;
use std::fmt;

/// An operand of one table, in one kind of domain.
pub(super) struct Slot {
    /// 0 is the left table, 1 the right.
    pub(super) table: usize,
    pub(super) operand: Operand,
    pub(super) domain: Domain,
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sided(if self.table == 0 { Side::Left } else { Side::Right }, &self.operand).fmt(f)
    }
}

/// The slots of a group, encoded.
pub(super) struct Group<'a> {
    pub(super) values: Values<'a>,
    /// By member: the codes by record.
    pub(super) codes: Vec<Vec<u32>>,
}

/// The distinct values of a domain, by code.
pub(super) enum Values<'a> {
    /// Borrowed from the table where no transform has changed them.
    Texts(Vec<Cow<'a, str>>),
    /// Ascending. Dates are days.
    Numbers(Vec<Decimal>),
}

impl Values<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Texts(values) => values.len(),
            Self::Numbers(values) => values.len(),
        }
    }
}

/// A column of a table: its distinct values before any transform, and which one each record has.
struct Raw<'a> {
    values: Vec<&'a str>,
    codes: Vec<u32>,
}

impl<'a> Raw<'a> {
    fn new(table: &'a Table, slot: &Slot, control: &Control) -> Result<Self> {
        let column = values(table, &slot.operand)?;
        let (mut values, mut codes) = (Dictionary::default(), Vec::with_capacity(column.len()));
        let text = |record: usize| {
            let row = table.ids.row(record as u32);
            column.is_valid(row).then(|| column.value(row))
        };
        let tell = |code: Option<u32>| codes.push(code.unwrap_or(MISSING));
        values.add_all(table.n_records() as usize, text, tell, control);
        Ok(Self { values: values.into_values(), codes })
    }

    /// The codes by record, given the final code of each distinct value.
    fn recode(&self, finals: &[u32]) -> Vec<u32> {
        self.codes.iter().map(|&code| if code == MISSING { MISSING } else { finals[code as usize] }).collect()
    }
}

impl<'a> Group<'a> {
    pub(super) fn new(tables: &[&'a Table; 2], slots: &[&Slot], control: &Control) -> Result<Self> {
        let raws: Vec<Raw<'a>> =
            slots.iter().map(|slot| Raw::new(tables[slot.table], slot, control)).collect::<Result<_>>()?;
        match slots[0].domain {
            Domain::Text => Self::texts(slots, raws, control),
            domain => Self::numbers(slots, &raws, domain, control),
        }
    }

    fn texts(slots: &[&Slot], mut raws: Vec<Raw<'a>>, control: &Control) -> Result<Self> {
        // Values that stay as they are have their codes already. An empty one would be missing.
        let is_as_read = |raw: &Raw<'_>| raw.values.iter().all(|value| !value.is_empty());
        if slots.len() == 1 && slots[0].operand.transforms.is_empty() && raws.iter().all(is_as_read) {
            let of = |Raw { values, codes }| {
                let values = values.into_iter().map(Cow::Borrowed).collect();
                Self { values: Values::Texts(values), codes: vec![codes] }
            };
            return raws.pop().map(of).ok_or_else(|| Error::Internal("a domain of no column".into()));
        }
        let mut values = Dictionary::default();
        let mut codes = Vec::new();
        for (slot, raw) in slots.iter().zip(&raws) {
            let transforms = Pipeline::new(&slot.operand.transforms)?;
            let mut finals = Vec::with_capacity(raw.values.len());
            let text = |code| transforms.apply(raw.values[code]);
            let tell = |code: Option<u32>| finals.push(code.unwrap_or(MISSING));
            values.add_all(raw.values.len(), text, tell, control);
            codes.push(raw.recode(&finals));
        }
        Ok(Self { values: Values::Texts(values.into_values()), codes })
    }

    /// What is odd ([`Odd`](crate::read::table::Odd)) is no number, and so is missing.
    fn numbers(slots: &[&Slot], raws: &[Raw<'a>], domain: Domain, control: &Control) -> Result<Self> {
        let parse = |slot: &Slot, raw: &Raw<'a>| -> Result<Vec<Option<Decimal>>> {
            let transforms = Pipeline::new(&slot.operand.transforms)?;
            let number = |text| {
                control.pass();
                numbers::parse(&transforms.apply(text)?, domain)
            };
            Ok(raw.values.iter().copied().map(number).collect())
        };
        let parsed: Vec<_> =
            slots.iter().zip(raws).map(|(slot, raw)| parse(slot, raw)).collect::<Result<_>>()?;
        let mut values: Vec<Decimal> = parsed.iter().flatten().flatten().copied().collect();
        values.sort_unstable_by(|a, b| {
            control.pass();
            a.cmp(b)
        });
        values.dedup();
        let code_of = |number: Option<Decimal>| {
            control.pass();
            number.and_then(|number| values.binary_search(&number).ok()).map_or(MISSING, |code| code as u32)
        };
        let codes = parsed
            .into_iter()
            .zip(raws)
            .map(|(numbers, raw)| raw.recode(&numbers.into_iter().map(code_of).collect::<Vec<_>>()))
            .collect();
        Ok(Self { values: Values::Numbers(values), codes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::encode;
    use crate::read::table::ReadOptions;
    use crate::rules::{RuleFile, RuleSet, bind};
    use std::path::Path;

    /// Long values stand in memory once: what no transform changes is not copied.
    #[test]
    fn what_stays_as_it_is_is_borrowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, "id,a,b\n1,x,Y\n2,y,Z\n3,x,\n").unwrap();
        let table = Table::read(&path, &ReadOptions::default(), &|_| true, &Control::default()).unwrap();
        let source = "[[rules]]\nwhen = 'levenshtein(l.a, r.a) <= 1 AND l.a = lower(r.b)'\n".to_owned();
        let file = RuleFile::parse(Path::new("rules.toml"), source).unwrap();
        let RuleSet { predicates, .. } =
            RuleSet::new(bind(&file, &table.schema, &table.schema, false).unwrap());
        let grouping = super::super::grouping::Grouping::new(true, &predicates);
        let slots: Vec<&Slot> = grouping.members[0].iter().map(|&slot| &grouping.slots[slot]).collect();
        let group = Group::new(&[&table, &table], &slots, &Control::default()).unwrap();
        let Values::Texts(values) = &group.values else { panic!("a domain of texts") };
        let shown: Vec<(&str, bool)> =
            values.iter().map(|value| (&**value, matches!(value, Cow::Borrowed(_)))).collect();
        assert_eq!(shown, [("x", true), ("y", true), ("z", false)]);
        assert!(encode(&table, None, &predicates, &Control::default()).is_ok());
    }
}
