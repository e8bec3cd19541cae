//! Opening: from what the user asked for to a device. Only here are backends called by their names.

use super::cpu::Cpu;
use super::cuda::Cuda;
use crate::base::error::{Error, Result};
use crate::operators::Backend;
use std::fmt;
use std::str::FromStr;

/// What the user asked for with `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU with this number.
    Cuda(usize),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => match text.strip_prefix("cuda:").map(str::parse) {
                Some(Ok(ordinal)) => Ok(Self::Cuda(ordinal)),
                _ => Err("expected auto, cpu, cuda or cuda:N".into()),
            },
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

/// Opens the device that was asked for; of a GPU's memory, at most `device_memory` bytes are used.
pub fn open(choice: DeviceChoice, device_memory: Option<u64>) -> Result<Box<dyn Backend>> {
    let cuda = |ordinal| Ok(Cuda::open(ordinal)?.with_memory(device_memory.unwrap_or(u64::MAX)));
    match choice {
        DeviceChoice::Cpu => Ok(Box::new(Cpu::new())),
        DeviceChoice::Cuda(ordinal) => Ok(Box::new(cuda(ordinal)?)),
        DeviceChoice::Auto => match cuda(0) {
            Ok(gpu) => Ok(Box::new(gpu)),
            Err(Error::NoDevice { reason, .. }) => {
                tracing::info!("no GPU: {reason}");
                Ok(Box::new(Cpu::new()))
            }
            Err(error) => {
                // There is a GPU and it does not work: that is worth a word even when nobody asked for it by name.
                tracing::warn!("the GPU is left aside: {error}");
                Ok(Box::new(Cpu::new()))
            }
        },
    }
}

/// The device that is always there: the CPU's cores. It has room for what another device has none for.
pub fn always_there() -> &'static dyn Backend {
    static CPU: Cpu = Cpu::new();
    &CPU
}
