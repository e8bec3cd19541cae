//! Values of overlap joins that are made on the GPU: elements, what lists say of them, and the values of blocks.

use super::BlockValues;
use super::grams::{self, MadeElements};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::{Slices, Upload};
use crate::device::cuda::launch::ElementLaunches;
use crate::device::cuda::listing::{List, Source, Words};
use crate::plan::overlap::{BlockTables, Grams, Lens, Sampled};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{
    DeviceAlike, DeviceAtomics, DeviceColumns, DeviceSlice, DeviceSliceMut, DeviceValued, DeviceValues,
};
use hyperblock_shared::overlap::Class;
use std::ops::Range;

/// The elements of all values, in device memory.
pub(in crate::device::cuda) struct DeviceElements {
    /// Which sets, if they are tokens.
    sets: u32,
    /// By code, and one more, if they are q-grams.
    starts: DeviceSlice<u32>,
    all: DeviceSlice<u32>,
    /// How many different ones there are.
    pub(in crate::device::cuda) n_elements: u32,
    _made: Option<MadeElements>,
}

impl DeviceElements {
    /// What elements are: tokens, which are there; or q-grams, which are numbered here, or by the host if there is no room.
    pub(in crate::device::cuda) fn new(source: &Source<'_>, of: Sampled, control: &Control) -> Result<Self> {
        let gpu = source.gpu;
        let (texts, q) = match of {
            Sampled::Tokens(sets) | Sampled::Cells(sets) => {
                let all = source.columns.tokens.get(sets as usize).copied();
                let all = all.ok_or_else(|| Error::Internal("tokens that are not there".into()))?;
                let n_elements = source.encoded.sets[sets as usize].n_tokens;
                return Ok(Self { sets, starts: DeviceSlice::NOTHING, all, n_elements, _made: None });
            }
            Sampled::Grams { texts, q } => (texts, q),
        };
        let made = match grams::made(source, texts, q)? {
            Some(made) => made,
            None => {
                let Grams { starts, elements, n_elements, .. } =
                    Grams::new(source.encoded, texts, q, control)?;
                MadeElements { starts: gpu.upload(&starts)?, elements: gpu.upload(&elements)?, n_elements }
            }
        };
        let slices = Slices(gpu);
        let (starts, all) = (slices.of(&made.starts), slices.of(&made.elements));
        Ok(Self { sets: 0, starts, all, n_elements: made.n_elements, _made: Some(made) })
    }
}

/// Lists whose values are joined.
pub(in crate::device::cuda) struct Listed<'a> {
    /// Left and right; of one list with itself, the same twice.
    pub(in crate::device::cuda) lists: [&'a List; 2],
    /// Whose values they are.
    pub(in crate::device::cuda) operands: [u32; 2],
    pub(in crate::device::cuda) elements: &'a DeviceElements,
}

impl<'a> BlockValues<'a> {
    /// The values of two blocks of lists.
    pub(in crate::device::cuda) fn made(
        gpu: &'a Cuda,
        columns: DeviceColumns,
        listed: &Listed<'_>,
        block: &BlockTables,
    ) -> Result<Self> {
        let mut upload = Upload::new(gpu);
        let mut held = Vec::new();
        let (blocks, overlap) = (&block.blocks, block.borrow());
        let [indexed, probing] = if blocks.is_left_indexed { [0, 1] } else { [1, 0] };
        let mut side = |side: usize, items: &Range<u32>, classes: &[Class]| -> Result<DeviceValues> {
            let (slices, n) = (Slices(gpu), items.len());
            let (values, signatures) = (gpu.room::<u64>(n)?, gpu.room::<u64>(4 * n)?);
            let on_device = DeviceValues {
                values: slices.first(&values, n).of(),
                signatures: slices.first(&signatures, 4 * n).of(),
                elements: listed.elements.all,
                classes: upload.words(classes)?,
                bounds: DeviceSlice::NOTHING,
            };
            let list = listed.lists[side].items;
            gpu.element_launches()?.values(DeviceValued {
                columns,
                grams: listed.elements.starts,
                elements: listed.elements.all,
                starts: list.starts,
                records: list.records,
                classes: on_device.classes,
                values: slices.first(&values, n).atomic(),
                signatures: slices.first(&signatures, 4 * n).atomic(),
                operand: listed.operands[side],
                sets: listed.elements.sets,
                first: items.start,
                padding: 0,
            })?;
            held.extend([values, signatures]);
            Ok(on_device)
        };
        let of_indexed = side(indexed, &blocks.indexed, overlap.indexed.classes)?;
        let of_probing = match blocks.is_self {
            true => of_indexed,
            false => side(probing, &blocks.probing, overlap.probing.classes)?,
        };
        Ok(Self { sides: [of_indexed, of_probing], upload, held })
    }
}

