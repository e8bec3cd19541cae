//! Graphs as files: an edge a line, or the first two columns of a table.
//!
//! Nodes are integers or, where some are not integers as one writes them (`007`, `+7`), text; they are numbered in the order
//! of their names, so that tuples in order are rows in order. A list of integers is parsed by all threads. What does not look like
//! one is gone through line by line, which is slower, and can tell what is wrong.

mod lines;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::read::table::{
    BYTE_ORDER_MARK, Batches, Format, IdSource, ReadOptions, Source, Table, plain_integer,
};
use arrow_array::Array;
use hashbrown::HashMap;
use hyperblock_shared::relation::tuple;
use rayon::prelude::*;
use std::path::Path;

/// Fewer nodes than this: kernels keep a bit beside a node's number.
const MOST_NODES: usize = 1 << 31;

/// A directed graph. An edge, like any pair of nodes, is a *tuple*: the source in the upper 32 bits, the
/// target in the lower.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes are numbers below this one; fewer than 2^31.
    pub n_nodes: u32,
    /// Ascending, each once.
    pub edges: Vec<u64>,
}

/// A graph as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeList {
    /// The graph.
    pub graph: Graph,
    /// What its nodes are called.
    pub names: Names,
    /// Edges in the file, repeated ones included.
    pub n_lines: u64,
}

/// Names by node, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// All are integers.
    Integers(Vec<i64>),
    /// At least one is not.
    Texts(Vec<String>),
}

impl EdgeList {
    /// Reads the file at `path`: lines of two fields, or a Parquet or Arrow table. With `header`, the first
    /// line is no edge. What is packed may unpack to `most_unpacked` bytes ([`ReadOptions::most_unpacked`]).
    pub fn read(path: &Path, header: bool, most_unpacked: Option<u64>, control: &Control) -> Result<Self> {
        let source = Source::open(path, most_unpacked, control)?;
        let path = source.path();
        if source.len() == 0 {
            return Err(no_edges(path));
        }
        if Format::of(&source)?.is_some() {
            return Self::of_table(&source, most_unpacked, control);
        }
        if source.starts_with(&[0xff, 0xfe])? || source.starts_with(&[0xfe, 0xff])? {
            return Err(Error::table(path, "the file is UTF-16; convert it to UTF-8 first"));
        }
        let start = if source.starts_with(BYTE_ORDER_MARK)? { BYTE_ORDER_MARK.len() } else { 0 };
        if let Some(pairs) = lines::integers(&source, start as u64, header, control)? {
            return Self::of_integers(path, &pairs);
        }
        let bytes = source.whole(control)?;
        Self::of_named(path, "line", &lines::fields(path, &bytes[start..], header)?)
    }

    /// The first two columns of a table in memory.
    pub fn of_batches(batches: &Batches, control: &Control) -> Result<Self> {
        let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
        let all: Vec<&str> = batches.schema().fields().iter().map(|field| field.name().as_str()).collect();
        let [source, target, ..] = all[..] else {
            return Err(Error::table(batches.name(), "an edge has two columns, source and target"));
        };
        let table = Table::of_batches(batches, &options, &|name| name == source || name == target, control)?;
        let (sources, targets) = (table.singles(0)?, table.singles(1)?);
        let named = |row: usize| {
            if sources.is_null(row) || targets.is_null(row) {
                return Err(Error::table(batches.name(), format!("row {}: the node is missing", row + 1)));
            }
            let (source, target) = (sources.value(row).into(), targets.value(row).into());
            Ok(lines::Fields { line: row as u64 + 1, source, target })
        };
        let rows = (0..sources.len()).map(named).collect::<Result<Vec<_>>>()?;
        Self::of_named(batches.name(), "row", &rows)
    }

    /// The first two columns of a table.
    fn of_table(source: &Source, most_unpacked: Option<u64>, control: &Control) -> Result<Self> {
        let (path, file) = (source.path(), source);
        let options = ReadOptions { id: IdSource::RowNumbers, most_unpacked, ..ReadOptions::default() };
        let schema = Table::of(file, &options, &|_| false, control)?.schema;
        let [source, target, ..] = &schema.columns[..] else {
            return Err(Error::table(path, "an edge has two columns, source and target; this table has one"));
        };
        let table = Table::of(file, &options, &|name| name == source.name || name == target.name, control)?;
        let (sources, targets) = (table.singles(0)?, table.singles(1)?);
        let named = |row: usize| {
            for (column, values) in [(source, sources), (target, targets)] {
                if values.is_null(row) {
                    let message = format!("row {}, column `{}`: the node is missing", row + 1, column.name);
                    return Err(Error::table(path, message));
                }
            }
            let (source, target) = (sources.value(row).into(), targets.value(row).into());
            Ok(lines::Fields { line: row as u64 + 1, source, target })
        };
        let rows = (0..sources.len()).map(named).collect::<Result<Vec<_>>>()?;
        Self::of_named(path, "row", &rows)
    }

