//! A path, archived: the form that backends walk, on the device too, where it lies.

use crate::encode::Encoded;
use crate::error::{Error, Result};
use hyperblock_shared::path::{FORGOTTEN, Path, Step, Walk};
use rkyv::util::AlignedVec;

/// The steps of a path, and the predicates of the encoding that it is walked over.
#[derive(Debug)]
pub struct Program(AlignedVec);

impl Program {
    pub(super) fn new(encoded: &Encoded, steps: &[Step]) -> Result<Self> {
        rkyv::to_bytes::<rkyv::rancor::Error>(&Path { predicates: &encoded.predicates, steps })
            .map(Self)
            .map_err(|error| Error::Internal(format!("the path cannot be archived: {error}")))
    }

    /// One predicate and no witness, to see what it costs: what a candidate costs is no cost of the predicate's.
    pub fn of_one(encoded: &Encoded, predicate: u32) -> Result<Self> {
        Self::new(encoded, &[Step::Test { predicate, otherwise: u32::MAX, bit: FORGOTTEN }])
    }

    /// Ready to be walked.
    pub fn walk(&self) -> Result<Walk<'_>> {
        rkyv::access::<rkyv::Archived<Path<'_>>, rkyv::rancor::Error>(&self.0)
            .map(|path| path.walk())
            .map_err(|error| Error::Internal(format!("the path's archive is damaged: {error}")))
    }

    /// The bytes, for a device to read in place.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
