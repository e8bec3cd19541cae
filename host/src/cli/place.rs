//! Options that say where a job runs: on which devices, and with how many threads.

use super::checkpoint::{CheckpointArgs, TASKS};
use super::memory;
use super::plan::RESEARCH;
use super::say::say;
use clap::Args;
use hyperblock::device::{self, DeviceList, Schedule, Several};
use hyperblock::operators::Backend;
use hyperblock::{Control, DeviceChoice, Error, Job, Prepared};
use std::fmt::Display;
use std::thread;

#[derive(Args, Debug)]
#[command(next_help_heading = "Devices")]
pub(crate) struct DeviceArgs {
    /// Where to run: auto (a GPU where there is one), cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,
    /// CPU threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Use at most this much of the GPU's memory; what does not fit is done in pieces [default: what is free]
    #[arg(long, value_name = "MIB")]
    device_memory: Option<u32>,
}

/// Where a job runs: at one place, or at several.
#[derive(Args, Debug)]
#[command(next_help_heading = "Devices")]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    one: DeviceArgs,
    /// Share the work among several places: a list such as cuda:0,cuda:1,cpu, or all
    ///
    /// cuda:0/4 stands for four places, each with a quarter of that GPU's memory, and cpu/2 for two, each with half of the threads.
    #[arg(long, value_name = "LIST", conflicts_with = "device")]
    devices: Option<DeviceList>,
    /// How tasks are dealt to places: steal (the longest first; who has nothing left takes from the fullest queue),
    /// bounded-hash (as HyperBlocker does: the next place on a circle that is free), even-split or round-robin
    #[arg(long, value_name = "HOW", default_value_t, requires = "devices", help_heading = RESEARCH, hide_short_help = true)]
    schedule: Schedule,
    /// Cut the work into about so many tasks [default: some for each place, none of them too short to pay]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), help_heading = RESEARCH, hide_short_help = true)]
    partitions: Option<u32>,
}

impl PlaceArgs {
    /// Whether a job is cut into tasks there.
    pub(crate) fn has_tasks(&self) -> bool {
        self.devices.is_some() || self.partitions.is_some()
    }

    /// Starts the threads and opens the places that were asked for.
    pub(super) fn open(&self) -> hyperblock::Result<Box<dyn Backend>> {
        self.start_threads()?;
        self.opened(None)
    }

    /// Starts the threads that were asked for.
    pub(crate) fn start_threads(&self) -> hyperblock::Result<()> {
        start_threads(self.one.threads)
    }

    /// Prepares a job, with the places opened while its tables are read.
    pub(crate) fn prepare(
        &self,
        job: &Job,
        checkpoint: &CheckpointArgs,
        quiet: bool,
        control: &Control,
    ) -> hyperblock::Result<(Box<dyn Backend>, Prepared)> {
        self.start_threads()?;
        job.prepare_while_opening(|| self.announced(checkpoint, quiet, control), control)
    }

    /// Opens the places, and says which they are.
    pub(crate) fn announced(
        &self,
        checkpoint: &CheckpointArgs,
        quiet: bool,
        control: &Control,
    ) -> hyperblock::Result<Box<dyn Backend>> {
        let device = self.opened(checkpoint.checkpoint.as_ref().map(|_| TASKS))?;
        control.runs_on(device.name());
        if !quiet {
            say!("running on {}\n", device.name());
        }
        Ok(device)
    }

    /// With so many tasks at least, if nobody asks for another number.
    fn opened(&self, tasks: Option<usize>) -> hyperblock::Result<Box<dyn Backend>> {
        let partitions = self.partitions.map(|n| n as usize).or(tasks);
        match (&self.devices, partitions) {
            (None, None) => self.one.opened(),
            (Some(list), _) => device::open_all(list, self.one.device_memory(), self.schedule, partitions),
            // One place, with a number of tasks.
            (None, Some(_)) => {
                let device = self.one.opened()?;
                Ok(Box::new(Several::new(vec![(device, None)], self.schedule, partitions)?))
            }
        }
    }
}

impl DeviceArgs {
    /// Starts the threads and opens the device that were asked for.
    pub(super) fn open(&self) -> hyperblock::Result<Box<dyn Backend>> {
        start_threads(self.threads)?;
        self.opened()
    }

    fn opened(&self) -> hyperblock::Result<Box<dyn Backend>> {
        device::open(self.device, self.device_memory())
    }

    /// The bytes of a GPU's memory that may be used, if somebody says so.
    fn device_memory(&self) -> Option<u64> {
        self.device_memory.map(|mebibytes| u64::from(mebibytes) << 20)
    }
}

/// Bytes that a thread begins with: its stack, and what the system and the standard library know of it.
const PER_THREAD: usize = (2 << 20) + (1 << 18);
/// Threads that a job starts later: to open a device, to read ahead, to show progress.
const OTHERS: usize = 3;

/// Starts so many threads, or as many as there are cores. Later they would be started too, but then it is too late for an
/// error if they cannot be.
pub(crate) fn start_threads(n: Option<u16>) -> hyperblock::Result<()> {
    let refused = |why: &dyn Display| {
        let message = "threads cannot be started";
        Error::Job(format!("{message}: {why}; ask for fewer with --threads, or for more memory"))
    };
    let n_threads = n.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let n_bytes = n_threads.saturating_add(OTHERS).saturating_mul(PER_THREAD);
    if !memory::has(n_bytes) {
        return Err(refused(&format!(
            "{n_threads} of them need {n_bytes} bytes, which the system does not have"
        )));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(n.unwrap_or(0).into())
        .build_global()
        .map_err(|error| refused(&error))?;
    // Beginning takes a thread some memory, without which the system ends the process: all of them have it from here on.
    rayon::broadcast(|_| ());
    Ok(())
}
