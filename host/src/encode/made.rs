//! What measures need of a domain's values, made of them: packed symbols, tokens, reaches; and marks, of one record each.

use super::group::{Group, Values};
use super::lower::{Marked, Needs, Tokens};
use super::{Encoded, MarkColumn, PointColumn, ReachColumn, Ready, SetColumn, TakeReady, TextColumn};
use super::{marks, numbers, points, symbols, tokens};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::sphere::Place;
use crate::base::timeline::Lane;
use crate::rules::Measure;
use std::borrow::Cow;

/// Adds the columns that are needed to `encoded`.
pub(super) fn make(
    needs: &Needs,
    groups: &[Group<'_>],
    encoded: &mut Encoded,
    (control, take): (&Control, TakeReady<'_>),
) -> Result<()> {
    let making = Making { needs, groups, control, take };
    for &group in &needs.texts {
        encoded.texts.push(making.step(|| making.symbols(group))?);
    }
    for &(group, tokens) in &needs.sets {
        encoded.sets.push(making.step(|| making.tokens(group, tokens))?);
    }
    for &group in &needs.points {
        encoded.points.push(making.step(|| making.points(group))?);
    }
    for (group, measure) in &needs.reaches {
        encoded.reaches.push(making.step(|| making.reaches(*group, measure))?);
    }
    for marked in &needs.marks {
        encoded.marks.push(making.step(|| making.marks(marked))?);
    }
    Ok(())
}

struct Making<'a> {
    needs: &'a Needs,
    groups: &'a [Group<'a>],
    control: &'a Control,
    take: TakeReady<'a>,
}

impl Making<'_> {
    fn step<T>(&self, make: impl FnOnce() -> Result<T>) -> Result<T> {
        self.control.check()?;
        let made = make()?;
        self.control.did(1);
        Ok(made)
    }

    fn symbols(&self, group: usize) -> Result<TextColumn> {
        let values = self.values(group)?;
        let pack = || symbols::pack(group, values, self.control);
        let texts = self.control.note(Lane::Encode, "symbols", pack)?;
        (self.take)(Ready::Heads(texts.heads.clone()));
        (self.take)(Ready::Words(texts.words.clone()));
        Ok(texts)
    }

    fn tokens(&self, group: usize, tokens: Tokens) -> Result<SetColumn> {
        let sets = match tokens {
            Tokens::Of(tokenizer) => {
                let values = self.values(group)?;
                let tokenize = || tokens::tokenize(group, values, tokenizer, self.control);
                self.control.note(Lane::Encode, "tokens", tokenize)?
            }
            Tokens::Cells(most) => {
                let (places, _) = self.places(group)?;
                self.control.note(Lane::Encode, "cells", || points::cells(group, places, most))?
            }
        };
        (self.take)(Ready::Heads(sets.heads.clone()));
        (self.take)(Ready::Halves(sets.tokens.clone()));
        Ok(sets)
    }

    fn points(&self, group: usize) -> Result<PointColumn> {
        let (places, odd) = self.places(group)?;
        let points = self.control.note(Lane::Encode, "points", || points::vectors(group, places, odd));
        points.warn();
        (self.take)(Ready::Points(points.points.clone()));
        Ok(points)
    }

    fn reaches(&self, group: usize, measure: &Measure) -> Result<ReachColumn> {
        match (measure, &self.groups[group].values) {
            (Measure::Difference { least, most }, Values::Numbers(values)) => {
                Ok(ReachColumn { domain: group, reaches: numbers::reaches(values, *least, *most) })
            }
            _ => Err(Error::Internal(format!("{measure:?} over a domain of another kind"))),
        }
    }

    fn marks(&self, Marked { slot, condition, negated }: &Marked) -> Result<MarkColumn> {
        let grouping = &self.needs.grouping;
        let (group, of_slot) = (grouping.groups[*slot], &grouping.slots[*slot]);
        let Group { values, codes } = &self.groups[group];
        let member = grouping.members[group].iter().position(|member| member == slot);
        let member = member.ok_or_else(|| Error::Internal(format!("`{of_slot}` was not encoded")))?;
        marks::mark(of_slot.table, &codes[member], values, of_slot.domain, condition, *negated)
    }

    fn values(&self, group: usize) -> Result<&[Cow<'_, str>]> {
        match &self.groups[group].values {
            Values::Texts(values) => Ok(values),
            _ => Err(Error::Internal("a measure of texts over a domain of another kind".into())),
        }
    }

    fn places(&self, group: usize) -> Result<(&[Place], &[String])> {
        match &self.groups[group].values {
            Values::Places(places, odd) => Ok((places, odd)),
            _ => Err(Error::Internal("a distance over a domain of another kind".into())),
        }
    }
}
