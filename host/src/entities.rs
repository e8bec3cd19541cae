//! From candidates to entities: scores, the estimation of their weights, and clusters.

pub mod cluster;
pub mod em;
pub mod score;
