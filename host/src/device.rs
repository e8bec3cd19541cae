//! Devices: the backends that carry operators out, and who opens them.
//!
//! [`open`] is the one place that knows the backends by name; everything else is handed a
//! [`Backend`](crate::operators::Backend).

pub mod cpu;
pub mod cuda;
mod open;

pub use cuda::{GpuDescription, gpus};
pub use open::{DeviceChoice, always_there, open};
