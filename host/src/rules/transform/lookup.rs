//! `lookup`: a text becomes the list of all that a table has beside it.
//!
//! A rule file is parsed before any other file is read: a [`Lookup`] names its table first, and is given what is in it
//! when rules are bound. What is in it tells two of them apart, by its checksum, so that nothing that is kept of the one is
//! taken for the other.

use super::arguments::{Apply, Argument, Parameter, ParameterKind, Takes, Unfit, WithArguments};
use super::{Does, Row, Transform};
use crate::base::error::{Error, Result};
use crate::base::list::{escaped, list};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a table has beside a text; of what it does not have, the text itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    /// The table, as the rules name it.
    pub file: String,
    /// What is in it, once it is read.
    entries: Option<Entries>,
}

/// What is in a table of two columns.
#[derive(Clone)]
pub(in crate::rules) struct Entries {
    lists: Arc<HashMap<String, String>>,
    checksum: u64,
}

impl Entries {
    /// Of rows of two cells.
    pub(in crate::rules) fn of<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut beside: HashMap<&str, Vec<&str>> = HashMap::new();
        rows.for_each(|(key, value)| beside.entry(key).or_default().push(value));
        let lists = beside.into_iter().map(|(key, values)| (key.to_owned(), list(values)));
        Self::of_lists(lists.collect())
    }

    /// Of [`lists`](Self::lists), as they were made elsewhere.
    pub(in crate::rules) fn of_lists(lists: HashMap<String, String>) -> Self {
        let mut sorted: Vec<_> = lists.iter().collect();
        sorted.sort_unstable();
        let mut hasher = DefaultHasher::new();
        sorted.hash(&mut hasher);
        Self { lists: Arc::new(lists), checksum: hasher.finish() }
    }

    /// By what is looked up, the list that it stands for.
    pub(in crate::rules) fn lists(&self) -> &HashMap<String, String> {
        &self.lists
    }

    /// What tells one from others.
    fn name(&self) -> (u64, usize) {
        (self.checksum, self.lists.len())
    }
}

impl PartialEq for Entries {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Entries {}

impl PartialOrd for Entries {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entries {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name().cmp(&other.name())
    }
}

impl Hash for Entries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// Caches name what they keep by this.
impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (checksum, n) = self.name();
        write!(f, "{n} entries {checksum:016x}")
    }
}

pub(super) const LOOKUP: Row = Row {
    name: "lookup",
    also: &[],
    gives_numbers: false,
    keeps_values: true,
    does: Does::Takes(Takes {
        form: "a column and a file",
        parameters: &[Parameter { what: "the file of lookup", kind: ParameterKind::Text }],
        needed: 1,
        make: |given| match Argument::text(given, 0) {
            Some(file) if !file.is_empty() => {
                Ok(Transform::Lookup(Lookup { file: file.to_owned(), entries: None }))
            }
            _ => Err(Unfit {
                place: 0,
                message: "the file of lookup has no name".to_owned(),
                help: "write lookup(l.first_name, 'nicknames.csv')",
            }),
        },
    }),
};

impl Lookup {
    /// Itself, with what is in its table.
    pub(in crate::rules) fn with(&self, entries: &Entries) -> Self {
        Self { file: self.file.clone(), entries: Some(entries.clone()) }
    }
}

impl WithArguments for Lookup {
    fn name(&self) -> &'static str {
        LOOKUP.name
    }

    fn arguments(&self) -> Vec<Argument> {
        vec![Argument::Text(self.file.clone())]
    }

    fn ready(&self) -> Result<Apply> {
        let unread = || Error::Internal(format!("`{}` was not read", self.file));
        let lists = self.entries.as_ref().ok_or_else(unread)?.lists.clone();
        Ok(Box::new(move |value| match lists.get(value) {
            Some(list) => Cow::Owned(list.clone()),
            None => escaped(value),
        }))
    }
}
