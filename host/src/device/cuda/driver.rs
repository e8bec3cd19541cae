//! What the driver says of itself: whether it is there, which GPUs it knows, and what went wrong.

#![expect(unsafe_code, reason = "asking whether the driver library can be loaded is an unsafe call")]

use crate::base::error::Error;
use crate::plan::cost::Figures;
use bytemuck::Pod;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtrMut, DeviceRepr, DriverError, UnifiedSlice,
    result, sys,
};
use std::sync::Arc;
use sys::CUdevice_attribute::{
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE as CLOCK, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH as BUS_WIDTH,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE as MEMORY_CLOCK,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as MULTIPROCESSORS,
};

/// One GPU, as the driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuDescription {
    /// Its model.
    pub name: String,
    /// Its compute capability.
    pub capability: (i32, i32),
    /// Its memory in bytes.
    pub memory: u64,
}

/// All GPUs, or why there are none.
pub fn gpus() -> Result<Vec<GpuDescription>, String> {
    // SAFETY: only tries to open the driver's library; every other call would panic without it.
    if !unsafe { sys::is_culib_present() } {
        return Err("the NVIDIA driver is not installed (no libcuda); install it, or use --device cpu".into());
    }
    let said = |error: DriverError| format!("the NVIDIA driver is installed but says: {}", describe(error));
    result::init().map_err(said)?;
    let count = CudaContext::device_count().map_err(said)?;
    if count == 0 {
        return Err("the NVIDIA driver is installed but there is no GPU".into());
    }
    (0..count)
        .map(|ordinal| {
            let device = result::device::get(ordinal).map_err(said)?;
            // SAFETY: `device` is a handle that the driver just gave.
            let attribute = |which| unsafe { result::device::get_attribute(device, which) }.map_err(said);
            // SAFETY: `device` is a handle that the driver just gave.
            let memory = unsafe { result::device::total_mem(device) }.map_err(said)? as u64;
            Ok(GpuDescription {
                name: result::device::get_name(device).map_err(said)?,
                capability: (attribute(MAJOR)?, attribute(MINOR)?),
                memory,
            })
        })
        .collect()
}

/// What a GPU has. Newer drivers do not know clocks, and none of it is worth an error.
pub(super) fn figures(context: &CudaContext) -> Figures {
    let attribute = |which| context.attribute(which).ok().and_then(|is| u64::try_from(is).ok()).unwrap_or(0);
    let number = |number: u64| u32::try_from(number).unwrap_or(0);
    // Kilohertz and bits; memory sends twice in a period.
    let bytes_per_ms = 2 * attribute(MEMORY_CLOCK) * attribute(BUS_WIDTH) / 8;
    Figures {
        multiprocessors: number(attribute(MULTIPROCESSORS)),
        clock_mhz: number(attribute(CLOCK) / 1000),
        bandwidth_gb_s: number((bytes_per_ms + 500_000) / 1_000_000),
    }
}

/// Has the driver keep memory that was freed, for the next scan of this process: giving it back and asking again takes
/// longer than many scans.
pub(super) fn keep_memory(context: &CudaContext) -> Result<(), DriverError> {
    let mut pool = std::ptr::null_mut();
    let mut threshold = u64::MAX;
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the context's device is there; the pool is written before it is read, and the attribute is 64 bits.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&mut pool, context.cu_device()).result()?;
        sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()).result()
    }
}

