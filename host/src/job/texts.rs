//! The text of a job's tables, and what is encoded of it.
//!
//! ```text
//! cache ────────────────────────────────┐
//! tables, whole ─► encode ──────────────┼─► encoded columns ─► cache
//! tables, some columns at a time ─► encode, put away ─┘
//! ```
//!
//! What a cache has needs no text at all: then the tables are not read. Where there is no memory for all of the text, and for
//! encoding it, columns are read in passes, those of some domains at a time, and what is encoded of them is put away into a file; at the
//! end it is read from there. That reads the tables as often as there are passes, and gives the same.

use super::Job;
use super::input::SourceColumns;
use super::several::{Pairing, sides};
use super::wanted::Wanted;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::{self, Encoded, Sides, TakeReady};
use crate::operators::Backend;
use crate::operators::neighbours::Orders;
use crate::read::sources::{Numbering, Sources};
use crate::read::table::{Input, Table};
use crate::rules::{Neighbourhood, Operand, Predicate};
use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread;

/// Bytes of memory that reading and encoding a table takes for each byte of its text, at most.
const PER_BYTE: u64 = 6;

/// Most tables have fewer columns than that, and it is enough for one column at a time.
const MOST_PASSES: u64 = 64;

/// The tables, with as much of their text as is there.
pub(super) struct Texts<'a> {
    job: &'a Job,
    pub(super) left: Table,
    pub(super) right: Option<Table>,
    pub(super) wanted: Wanted,
}

impl Job {
    /// What reading and encoding all text at once would take.
    fn n_bytes_of_text(&self) -> Result<u64> {
        // What is in memory is not read again.
        let files = self.tables.iter().filter_map(Input::file);
        let bytes = files.map(|path| Ok(PER_BYTE * Table::n_bytes_of_text(path)?));
        bytes.sum()
    }

    /// In how many passes there is memory for the text of each, if memory is too short for all of it at once.
    pub(super) fn passes(&self, control: &Control) -> Result<Option<usize>> {
        let (budget, needed) = (control.budget(), self.n_bytes_of_text()?);
        if let Pairing::Several { .. } = self.pairing {
            // They are put together in memory, so their text must be there at once.
            budget.hold(needed, "the text of several tables together, and encoding it")?;
            return Ok(None);
        }
        // Text that is let go of after a pass could not be had again.
        if self.tables.iter().any(|table| table.file().is_none()) {
            return Ok(None);
        }
        if !budget.is_limited() || needed <= budget.room() {
            return Ok(None);
        }
        let room = (budget.room() / 2).max(1);
        Ok(Some(needed.div_ceil(room).min(MOST_PASSES) as usize))
    }

    /// Encodes what predicates need. Columns that are ready travel to the device while others are encoded.
    pub(super) fn encoded(
        &self,
        texts: &mut Texts<'_>,
        predicates: &[Predicate],
        device: &dyn Backend,
        control: &Control,
    ) -> Result<Encoded> {
        if self.is_only_planned {
            return texts.encoded(predicates, control, &|_| {});
        }
        let (columns, ready) = mpsc::channel();
        thread::scope(|scope| {
            let bring = move || ready.iter().for_each(|column| device.bring(column));
            let bringing = thread::Builder::new().name("bring".into()).spawn_scoped(scope, bring);
            bringing.map_err(Error::no_thread)?;
            // Nobody listens any more only if bringing has ended, and then the job brings its columns itself.
            let taken = |column| drop(columns.send(column));
            let encoded = texts.encoded(predicates, control, &taken);
            drop(columns);
            encoded
        })
    }
}

impl<'a> Texts<'a> {
    pub(super) fn new(job: &'a Job, left: Table, right: Option<Table>, wanted: Wanted) -> Self {
        Self { job, left, right, wanted }
    }

    /// On which sides of a pair a record may stand.
    pub(super) fn sides(&self) -> Sides {
        sides(&self.left, self.right.as_ref())
    }

