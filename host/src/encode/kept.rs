//! Kept columns: what predicates need of tables, in a file, by the names of what they are.
//!
//! Columns are written as they are made, in any order; a header says where each is. What is read is looked at, too: codes are
//! below the number of values, and values lie within their words or tokens. So nothing that is read from a file leads astray who
//! walks through it.

use super::lower::Needs;
use super::{Encoded, MarkColumn, PointColumn, Ranks, ReachColumn, Ready, SetColumn, TakeReady, TextColumn};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::store::{Array, Damaged, Reader, Writer};
use crate::base::timeline::Lane;
use crate::read::table::{MADE_BY, Origin, bytes, parsed};
use hashbrown::HashMap;
use hyperblock_shared::columns::{Head, MISSING, Point, Reach};
use hyperblock_shared::measure::near::UNIT;
use rayon::prelude::*;
use rkyv::{Archive, Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What a file of columns begins with.
#[derive(Archive, Serialize, Deserialize)]
struct Header {
    made_by: String,
    /// The tables.
    origins: Vec<Origin>,
    n_records: [u32; 2],
    columns: Vec<(String, Column)>,
}

/// Where a column is.
#[derive(Clone, Archive, Serialize, Deserialize)]
enum Column {
    /// A domain has no more than its number of values.
    Values(u64),
    Codes(Array),
    Texts {
        bits: u32,
        longest: u32,
        heads: Array,
        words: Array,
    },
    Sets {
        longest: u32,
        n_tokens: u32,
        heads: Array,
        tokens: Array,
    },
    Points {
        points: Array,
        /// What is said of values that are none.
        odd: Vec<String>,
    },
    Reaches(Array),
    Marks(Array),
    /// Of the left table, and of the right one; of one table, the second are none.
    Ranks {
        n_keys: u32,
        by_table: [Array; 2],
    },
}

/// Columns on their way to a file.
pub(super) struct Keeping {
    writer: Writer,
    columns: HashMap<String, Column>,
}

impl Keeping {
    pub(super) fn new(writer: Writer) -> Self {
        Self { writer, columns: HashMap::new() }
    }

    /// Writes the columns of an encoding that are not there yet.
    pub(super) fn add(&mut self, needs: &Needs, encoded: &Encoded, control: &Control) -> Result<()> {
        for (domain, summary) in encoded.domains.iter().enumerate() {
            self.columns.insert(needs.name_of_domain(domain), Column::Values(summary.n_values as u64));
        }
        for (slot, column) in encoded.codes.iter().enumerate() {
            self.once(needs.name_of_slot(slot), |writer| {
                Ok(Column::Codes(writer.array(&column.codes, control)?))
            })?;
        }
        for (&group, column) in needs.texts.iter().zip(&encoded.texts) {
            let TextColumn { bits, longest, .. } = *column;
            self.once(needs.name_of_texts(group), |writer| {
                let (heads, words) =
                    (writer.array(&column.heads, control)?, writer.array(&column.words, control)?);
                Ok(Column::Texts { bits, longest, heads, words })
            })?;
        }
        for (&sets, column) in needs.sets.iter().zip(&encoded.sets) {
            let SetColumn { longest, n_tokens, .. } = *column;
            self.once(needs.name_of_sets(sets), |writer| {
                let (heads, tokens) =
                    (writer.array(&column.heads, control)?, writer.array(&column.tokens, control)?);
                Ok(Column::Sets { longest, n_tokens, heads, tokens })
            })?;
        }
        for (&group, column) in needs.points.iter().zip(&encoded.points) {
            self.once(needs.name_of_points(group), |writer| {
                let points = writer.array(&column.points, control)?;
                Ok(Column::Points { points, odd: column.odd.clone() })
            })?;
        }
        for (&reaches, column) in needs.reaches.iter().zip(&encoded.reaches) {
            self.once(needs.name_of_reaches(reaches), |writer| {
                Ok(Column::Reaches(writer.array(&column.reaches, control)?))
            })?;
        }
        for (marked, column) in needs.marks.iter().zip(&encoded.marks) {
            self.once(needs.name_of_marks(marked), |writer| {
                Ok(Column::Marks(writer.array(&column.bits, control)?))
            })?;
        }
        Ok(())
    }

    /// Writes ranks.
    pub(super) fn add_ranks(&mut self, name: String, ranks: &Ranks, control: &Control) -> Result<()> {
        let Ranks { by_table: [left, right], n_keys } = ranks;
        self.once(name, |writer| {
            let by_table = [writer.array(left, control)?, writer.array(right, control)?];
            Ok(Column::Ranks { n_keys: *n_keys, by_table })
        })
    }

    fn once(&mut self, name: String, write: impl FnOnce(&mut Writer) -> Result<Column>) -> Result<()> {
        if !self.columns.contains_key(&name) {
            self.columns.insert(name, write(&mut self.writer)?);
        }
        Ok(())
    }

    /// Puts the file in its place, for tables of these files, unless it has no name. What was written, to be read.
    pub(super) fn ended(self, origins: Option<&[Origin]>, n_records: [u32; 2]) -> Result<Columns> {
        let Self { mut writer, columns } = self;
        if let Some(origins) = origins {
            let columns = columns.iter().map(|(name, column)| (name.clone(), column.clone())).collect();
            let header =
                Header { made_by: MADE_BY.to_owned(), origins: origins.to_vec(), n_records, columns };
            writer.finish(&bytes(&header)?)?;
        }
        Ok(Columns { reader: writer.into_reader()?, columns, n_records })
    }
}

/// Columns in a file.
pub(super) struct Columns {
    reader: Reader,
    columns: HashMap<String, Column>,
    n_records: [u32; 2],
}

impl Columns {
    /// Those of a file, if it is about these tables.
    pub(super) fn open(
        file: &Path,
        origins: &[Origin],
        n_records: [u32; 2],
    ) -> Result<Option<Self>, Damaged> {
        let Some((reader, header)) = Reader::open(file)? else { return Ok(None) };
        let header: Header = parsed(&header)?;
        let is_same = header.made_by == MADE_BY && header.origins == origins && header.n_records == n_records;
        let columns = header.columns.into_iter().collect();
        Ok(is_same.then_some(Self { reader, columns, n_records }))
    }

    /// The encoding that is needed. Columns travel as soon as they are read.
    pub(super) fn encoded(
        &self,
        needs: Needs,
        control: &Control,
        take: TakeReady<'_>,
    ) -> Result<Encoded, Damaged> {
        let grouping = &needs.grouping;
        control.begin((grouping.slots.len() + needs.n_columns()) as u64, "columns");
        let reading = Reading { columns: self, control, take };
        let domains = grouping.members.iter().enumerate().map(|(group, members)| {
            // Each value is some record's.
            let most =
                members.iter().map(|&slot| u64::from(self.n_records[grouping.slots[slot].table])).sum();
            reading.n_values(&needs.name_of_domain(group), most)
        });
        let n_values: Vec<usize> = domains.collect::<Result<_, _>>()?;
        let slots = grouping.slots.iter().enumerate();
        let codes = slots.map(|(slot, of_slot)| {
            let n_records = self.n_records[of_slot.table];
            reading.codes(&needs.name_of_slot(slot), n_records, n_values[grouping.groups[slot]])
        });
        let codes = codes.collect::<Result<_, _>>()?;
        let [n_left, n_right] = self.n_records;
        let mut encoded = Encoded { n_left, n_right, ..Encoded::default() };
        for &group in &needs.texts {
            encoded.texts.push(reading.texts(&needs.name_of_texts(group), group, n_values[group])?);
        }
        for &sets in &needs.sets {
            encoded.sets.push(reading.sets(&needs.name_of_sets(sets), sets.0, n_values[sets.0])?);
        }
        for &group in &needs.points {
            let name = needs.name_of_points(group);
            encoded.points.push(reading.points(&name, group, n_values[group])?);
        }
        for &reaches in &needs.reaches {
            let (domain, name) = (reaches.0, needs.name_of_reaches(reaches));
            encoded.reaches.push(reading.reaches(&name, domain, n_values[domain])?);
        }
        for marked in &needs.marks {
            let table = grouping.slots[marked.slot].table;
            encoded.marks.push(reading.marks(&needs.name_of_marks(marked), table)?);
        }
        Ok(encoded.with(needs, codes, &n_values))
    }
}

/// The ranks of keys.
impl Columns {
    pub(super) fn ranks(&self, name: &str, is_one_table: bool, control: &Control) -> Result<Ranks, Damaged> {
        let reading = Reading { columns: self, control, take: &|_| {} };
        let Column::Ranks { n_keys, by_table: [left, right] } = reading.column(name)? else {
            return Err(wrong());
        };
        let by_table: [Vec<u32>; 2] = [reading.array(left)?, reading.array(right)?];
        let [n_left, n_right] = self.n_records;
        let n_records = [n_left, if is_one_table { 0 } else { n_right }];
        let is_rank = |&rank: &u32| rank == MISSING || rank < *n_keys;
        let n_ranks: usize = by_table.iter().map(Vec::len).sum();
        let are_ranks =
            *n_keys as usize <= n_ranks && by_table.iter().all(|ranks| ranks.par_iter().all(is_rank));
        reading.is_sound(are_ranks && by_table.each_ref().map(|ranks| ranks.len() as u32) == n_records)?;
        Ok(Ranks { by_table, n_keys: *n_keys })
    }
}

struct Reading<'a> {
    columns: &'a Columns,
    control: &'a Control,
    take: TakeReady<'a>,
}

