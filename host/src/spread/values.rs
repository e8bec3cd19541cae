//! What the engine makes of a record's values, as covers need it: the hash of what is equal, a number, a place, a text. A value
//! here is the value that predicates compare, made in the same way.

use super::hash;
use crate::base::decimal::Decimal;
use crate::base::error::Result;
use crate::base::sphere::Place;
use crate::encode::{Fields, Pipeline, number, place};
use crate::read::table::Table;
use crate::rules::{Domain, Operand};
use std::borrow::Cow;

/// An operand, ready to be made of many records.
pub(super) struct Value {
    operand: Operand,
    domain: Domain,
    pipeline: Pipeline,
}

/// The same over a table.
pub(super) struct Values<'a> {
    value: &'a Value,
    fields: Fields<'a>,
}

impl Value {
    pub(super) fn new(operand: &Operand, domain: Domain) -> Result<Self> {
        Ok(Self { operand: operand.clone(), domain, pipeline: Pipeline::new(operand)? })
    }

    pub(super) fn over<'a>(&'a self, table: &'a Table) -> Result<Values<'a>> {
        Ok(Values { value: self, fields: Fields::of(table, &self.operand)? })
    }
}

impl<'a> Values<'a> {
    /// What is made of a row, if it is not missing.
    pub(super) fn text(&self, row: usize) -> Option<Cow<'a, str>> {
        self.value.pipeline.apply(&self.fields.row(row))
    }

    /// A text that two values have in common exactly if they are equal.
    pub(super) fn same(&self, row: usize) -> Option<Cow<'a, str>> {
        let text = self.text(row)?;
        Some(match self.value.domain {
            Domain::Text => text,
            domain @ (Domain::Number | Domain::Date) => {
                let (whole, fraction) = number(&text, domain)?.parts();
                Cow::Owned(format!("{whole} {fraction}"))
            }
            Domain::Point => {
                let Place { latitude, longitude } = place(&text)?;
                Cow::Owned(format!("{:x} {:x}", latitude.to_bits(), longitude.to_bits()))
            }
        })
    }

    /// What two values have in common exactly if they are equal, but for chance.
    pub(super) fn equal(&self, row: usize) -> Option<u64> {
        let text = self.text(row)?;
        Some(match self.value.domain {
            Domain::Text => hash::of_text(&text),
            domain @ (Domain::Number | Domain::Date) => {
                let (whole, fraction) = number(&text, domain)?.parts();
                let words = [whole, fraction].map(i128::to_le_bytes);
                hash::of_bytes(&words.concat())
            }
            Domain::Point => {
                let Place { latitude, longitude } = place(&text)?;
                hash::mixed(latitude.to_bits(), longitude.to_bits())
            }
        })
    }

    /// The double that is nearest to a number or to the days of a date: of two numbers the lower one's is no higher.
    pub(super) fn number(&self, row: usize) -> Option<f64> {
        let text = self.text(row)?;
        match self.value.domain {
            Domain::Date => Some(number(&text, Domain::Date)?.floor() as f64),
            Domain::Number | Domain::Text => Decimal::parse(&text).and_then(|_| text.parse().ok()),
            Domain::Point => None,
        }
    }

    /// A place on the sphere.
    pub(super) fn place(&self, row: usize) -> Option<Place> {
        place(&self.text(row)?)
    }
}