    /// What predicates need: from the cache, or made and kept there.
    pub(super) fn encoded(
        &mut self,
        predicates: &[Predicate],
        control: &Control,
        take: TakeReady<'_>,
    ) -> Result<Encoded> {
        let cache = self.job.cache.as_ref();
        if let Some(cache) = cache
            && let Some(encoded) =
                encode::known(cache, (&self.left, self.right.as_ref()), predicates, control, take)?
        {
            return Ok(encoded);
        }
        match self.wanted.passes {
            None => {
                self.complete(control)?;
                let tables = (&self.left, self.right.as_ref());
                let encoded = encode::encode_for(tables.0, tables.1, predicates, control, take)?;
                if let Some(cache) = cache {
                    encode::keep(cache, tables, predicates, &encoded, control)?;
                }
                Ok(encoded)
            }
            Some(n_passes) => {
                let two_tables = self.right.is_some();
                let mut putting =
                    encode::Putting::new(cache, (&self.left, self.right.as_ref()), predicates, control)?;
                for pass in encode::passes(two_tables, predicates, n_passes)? {
                    let operands: Vec<&Operand> = pass.iter().flat_map(encode::operands).collect();
                    let encoded = self.with(&operands, control, |left, right| {
                        encode::encode_for(left, right, &pass, control, &|_| {})
                    })?;
                    putting.add(&pass, &encoded, control)?;
                }
                putting.encoded(predicates, control, take)
            }
        }
    }

    /// The records in the order of each neighbourhood's key.
    pub(super) fn orders(&mut self, neighbourhoods: &[Neighbourhood], control: &Control) -> Result<Orders> {
        let Some(cache) = &self.job.cache else {
            let operands: Vec<&Operand> = neighbourhoods.iter().flat_map(|near| &near.keys).collect();
            let order =
                |left: &Table, right: Option<&Table>| Orders::new(left, right, neighbourhoods, control);
            return self.with(&operands, control, order);
        };
        let mut all = Vec::new();
        for Neighbourhood { keys, domain, .. } in neighbourhoods {
            let tables = (&self.left, self.right.as_ref());
            all.push(match encode::known_ranks(cache, tables, keys, *domain, control) {
                Some(ranks) => ranks,
                None => {
                    let operands: Vec<&Operand> = keys.iter().collect();
                    let rank = |left: &Table, right: Option<&Table>| {
                        encode::ranks(left, right, keys, *domain, control)
                    };
                    let ranks = self.with(&operands, control, rank)?;
                    let tables = (&self.left, self.right.as_ref());
                    encode::keep_ranks(cache, tables, (keys, *domain), &ranks, control)?;
                    ranks
                }
            });
        }
        Orders::of(&self.left, self.right.as_ref(), neighbourhoods, all)
    }

    /// Which source each record is of, by a column of each table. Of tables without their text that column alone is read.
    pub(super) fn sources(&mut self, columns: &SourceColumns, control: &Control) -> Result<Sources> {
        let needed = self.wanted.passes.map(|n_passes| Ok(self.job.n_bytes_of_text()? / n_passes as u64));
        let needed = needed.transpose()?.unwrap_or(0);
        let _reserved = control.budget().hold(needed, "the column of sources")?;
        let mut numbering = Numbering::new(&columns.name);
        let tables = [Some(&mut self.left), self.right.as_mut()].into_iter().flatten();
        for ((table, options), place) in tables.zip(&self.wanted.options).zip(&columns.places) {
            table.with_values(*place, options, control, |table| numbering.add(table, *place))?;
        }
        Ok(numbering.done())
    }

    /// Does something that needs the text of operands: all of it is there then, or as much as that.
    pub(super) fn with<T>(
        &mut self,
        operands: &[&Operand],
        control: &Control,
        work: impl FnOnce(&Table, Option<&Table>) -> Result<T>,
    ) -> Result<T> {
        let Some(n_passes) = self.wanted.passes else {
            self.complete(control)?;
            return work(&self.left, self.right.as_ref());
        };
        let needed = self.job.n_bytes_of_text()? / n_passes as u64;
        let _reserved = control.budget().hold(needed, "the text of some columns, and encoding it")?;
        // An operand of one side may name a column of the other one by its place: then one more is read.
        let columns = operands.iter().flat_map(|operand| operand.columns.iter().map(|column| column.place));
        let columns: BTreeSet<usize> = columns.collect();
        let columns: Vec<usize> = columns.into_iter().collect();
        let tables = [Some(&mut self.left), self.right.as_mut()].into_iter().flatten();
        for (table, options) in tables.zip(&self.wanted.options) {
            table.fill(&columns, options, control)?;
        }
        let done = work(&self.left, self.right.as_ref());
        self.left.keep_ids();
        self.right.iter_mut().for_each(Table::keep_ids);
        done
    }

    /// Reads the tables, if that was not done yet.
    fn complete(&mut self, control: &Control) -> Result<()> {
        let tables = [Some(&mut self.left), self.right.as_mut()].into_iter().flatten();
        for (nth, (table, options)) in tables.zip(&self.wanted.options).enumerate() {
            table.complete(options, &|name| self.wanted.reads(nth, name), control)?;
        }
        Ok(())
    }
}
