//! Variants: the engine with parts of it switched off, one at a time or together, to see what each is worth. The
//! result of a job is the same under all of them.

use strum::{Display, EnumString, VariantArray, VariantNames};

/// A part that is switched off or replaced.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, VariantArray, VariantNames,
)]
#[strum(serialize_all = "camelCase", ascii_case_insensitive, parse_err_ty = String, parse_err_fn = unknown)]
pub enum Variant {
    /// No execution plan: rules as the file has them, one after the other, nothing shared and nothing remembered.
    #[strum(serialize = "noEPG")]
    NoEpg,
    /// Predicates of a rule in random order.
    #[strum(serialize = "noPO")]
    NoPo,
    /// Branches in random order.
    #[strum(serialize = "noRO")]
    NoRo,
    /// Predicates by cost alone.
    #[strum(serialize = "COrder")]
    COrder,
    /// Predicates by selectivity alone.
    #[strum(serialize = "SOrder")]
    SOrder,
    /// No optimisation for the hardware: all of the next four.
    #[strum(serialize = "noHO")]
    NoHo,
    /// The path is walked by recursive descent, and nothing is remembered.
    NoSeq,
    /// No sliding window: every block begins with one fixed share of the work.
    #[strum(serialize = "noPSW")]
    NoPsw,
    /// No block does what another was to do: there is one for each interval, and the hardware begins the next when one ends.
    NoStealing,
    /// What passes the screen is verified at once, and does not wait until there is a pair for every lane.
    NoQueue,
    /// No necessary conditions: every pair is decided by its values. An overlap join, if one is asked for, has no prefix and
    /// no positional filter: all elements are indexed and looked up, as gSSJoin does.
    NoFilter,
    /// An overlap join does not look at signatures.
    NoBitmap,
    /// Similarity is computed for pairs of records, not of distinct values.
    NoDictionary,
}

impl Variant {
    /// All there are.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// What is off, in a word or two.
    pub fn off(self) -> &'static str {
        match self {
            Self::NoEpg => "execution plan",
            Self::NoPo => "predicate order",
            Self::NoRo => "branch order",
            Self::COrder => "selectivity",
            Self::SOrder => "cost",
            Self::NoHo => "the next four",
            Self::NoSeq => "sequential path",
            Self::NoPsw => "sliding window",
            Self::NoStealing => "stealing",
            Self::NoQueue => "queues",
            Self::NoFilter => "filters",
            Self::NoBitmap => "signatures of joins",
            Self::NoDictionary => "distinct values",
        }
    }

    /// Whether branches and their access paths stay as they are. Others change the tree, and so what a branch is; and without
    /// filters there is neither a lead nor a key.
    pub fn leaves_paths(self) -> bool {
        use Variant::{NoBitmap, NoDictionary, NoHo, NoPsw, NoQueue, NoSeq, NoStealing};
        matches!(self, NoHo | NoSeq | NoPsw | NoStealing | NoQueue | NoBitmap | NoDictionary)
    }
}

fn unknown(_: &str) -> String {
    format!("the variants are {}", <Variant as VariantNames>::VARIANTS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::Variant;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
            assert_eq!(variant.to_string().to_lowercase().parse(), Ok(variant));
        }
        assert!("noWindow".parse::<Variant>().unwrap_err().contains("SOrder"));
    }
}
