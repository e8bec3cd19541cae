//! Variants: the engine with parts of it switched off, one at a time or together, to see what each is worth. The
//! result of a job is the same under all of them.

use std::fmt;
use std::str::FromStr;

/// A part that is switched off or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// No execution plan: rules as the file has them, one after the other, nothing shared and nothing remembered.
    NoEpg,
    /// Predicates of a rule in random order.
    NoPo,
    /// Branches in random order.
    NoRo,
    /// Predicates by cost alone.
    COrder,
    /// Predicates by selectivity alone.
    SOrder,
    /// No optimisation for the hardware: all of the next four.
    NoHo,
    /// The path is walked by recursive descent, and nothing is remembered.
    NoSeq,
    /// No sliding window: every block has one fixed share of the work.
    NoPsw,
    /// No block does what another was to do.
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

/// All variants, as `--variant` writes them.
const NAMES: [(&str, Variant); 13] = [
    ("noEPG", Variant::NoEpg),
    ("noPO", Variant::NoPo),
    ("noRO", Variant::NoRo),
    ("COrder", Variant::COrder),
    ("SOrder", Variant::SOrder),
    ("noHO", Variant::NoHo),
    ("noSeq", Variant::NoSeq),
    ("noPSW", Variant::NoPsw),
    ("noStealing", Variant::NoStealing),
    ("noQueue", Variant::NoQueue),
    ("noFilter", Variant::NoFilter),
    ("noBitmap", Variant::NoBitmap),
    ("noDictionary", Variant::NoDictionary),
];

impl Variant {
    /// All there are.
    pub const ALL: [Self; 13] = {
        let mut all = [Self::NoEpg; 13];
        let mut ix = 0;
        while ix < NAMES.len() {
            all[ix] = NAMES[ix].1;
            ix += 1;
        }
        all
    };
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, variant)| variant == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = |(name, _): &&(&str, Self)| name.eq_ignore_ascii_case(text.trim());
        let known = || NAMES.map(|(name, _)| name).join(", ");
        NAMES
            .iter()
            .find(name)
            .map(|(_, variant)| *variant)
            .ok_or_else(|| format!("the variants are {}", known()))
    }
}

#[cfg(test)]
mod tests {
    use super::Variant;

    #[test]
    fn names_are_read_as_they_are_written() {
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
            assert_eq!(variant.to_string().to_lowercase().parse(), Ok(variant));
        }
        assert!("noWindow".parse::<Variant>().unwrap_err().contains("SOrder"));
    }
}
