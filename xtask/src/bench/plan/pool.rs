//! The pool of predicates that rules are drawn from: over every column of the generated people, by every measure, from
//! those that almost no pair meets to those that many do.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use std::fmt::Write;

const POOL: [&str; 30] = [
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

/// The conditions of so many rules with so many predicates each, in random order.
pub(in crate::bench) fn conditions(n_rules: usize, n_predicates: usize, seed: u64) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (n_rules << 8 | n_predicates) as u64);
    let mut condition = || {
        let mut pool = POOL;
        let (predicates, _) = pool.partial_shuffle(&mut rng, n_predicates);
        predicates.join(" AND ")
    };
    (0..n_rules).map(|_| condition()).collect()
}

/// The same as a rule file.
pub(super) fn rules(n_rules: usize, n_predicates: usize, seed: u64) -> String {
    let conditions = conditions(n_rules, n_predicates, seed);
    (1..).zip(conditions).fold(String::new(), |mut file, (rule, condition)| {
        let _ = writeln!(file, "[[rules]]\nname = \"{rule}\"\nwhen = \"{condition}\"\n");
        file
    })
}

#[cfg(test)]
mod tests {
    use super::{POOL, rules};

    #[test]
    fn rules_are_drawn_with_a_seed() {
        let file = rules(50, 5, 1);
        assert_eq!(file, rules(50, 5, 1));
        assert_eq!(file.matches("[[rules]]").count(), 50);
        assert_eq!(file.matches(" AND ").count(), 200);
        // All of the pool comes up among so many.
        assert!(POOL.iter().all(|predicate| file.contains(predicate)));
    }
}
