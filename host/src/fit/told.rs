//! What was fitted, for people.

use super::{Fit, Lesson, PriorSource};
use crate::base::billionths::Billionths;
use crate::base::shown::shown;
use crate::entities::score::LevelWeights;
use indicatif::HumanCount;
use std::fmt;

/// m, u and the weight of every level, and where they come from.
impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { weights, prior, lessons, n_pairs, n_sampled, doubts } = self;
        let all = if n_sampled == n_pairs { "all of them" } else { "drawn by chance" };
        writeln!(f, "pairs            {}", HumanCount(*n_pairs))?;
        writeln!(f, "looked at for u  {}, {all}", HumanCount(*n_sampled))?;
        for Lesson { name, n_candidates, n_matches, failure, .. } in lessons {
            let (name, n) = (shown(name), HumanCount(*n_candidates));
            match failure {
                Some(failure) => writeln!(f, "  {name}: {n} candidates, nothing learnt: {failure}")?,
                None => writeln!(f, "  {name}: {n} candidates, {n_matches:.0} expected to match")?,
            }
        }
        writeln!(f, "prior            {:.3e} ({prior})", weights.prior)?;
        let names = weights.attributes.iter().map(|attribute| shown(&attribute.name).chars().count());
        let width = names.max().unwrap_or(0).max("attribute".len());
        writeln!(f, "{:width$}  {:>12}  {:>10}  {:>10}  {:>8}", "attribute", "level", "m", "u", "bits")?;
        for attribute in &weights.attributes {
            let mut name = &*shown(&attribute.name);
            let mut lowest = Billionths(0);
            for LevelWeights { at_least, m, u, .. } in &attribute.levels {
                lowest = at_least.map_or(lowest, Billionths);
                let level = format!("{} {lowest}", if at_least.is_some() { ">=" } else { "<" });
                let weight = (m / u).log2();
                writeln!(f, "{name:width$}  {level:>12}  {m:>10.6}  {u:>10.3e}  {weight:>+8.2}")?;
                name = "";
            }
        }
        doubts.iter().try_for_each(|doubt| writeln!(f, "doubtful: {}", shown(&doubt.to_string())))
    }
}

impl fmt::Display for PriorSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Given => write!(f, "as given"),
            Self::Sure { n_found, recall } => {
                let n = HumanCount(n_found);
                write!(f, "{n} sure pairs, taken to be {} of all matches", Billionths(recall))
            }
            Self::Labels { n_matches } => write!(f, "{} labelled pairs", HumanCount(n_matches)),
            Self::Candidates { n_candidates, n_matches } => {
                write!(f, "{n_matches:.0} of {} candidates are expected to match", HumanCount(n_candidates))
            }
        }
    }
}