/// The bytes that the driver keeps for this process, and those of them that are used.
pub(super) fn kept_and_used(context: &CudaContext) -> Result<[u64; 2], DriverError> {
    let kept = of_memory(context, sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
    let used = of_memory(context, sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
    Ok([kept, used])
}

/// The most bytes that were used at once.
pub(super) fn most_used(context: &CudaContext) -> Result<u64, DriverError> {
    of_memory(context, sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH)
}

fn of_memory(context: &CudaContext, which: sys::CUmemPool_attribute) -> Result<u64, DriverError> {
    let (mut pool, mut n_bytes) = (std::ptr::null_mut(), 0u64);
    // SAFETY: the context's device is there; the pool is written before it is read, and the attribute is 64 bits.
    unsafe {
        sys::cuDeviceGetDefaultMemPool(&mut pool, context.cu_device()).result()?;
        sys::cuMemPoolGetAttribute(pool, which, (&raw mut n_bytes).cast()).result()?;
    }
    Ok(n_bytes)
}

/// Memory for so many elements, with whatever was left there.
pub(super) fn room<T: Pod + DeviceRepr>(
    stream: &Arc<CudaStream>,
    len: usize,
) -> Result<CudaSlice<T>, DriverError> {
    // SAFETY: any bits are a `T`.
    unsafe { stream.alloc(len) }
}

/// Memory that host and device both see, for so many elements; a page moves to who looks at it.
pub(super) fn unified<T: Pod + DeviceRepr>(
    context: &Arc<CudaContext>,
    len: usize,
) -> Result<UnifiedSlice<T>, DriverError> {
    context.bind_to_thread()?;
    // SAFETY: any bits are a `T`.
    unsafe { context.alloc_unified(len, true) }
}

/// Memory of the host that a device copies to by itself.
#[derive(Debug)]
pub(super) struct Pinned {
    address: *mut u8,
    n_bytes: usize,
    context: Arc<CudaContext>,
}

// SAFETY: it is memory as any other, and whoever has this owns it.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn new(context: &Arc<CudaContext>, n_bytes: usize) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: the flags ask for nothing special, and so memory that the host caches.
        let address = unsafe { result::malloc_host(n_bytes, 0) }?.cast::<u8>();
        // SAFETY: the driver just gave so many bytes.
        unsafe { address.write_bytes(0, n_bytes) };
        Ok(Self { address, n_bytes, context: context.clone() })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are there until this is dropped, were written when it was made, and nothing is on its way to
        // them: what is has this within a `Flight`.
        unsafe { std::slice::from_raw_parts(self.address, self.n_bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else has this.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.n_bytes) }
    }

    /// Begins to copy so many bytes from an address on the device to the first of these.
    pub(super) fn received(
        mut self,
        stream: &CudaStream,
        from: u64,
        n_bytes: usize,
    ) -> Result<Flight, DriverError> {
        stream.context().bind_to_thread()?;
        let bytes = &mut self.bytes_mut()[..n_bytes];
        // SAFETY: who calls this holds the array at that address, and the buffer stays until the flight has landed.
        unsafe { result::memcpy_dtoh_async(bytes, from, stream.cu_stream()) }?;
        Flight::new(self, stream)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = self.context.bind_to_thread();
        // SAFETY: it came from `malloc_host`, and nothing is on its way to it.
        let _ = unsafe { result::free_host(self.address.cast()) };
    }
}

/// A buffer that something is on its way to: nobody looks at it until then.
pub(super) struct Flight {
    buffer: Option<Pinned>,
    end: CudaEvent,
}

impl Flight {
    fn new(buffer: Pinned, stream: &CudaStream) -> Result<Self, DriverError> {
        let end = stream.record_event(None);
        if end.is_err() {
            // What was begun has no end to wait for but the stream's.
            let _ = stream.synchronize();
        }
        Ok(Self { buffer: Some(buffer), end: end? })
    }

    /// Waits until it is there.
    pub(super) fn landed(mut self) -> Result<Pinned, DriverError> {
        self.end.synchronize()?;
        // It is taken here alone, and this is the end of it.
        self.buffer.take().ok_or(DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE))
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if self.buffer.is_some() {
            let _ = self.end.synchronize();
        }
    }
}

/// Copies from an address on the device, where there are as many bytes, and waits for it.
pub(super) fn copy_back(stream: &CudaStream, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
    stream.context().bind_to_thread()?;
    // SAFETY: who calls this holds the array at that address, and the copy is over before this returns.
    unsafe { result::memcpy_dtoh_async(to, from, stream.cu_stream()) }?;
    stream.synchronize()
}

/// Sets all bits of an array.
pub(super) fn fill_with_ones<T: Pod>(
    stream: &CudaStream,
    array: &mut impl DevicePtrMut<T>,
) -> Result<(), DriverError> {
    stream.context().bind_to_thread()?;
    let n_bytes = array.num_bytes();
    let (address, _written) = array.device_ptr_mut(stream);
    // SAFETY: the array has so many bytes, is borrowed mutably, and any bits are a `T`.
    unsafe { result::memset_d8_async(address, 0xff, n_bytes, stream.cu_stream()) }
}

/// An error of ours for one of the driver's.
pub(super) fn failed(device: &str, doing: &str, error: DriverError) -> Error {
    Error::Driver { device: device.to_owned(), doing: doing.to_owned(), reason: describe(error) }
}

pub(super) fn is_out_of_memory(error: DriverError) -> bool {
    error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY
}

fn describe(error: DriverError) -> String {
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    match (name, text) {
        (Ok(name), Ok(text)) => format!("{text} ({name})"),
        _ => format!("error {}", error.0 as u32),
    }
}
