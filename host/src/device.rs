//! Devices: the backends that carry operators out, and who opens them.
//!
//! Several places are one device to everything else ([`Several`]). [`open`] is the one place that knows the backends by name;
//! everything else is handed a [`Backend`](crate::operators::Backend).

#[doc(hidden)]
pub mod cpu;
#[doc(hidden)]
pub mod cuda;
mod open;
mod several;

pub use cuda::{GpuDescription, gpus};
pub use open::{DeviceChoice, DeviceList, open, open_all};
pub use several::Schedule;

#[doc(hidden)]
pub use open::always_there;
#[doc(hidden)]
pub use several::{Dealer, Fault, Next, Several, Speed};