    /// Of nodes that may be integers, or not; `place` is what they are numbered by in the file.
    fn of_named(path: &Path, place: &str, all: &[lines::Fields<'_>]) -> Result<Self> {
        let integer = |fields: &lines::Fields<'_>| {
            Some((plain_integer(&fields.source)?, plain_integer(&fields.target)?))
        };
        if let Some(pairs) = all.iter().map(integer).collect::<Option<Vec<_>>>() {
            return Self::of_integers(path, &pairs);
        }
        if let [first, rest @ ..] = all
            && place == "line"
            && !rest.is_empty()
            && [&first.source, &first.target].iter().all(|name| name.parse::<i64>().is_err())
            && rest.iter().all(|fields| integer(fields).is_some())
        {
            let message = format!(
                "line {}: `{}` and `{}` are no integers, and all other nodes are; \
                 if they are a header, use --header",
                first.line, first.source, first.target
            );
            return Err(Error::table(path, message));
        }
        let mut names: Vec<&str> = all.iter().flat_map(|fields| [&*fields.source, &*fields.target]).collect();
        names.par_sort_unstable();
        names.dedup();
        check_size(path, names.len(), all.len())?;
        let numbers: HashMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let edges = all.iter().map(|fields| tuple(numbers[&*fields.source], numbers[&*fields.target]));
        let graph = graph(names.len(), edges.collect());
        let names = Names::Texts(names.into_iter().map(str::to_owned).collect());
        Ok(Self { graph, names, n_lines: all.len() as u64 })
    }

    fn of_integers(path: &Path, pairs: &[(i64, i64)]) -> Result<Self> {
        let all = || pairs.iter().flat_map(|(source, target)| [*source, *target]);
        let (Some(least), Some(most)) = (all().min(), all().max()) else { return Err(no_edges(path)) };
        let n_apart = most.abs_diff(least);
        let (names, edges): (Vec<i64>, Vec<u64>) = if n_apart < 16 * pairs.len() as u64 {
            // Names are close together: a bit for each that may be there.
            let mut seen = vec![0u64; n_apart as usize / 64 + 1];
            let at = |name: i64| name.wrapping_sub(least) as usize;
            all().for_each(|name| seen[at(name) / 64] |= 1 << (at(name) % 64));
            let mut n_before = 0;
            let before: Vec<u32> = seen
                .iter()
                .map(|word| {
                    n_before += word.count_ones();
                    n_before - word.count_ones()
                })
                .collect();
            let number = |name: i64| {
                let (word, bit) = (at(name) / 64, at(name) % 64);
                before[word] + (seen[word] & ((1 << bit) - 1)).count_ones()
            };
            let name = |ix: usize| least.wrapping_add(ix as i64);
            let is_there = |ix: &usize| seen[ix / 64] >> (ix % 64) & 1 == 1;
            let names = (0..n_apart as usize + 1).filter(is_there).map(name).collect();
            (names, pairs.par_iter().map(|it| tuple(number(it.0), number(it.1))).gather())
        } else {
            let mut names: Vec<i64> = all().collect();
            names.par_sort_unstable();
            names.dedup();
            let number = |name: i64| names.partition_point(|other| *other < name) as u32;
            let edges = pairs.par_iter().map(|it| tuple(number(it.0), number(it.1))).gather();
            (names, edges)
        };
        check_size(path, names.len(), pairs.len())?;
        let graph = graph(names.len(), edges);
        Ok(Self { graph, names: Names::Integers(names), n_lines: pairs.len() as u64 })
    }
}

fn graph(n_nodes: usize, mut edges: Vec<u64>) -> Graph {
    if !edges.is_sorted() {
        edges.par_sort_unstable();
    }
    edges.dedup();
    Graph { n_nodes: n_nodes as u32, edges }
}

fn check_size(path: &Path, n_nodes: usize, n_edges: usize) -> Result<()> {
    if n_nodes == 0 {
        return Err(no_edges(path));
    }
    if n_nodes >= MOST_NODES || n_edges >= u32::MAX as usize {
        let message =
            format!("{n_nodes} nodes and {n_edges} edges; a graph has fewer than 2^31 nodes and 2^32 edges");
        return Err(Error::table(path, message));
    }
    Ok(())
}

fn no_edges(path: &Path) -> Error {
    Error::table(path, "there are no edges in the file; a line is a source and a target")
}

#[cfg(test)]
mod tests;