impl Reading<'_> {
    fn column(&self, name: &str) -> Result<&Column, Damaged> {
        self.columns.columns.get(name).ok_or_else(|| Damaged("it lacks a column".into()))
    }

    fn array<T: bytemuck::Pod + Send>(&self, array: &Array) -> Result<Vec<T>, Damaged> {
        self.control.note(Lane::Encode, "read", || self.columns.reader.array(array, self.control))
    }

    /// An error, unless what was read is as it should be.
    fn is_sound(&self, is_sound: bool) -> Result<(), Damaged> {
        self.control.did(1);
        if is_sound { Ok(()) } else { Err(wrong()) }
    }

    fn n_values(&self, name: &str, most: u64) -> Result<usize, Damaged> {
        match self.column(name)? {
            Column::Values(n) if *n <= most => Ok(*n as usize),
            _ => Err(wrong()),
        }
    }

    fn codes(&self, name: &str, n_records: u32, n_values: usize) -> Result<Arc<Vec<u32>>, Damaged> {
        let Column::Codes(codes) = self.column(name)? else { return Err(wrong()) };
        let codes: Arc<Vec<u32>> = Arc::new(self.array(codes)?);
        let is_code = |&code: &u32| code == MISSING || (code as usize) < n_values;
        self.is_sound(codes.len() == n_records as usize && codes.par_iter().all(is_code))?;
        (self.take)(Ready::Halves(codes.clone()));
        Ok(codes)
    }

    fn texts(&self, name: &str, domain: usize, n_values: usize) -> Result<TextColumn, Damaged> {
        let Column::Texts { bits, longest, heads, words } = self.column(name)? else { return Err(wrong()) };
        let (bits, longest) = (*bits, *longest);
        let (heads, words): (Arc<Vec<Head>>, Arc<Vec<u64>>) =
            (Arc::new(self.array(heads)?), Arc::new(self.array(words)?));
        let per_word = 64 / bits.max(1);
        let is_within = |head: &Head| {
            let end = u64::from(head.start) + u64::from(head.len.div_ceil(per_word));
            head.len <= longest && end <= words.len() as u64
        };
        let are_bits = matches!(bits, 8 | 16 | 32) && longest == most(&heads);
        self.is_sound(are_bits && heads.len() == n_values && heads.par_iter().all(is_within))?;
        (self.take)(Ready::Heads(heads.clone()));
        (self.take)(Ready::Words(words.clone()));
        Ok(TextColumn { domain, bits, heads, words, longest })
    }

    fn sets(&self, name: &str, domain: usize, n_values: usize) -> Result<SetColumn, Damaged> {
        let Column::Sets { longest, n_tokens, heads, tokens } = self.column(name)? else {
            return Err(wrong());
        };
        let (longest, n_tokens) = (*longest, *n_tokens);
        let (heads, tokens): (Arc<Vec<Head>>, Arc<Vec<u32>>) =
            (Arc::new(self.array(heads)?), Arc::new(self.array(tokens)?));
        let is_within = |head: &Head| {
            let end = u64::from(head.start) + u64::from(head.len);
            head.len <= longest && end <= tokens.len() as u64
        };
        let are_tokens = tokens.par_iter().all(|token| *token < n_tokens);
        let are_tokens = are_tokens && n_tokens as usize <= tokens.len() && longest == most(&heads);
        self.is_sound(are_tokens && heads.len() == n_values && heads.par_iter().all(is_within))?;
        (self.take)(Ready::Heads(heads.clone()));
        (self.take)(Ready::Halves(tokens.clone()));
        Ok(SetColumn { domain, heads, tokens, longest, n_tokens })
    }

    fn points(&self, name: &str, domain: usize, n_values: usize) -> Result<PointColumn, Damaged> {
        let Column::Points { points, odd } = self.column(name)? else { return Err(wrong()) };
        let points: Arc<Vec<Point>> = Arc::new(self.array(points)?);
        let is_point = |point: &Point| {
            [point.x, point.y, point.z].iter().all(|coordinate| coordinate.unsigned_abs() <= UNIT)
        };
        self.is_sound(points.len() == n_values && points.par_iter().all(is_point))?;
        (self.take)(Ready::Points(points.clone()));
        let column = PointColumn { domain, points, odd: odd.clone() };
        column.warn();
        Ok(column)
    }

    fn reaches(&self, name: &str, domain: usize, n_values: usize) -> Result<ReachColumn, Damaged> {
        let Column::Reaches(reaches) = self.column(name)? else { return Err(wrong()) };
        let reaches: Vec<Reach> = self.array(reaches)?;
        let is_reach = |reach: &Reach| reach.from as usize <= n_values && reach.upto as usize <= n_values;
        self.is_sound(reaches.len() == n_values && reaches.par_iter().all(is_reach))?;
        Ok(ReachColumn { domain, reaches })
    }

    fn marks(&self, name: &str, table: usize) -> Result<MarkColumn, Damaged> {
        let Column::Marks(bits) = self.column(name)? else { return Err(wrong()) };
        let bits: Vec<u32> = self.array(bits)?;
        self.is_sound(bits.len() == self.columns.n_records[table].div_ceil(32) as usize)?;
        Ok(MarkColumn { table, bits })
    }
}

/// The length of the longest value.
fn most(heads: &[Head]) -> u32 {
    heads.par_iter().map(|head| head.len).max().unwrap_or(0)
}

fn wrong() -> Damaged {
    Damaged("a column is not what its name says".into())
}
