//! Encoding in passes: the columns of some domains at a time, put away into a file, and at the end read from there.
//!
//! A predicate is about one domain, and a domain is made of its own columns. So predicates can be dealt by domains, and what is
//! encoded for each part of them is what all of them need together.

use super::kept::{Columns, Keeping};
use super::lower::Needs;
use super::{Encoded, Ranks, TakeReady};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::store::{Damaged, Writer};
use crate::read::table::{Cache, Origin, Table};
use crate::rules::{Domain, Operand, Predicate, Side, Test};
use std::path::{Path, PathBuf};

/// One table or two.
pub(crate) type Tables<'a> = (&'a Table, Option<&'a Table>);

/// The predicates in about so many passes, each about some domains.
pub(crate) fn passes(two_tables: bool, predicates: &[Predicate], n: usize) -> Result<Vec<Vec<Predicate>>> {
    let Needs { grouping, .. } = Needs::new(two_tables, predicates)?;
    let n_domains = grouping.members.len();
    let per_pass = n_domains.div_ceil(n.max(1)).max(1);
    let mut passes = vec![Vec::new(); n_domains.div_ceil(per_pass)];
    for predicate in predicates {
        let (side, operand, domain) = first(predicate);
        let slot = grouping.slot(side, operand, domain);
        let slot = slot.ok_or_else(|| Error::Internal(format!("`{predicate}` was not encoded")))?;
        passes[grouping.groups[slot] / per_pass].push(predicate.clone());
    }
    passes.retain(|pass: &Vec<Predicate>| !pass.is_empty());
    Ok(passes)
}

fn first(predicate: &Predicate) -> (Side, &Operand, Domain) {
    match &predicate.test {
        Test::Value { side, operand, domain, .. } => (*side, operand, *domain),
        Test::Compare { left, domain, .. } => (Side::Left, left, *domain),
    }
}

/// What a predicate is about.
pub(crate) fn operands(predicate: &Predicate) -> impl Iterator<Item = &Operand> {
    let (first, second) = match &predicate.test {
        Test::Value { operand, .. } => (operand, None),
        Test::Compare { left, right, .. } => (left, Some(right)),
    };
    std::iter::once(first).chain(second)
}

fn n_records((left, right): Tables<'_>) -> [u32; 2] {
    [left.n_records(), right.unwrap_or(left).n_records()]
}

/// Which files tables are of, and so where a cache has what is encoded of them; nothing, if it has nothing of some table.
fn place(cache: &Cache, (left, right): Tables<'_>, names: &[String]) -> Option<(PathBuf, Vec<Origin>)> {
    let tables = [Some(left), right].into_iter().flatten();
    let origins: Vec<Origin> = tables.map(|table| table.origin.clone()).collect::<Option<_>>()?;
    let whose: Vec<String> = origins.iter().map(Origin::name).collect();
    Some((cache.path(&format!("{whose:?} {names:?}"), "columns"), origins))
}

/// What predicates need of tables, if a cache has it.
pub(crate) fn known(
    cache: &Cache,
    tables: Tables<'_>,
    predicates: &[Predicate],
    control: &Control,
    take: TakeReady<'_>,
) -> Result<Option<Encoded>> {
    let needs = Needs::new(tables.1.is_some(), predicates)?;
    let Some((file, origins)) = place(cache, tables, &needs.names()) else { return Ok(None) };
    let read = |columns: Columns| columns.encoded(needs, control, take);
    Ok(told(cache, &file, Columns::open(&file, &origins, n_records(tables)), read))
}

/// What is read of columns, if they are there and are what was written. It is told if they are not.
fn told<T>(
    cache: &Cache,
    file: &Path,
    columns: Result<Option<Columns>, Damaged>,
    read: impl FnOnce(Columns) -> Result<T, Damaged>,
) -> Option<T> {
    match columns.and_then(|columns| columns.map(read).transpose()) {
        Ok(read) => read,
        Err(damaged) => {
            cache.tell(file, &damaged);
            None
        }
    }
}

/// Has a cache keep what was encoded. That it cannot is no reason to stop.
pub(crate) fn keep(
    cache: &Cache,
    tables: Tables<'_>,
    predicates: &[Predicate],
    encoded: &Encoded,
    control: &Control,
) -> Result<()> {
    let needs = Needs::new(tables.1.is_some(), predicates)?;
    kept(cache, tables, &needs.names(), |keeping| keeping.add(&needs, encoded, control))
}

