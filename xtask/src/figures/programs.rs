//! Other programs as they are drawn: bars that are named, so those that share a colour are told apart. Ours is blue.

use super::colours::{BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, Variant, YELLOW, variant};

pub(super) const ALL: [Variant; 14] = [
    variant("hyperblock", "hyperblock", BLUE, "o"),
    variant("hyperblock-cuda", "hyperblock, GPU", SKY, "s"),
    variant("duckdb", "DuckDB", ORANGE, "^"),
    variant("polars", "Polars", GREEN, "D"),
    variant("rapidfuzz", "rapidfuzz", VERMILION, "v"),
    variant("stringzilla", "StringZilla", INK, "x"),
    variant("splink", "Splink", PURPLE, "P"),
    variant("recordlinkage", "recordlinkage", YELLOW, "*"),
    variant("dedupe", "dedupe", ORANGE, "X"),
    variant("py_stringsimjoin", "py_stringsimjoin", VERMILION, "<"),
    variant("SetSimilaritySearch", "SetSimilaritySearch", PURPLE, ">"),
    variant("datasketch", "datasketch", YELLOW, "h"),
    variant("scipy", "scipy", ORANGE, "p"),
    variant("networkit", "NetworKit", GREEN, "H"),
];
