//! One domain: the slots that share it, their distinct values, and a code for each record.

use super::dictionary::Dictionary;
use super::numbers;
use super::raw::Raw;
use super::transform::Pipeline;
use crate::base::control::Control;
use crate::base::decimal::Decimal;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::sphere::Place;
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Side, Sided};
use hyperblock_shared::columns::MISSING;
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

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
    pub(super) codes: Vec<Arc<Vec<u32>>>,
}

/// The distinct values of a domain, by code.
pub(super) enum Values<'a> {
    /// Borrowed from the table where no transform has changed them.
    Texts(Vec<Cow<'a, str>>),
    /// Ascending. Dates are days.
    Numbers(Vec<Decimal>),
    /// Along a curve; and what is said of values that are none.
    Places(Vec<Place>, Vec<String>),
}

impl Values<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Texts(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Places(places, _) => places.len(),
        }
    }
}

impl<'a> Group<'a> {
    pub(super) fn new(tables: &[&'a Table; 2], slots: &[&Slot], control: &Control) -> Result<Self> {
        let raw = |slot: &&Slot| Raw::new(tables[slot.table], &slot.operand, control);
        Self::of(slots, slots.iter().map(raw).collect::<Result<_>>()?, control)
    }

    /// The same, given the slots' columns.
    pub(super) fn of(slots: &[&Slot], raws: Vec<Raw<'a>>, control: &Control) -> Result<Self> {
        match slots[0].domain {
            Domain::Text => Self::texts(slots, raws, control),
            domain => Self::numbers(slots, &raws, domain, control),
        }
    }

    fn texts(slots: &[&Slot], mut raws: Vec<Raw<'a>>, control: &Control) -> Result<Self> {
        // Values that stay as they are have their codes already.
        if let ([slot], [raw]) = (slots, &raws[..])
            && slot.operand.transforms.is_empty()
            && let Some(values) = raw.as_read()
        {
            let values = Values::Texts(values.par_iter().map(|value| Cow::Borrowed(*value)).gather());
            let codes = raws.pop().into_iter().map(|raw| Arc::new(raw.into_codes())).collect();
            return Ok(Self { values, codes });
        }
        let pipelines: Vec<Pipeline> =
            slots.iter().map(|slot| Pipeline::new(&slot.operand)).collect::<Result<_>>()?;
        // The distinct values of all slots, one after the other.
        let mut ends: Vec<usize> = raws.iter().map(Raw::len).collect();
        (1..ends.len()).for_each(|slot| ends[slot] += ends[slot - 1]);
        let start = |slot: usize| slot.checked_sub(1).map_or(0, |before| ends[before]);
        let text = |ix: usize| {
            let slot = ends.partition_point(|end| *end <= ix);
            raws[slot].made(&pipelines[slot], ix - start(slot))
        };
        let Dictionary { values, codes: finals } =
            Dictionary::new(ends.last().copied().unwrap_or(0), text, control);
        let codes = raws.iter().enumerate().map(|(slot, raw)| raw.recode(&finals[start(slot)..ends[slot]]));
        let codes = codes.map(Arc::new).collect();
        Ok(Self { values: Values::Texts(values), codes })
    }

    /// What is odd ([`Odd`](crate::read::table::Odd)) is no number, and so is missing.
    fn numbers(slots: &[&Slot], raws: &[Raw<'a>], domain: Domain, control: &Control) -> Result<Self> {
        let parse = |slot: &Slot, raw: &Raw<'a>| -> Result<Vec<Option<Decimal>>> {
            let pipeline = Pipeline::new(&slot.operand)?;
            let number = |ix| {
                control.pass();
                numbers::parse(&raw.made(&pipeline, ix)?, domain)
            };
            Ok((0..raw.len()).into_par_iter().map(number).gather())
        };
        let parsed: Vec<_> =
            slots.iter().zip(raws).map(|(slot, raw)| parse(slot, raw)).collect::<Result<_>>()?;
        let mut values: Vec<Decimal> = parsed.iter().flatten().flatten().copied().collect();
        values.par_sort_unstable_by(|a, b| {
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
            .map(|(numbers, raw)| raw.recode(&numbers.into_par_iter().map(code_of).gather()))
            .map(Arc::new)
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