/// Has a cache keep some columns.
fn kept(
    cache: &Cache,
    tables: Tables<'_>,
    names: &[String],
    add: impl FnOnce(&mut Keeping) -> Result<()>,
) -> Result<()> {
    let keep = || {
        let Some((file, origins)) = place(cache, tables, names) else { return Ok(()) };
        let Some(writer) = Writer::create(&file)? else { return Ok(()) };
        let mut keeping = Keeping::new(writer);
        add(&mut keeping)?;
        keeping.ended(Some(&origins), n_records(tables)).map(drop)
    };
    match keep() {
        Err(error @ Error::Io { .. }) => {
            cache.goes_on(&error);
            Ok(())
        }
        kept => kept,
    }
}

/// The ranks of a key, if a cache has them.
pub(crate) fn known_ranks(
    cache: &Cache,
    tables: Tables<'_>,
    keys: &[Operand; 2],
    domain: Domain,
    control: &Control,
) -> Option<Ranks> {
    let (is_one_table, name) = (tables.1.is_none(), name_of_ranks(keys, domain));
    let (file, origins) = place(cache, tables, std::slice::from_ref(&name))?;
    let read = |columns: Columns| columns.ranks(&name, is_one_table, control);
    told(cache, &file, Columns::open(&file, &origins, n_records(tables)), read)
}

/// Has a cache keep the ranks of a key.
pub(crate) fn keep_ranks(
    cache: &Cache,
    tables: Tables<'_>,
    (keys, domain): (&[Operand; 2], Domain),
    ranks: &Ranks,
    control: &Control,
) -> Result<()> {
    let name = name_of_ranks(keys, domain);
    kept(cache, tables, std::slice::from_ref(&name), |keeping| {
        keeping.add_ranks(name.clone(), ranks, control)
    })
}

fn name_of_ranks(keys: &[Operand; 2], domain: Domain) -> String {
    format!("ranks {domain:?} {keys:?}")
}

/// Columns that are put away, into a cache or into a file without a name.
pub(crate) struct Putting {
    keeping: Keeping,
    two_tables: bool,
    n_records: [u32; 2],
    /// Which files they are of, if they stay.
    origins: Option<Vec<Origin>>,
}

impl Putting {
    pub(crate) fn new(
        cache: Option<&Cache>,
        tables: Tables<'_>,
        predicates: &[Predicate],
        control: &Control,
    ) -> Result<Self> {
        let needs = Needs::new(tables.1.is_some(), predicates)?;
        let mut named = None;
        if let Some(cache) = cache
            && let Some((file, origins)) = place(cache, tables, &needs.names())
        {
            match Writer::create(&file) {
                Ok(writer) => named = writer.map(|writer| (writer, origins)),
                Err(error @ Error::Io { .. }) => cache.goes_on(&error),
                Err(error) => return Err(error),
            }
        }
        let (writer, origins) = match named {
            Some((writer, origins)) => (writer, Some(origins)),
            None => (Writer::unnamed(&control.budget().folder())?, None),
        };
        let (two_tables, n_records) = (tables.1.is_some(), n_records(tables));
        Ok(Self { keeping: Keeping::new(writer), two_tables, n_records, origins })
    }

    /// What was encoded for some predicates.
    pub(crate) fn add(
        &mut self,
        predicates: &[Predicate],
        encoded: &Encoded,
        control: &Control,
    ) -> Result<()> {
        self.keeping.add(&Needs::new(self.two_tables, predicates)?, encoded, control)
    }

    /// All that was put away, as all predicates need it.
    pub(crate) fn encoded(
        self,
        predicates: &[Predicate],
        control: &Control,
        take: TakeReady<'_>,
    ) -> Result<Encoded> {
        let needs = Needs::new(self.two_tables, predicates)?;
        let columns = self.keeping.ended(self.origins.as_deref(), self.n_records)?;
        let folder = control.budget().folder();
        columns.encoded(needs, control, take).map_err(|Damaged(how)| {
            let said = format!("what was put away there was damaged ({how}); run the job again");
            Error::table(&folder, said)
        })
    }
}
