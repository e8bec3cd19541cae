//! Which cover a branch takes: of those that it may have, the one that copies least, by what samples show.
//!
//! A sample says how many records a key or an element has in the whole tables, about. What it shows once may be rare or not, so only
//! what it shows twice is said to be heavy, unless the sample is the table. Nothing of this changes what is found.

use super::alike::Alike;
use super::cover::{Cover, ElementsCover, KeyCover, Over, Ready, Shown};
use super::grid::{By, GridCover, Order, Place, operands};
use super::packs::Load;
use super::placed::{Blocks, Heavy, Placed};
use super::reach::Reach;
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use crate::rules::{Measure, Predicate, Test};
use hashbrown::HashMap;
use std::collections::BinaryHeap;

/// Elements of which it is remembered how frequent they are.
const MOST_RANKS: usize = 1 << 17;
/// Records of a sample whose elements are looked at.
const MOST_LOOKED_AT: usize = 1 << 17;
/// A light hash has a unit said if it has so much of a side.
const WORTH_SAYING: f64 = 1.0 / 16.0;
/// Units of a branch, and cells of a grid.
const MOST_UNITS: f64 = 4e6;

/// Samples of the tables, and what they stand for.
pub(super) struct Samples<'a> {
    pub(super) tables: Vec<&'a Table>,
    /// By table and row: the hash of its id.
    pub(super) ids: Vec<Vec<u64>>,
    /// By table: how many records there are in all.
    pub(super) counts: Vec<u64>,
    pub(super) predicates: &'a [Predicate],
}

/// A cover that a branch may have, and what its units are expected to have.
pub(super) struct Candidate {
    pub(super) cover: Cover,
    pub(super) loads: Vec<Load>,
    /// Records that are copied to units, each as often as it is in one.
    pub(super) copies: f64,
    pub(super) n_heavy: usize,
    pub(super) about: String,
}

