//! Graphs, beside the way of the tables: the transitive closure of edges, in pieces, and what it took.

pub mod closure;
pub mod report;
