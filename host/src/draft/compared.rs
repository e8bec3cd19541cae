//! The columns that rules compare, with the names that they have in rules.

use super::matching::{By, Side, matched};
use super::role::{Look, Role};
use super::sql;
use crate::base::error::{Error, Result};
use crate::inspect::profile::{ColumnProfile, Profile};
use crate::read::table::Table;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashSet;

/// As many attributes as a score may have.
const MOST: usize = 16;

/// A column of one table, or of two.
pub(super) struct Compared {
    /// What the left and the right record call it.
    pub(super) names: [String; 2],
    /// Its place in each table.
    pub(super) places: [usize; 2],
    pub(super) role: Role,
    /// How many bits a value tells of the record, on average over records with and without one; of the table in which it
    /// tells less.
    pub(super) bits: f64,
    /// The same over records that have one.
    pub(super) told: f64,
    /// Characters, on average.
    pub(super) length: f64,
    pub(super) look: Look,
    /// Of numbers: how far apart those of one thing are at most, as a decimal.
    pub(super) near: String,
    /// Why two columns go together.
    pub(super) by: By,
}

/// All that is known before rules are thought of.
pub(super) struct Columns {
    pub(super) compared: Vec<Compared>,
    /// What is not compared, of which table, and why not.
    pub(super) left_out: Vec<(usize, String, String)>,
    /// Columns that go by another name: that, and both of their own.
    pub(super) called: Vec<(String, [String; 2])>,
}

impl Compared {
    /// The column of the left record, and of the right one.
    pub(super) fn columns(&self) -> [String; 2] {
        [sql::column("l", &self.names[0]), sql::column("r", &self.names[1])]
    }

    /// The same as it is compared: without what only differs in writing.
    pub(super) fn values(&self) -> [String; 2] {
        self.columns().map(|column| match self.role {
            Role::Number | Role::Date => column,
            Role::Code if self.has_signs() => {
                format!("regexp_replace({}, '[^a-z0-9]', '', 'g')", self.folded(column))
            }
            Role::Name | Role::Text | Role::Code => self.folded(column),
        })
    }

    /// Whether codes are written with signs between letters and digits.
    pub(super) fn has_signs(&self) -> bool {
        self.look.signs > 0.02
    }

    fn folded(&self, column: String) -> String {
        if self.look.capitals > 0.0 { format!("lower({column})") } else { column }
    }
}

impl Columns {
    pub(super) fn of(tables: &[Table], profiles: &[Profile], ids: &[Option<usize>]) -> Result<Self> {
        let mut left_out = Vec::new();
        let mut sides: Vec<Vec<Side<'_>>> = Vec::new();
        for (nth, (table, profile)) in tables.iter().zip(profiles).enumerate() {
            let mut of_table = Vec::new();
            for (place, column) in profile.columns.iter().enumerate() {
                if ids[nth] == Some(place) {
                    left_out.push((nth, column.name.clone(), "the ids".to_owned()));
                    continue;
                }
                let values = table.values(place)?;
                let look = Look::of(values);
                match Role::of(column, &look, is_shared(tables, nth, place)?) {
                    Ok(role) => of_table.push(Side { column, look, role, values, place }),
                    Err(why) => left_out.push((nth, column.name.clone(), why.to_owned())),
                }
            }
            sides.push(of_table);
        }
        let mut called = Vec::new();
        let mut compared: Vec<Compared> = match &sides[..] {
            [left, right] => {
                let pairs = matched(left, right);
                for (nth, side) in [left, right].into_iter().enumerate() {
                    let is_free = |place: &usize| pairs.iter().all(|(l, r, _)| [l, r][nth] != place);
                    let free = (0..side.len()).filter(is_free);
                    left_out.extend(free.map(|place| {
                        (
                            nth,
                            side[place].column.name.clone(),
                            "nothing like it in the other table".to_owned(),
                        )
                    }));
                }
                let both = |(l, r, by): &(usize, usize, By)| {
                    let (left, right) = (&left[*l], &right[*r]);
                    let names = names(tables, left.column, right.column);
                    if names[0] == names[1] && right.column.name != names[1] {
                        let entry = [left.column.name.clone(), right.column.name.clone()];
                        if !right.column.name.eq_ignore_ascii_case(&names[1]) {
                            called.push((names[0].clone(), entry));
                        }
                    }
                    of_two(left, right, names, *by)
                };
                pairs.iter().map(both).collect()
            }
            _ => {
                let side = |side: &Side<'_>| {
                    let names = [side.column.name.clone(), side.column.name.clone()];
                    of_two(side, side, names, By::Name)
                };
                sides[0].iter().map(side).collect()
            }
        };
        // The most telling ones, in the order of the table.
        let mut order: Vec<usize> = (0..compared.len()).collect();
        order.sort_by(|a, b| compared[*b].bits.total_cmp(&compared[*a].bits).then(a.cmp(b)));
        let mut too_many: Vec<usize> = order.split_off(order.len().min(MOST));
        too_many.sort_unstable_by(|a, b| b.cmp(a));
        for place in too_many {
            let column = compared.remove(place);
            left_out.push((0, column.names[0].clone(), "others tell more".to_owned()));
        }
        let is_used = |called: &(String, [String; 2])| compared.iter().any(|it| it.names[0] == called.0);
        called.retain(is_used);
        if compared.is_empty() {
            return Err(none(tables, &left_out));
        }
        Ok(Self { compared, left_out, called })
    }
}