impl Samples<'_> {
    pub(super) fn is_one_table(&self) -> bool {
        self.tables.len() == 1
    }

    /// Of how many records one of a sample is, where every so many of them are looked at.
    fn weight(&self, table: usize, step: usize) -> f64 {
        let n_looked_at = self.ids[table].len().div_ceil(step).max(1);
        self.counts[table] as f64 / n_looked_at as f64
    }

    /// Every how many records of a table are looked at.
    fn step(&self, table: usize) -> usize {
        self.ids[table].len().div_ceil(MOST_LOOKED_AT).max(1)
    }

    /// Calls `take` with what each record that is looked at shows, by table; of one table that is looked at in two ways, with both.
    fn each_shown(
        &self,
        ready: &Ready<'_>,
        mut take: impl FnMut(usize, &[Shown]) -> Result<()>,
    ) -> Result<()> {
        for (nth, table) in self.tables.iter().enumerate() {
            let roles = if self.is_one_table() && !ready.is_same { 0..2 } else { nth..nth + 1 };
            let over: Vec<Over<'_>> = roles.map(|role| ready.over(table, role)).collect::<Result<_>>()?;
            let mut shown = vec![Shown::default(); over.len()];
            for row in (0..self.ids[nth].len()).step_by(self.step(nth)) {
                for (over, shown) in over.iter().zip(&mut shown) {
                    over.shown(row, self.ids[nth][row], shown)?;
                }
                take(nth, &shown)?;
            }
        }
        Ok(())
    }

    /// The covers that a branch may have whose rules all ask for these predicates, with units of about `side` records a side that are
    /// numbered from `first` on; the one that copies least.
    pub(super) fn cheapest(&self, required: &[u32], side: f64, first: u64) -> Result<Candidate> {
        let mut all = Vec::new();
        let of = |ix: &u32| &self.predicates[*ix as usize];
        let is_equality = |ix: &&u32| {
            let predicate = of(ix);
            !predicate.negated && matches!(&predicate.test, Test::Compare { measure: Measure::Equal, .. })
        };
        let mut equalities: Vec<u32> = required.iter().filter(is_equality).copied().collect();
        equalities.dedup();
        if !equalities.is_empty() {
            all.push(self.by_key(equalities, side, first)?);
        }
        for &ix in required {
            for q in Alike::all_of(of(&ix)) {
                all.push(self.by_elements(ix, q, side, first)?);
            }
            if let Some(by) = self.order(ix) {
                all.push(self.by_grid(by, side, first)?);
            }
        }
        if all.is_empty() {
            all.push(self.by_grid(By::Ids, side, first)?);
        }
        all.retain(|candidate| candidate.loads.len() as f64 <= MOST_UNITS);
        let least = all.into_iter().min_by(|a, b| a.copies.total_cmp(&b.copies));
        least.ok_or_else(|| {
            let message = format!(
                "a branch would take more than {MOST_UNITS} units of {side:.0} records a side: give workers more memory, or \
                 compare something else that all of its rules ask for"
            );
            Error::Job(message)
        })
    }

    /// What a grid by a predicate goes by, if records stand in the order of what it compares.
    fn order(&self, ix: u32) -> Option<By> {
        let Predicate { test: Test::Compare { left, right, measure, .. }, negated: false } =
            &self.predicates[ix as usize]
        else {
            return None;
        };
        match measure {
            // A record of one table is in one place.
            _ if self.is_one_table() && left != right => None,
            Measure::Texts(..) | Measure::Sets(..) => Some(By::Lengths(ix)),
            Measure::Difference { .. } => Some(By::Numbers(ix)),
            Measure::Equal | Measure::Near(_) => None,
        }
    }

    fn by_key(&self, equalities: Vec<u32>, side: f64, first: u64) -> Result<Candidate> {
        let names = equalities.iter().map(|&ix| self.predicates[ix as usize].to_string());
        let about = names.collect::<Vec<_>>().join(" AND ");
        let mut cover = KeyCover { equalities, placed: self.nothing_placed() };
        let mut counts = Counts::default();
        let mut of_record = Vec::new();
        let probe = Cover::Key(cover.clone());
        let ready = Ready::new(&probe, self.predicates, self.is_one_table())?;
        self.each_shown(&ready, |table, shown| {
            counts.add(table, shown, &mut of_record);
            Ok(())
        })?;
        let Dealt { placed, loads, copies } = self.deal(&counts, side, first);
        let n_heavy = placed.heavy.len();
        cover.placed = placed;
        Ok(Candidate { cover: Cover::Key(cover), loads, copies, n_heavy, about })
    }

    fn by_elements(&self, predicate: u32, q: u32, side: f64, first: u64) -> Result<Candidate> {
        let asked = &self.predicates[predicate as usize];
        let (left, right, _) = operands(asked)?;
        let alike = Alike::new(asked, q)?;
        let ranks = self.ranks(&alike, predicate)?;
        let by = if self.is_one_table() && left != right { By::Ids } else { By::Lengths(predicate) };
        // Where free values are is not asked yet.
        let bounds = [Vec::new(), Vec::new()];
        let free = GridCover { by, is_one_table: self.is_one_table(), first, bounds, cells: vec![[0, 0]] };
        let mut cover =
            ElementsCover { predicate, q, ranks, placed: self.nothing_placed(), free: Some(free) };
        let mut counts = Counts::default();
        let (mut of_record, mut free) = (Vec::new(), vec![Vec::new(); self.tables.len()]);
        let probe = Cover::Elements(cover.clone());
        let ready = Ready::new(&probe, self.predicates, self.is_one_table())?;
        self.each_shown(&ready, |table, shown| {
            counts.add(table, shown, &mut of_record);
            free[table].extend(shown.iter().find_map(|shown| shown.place));
            Ok(())
        })?;
        let Dealt { placed, mut loads, mut copies } = self.deal(&counts, side, first);
        let n_heavy = placed.heavy.len();
        let about = match q {
            1 => format!("rare elements of {asked}"),
            q => format!("rare runs of {q} characters of {asked}"),
        };
        cover.placed = placed;
        // A sample may have none where the table has some.
        let grid = self.gridded(by, free, side, first + loads.len() as u64)?;
        loads.extend(grid.loads);
        copies += grid.copies;
        cover.free = Some(grid.cover);
        Ok(Candidate { cover: Cover::Elements(cover), loads, copies, n_heavy, about })
    }

    fn by_grid(&self, by: By, side: f64, first: u64) -> Result<Candidate> {
        let order = Order::new(by, self.predicates)?;
        let mut places = vec![Vec::new(); self.tables.len()];
        for (nth, table) in self.tables.iter().enumerate() {
            let over = order.over(table, nth)?;
            let rows = (0..self.ids[nth].len()).step_by(self.step(nth));
            places[nth].extend(rows.filter_map(|row| over.place(row, self.ids[nth][row])));
        }
        let about = match by {
            By::Ids => "all pairs".to_owned(),
            By::Lengths(ix) => format!("lengths of {}", self.predicates[ix as usize]),
            By::Numbers(ix) => format!("numbers of {}", self.predicates[ix as usize]),
        };
        let Gridded { cover, loads, copies } = self.gridded(by, places, side, first)?;
        Ok(Candidate { cover: Cover::Grid(cover), loads, copies, n_heavy: 0, about })
    }

    /// The one order of elements: how many records of the samples have each, of those that several have.
    fn ranks(&self, alike: &Alike, predicate: u32) -> Result<Vec<(u64, u32)>> {
        let compared = super::grid::compared(&self.predicates[predicate as usize])?;
        let (mut counts, mut elements) = (HashMap::<u64, u32>::new(), Vec::new());
        for (role, value) in compared.iter().enumerate() {
            let nth = if self.is_one_table() { 0 } else { role };
            let values = value.over(self.tables[nth])?;
            for row in (0..self.ids[nth].len()).step_by(self.step(nth)) {
                alike.elements(&values, row, &mut elements)?;
                elements.iter().for_each(|&element| *counts.entry(element).or_default() += 1);
            }
        }
        let mut ranks: Vec<(u64, u32)> = counts.into_iter().filter(|(_, n)| *n > 1).collect();
        if ranks.len() > MOST_RANKS {
            ranks.sort_unstable_by_key(|&(element, n)| (std::cmp::Reverse(n), element));
            ranks.truncate(MOST_RANKS);
        }
        ranks.sort_unstable();
        Ok(ranks)
    }

    fn nothing_placed(&self) -> Placed {
        let (said, heavy) = (Vec::new(), Vec::new());
        Placed { is_one_table: self.is_one_table(), first: 0, n_light: 1, said, heavy }
    }

    /// Deals hashes to units.
    fn deal(&self, counts: &Counts, side: f64, first: u64) -> Dealt {
        let is_one_table = self.is_one_table();
        let weights: Vec<f64> =
            (0..self.tables.len()).map(|table| self.weight(table, self.step(table))).collect();
        let is_whole = weights.iter().all(|&weight| weight < 1.5);
        let of = |n: &[u32; 2]| {
            let [left, right] = [0, 1].map(|table| f64::from(n[table]) * weights.get(table).unwrap_or(&0.0));
            let pairs = match is_one_table {
                true => left * (left - weights[0]).max(0.0) / 2.0,
                false => left * right,
            };
            ([left, right], Load { records: left + right, pairs })
        };
        let (mut light, mut said, mut heavy) = (Load::default(), Vec::new(), Vec::new());
        for (&hash, n) in &counts.0 {
            let (records, load) = of(n);
            let is_sure = is_whole || n[0] + n[1] > 1;
            if is_sure && records[0].max(records[1]) > side {
                heavy.push((hash, records, load));
            } else if is_sure && load.records > WORTH_SAYING * side {
                said.push((hash, load));
            } else {
                light.add(load);
            }
        }
        let all_light = light.records + said.iter().map(|(_, load)| load.records).sum::<f64>();
        let n_light = (all_light / (2.0 * side)).ceil().clamp(1.0, MOST_UNITS + 1.0) as u32;
        let share =
            Load { records: light.records / f64::from(n_light), pairs: light.pairs / f64::from(n_light) };
        let mut loads = vec![share; n_light as usize];
        // The largest first, each to the unit with least.
        said.sort_by(|a, b| b.1.records.total_cmp(&a.1.records).then(a.0.cmp(&b.0)));
        let mut least: BinaryHeap<_> =
            (0..n_light).map(|unit| std::cmp::Reverse((share.records.to_bits(), unit))).collect();
        let mut places = Vec::with_capacity(said.len());
        for (hash, load) in said {
            let Some(std::cmp::Reverse((_, unit))) = least.pop() else { break };
            loads[unit as usize].add(load);
            places.push((hash, unit));
            least.push(std::cmp::Reverse((loads[unit as usize].records.to_bits(), unit)));
        }
        places.sort_unstable();
        let mut copies = all_light;
        heavy.sort_by_key(|(hash, ..)| *hash);
        let mut placed = Placed { is_one_table, first, n_light, said: places, heavy: Vec::new() };
        for (hash, records, _) in heavy {
            let n = [0, 1].map(|table| {
                let records = records[if is_one_table { 0 } else { table }];
                (records / side).ceil().clamp(1.0, MOST_UNITS) as u32
            });
            let blocks = Blocks { first: first + loads.len() as u64, n, is_one_table };
            if loads.len() as f64 + blocks.n_units() as f64 > MOST_UNITS {
                loads = too_many();
                break;
            }
            for unit in blocks.first..blocks.first + blocks.n_units() {
                let [left, right] = blocks.of_unit(unit);
                let of =
                    [records[0] / f64::from(n[0]), records[usize::from(!is_one_table)] / f64::from(n[1])];
                let load = match is_one_table && left == right {
                    true => Load { records: of[0], pairs: of[0] * of[0] / 2.0 },
                    false => Load { records: of[0] + of[1], pairs: of[0] * of[1] },
                };
                copies += load.records;
                loads.push(load);
            }
            placed.heavy.push(Heavy { hash, blocks });
        }
        Dealt { placed, loads, copies }
    }

    /// Cuts records at these places, by table, into blocks.
    fn gridded(&self, by: By, mut places: Vec<Vec<Place>>, side: f64, first: u64) -> Result<Gridded> {
        let is_one_table = self.is_one_table();
        let (mut bounds, mut records, mut n_cells) = (Vec::new(), Vec::new(), 1.0);
        for (table, places) in places.iter_mut().enumerate() {
            let n = places.len() as f64 * self.weight(table, self.step(table));
            let n_blocks = (n / side).ceil().clamp(1.0, MOST_UNITS) as u32;
            n_cells *= f64::from(n_blocks);
            places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut of_table: Vec<Place> = match by {
                // Hashes are spread evenly.
                By::Ids => {
                    let step = (1u128 << 64) / u128::from(n_blocks);
                    (1..u128::from(n_blocks)).map(|nth| (0.0, (nth * step) as u64)).collect()
                }
                _ => {
                    let at = |nth: usize| nth * places.len() / n_blocks as usize;
                    (1..n_blocks as usize).filter_map(|nth| places.get(at(nth)).copied()).collect()
                }
            };
            of_table.dedup();
            records.push(n / (of_table.len() + 1) as f64);
            bounds.push(of_table);
        }
        if is_one_table {
            bounds.push(bounds[0].clone());
            records.push(records[0]);
        }
        let bounds: [Vec<Place>; 2] =
            bounds.try_into().map_err(|_| Error::Internal("a grid of three tables".into()))?;
        let reach = Reach::new(by, self.predicates, is_one_table)?;
        let (mut cells, mut loads) = (Vec::new(), Vec::new());
        if (if is_one_table { n_cells * n_cells / 2.0 } else { n_cells }) > MOST_UNITS {
            let cover = GridCover { by, is_one_table, first, bounds, cells };
            return Ok(Gridded { cover, loads: too_many(), copies: f64::INFINITY });
        }
        for left in 0..=bounds[0].len() {
            for right in if is_one_table { left } else { 0 }..=bounds[1].len() {
                if !reach.has(&bounds, [left, right])? {
                    continue;
                }
                let load = match is_one_table && left == right {
                    true => Load { records: records[0], pairs: records[0] * records[0] / 2.0 },
                    false => Load { records: records[0] + records[1], pairs: records[0] * records[1] },
                };
                cells.push([left as u32, right as u32]);
                loads.push(load);
            }
        }
        let copies = loads.iter().map(|load| load.records).sum();
        Ok(Gridded { cover: GridCover { by, is_one_table, first, bounds, cells }, loads, copies })
    }
}

/// More units than there may be: that is told of.
fn too_many() -> Vec<Load> {
    vec![Load::default(); MOST_UNITS as usize + 1]
}

/// Hashes, dealt.
struct Dealt {
    placed: Placed,
    loads: Vec<Load>,
    copies: f64,
}

/// Records, cut into blocks.
struct Gridded {
    cover: GridCover,
    loads: Vec<Load>,
    copies: f64,
}

/// How many records of each sample show a hash.
#[derive(Default)]
struct Counts(HashMap<u64, [u32; 2]>);

impl Counts {
    fn add(&mut self, table: usize, shown: &[Shown], of_record: &mut Vec<u64>) {
        of_record.clear();
        shown.iter().for_each(|shown| of_record.extend(&shown.hashes));
        of_record.sort_unstable();
        of_record.dedup();
        of_record.iter().for_each(|&hash| self.0.entry(hash).or_default()[table] += 1);
    }
}
