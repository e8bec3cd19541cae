//! Reading: files of tables, of pairs and of edges, as columns, ids and numbers; the sources of records,
//! and the entities that they were in.

pub mod edges;
pub mod pairs;
pub mod previous;
pub mod sources;
pub mod table;
