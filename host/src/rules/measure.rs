//! The table of measures: all that the host knows of one is its row.
//!
//! What a measure is and computes stands in `hyperblock_shared::measure`, a file each. Here it gets its names in SQL, the
//! kind of its operands, what it counts, its place among the measures that it implies or that imply it, and the measure
//! whose cost it is priced by. Parsing, printing, implication, costs and explanations all ask the row.

use super::{Bound, Measure};
use hyperblock_shared::measure::{Asked, OfSets, OfTexts};

/// A measure of texts or of sets, as rules know it.
#[derive(Debug)]
pub(crate) struct Row {
    /// Which it is, and so what its operands are: texts, or sets of tokens.
    pub(crate) by: By,
    /// What it counts, if rules may compare that with a number, and the name of the function that does.
    pub(crate) count: Option<(&'static str, Counted)>,
    /// The name of its similarity.
    pub(crate) similarity: &'static str,
    /// Other names of that.
    pub(crate) also: &'static [&'static str],
    /// Similarities of a family ascend with their rank, whatever the values; distances fall with it.
    pub(crate) family: Family,
    pub(crate) rank: u8,
    /// The measure whose costs a model has learnt, if not this one then the nearest.
    pub(crate) costs_like: CostsLike,
}

/// A measure, by the kind of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Texts(OfTexts),
    Sets(OfSets),
}

/// What a measure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Edits: it holds if they are few.
    Edits,
    /// Tokens in common: it holds if they are many.
    Tokens,
    /// Symbols in common likewise.
    Symbols,
}

/// Measures whose similarities have an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Edits,
    Jaro,
    Sets,
}

/// What costs were learnt for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostsLike {
    Levenshtein,
    Damerau,
    Hamming,
    Jaro,
    Sets,
}

/// The measures, in the order in which people are told of them. Between the ranks of a family there is room for others.
pub(crate) const MEASURES: &[Row] = &[
    Row {
        by: By::Texts(OfTexts::Levenshtein),
        count: Some(("levenshtein", Counted::Edits)),
        similarity: "levenshtein_similarity",
        also: &[],
        family: Family::Edits,
        rank: 20,
        costs_like: CostsLike::Levenshtein,
    },
    Row {
        by: By::Texts(OfTexts::Damerau),
        count: Some(("damerau_levenshtein", Counted::Edits)),
        similarity: "damerau_levenshtein_similarity",
        also: &[],
        family: Family::Edits,
        rank: 30,
        costs_like: CostsLike::Damerau,
    },
    Row {
        by: By::Texts(OfTexts::Hamming),
        count: Some(("hamming", Counted::Edits)),
        similarity: "hamming_similarity",
        also: &[],
        family: Family::Edits,
        rank: 10,
        costs_like: CostsLike::Hamming,
    },
    Row {
        by: By::Texts(OfTexts::Jaro),
        count: None,
        similarity: "jaro_similarity",
        also: &["jaro"],
        family: Family::Jaro,
        rank: 10,
        costs_like: CostsLike::Jaro,
    },
    Row {
        by: By::Texts(OfTexts::JaroWinkler),
        count: None,
        similarity: "jaro_winkler_similarity",
        also: &["jaro_winkler"],
        family: Family::Jaro,
        rank: 20,
        costs_like: CostsLike::Jaro,
    },
    Row {
        by: By::Texts(OfTexts::Lcs),
        count: Some(("lcs", Counted::Symbols)),
        similarity: "lcs_similarity",
        also: &[],
        // With L symbols in common and d edits, d is at least max(|a|, |b|) − L, however a swap counts: so 1 − d / max is
        // at most L / max.
        family: Family::Edits,
        rank: 40,
        // It too looks at all symbols of both values, and heads tell as much.
        costs_like: CostsLike::Jaro,
    },
    Row {
        by: By::Sets(OfSets::Jaccard),
        count: None,
        similarity: "jaccard",
        also: &[],
        family: Family::Sets,
        rank: 10,
        costs_like: CostsLike::Sets,
    },
    Row {
        by: By::Sets(OfSets::Dice),
        count: None,
        similarity: "dice",
        also: &[],
        family: Family::Sets,
        rank: 20,
        costs_like: CostsLike::Sets,
    },
    Row {
        by: By::Sets(OfSets::Cosine),
        count: None,
        similarity: "cosine",
        also: &[],
        family: Family::Sets,
        rank: 30,
        costs_like: CostsLike::Sets,
    },
    Row {
        by: By::Sets(OfSets::BraunBlanquet),
        count: None,
        similarity: "braun_blanquet",
        also: &[],
        // max(|A|, |B|) is between (|A| + |B|) / 2 and |A ∪ B|, so it is between Dice and Jaccard.
        family: Family::Sets,
        rank: 15,
        costs_like: CostsLike::Sets,
    },
    Row {
        by: By::Sets(OfSets::Overlap),
        count: Some(("overlap", Counted::Tokens)),
        similarity: "overlap_coefficient",
        also: &[],
        family: Family::Sets,
        rank: 40,
        costs_like: CostsLike::Sets,
    },
];

