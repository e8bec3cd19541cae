//! What an equi-join is given: columns of keys, and what to do about heavy ones.

use std::fmt;
use std::str::FromStr;

/// A column of keys. [`hyperblock_shared::join::MISSING`] joins nothing.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// By place.
    pub keys: &'a [u32],
    /// By place: the number of the row. If there are none, the place is the number.
    pub rows: Option<&'a [u32]>,
}

/// What is done about heavy keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// They are found, and joined apart.
    #[default]
    Skew,
    /// Nothing: all keys are alike.
    Plain,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Skew => "skew",
            Self::Plain => "plain",
        })
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "skew" => Ok(Self::Skew),
            "plain" => Ok(Self::Plain),
            _ => Err("expected skew or plain".into()),
        }
    }
}
