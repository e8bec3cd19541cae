//! Lowering: predicates restated over codes, and which columns they read. Nothing is encoded for that.

use super::group::Slot;
use super::grouping::Grouping;
use crate::base::error::{Error, Result};
use crate::rules::{Condition, Domain, Measure, Predicate, Side, Test, Tokenizer};
use hashbrown::HashMap;
use hyperblock_shared::measure as shared;
use hyperblock_shared::predicate as lowered;
use std::hash::Hash;

/// What predicates need of the tables: operands and their domains, and what measures read of a domain's values, each once.
pub(super) struct Needs {
    pub(super) grouping: Grouping,
    /// In the order they were given.
    pub(super) predicates: Vec<lowered::Predicate>,
    /// The domains whose symbols are compared.
    pub(super) texts: Vec<usize>,
    /// The domains whose tokens are, and what a token is.
    pub(super) sets: Vec<(usize, Tokens)>,
    /// The domains of points.
    pub(super) points: Vec<usize>,
    /// The domains of numbers that must lie within reach, and the reach.
    pub(super) reaches: Vec<(usize, Measure)>,
    pub(super) marks: Vec<Marked>,
}

/// What tokens of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tokens {
    /// Parts of a text.
    Of(Tokenizer),
    /// The cells of a grid that a point lies in, for points whose chord has at most this square.
    Cells(shared::Square),
}

/// What is asked of one record alone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Marked {
    /// Of the value of this slot.
    pub(super) slot: usize,
    pub(super) condition: Condition,
    /// Whether the opposite is asked.
    pub(super) negated: bool,
}

impl Needs {
    pub(super) fn new(two_tables: bool, predicates: &[Predicate]) -> Result<Self> {
        let mut lowering =
            Lowering { grouping: Grouping::new(two_tables, predicates), ..Lowering::default() };
        let predicates = predicates.iter().map(|it| lowering.lower(it)).collect::<Result<_>>()?;
        let Lowering { grouping, texts, sets, points, reaches, marks } = lowering;
        let (texts, sets, reaches) = (texts.things, sets.things, reaches.things);
        let (points, marks) = (points.things, marks.things);
        Ok(Self { grouping, predicates, texts, sets, points, reaches, marks })
    }

    /// Columns to be made of domains.
    pub(super) fn n_columns(&self) -> usize {
        self.texts.len() + self.sets.len() + self.points.len() + self.reaches.len() + self.marks.len()
    }
}

/// What columns are called where they are kept. Two that are made in the same way of the same tables have the same name.
impl Needs {
    pub(super) fn name_of_slot(&self, slot: usize) -> String {
        let Slot { table, operand, domain } = &self.grouping.slots[slot];
        format!("codes {table} {domain:?} {operand:?}")
    }

    /// A domain is called by its operands, in any order.
    pub(super) fn name_of_domain(&self, group: usize) -> String {
        let members = self.grouping.members[group].iter();
        let mut names: Vec<String> = members.map(|&slot| self.name_of_slot(slot)).collect();
        names.sort_unstable();
        format!("values of {names:?}")
    }

    pub(super) fn name_of_texts(&self, group: usize) -> String {
        format!("symbols {}", self.name_of_domain(group))
    }

    pub(super) fn name_of_sets(&self, (group, tokens): (usize, Tokens)) -> String {
        format!("tokens {tokens:?} {}", self.name_of_domain(group))
    }

    pub(super) fn name_of_points(&self, group: usize) -> String {
        format!("points {}", self.name_of_domain(group))
    }

    pub(super) fn name_of_reaches(&self, (group, measure): (usize, Measure)) -> String {
        format!("reaches {measure:?} {}", self.name_of_domain(group))
    }

    pub(super) fn name_of_marks(&self, Marked { slot, condition, negated }: &Marked) -> String {
        format!("marks {condition:?} {negated} {}", self.name_of_slot(*slot))
    }

