//! The jobs: what is asked, of how many records, and of whom.
//!
//! Rules are those of `cargo xtask bench job`, over people that any checkout can make. A program that knows no such thing is not
//! asked.

use crate::bench::job_args::JobName;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) enum Ask {
    /// The pairs of people that some condition allows.
    Pairs(&'static [&'static str]),
    /// The connected components of a file of pairs.
    Components,
    /// The entities of the bundled people, of whom the truth is known.
    Truth,
}

/// How an answer is held against ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It must be the same, but for pairs that doubles decide otherwise at a threshold.
    Exact,
    /// It may miss pairs, but not find others: how many it finds is told.
    Approximate,
    /// It is as good as it is near the truth.
    Judged,
}

/// A job.
pub(super) struct Job {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) ask: Ask,
    /// Records, or pairs of a file of pairs, at the scale of 1; none where the table is bundled.
    pub(super) full: u32,
    pub(super) peers: &'static [(&'static str, Claim)],
}

use Claim::{Approximate, Exact, Judged};

const EQUAL: [&str; 1] = ["l.zip = r.zip AND l.birth_year = r.birth_year"];
const SETS: [(&str, Claim); 5] = [
    ("duckdb", Exact),
    ("polars", Exact),
    ("py_stringsimjoin", Exact),
    ("SetSimilaritySearch", Exact),
    ("datasketch", Approximate),
];

pub(super) const ALL: [Job; 8] = [
    Job {
        name: "equal",
        title: "same zip code and year of birth, skewed",
        ask: Ask::Pairs(&EQUAL),
        full: 1_000_000,
        peers: &[("duckdb", Exact), ("polars", Exact), ("splink", Exact), ("recordlinkage", Exact)],
    },
    Job {
        name: "e1",
        title: "same zip code, last names within an edit in five letters",
        ask: Ask::Pairs(JobName::E1.conditions()),
        full: 1_000_000,
        peers: &[
            ("duckdb", Exact),
            ("polars", Exact),
            ("rapidfuzz", Exact),
            ("stringzilla", Exact),
            ("splink", Exact),
            ("recordlinkage", Exact),
        ],
    },
    Job {
        name: "e2",
        title: "three rules: Jaro-Winkler, equality, Jaccard of 3-grams",
        ask: Ask::Pairs(JobName::E2.conditions()),
        full: 1_000_000,
        peers: &[("duckdb", Exact), ("polars", Exact), ("rapidfuzz", Exact), ("splink", Exact)],
    },
    Job {
        name: "s1w",
        title: "descriptions by Jaccard of words, 0.8",
        ask: Ask::Pairs(JobName::S1w.conditions()),
        full: 1_000_000,
        peers: &SETS,
    },
    Job {
        name: "s1g",
        title: "descriptions by Jaccard of 3-grams, 0.7",
        ask: Ask::Pairs(JobName::S1g.conditions()),
        full: 1_000_000,
        peers: &SETS,
    },
    Job {
        name: "s1l",
        title: "all pairs of streets, three edits in ten letters",
        ask: Ask::Pairs(JobName::S1l.conditions()),
        // Others look at each pair.
        full: 200_000,
        peers: &[("duckdb", Exact), ("polars", Exact), ("rapidfuzz", Exact), ("stringzilla", Exact)],
    },
    Job {
        name: "components",
        title: "connected components of random pairs",
        ask: Ask::Components,
        full: 10_000_000,
        peers: &[("scipy", Exact), ("networkit", Exact)],
    },
    Job {
        name: "truth",
        title: "3,000 bundled people to entities",
        ask: Ask::Truth,
        full: 0,
        peers: &[("splink", Judged), ("dedupe", Judged), ("recordlinkage", Judged)],
    },
];

impl Job {
    /// Records at a scale.
    pub(super) fn rows(&self, scale: f64) -> u32 {
        (f64::from(self.full) * scale).round() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer;
    use super::ALL;

    #[test]
    fn who_is_asked_is_known() {
        for job in &ALL {
            assert_eq!(ALL.iter().filter(|other| other.name == job.name).count(), 1, "{}", job.name);
            for (name, _) in job.peers {
                assert!(peer::ALL.iter().any(|peer| peer.name == *name), "{name} of {}", job.name);
            }
        }
        assert_eq!(ALL[0].rows(0.05), 50_000);
    }
}
