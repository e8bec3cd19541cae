//! Variants: the planner with parts of it switched off, one at a time or together, to see what each is worth. The
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
}

/// All variants, as `--variant` writes them.
const NAMES: [(&str, Variant); 5] = [
    ("noEPG", Variant::NoEpg),
    ("noPO", Variant::NoPo),
    ("noRO", Variant::NoRo),
    ("COrder", Variant::COrder),
    ("SOrder", Variant::SOrder),
];

impl Variant {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::NoEpg, Self::NoPo, Self::NoRo, Self::COrder, Self::SOrder];
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
        assert!("noPSW".parse::<Variant>().unwrap_err().contains("SOrder"));
    }
}
