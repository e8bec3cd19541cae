//! The pool of predicates that rules are drawn from: of the generated people, over every column and by every measure, from
//! those that almost no pair meets to those that many do; of other tables, those that their rule file has.

use anyhow::{Result, ensure};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use std::fmt::Write;

const PEOPLE: [&str; 30] = [
    "l.zip = r.zip",
    "l.city = r.city",
    "l.phone = r.phone",
    "l.email = r.email",
    "l.birth_date = r.birth_date",
    "l.birth_year = r.birth_year",
    "l.last_name = r.last_name",
    "soundex(l.last_name) = soundex(r.last_name)",
    "metaphone(l.first_name) = metaphone(r.first_name)",
    "substr(l.first_name, 1, 1) = substr(r.first_name, 1, 1)",
    "substr(l.zip, 1, 2) = substr(r.zip, 1, 2)",
    "abs(l.birth_year - r.birth_year) <= 2",
    "abs(l.birth_date - r.birth_date) <= 366",
    "levenshtein(l.last_name, r.last_name) <= 2",
    "levenshtein_similarity(lower(l.street), lower(r.street)) >= 0.7",
    "damerau_levenshtein(l.first_name, r.first_name) <= 1",
    "damerau_levenshtein_similarity(l.email, r.email) >= 0.7",
    "hamming(l.phone, r.phone) <= 3",
    "jaro_similarity(l.street, r.street) >= 0.8",
    "jaro_winkler_similarity(l.first_name, r.first_name) >= 0.85",
    "jaro_winkler_similarity(l.last_name, r.last_name) >= 0.85",
    "jaro_winkler_similarity(l.email, r.email) >= 0.9",
    "jaccard(qgrams(lower(l.street), 3), qgrams(lower(r.street), 3)) >= 0.4",
    "jaccard(qgrams(l.email, 2), qgrams(r.email, 2)) >= 0.4",
    "dice(qgrams(lower(l.street), 2), qgrams(lower(r.street), 2)) >= 0.6",
    "cosine(words(l.street), words(r.street)) >= 0.6",
    "overlap(words(l.street), words(r.street)) >= 2",
    "overlap_coefficient(qgrams(l.city, 2), qgrams(r.city, 2)) >= 0.7",
    "dice(chars(l.email), chars(r.email)) >= 0.8",
    "jaccard(chars(l.last_name), chars(r.last_name)) >= 0.7",
];

/// Where rules come from.
pub(in crate::bench) struct Pool {
    predicates: Vec<String>,
    /// Those that come first where rules are counted.
    rules: Vec<String>,
}

impl Pool {
    /// Of the generated people.
    pub(in crate::bench) fn people() -> Self {
        Self { predicates: PEOPLE.map(str::to_owned).to_vec(), rules: Vec::new() }
    }

    /// Of a rule file whose conditions are all joined by AND.
    pub(super) fn of_file(file: &str) -> Result<Self> {
        let rules: Vec<String> = conditions(file).map(|condition| words(condition).join(" ")).collect();
        let mut predicates: Vec<String> = Vec::new();
        for rule in &rules {
            ensure!(!rule.contains(" OR ") && !rule.contains("NOT "), "no list of predicates: {rule}");
            for predicate in rule.split(" AND ") {
                if !predicates.iter().any(|known| known == predicate) {
                    predicates.push(predicate.to_owned());
                }
            }
        }
        ensure!(!predicates.is_empty(), "the file has no rules");
        Ok(Self { predicates, rules })
    }

    /// The conditions of so many rules with so many predicates each, in random order.
    pub(in crate::bench) fn drawn(&self, n_rules: usize, n_predicates: usize, seed: u64) -> Vec<String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (n_rules << 8 | n_predicates) as u64);
        let mut condition = || {
            let mut pool: Vec<&str> = self.predicates.iter().map(String::as_str).collect();
            let (predicates, _) = pool.partial_shuffle(&mut rng, n_predicates);
            predicates.join(" AND ")
        };
        (0..n_rules).map(|_| condition()).collect()
    }

    /// The first rules of the file, and drawn ones behind them if it has fewer.
    pub(super) fn first(&self, n_rules: usize, n_predicates: usize, seed: u64) -> Vec<String> {
        let own = self.rules.iter().take(n_rules).cloned();
        own.chain(self.drawn(n_rules.saturating_sub(self.rules.len()), n_predicates, seed)).collect()
    }
}

/// What stands behind each `when` of a rule file.
fn conditions(file: &str) -> impl Iterator<Item = &str> {
    file.split("when = ").skip(1).filter_map(|rest| {
        let quote = ["'''", "\"\"\"", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote))?;
        rest[quote.len()..].split(quote).next()
    })
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Rules as a file.
pub(super) fn rule_file(conditions: Vec<String>) -> String {
    (1..).zip(conditions).fold(String::new(), |mut file, (rule, condition)| {
        let _ = writeln!(file, "[[rules]]\nname = \"{rule}\"\nwhen = '''{condition}'''\n");
        file
    })
}

#[cfg(test)]
mod tests {
    use super::{PEOPLE, Pool, rule_file};

    #[test]
    fn rules_are_drawn_with_a_seed() {
        let pool = Pool::people();
        let file = rule_file(pool.drawn(50, 5, 1));
        assert_eq!(file, rule_file(pool.first(50, 5, 1)));
        assert_eq!(file.matches("[[rules]]").count(), 50);
        assert_eq!(file.matches(" AND ").count(), 200);
        // All of the pool comes up among so many.
        assert!(PEOPLE.iter().all(|predicate| file.contains(predicate)));
    }

    #[test]
    fn rules_of_a_file_come_first() {
        let file = "[[rules]]\nwhen = \"l.a = r.a AND l.b = r.b\"\n[[rules]]\nwhen = '''\n  l.b = r.b\n  AND l.c = r.c\n'''\n";
        let pool = Pool::of_file(file).unwrap();
        assert_eq!(pool.first(2, 2, 1), ["l.a = r.a AND l.b = r.b", "l.b = r.b AND l.c = r.c"]);
        assert_eq!(pool.predicates, ["l.a = r.a", "l.b = r.b", "l.c = r.c"]);
        let more = pool.first(5, 2, 1);
        assert_eq!((more.len(), more[4].matches(" AND ").count()), (5, 1));
        assert!(Pool::of_file("when = 'l.a = r.a OR l.b = r.b'").is_err() && Pool::of_file("").is_err());
    }
}
