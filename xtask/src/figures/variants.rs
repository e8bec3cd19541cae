//! What is drawn, by name: the same variant has the same colour and mark in each figure.

use super::colours::{BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, Variant, YELLOW, variant};
use super::programs;

const ALL: [Variant; 84] = [
    // Joins of keys.
    variant("skew", "ours, heavy keys apart", BLUE, "o"),
    variant("plain", "ours, all keys alike", SKY, "s"),
    variant("cbase", "Cbase", ORANGE, "^"),
    variant("cbase-npj", "cbase-npj", INK, "x"),
    variant("csh", "CSH", GREEN, "D"),
    variant("gbase", "Gbase", VERMILION, "v"),
    variant("gsh", "GSH", PURPLE, "P"),
    // Their phases.
    variant("sample", "sample", YELLOW, "o"),
    variant("partition", "partition", ORANGE, "s"),
    variant("light", "light keys", SKY, "^"),
    variant("heavy", "heavy keys", BLUE, "D"),
    variant("join", "join", BLUE, "o"),
    variant("nm-join", "join of normal keys", SKY, "^"),
    variant("sample+part", "sample and partition", YELLOW, "o"),
    variant("all other", "all other", PURPLE, "P"),
    variant("build", "build", ORANGE, "s"),
    variant("probe", "probe", BLUE, "D"),
    variant("detect", "detect", YELLOW, "*"),
    variant("divide", "divide", GREEN, "X"),
    variant("normal", "normal keys", SKY, "^"),
    variant("skewed", "skewed keys", BLUE, "D"),
    // Joins of sets.
    variant("cheapest", "ours, as planned", BLUE, "o"),
    variant("index", "ours, by the index", GREEN, "s"),
    variant("dense", "ours, without an index", SKY, "s"),
    variant("noFilter", "ours, without filters", YELLOW, "x"),
    variant("noBitmap", "ours, without signatures", INK, "*"),
    variant("scan", "scan", GREEN, "D"),
    variant("all-pairs", "AllPairs", ORANGE, "^"),
    variant("ppjoin", "PPJoin", VERMILION, "v"),
    variant("gssjoin", "gSSJoin", PURPLE, "P"),
    variant("gssjoin-gpu", "gSSJoin, GPU", INK, "X"),
    // Plans and parts of the scan.
    variant("planned", "as planned", BLUE, "o"),
    variant("full", "all parts", BLUE, "o"),
    variant("noEPG", "noEPG", INK, "x"),
    variant("noPO", "noPO", ORANGE, "^"),
    variant("noRO", "noRO", GREEN, "D"),
    variant("COrder", "COrder", SKY, "s"),
    variant("SOrder", "SOrder", VERMILION, "v"),
    variant("noSeq", "noSeq", ORANGE, "^"),
    variant("noPSW", "noPSW", SKY, "s"),
    variant("noStealing", "noStealing", GREEN, "D"),
    variant("noHO", "noHO", VERMILION, "v"),
    // Schedules.
    variant("steal", "steal (ours)", BLUE, "o"),
    variant("bounded-hash", "bounded-hash (the paper's)", GREEN, "D"),
    variant("even-split", "EvenSplit", VERMILION, "v"),
    variant("round-robin", "RoundRobin", ORANGE, "^"),
    // Costs of predicates.
    variant("actual", "actual", VERMILION, "v"),
    variant("estimated", "estimated", BLUE, "o"),
    variant("ndcg_mean", "NDCG", BLUE, "o"),
    variant("rmse_mean", "RMSE", VERMILION, "v"),
    // Stages of a job.
    variant("read", "read", INK, "x"),
    variant("encode", "encode", ORANGE, "s"),
    variant("plan", "plan", YELLOW, "*"),
    variant("load", "load", PURPLE, "P"),
    variant("sort", "sort", VERMILION, "^"),
    variant("neighbours", "neighbours", SKY, "s"),
    variant("score", "score", BLUE, "o"),
    variant("keep", "keep", YELLOW, "X"),
    variant("cluster", "cluster", PURPLE, "v"),
    variant("all", "whole job", BLUE, "o"),
    variant("peak memory", "peak memory", VERMILION, "v"),
    // Measures and configurations.
    variant("jaro-winkler", "Jaro-Winkler", BLUE, "o"),
    variant("levenshtein", "Levenshtein", VERMILION, "v"),
    variant("snm-levenshtein", "neighbourhoods, Levenshtein", VERMILION, "v"),
    variant("snm-jaro-winkler", "neighbourhoods, Jaro-Winkler", BLUE, "o"),
    variant("product-jaro-winkler", "all pairs, Jaro-Winkler", SKY, "s"),
    // Closures.
    variant("condense", "over components", BLUE, "o"),
    variant("semi-naive-table", "rounds, table", GREEN, "D"),
    variant("semi-naive-sort", "rounds, sorting", ORANGE, "^"),
    variant("search", "search from each node", INK, "x"),
    variant("cuda-hashjoin", "the paper's, CUDA", VERMILION, "v"),
    variant("souffle", "Soufflé", PURPLE, "P"),
    variant("cudf", "cuDF", SKY, "s"),
    variant("pinned", "pinned memory", BLUE, "o"),
    variant("pageable", "pageable memory", SKY, "s"),
    variant("unified", "unified memory", VERMILION, "v"),
    variant("unfused", "join unfused", ORANGE, "^"),
    variant("engine", "the engine's sort", GREEN, "D"),
    variant("random", "random graph", VERMILION, "v"),
    variant("string", "string of edges", BLUE, "o"),
    // Their operators.
    variant("join_ms", "join", BLUE, "o"),
    variant("deduplicate_ms", "deduplicate", ORANGE, "s"),
    variant("union_ms", "union", GREEN, "D"),
    variant("clear_ms", "clear", PURPLE, "P"),
];

/// A variant by its name.
pub(super) fn known(name: &str) -> Option<&'static Variant> {
    ALL.iter().chain(&programs::ALL).find(|variant| variant.name == name)
}

#[cfg(test)]
mod tests {
    use super::{ALL, known, programs};

    #[test]
    fn names_are_there_once() {
        let all = || ALL.iter().chain(&programs::ALL);
        for variant in all() {
            assert_eq!(all().filter(|other| other.name == variant.name).count(), 1, "{}", variant.name);
        }
        assert!(known("cbase").is_some() && known("cbasis").is_none());
    }
}