    /// All of them, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let slots = (0..self.grouping.slots.len()).map(|slot| self.name_of_slot(slot));
        let texts = self.texts.iter().map(|&texts| self.name_of_texts(texts));
        let sets = self.sets.iter().map(|&sets| self.name_of_sets(sets));
        let points = self.points.iter().map(|&points| self.name_of_points(points));
        let reaches = self.reaches.iter().map(|&reaches| self.name_of_reaches(reaches));
        let marks = self.marks.iter().map(|marks| self.name_of_marks(marks));
        let of_values = texts.chain(sets).chain(points).chain(reaches);
        let mut names: Vec<String> = slots.chain(of_values).chain(marks).collect();
        names.sort_unstable();
        names
    }
}

/// Things with their places, in the order they were first met.
pub(super) struct Places<T> {
    places: HashMap<T, u32>,
    pub(super) things: Vec<T>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { places: HashMap::new(), things: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Places<T> {
    pub(super) fn place(&mut self, thing: T) -> u32 {
        let next = self.things.len() as u32;
        let place = *self.places.entry(thing.clone()).or_insert(next);
        if place == next {
            self.things.push(thing);
        }
        place
    }
}

/// Restates predicates over codes, and notes what their measures need on the way.
#[derive(Default)]
struct Lowering {
    grouping: Grouping,
    texts: Places<usize>,
    sets: Places<(usize, Tokens)>,
    points: Places<usize>,
    reaches: Places<(usize, Measure)>,
    marks: Places<Marked>,
}

impl Lowering {
    fn lower(&mut self, predicate: &Predicate) -> Result<lowered::Predicate> {
        let lost = || Error::Internal(format!("`{predicate}` was not encoded"));
        let test = match &predicate.test {
            Test::Value { side, operand, domain, condition } => {
                let slot = self.grouping.slot(*side, operand, *domain).ok_or_else(lost)?;
                let marked = Marked { slot, condition: condition.clone(), negated: predicate.negated };
                let marks = self.marks.place(marked);
                // The marks know of the negation.
                let test = match side {
                    Side::Left => lowered::Test::Left { marks },
                    Side::Right => lowered::Test::Right { marks },
                };
                return Ok(lowered::Predicate { test, negated: false });
            }
            Test::Compare { left, right, domain, measure } => {
                let left = self.grouping.slot(Side::Left, left, *domain).ok_or_else(lost)?;
                let right = self.grouping.slot(Side::Right, right, *domain).ok_or_else(lost)?;
                let measure = self.measure(*measure, self.grouping.groups[left], *domain)?;
                lowered::Test::Compare { left: left as u32, right: right as u32, measure }
            }
        };
        Ok(lowered::Predicate { test, negated: predicate.negated })
    }

    fn measure(&mut self, measure: Measure, group: usize, domain: Domain) -> Result<shared::Measure> {
        Ok(match (measure, domain) {
            (Measure::Equal, _) => shared::Measure::Equal,
            (Measure::Texts(by, asked), Domain::Text) => {
                shared::Measure::Texts { texts: self.texts.place(group), by, asked: asked.map(Into::into) }
            }
            (Measure::Sets(tokenizer, by, asked), Domain::Text) => {
                let sets = self.sets.place((group, Tokens::Of(tokenizer)));
                shared::Measure::Sets { sets, by, asked: asked.map(Into::into) }
            }
            (Measure::Difference { .. }, Domain::Number | Domain::Date) => {
                shared::Measure::Within { reaches: self.reaches.place((group, measure)) }
            }
            (Measure::Near(limit), Domain::Point) => match limit.chord() {
                Some(most) => shared::Measure::Near {
                    points: self.points.place(group),
                    cells: self.sets.place((group, Tokens::Cells(most))),
                    most,
                },
                None => return Err(Error::Internal(format!("{measure:?} is no measure"))),
            },
            (measure, _) => {
                return Err(Error::Internal(format!("{measure:?} over a domain of another kind")));
            }
        })
    }
}
