//! A path, archived: the form that backends walk, on the device too, where it lies.

use super::layout::Step;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use hyperblock_shared::path::{self, FORGOTTEN, Path, Walk};
use hyperblock_shared::predicate::{Measure, Predicate, Test};
use rkyv::util::AlignedVec;

/// The steps of a path, and the predicates of the encoding that it is walked over. What a plan calls a test of equality is a
/// shorter step here.
#[derive(Debug)]
pub struct Program(AlignedVec);

impl Program {
    pub(super) fn new(encoded: &Encoded, steps: &[Step]) -> Result<Self> {
        let lowered = |step: &Step| match *step {
            Step::Test { predicate, otherwise, bit } => match encoded.predicates[predicate as usize] {
                Predicate {
                    test: Test::Compare { left, right, measure: Measure::Equal },
                    negated: false,
                } => path::Step::Equal { left, right, otherwise },
                _ => path::Step::Test { predicate, otherwise, bit },
            },
            Step::Witness { rule, then } => path::Step::Witness { rule, then },
        };
        let steps = &steps.iter().map(lowered).collect::<Vec<_>>();
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
