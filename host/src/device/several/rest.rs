//! What several places do not share: what is not cut into tasks is done by one of them, a GPU if there is one.

use super::Several;
use crate::base::control::Watch;
use crate::base::error::Result;
use crate::operators::Backend;
use crate::operators::closure::{ClosureOperator, LoadedGraph};
use crate::operators::components::{Components, ComponentsOperator};
use crate::operators::join::{Join, JoinOperator};
use crate::operators::relations::{Relations, RelationsOperator};
use crate::plan::cost::{BackendKind, Figures};
use crate::plan::join::KeyColumn;
use crate::read::edges::Graph;
use hyperblock_shared::layout::ScoredPair;
use std::sync::Arc;

impl Several {
    /// The place that does what is not shared.
    fn one(&self) -> &dyn Backend {
        // The threads of a CPU place are for its tasks alone: what is not shared is done by all that there are.
        let gpu = self.places.iter().find(|place| place.device.kind() == BackendKind::Cuda);
        &*gpu.unwrap_or(&self.places[0]).device
    }
}

impl Backend for Several {
    fn name(&self) -> String {
        self.places.iter().map(|place| place.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn kind(&self) -> BackendKind {
        self.one().kind()
    }

    fn figures(&self) -> Option<Figures> {
        self.one().figures()
    }

    fn has_cpu_beside(&self) -> bool {
        self.places.iter().any(|place| place.is_beside(self.kind()))
    }

    /// A task may be dealt to any place.
    fn memory_for_columns(&self) -> Result<u64> {
        let bytes = self.places.iter().map(|place| place.device.memory_for_columns());
        bytes.collect::<Result<Vec<_>>>().map(|bytes| bytes.into_iter().min().unwrap_or(u64::MAX))
    }

    /// Of the place that used most: several of one GPU tell of all of it.
    fn peak_memory(&self) -> Option<u64> {
        self.places.iter().filter_map(|place| place.device.peak_memory()).max()
    }

    fn watch(&self, watch: Option<Arc<Watch>>) {
        self.places.iter().for_each(|place| place.device.watch(watch.clone()));
    }
}

impl ComponentsOperator for Several {
    fn load_components<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        self.one().load_components(n_records, pairs)
    }

    fn load_matrix<'a>(
        &'a self,
        n_records: u32,
        pairs: &'a [ScoredPair],
    ) -> Result<Box<dyn Components + 'a>> {
        self.one().load_matrix(n_records, pairs)
    }
}

impl JoinOperator for Several {
    fn load_join<'a>(
        &'a self,
        left: KeyColumn<'a>,
        right: Option<KeyColumn<'a>>,
    ) -> Result<Box<dyn Join + 'a>> {
        self.one().load_join(left, right)
    }
}

impl RelationsOperator for Several {
    fn relations(&self) -> Box<dyn Relations + '_> {
        self.one().relations()
    }
}

impl ClosureOperator for Several {
    fn load_graph<'a>(&'a self, graph: &'a Graph) -> Result<Box<dyn LoadedGraph + 'a>> {
        self.one().load_graph(graph)
    }
}