/// Whether the other of two tables has a column of the same name, with at least a tenth of the same values; and not because both
/// are numbered from one on.
fn is_shared(tables: &[Table], nth: usize, place: usize) -> Result<bool> {
    const LOOKED_AT: usize = 8192;
    let [left, right] = tables else { return Ok(false) };
    let (own, other) = if nth == 0 { (left, right) } else { (right, left) };
    let Some(there) = other.schema.find(&own.schema.columns[place].name) else { return Ok(false) };
    let (values, others) = (own.values(place)?, other.values(there)?);
    let most = own.n_records().max(other.n_records()).saturating_mul(3);
    let is_numbered = |values: &LargeStringArray| {
        values.iter().flatten().all(|value| value.parse::<u32>().is_ok_and(|number| number <= most))
    };
    if is_numbered(values) || is_numbered(others) {
        return Ok(false);
    }
    let others: HashSet<&str> = others.iter().flatten().collect();
    let looked_at = || values.iter().flatten().take(LOOKED_AT);
    Ok(10 * looked_at().filter(|value| others.contains(value)).count() >= looked_at().count().max(1))
}

/// What rules call a column of the left table and one of the right: the same, if that leads to both.
fn names(tables: &[Table], left: &ColumnProfile, right: &ColumnProfile) -> [String; 2] {
    let found = tables.get(1).and_then(|table| table.schema.find(&left.name));
    let own =
        tables.get(1).and_then(|table| table.schema.columns.iter().position(|it| it.name == right.name));
    // A dot before a column is the name of a table.
    let is_plain = |name: &str| !name.contains('.') && name.trim() == name;
    let is_same = found == own || (found.is_none() && is_plain(&right.name) && is_plain(&left.name));
    if is_same { [left.name.clone(), left.name.clone()] } else { [left.name.clone(), right.name.clone()] }
}

fn of_two(left: &Side<'_>, right: &Side<'_>, names: [String; 2], by: By) -> Compared {
    let role = match (left.role, right.role) {
        (one, other) if one == other => one,
        (Role::Text, _) | (_, Role::Text) => Role::Text,
        (Role::Name, _) | (_, Role::Name) => Role::Name,
        _ => Role::Code,
    };
    let sides = [left, right];
    let length = |side: &Side<'_>| side.column.lengths.map_or(0.0, |lengths| lengths.mean);
    let bits = |side: &Side<'_>| {
        side.column.bits * side.column.n_present() as f64 / side.column.n_records.max(1) as f64
    };
    let most = |of: fn(&Look) -> f64| of(&left.look).max(of(&right.look));
    let look = Look {
        digits: most(|look| look.digits),
        signs: most(|look| look.signs),
        capitals: most(|look| look.capitals),
        words: most(|look| look.words),
    };
    Compared {
        names,
        places: [left.place, right.place],
        role,
        bits: sides.map(bits).into_iter().fold(f64::MAX, f64::min),
        told: sides.map(|side| side.column.bits).into_iter().fold(f64::MAX, f64::min),
        length: sides.map(length).into_iter().fold(0.0, f64::max),
        look,
        near: if role == Role::Number { near(sides.map(|side| side.values)) } else { String::new() },
        by,
    }
}

/// A fiftieth of what lies between the quarters of some numbers, with one digit: of most quantities that is little.
fn near(values: [&LargeStringArray; 2]) -> String {
    const LOOKED_AT: usize = 4096;
    let mut all = Vec::new();
    for values in values {
        let step = values.len().div_ceil(LOOKED_AT).max(1);
        let rows = (0..values.len()).step_by(step).filter(|&row| values.is_valid(row));
        all.extend(rows.filter_map(|row| values.value(row).parse::<f64>().ok()).filter(|it| it.is_finite()));
    }
    all.sort_by(f64::total_cmp);
    let quarter = |nth: usize| all.get(nth * all.len() / 4).copied().unwrap_or(0.0);
    let near = (quarter(3) - quarter(1)).abs() / 50.0;
    if near >= 1.0 {
        let unit = 10f64.powf(near.log10().floor());
        return format!("{:.0}", ((near / unit).round() * unit).min(1e12));
    }
    let digits = if near > 0.0 { (-near.log10()).ceil() as usize } else { 0 };
    let are_whole = all.iter().all(|it| it.fract() == 0.0);
    if are_whole || digits > 9 || digits == 0 { "1".to_owned() } else { format!("{near:.digits$}") }
}

/// What is said where there is nothing to compare.
fn none(tables: &[Table], left_out: &[(usize, String, String)]) -> Error {
    const SHOWN: usize = 10;
    let mut why: Vec<String> =
        left_out.iter().take(SHOWN).map(|(_, name, why)| format!("`{name}`: {why}")).collect();
    if left_out.len() > SHOWN {
        why.push(format!("and {} more", left_out.len() - SHOWN));
    }
    let why = if why.is_empty() { "there are no columns".to_owned() } else { why.join(", ") };
    match tables {
        [left, right] => {
            let message = format!(
                "no column goes with one of {}, neither by name nor by what is in it ({why}); rename columns that \
                 are the same, or write rules by hand",
                right.path.display()
            );
            Error::table(&left.path, message)
        }
        _ => {
            let message = format!("no column tells records apart ({why}); there is nothing to compare");
            Error::table(&tables[0].path, message)
        }
    }
}