/// What one of a measure's functions gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Count(Counted),
    Similarity,
}

impl Row {
    /// The row of a measure.
    pub(crate) fn of(by: By) -> Option<&'static Self> {
        MEASURES.iter().find(|row| row.by == by)
    }

    /// The names of its functions, and what they give.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&'static str, Form)> {
        let count = self.count.map(|(name, counted)| (name, Form::Count(counted)));
        count.into_iter().chain([(self.similarity, Form::Similarity)])
    }

    /// The function of this name, which may be one that other databases have for it.
    pub(crate) fn named(name: &str) -> Option<(&'static Self, Form)> {
        MEASURES.iter().find_map(|row| {
            let form = row.functions().find(|(own, _)| *own == name).map(|(_, form)| form);
            let form = form.or_else(|| row.also.contains(&name).then_some(Form::Similarity));
            form.map(|form| (row, form))
        })
    }

    /// The name of the function that gives this.
    pub(super) fn name(&self, form: Form) -> &'static str {
        match (form, self.count) {
            (Form::Count(_), Some((name, _))) => name,
            _ => self.similarity,
        }
    }

    /// What is asked of it.
    pub(super) fn form(&self, asked: Asked<Bound>) -> Form {
        match (asked, self.count) {
            (Asked::Count(_), Some((_, counted))) => Form::Count(counted),
            _ => Form::Similarity,
        }
    }

    /// The rank of its distance: a greater similarity is a smaller distance.
    pub(super) fn rank_of_distance(&self) -> u8 {
        u8::MAX - self.rank
    }
}

impl Counted {
    /// Whether it counts differences, and not what is in common.
    pub(crate) fn is_distance(self) -> bool {
        match self {
            Self::Edits => true,
            Self::Tokens | Self::Symbols => false,
        }
    }

    /// What is counted, for people.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Edits => "edits",
            Self::Tokens => "tokens",
            Self::Symbols => "symbols",
        }
    }

    /// So many of them, for people.
    pub(crate) fn so_many(self, n: u32) -> String {
        let noun = if n == 1 { self.noun().trim_end_matches('s') } else { self.noun() };
        if self.is_distance() { format!("{n} {noun}") } else { format!("{n} {noun} in common") }
    }

    /// The name of their number, for programs.
    pub(crate) fn key(self) -> &'static str {
        if self.is_distance() { self.noun() } else { "common" }
    }

    /// How it is compared with a number, for people.
    pub(super) fn example(self) -> &'static str {
        if self.is_distance() { "<= 2" } else { ">= 2" }
    }
}

impl Measure {
    /// The name of the function that gives what is asked of it, if it is one of texts or of sets.
    pub(crate) fn function(&self, asked: Asked<Bound>) -> Option<&'static str> {
        self.row().map(|row| row.name(row.form(asked)))
    }

    /// Its row, if it has one: equality, differences and distances have none.
    pub(crate) fn row(&self) -> Option<&'static Row> {
        match *self {
            Self::Texts(by, _) => Row::of(By::Texts(by)),
            Self::Sets(_, by, _) => Row::of(By::Sets(by)),
            Self::Equal | Self::Difference { .. } | Self::Near(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_has_one_row_and_each_name_one_meaning() {
        let texts = OfTexts::ALL.iter().map(|&by| By::Texts(by));
        for by in texts.chain(OfSets::ALL.iter().map(|&by| By::Sets(by))) {
            assert_eq!(MEASURES.iter().filter(|row| row.by == by).count(), 1, "{by:?}");
        }
        let names = || {
            MEASURES
                .iter()
                .flat_map(|row| row.functions().map(|(name, _)| name).chain(row.also.iter().copied()))
        };
        for name in names() {
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
            assert!(Row::named(name).is_some(), "{name}");
        }
    }
}
