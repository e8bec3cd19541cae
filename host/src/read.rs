//! Reading: files of tables, of pairs and of edges, as columns, ids and numbers.

pub mod edges;
pub mod pairs;
pub mod table;
