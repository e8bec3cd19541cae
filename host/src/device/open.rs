//! Opening: from what the user asked for to a device. Only here are backends called by their names.

use super::cpu::Cpu;
use super::cuda::{Copies, Cuda, gpus};
use super::several::{Schedule, Several};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::operators::Backend;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

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

/// What the user asked for with `--devices`: places that share the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceList {
    /// Each GPU, and the CPU.
    All,
    /// These, each as so many places.
    Some(Vec<(DeviceChoice, usize)>),
}

/// Places that a device is divided into at most.
const MOST_SHARES: usize = 64;

impl FromStr for DeviceList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let one = |text: &str| {
            let (device, n) = text.split_once('/').unwrap_or((text, "1"));
            let wrong = || {
                format!(
                    "`{text}`: expected cpu, cuda or cuda:N, and after a slash into how many places it is divided, up to {MOST_SHARES}"
                )
            };
            let n = n.parse().ok().filter(|n| (1..=MOST_SHARES).contains(n)).ok_or_else(wrong)?;
            match device.parse().map_err(|_| wrong())? {
                DeviceChoice::Auto => Err(wrong()),
                choice => Ok((choice, n)),
            }
        };
        let list: Vec<_> = text.split(',').map(|text| one(text.trim())).collect::<Result<_, _>>()?;
        let is_twice =
            |(nth, it): (usize, &(DeviceChoice, usize))| list[..nth].iter().any(|other| other.0 == it.0);
        match list.iter().enumerate().find(|it| is_twice(*it)) {
            Some((_, (choice, _))) => {
                Err(format!("{choice} is named twice; {choice}/2 are two places of it"))
            }
            None => Ok(Self::Some(list)),
        }
    }
}

/// Opens places that share the work, as `schedule` says, in so many tasks if a number is asked for. Of each GPU's memory, at
/// most `device_memory` bytes are used.
pub fn open_all(
    list: &DeviceList,
    device_memory: Option<u64>,
    schedule: Schedule,
    partitions: Option<usize>,
) -> Result<Box<dyn Backend>> {
    let list = match list {
        DeviceList::Some(list) => list.clone(),
        DeviceList::All => {
            // Without a driver there is no GPU.
            let n_gpus = gpus().map_or(0, |gpus| gpus.len());
            let gpus = (0..n_gpus).map(|ordinal| (DeviceChoice::Cuda(ordinal), 1));
            gpus.chain([(DeviceChoice::Cpu, 1)]).collect()
        }
    };
    let n_gpu_places: usize =
        list.iter().filter(|(choice, _)| *choice != DeviceChoice::Cpu).map(|(_, n)| n).sum();
    let mut places: Vec<(Box<dyn Backend>, Option<usize>)> = Vec::new();
    let copies = Arc::<Copies>::default();
    for (choice, n) in list {
        match choice {
            DeviceChoice::Cuda(ordinal) => {
                let gpu = Cuda::open(ordinal)?.with_memory(device_memory.unwrap_or(u64::MAX));
                let shares = gpu.with_copies(copies.clone()).shares(n)?;
                places.extend(shares.into_iter().map(|share| (Box::new(share) as Box<_>, None)));
            }
            DeviceChoice::Cpu | DeviceChoice::Auto => {
                // A GPU is waited for by a thread of its own.
                let n_threads = threads::n_threads().saturating_sub(n_gpu_places) / n.max(1);
                // Where the CPU is alone and one place, all threads are its own.
                let n_threads = (n > 1 || n_gpu_places > 0).then_some(n_threads.max(1));
                places.extend((0..n).map(|_| (Box::new(Cpu::new()) as Box<_>, n_threads)));
            }
        }
    }
    Ok(Box::new(Several::new(places, schedule, partitions)?))
}

/// The device that is always there: the CPU's cores. It has room for what another device has none for.
pub fn always_there() -> &'static dyn Backend {
    static CPU: Cpu = Cpu::new();
    &CPU
}