impl Cuda {
    pub(in crate::device::cuda) fn element_launches(&self) -> Result<ElementLaunches<'_>> {
        Ok(ElementLaunches { gpu: self, kernels: self.kernels.load_elements(&self.context, &self.name)? })
    }

    /// The lengths of a list's items.
    pub(in crate::device::cuda) fn lens(&self, list: &List) -> Result<Lens> {
        let (slices, n_items) = (Slices(self), list.n_items);
        let (words, n_words) = (self.room::<u64>(n_items as usize)?, self.zeros::<u32>(1)?);
        self.element_launches()?.runs(DeviceAlike {
            words: slices.first(&words, n_items as usize).to_write(),
            ..self.nothing_alike(list, &n_words)
        })?;
        let mut n_runs = [0];
        self.download(&n_words, &mut n_runs)?;
        let mut runs = vec![0u64; n_runs[0] as usize];
        if !runs.is_empty() {
            self.download(&words.slice(..runs.len()), &mut runs)?;
        }
        let runs = runs.into_iter().map(|word| (word as u32, (word >> 32) as u32)).collect();
        Lens::of_runs(runs, n_items).ok_or_else(|| Error::Internal("runs that are none of a list".into()))
    }

    /// Of a list whose items are values of more than so many symbols or tokens: how many records share theirs, and how many
    /// pairs those are.
    pub(in crate::device::cuda) fn same(&self, list: &List, longest_swept: u32) -> Result<[u64; 2]> {
        let (totals, n_words) = (self.zeros::<u64>(2)?, self.zeros::<u32>(1)?);
        self.element_launches()?.same(DeviceAlike {
            totals: Slices(self).of(&totals).atomic(),
            longest_swept,
            ..self.nothing_alike(list, &n_words)
        })?;
        let mut sums = [0; 2];
        self.download(&totals, &mut sums)?;
        Ok(sums)
    }

    /// Those records with their items, to be joined or to be swept. There must be so many.
    pub(in crate::device::cuda) fn shared(
        &self,
        list: &List,
        longest_swept: u32,
        n: usize,
        is_joined: bool,
    ) -> Result<Words> {
        let (array, n_words) = (self.room::<u64>(n)?, self.zeros::<u32>(1)?);
        self.element_launches()?.shared(DeviceAlike {
            words: Slices(self).first(&array, n).to_write(),
            longest_swept,
            is_joined: is_joined.into(),
            ..self.nothing_alike(list, &n_words)
        })?;
        Ok(Words { array, n })
    }

    /// A list, and nothing to say of it yet.
    fn nothing_alike(&self, list: &List, n_words: &CudaSlice<u32>) -> DeviceAlike {
        DeviceAlike {
            lens: list.items.lens,
            starts: list.items.starts,
            records: list.items.records,
            words: DeviceSliceMut::NOTHING,
            n_words: Slices(self).of(n_words).cell(0),
            totals: DeviceAtomics::NOTHING,
            longest_swept: 0,
            is_joined: 0,
        }
    }
}
