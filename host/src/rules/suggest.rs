//! "Did you mean …?"

/// How alike two names must be (Jaro-Winkler, which is kind to common beginnings) to suggest one for the other.
const ALIKE: f64 = 0.8;

/// The known name that is most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let alike = |known: &str| strsim::jaro_winkler(&name, &known.to_lowercase());
    // `max_by` takes the last of equals; the first reads better, so go backwards.
    let mut known: Vec<_> = known.into_iter().map(|known| (alike(known), known)).collect();
    known.reverse();
    known
        .into_iter()
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_and_far() {
        let known = ["levenshtein", "levenshtein_similarity", "jaro_winkler_similarity", "lower"];
        assert_eq!(nearest("levenstein", known), Some("levenshtein"));
        assert_eq!(nearest("Jaro_Winkler", known), Some("jaro_winkler_similarity"));
        assert_eq!(nearest("lowr", known), Some("lower"));
        assert_eq!(nearest("metaphone", known), None);
        assert_eq!(nearest("", known), None);
    }
}
