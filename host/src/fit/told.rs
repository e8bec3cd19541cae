//! What was fitted, for people.

use super::{Fit, Lesson, PriorSource};
use crate::base::billionths::Billionths;
use crate::base::shown::shown;
use crate::entities::score::{LevelName, LevelWeights};
use indicatif::HumanCount;
use std::fmt;

/// Characters that levels are lined up to. Longer conditions stand out.
const MOST_WIDE: usize = 48;

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
        let levels = weights.attributes.iter().flat_map(|attribute| &attribute.levels);
        let conditions = levels.filter_map(|level| match &level.name {
            Some(LevelName::When(condition)) => Some(shown(condition).chars().count()),
            _ => None,
        });
        let wide = conditions.max().unwrap_or(0).clamp(12, MOST_WIDE);
        writeln!(f, "{:width$}  {:>wide$}  {:>10}  {:>10}  {:>8}", "attribute", "level", "m", "u", "bits")?;
        for attribute in &weights.attributes {
            let mut name = &*shown(&attribute.name);
            let mut before: Option<&LevelName> = None;
            for LevelWeights { name: level, m, u, .. } in &attribute.levels {
                let shown = match (level, before) {
                    (Some(LevelName::AtLeast(least)), _) => format!(">= {}", Billionths(*least)),
                    (Some(LevelName::When(condition)), _) => shown(condition).into_owned(),
                    (None, Some(LevelName::AtLeast(least))) => format!("< {}", Billionths(*least)),
                    (None, _) => "otherwise".to_owned(),
                };
                before = level.as_ref();
                let weight = (m / u).log2();
                writeln!(f, "{name:width$}  {shown:>wide$}  {m:>10.6}  {u:>10.3e}  {weight:>+8.2}")?;
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
            Self::Part { n_matches, n_pairs } => {
                write!(
                    f,
                    "{} of {} pairs of labelled records match",
                    HumanCount(n_matches),
                    HumanCount(n_pairs)
                )
            }
            Self::Candidates { n_candidates, n_matches } => {
                write!(f, "{n_matches:.0} of {} candidates are expected to match", HumanCount(n_candidates))
            }
        }
    }
}
