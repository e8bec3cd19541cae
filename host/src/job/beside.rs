//! Values beside ids: the columns that somebody wants to see of both records of each pair, as people name them.

use super::Job;
use crate::rules::Side;
use std::str::FromStr;

/// Columns whose values are wanted beside the ids of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Those of both tables, but for the ids.
    All,
    /// One of a table; or, without a side, of both.
    Column {
        /// Whose.
        side: Option<Side>,
        /// What it is called.
        name: String,
    },
}

impl FromStr for Beside {
    type Err = String;

    /// `all`, or a column as rules write it: `l.name`, `r.name`; or `name`, which is both.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "all" {
            return Ok(Self::All);
        }
        let sides = [("l.", Side::Left), ("r.", Side::Right)];
        let sided = sides.iter().find_map(|(before, side)| Some((Some(*side), text.strip_prefix(before)?)));
        let (side, name) = sided.unwrap_or((None, text));
        match name {
            "" => Err("write l.NAME, r.NAME, NAME (which is both) or all".into()),
            name => Ok(Self::Column { side, name: name.to_owned() }),
        }
    }
}

impl Beside {
    /// Whether it may be this column of one of these sides.
    pub(super) fn wants(&self, sides: &[Side], column: &str) -> bool {
        match self {
            Self::All => true,
            Self::Column { side, name } => {
                side.is_none_or(|side| sides.contains(&side)) && name.eq_ignore_ascii_case(column)
            }
        }
    }

    /// As it is written.
    pub(super) fn written(&self) -> String {
        match self {
            Self::All => "all".into(),
            Self::Column { side: None, name } => name.clone(),
            Self::Column { side: Some(Side::Left), name } => format!("l.{name}"),
            Self::Column { side: Some(Side::Right), name } => format!("r.{name}"),
        }
    }
}

impl Job {
    /// With the values of these columns beside the ids of its pairs.
    #[doc(hidden)]
    pub fn beside(self, beside: Vec<Beside>) -> Self {
        Self { beside, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_as_people_write_them() {
        let column = |side, name: &str| Ok(Beside::Column { side, name: name.into() });
        assert_eq!("all".parse(), Ok(Beside::All));
        assert_eq!(" l.name ".parse(), column(Some(Side::Left), "name"));
        assert_eq!("r.l.name".parse(), column(Some(Side::Right), "l.name"));
        assert_eq!("name".parse(), column(None, "name"));
        for wrong in ["", "l.", "r."] {
            assert!(wrong.parse::<Beside>().is_err(), "{wrong}");
        }
        assert!(Beside::All.wants(&[Side::Left], "x"));
        let left: Beside = "l.Name".parse().unwrap();
        assert!(left.wants(&[Side::Left], "name") && !left.wants(&[Side::Right], "name"));
    }
}
