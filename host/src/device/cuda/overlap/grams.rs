//! The q-grams of a column of texts, numbered on the GPU by the kernels of `device::elements`.

use crate::base::error::Result;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::listing::{Source, upper_bits};
use crate::device::cuda::relation::SortBuffers;
use cudarc::driver::CudaSlice;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::grams::GramWords;
use hyperblock_shared::layout::{DeviceAtomics, DeviceGrams, n_sum_tiles};
use hyperblock_shared::relation::n_slots_for;

/// How full a table of q-grams may be, in percent.
const LOAD: u32 = 50;
/// Values that are longer are left to the host: for each q-gram those before it are looked at.
const LONGEST: u32 = 1 << 13;
/// Q-grams at most: their slots have numbers of 32 bits, with half of them empty.
const MOST: usize = 1 << 30;
/// Bytes that a q-gram takes on the way: two slots with a number each, where it is, a word and room to sort it, an element.
const BYTES_PER_GRAM: u64 = 4 * (8 + 4) + 4 + 16 + 4;

/// Elements that are not those of a column.
pub(super) struct MadeElements {
    /// By code, and one more.
    pub(super) starts: CudaSlice<u32>,
    pub(super) elements: CudaSlice<u32>,
    pub(super) n_elements: u32,
}

/// The elements of all values, if there is room to make them here.
pub(super) fn made(source: &Source<'_>, texts: u32, q: u32) -> Result<Option<MadeElements>> {
    let (gpu, slices) = (source.gpu, Slices(source.gpu));
    let launches = gpu.element_launches()?;
    let column = source.encoded.texts(texts);
    let longest = source.encoded.texts[texts as usize].longest;
    let words = GramWords::new(column.bits, q, longest).filter(|_| longest <= LONGEST);
    let Some(GramWords { nth_bits, .. }) = words else { return Ok(None) };
    let n_values = column.heads.len();
    let starts = gpu.zeros::<u32>(n_values + 1)?;
    let n_used = gpu.zeros::<u32>(1)?;
    let none = DeviceGrams {
        columns: source.columns.root,
        starts: slices.of(&starts).atomic(),
        slots: DeviceAtomics::NOTHING,
        numbers: DeviceAtomics::NOTHING,
        found: DeviceAtomics::NOTHING,
        words: DeviceAtomics::NOTHING,
        n_words: slices.of(&n_used).cell(0),
        elements: DeviceAtomics::NOTHING,
        texts,
        q,
        nth_bits,
        padding: 0,
    };
    launches.counts(none)?;
    let tiles = gpu.zeros::<u32>(n_sum_tiles(n_values as u64 + 1) as usize + 1)?;
    gpu.relation_launches()?.sums(slices.of(&starts), slices.of(&tiles))?;
    let mut n_grams = [0];
    gpu.download(&tiles.slice(tiles.len() - 1..), &mut n_grams)?;
    let n = n_grams[0] as usize;
    let n_bytes = n as u64 * BYTES_PER_GRAM + SortBuffers::n_bytes(n as u64);
    // Sums of more than 32 bits would not be seen here: estimates have no job make so many (`Sampled::all`).
    if n > MOST || n_bytes > gpu.half_of_free()? {
        return Ok(None);
    }
    let n_slots = n_slots_for(n as u64, LOAD) as usize;
    let mut slots = gpu.room::<u64>(n_slots)?;
    gpu.fill_with_ones(&mut slots)?;
    let (numbers, found) = (gpu.zeros::<u32>(n_slots)?, gpu.room::<u32>(n)?);
    let with_table = DeviceGrams {
        slots: slices.of(&slots).atomic(),
        numbers: slices.of(&numbers).atomic(),
        found: slices.first(&found, n).atomic(),
        ..none
    };
    launches.number(with_table)?;
    drop(slots);
    let mut words = gpu.room::<u64>(n)?;
    let mut buffers = SortBuffers::new(gpu, n)?;
    let with_words = |grams: DeviceGrams, words: &_, n: usize| DeviceGrams {
        words: slices.first(words, n).atomic(),
        slots: DeviceAtomics::NOTHING,
        ..grams
    };
    launches.used(with_words(with_table, &words, n))?;
    let mut n_elements = [0];
    gpu.download(&n_used, &mut n_elements)?;
    let n_different = n_elements[0] as usize;
    // From the rarest on.
    gpu.sort(&mut words, n_different, &[upper_bits(n_values as u32 + 1)], &mut buffers)?;
    launches.rank(with_words(with_table, &words, n_different))?;
    launches.place(with_words(with_table, &words, n))?;
    let by_number = 0..u32::BITS - (n_different.saturating_sub(1) as u32).leading_zeros();
    gpu.sort(&mut words, n, &[by_number, upper_bits(n_values as u32)], &mut buffers)?;
    let elements = gpu.room::<u32>(n)?;
    launches
        .take(DeviceGrams { elements: slices.first(&elements, n).atomic(), ..with_words(none, &words, n) })?;
    Ok(Some(MadeElements { starts, elements, n_elements: n_elements[0] }))
}
