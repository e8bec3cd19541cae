//! From candidates to entities: scores, the estimation of their weights, clusters, and ids that survive.

pub mod cluster;
pub mod em;
pub mod score;
pub mod survival;
