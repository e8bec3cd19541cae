//! A side of an overlap join on its way to the device: with its own elements alone, unless all of them are there already.

use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::device::cuda::columns::Upload;
use hyperblock_shared::layout::{DeviceSlice, DeviceValues, WideSignature};
use hyperblock_shared::overlap::{OverlapSide, Value};
use rayon::prelude::*;
use std::borrow::Cow;

/// Values that a thread copies at a time.
const BATCH: usize = 1 << 12;

/// The values of a side, whose elements stand one after the other; or those of all values do, on the device.
pub(super) struct Gathered<'a> {
    values: Cow<'a, [Value]>,
    signatures: Vec<WideSignature>,
    elements: Elements,
}

enum Elements {
    Own(Vec<u32>),
    There(DeviceSlice<u32>),
}

impl<'a> Gathered<'a> {
    /// A side whose elements may be on the device.
    pub(super) fn new(side: &OverlapSide<'a>, there: Option<DeviceSlice<u32>>) -> Self {
        let signatures = side.signatures.par_iter().map(|&signature| WideSignature(signature)).gather();
        match there {
            Some(there) => {
                Self { values: Cow::Borrowed(side.values), signatures, elements: Elements::There(there) }
            }
            None => {
                let (values, elements) = own(side);
                Self { values: Cow::Owned(values), signatures, elements: Elements::Own(elements) }
            }
        }
    }

    /// Without classes and bounds.
    pub(super) fn upload(&self, upload: &mut Upload<'_>) -> Result<DeviceValues> {
        Ok(DeviceValues {
            values: upload.words(&self.values)?,
            signatures: upload.words(&self.signatures)?,
            elements: match &self.elements {
                Elements::Own(elements) => upload.halves(elements)?,
                Elements::There(there) => *there,
            },
            classes: DeviceSlice::NOTHING,
            bounds: DeviceSlice::NOTHING,
        })
    }
}

/// A side's values and their elements alone.
fn own(side: &OverlapSide<'_>) -> (Vec<Value>, Vec<u32>) {
    let mut n_elements = 0;
    let value = |value: &Value| {
        let start = n_elements;
        n_elements += side.classes[value.class as usize].len;
        Value { start, ..*value }
    };
    let values: Vec<Value> = side.values.iter().map(value).collect();
    let mut elements = vec![0; n_elements as usize];
    // Each batch of values has a piece of the elements.
    let mut pieces = Vec::new();
    let mut rest = &mut elements[..];
    for (nth, batch) in values.chunks(BATCH).enumerate() {
        let next = values.get((nth + 1) * BATCH).map_or(n_elements, |value| value.start);
        let (piece, others) = rest.split_at_mut((next - batch[0].start) as usize);
        pieces.push((nth * BATCH, piece));
        rest = others;
    }
    pieces.into_par_iter().for_each(|(first, piece)| {
        let mut at = 0;
        for item in first..side.values.len().min(first + BATCH) {
            let own = side.elements(item as u32);
            piece[at..at + own.len()].copy_from_slice(own);
            at += own.len();
        }
    });
    (values, elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperblock_shared::overlap::{Class, Signature};

    /// Values whose elements lie anywhere, with lengths by class.
    #[test]
    fn a_side_has_its_own_elements_alone() {
        let elements: Vec<u32> = (0..100_000).collect();
        let classes = [
            Class { len: 3, prefix: 2, ..Class::default() },
            Class { len: 70, prefix: 65, ..Class::default() },
        ];
        let values: Vec<Value> = (0..10_000u32)
            .map(|ix| Value { start: ix * 7919 % 90_000, class: u32::from(ix >= 9_000) })
            .collect();
        let signatures = vec![Signature::default(); values.len()];
        let side = OverlapSide {
            values: &values,
            signatures: &signatures,
            elements: &elements,
            classes: &classes,
            bounds: &[],
        };
        let (own_values, own_elements) = own(&side);
        assert_eq!(own_elements.len(), 9_000 * 3 + 1_000 * 70);
        let own = OverlapSide { values: &own_values, elements: &own_elements, ..side };
        for item in 0..values.len() as u32 {
            assert_eq!(own.elements(item), side.elements(item));
        }
    }
}
