//! The device's clock: how long what was launched took, if someone watches.

use super::Cuda;
use crate::base::control::Control;
use crate::base::error::Result;
use cudarc::driver::CudaEvent;
use cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Where in the stream something begins, and where it ends; nothing, if nobody watches.
#[must_use]
pub(super) struct Timing(Option<(Arc<Epoch>, [CudaEvent; 2])>);

/// A place in the stream that the device came to at a known moment: what it did when is counted from it.
#[derive(Debug)]
pub(super) struct Epoch {
    event: CudaEvent,
    moment: Instant,
}

impl Cuda {
    /// A place in the stream.
    pub(super) fn mark(&self) -> Result<CudaEvent> {
        self.stream.record_event(Some(CU_EVENT_DEFAULT)).map_err(self.failed("timing kernels"))
    }

    /// The time between two places, on the device. Waits for the second.
    pub(super) fn between(&self, start: &CudaEvent, end: &CudaEvent) -> Result<Duration> {
        let took = start.elapsed_ms(end).map_err(self.failed("timing kernels"))?;
        Ok(Duration::from_secs_f64(f64::from(took) / 1e3))
    }

    /// Does what launches kernels, with a mark before and after it.
    pub(super) fn timed<T>(
        &self,
        control: &Control,
        launch: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Timing)> {
        if !control.is_watched() {
            return Ok((launch()?, Timing(None)));
        }
        let epoch = self.epoch()?;
        let start = self.mark()?;
        let launched = launch()?;
        Ok((launched, Timing(Some((epoch, [start, self.mark()?])))))
    }

    /// Where its clock begins.
    fn epoch(&self) -> Result<Arc<Epoch>> {
        let mut epoch = self.epoch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(epoch) = &*epoch {
            return Ok(epoch.clone());
        }
        self.synchronize()?;
        let event = self.mark()?;
        self.synchronize()?;
        Ok(epoch.insert(Arc::new(Epoch { event, moment: Instant::now() })).clone())
    }
}

impl Timing {
    /// Tells who watches. Waits for what was timed.
    pub(super) fn record(self, gpu: &Cuda, control: &Control) -> Result<()> {
        if let Some((epoch, [start, end])) = self.0 {
            let took = gpu.between(&start, &end)?;
            let from = epoch.moment + gpu.between(&epoch.event, &start)?;
            control.watch(|latencies| {
                latencies.kernels.record(took);
                latencies.timeline.add(gpu.lane(), "kernels", from, from + took);
            });
        }
        Ok(())
    }
}

/// Notes when phases end, on the device.
pub(super) struct Clock<'a> {
    gpu: &'a Cuda,
    events: Vec<(&'static str, CudaEvent)>,
}

impl<'a> Clock<'a> {
    pub(super) fn new(gpu: &'a Cuda) -> Result<Self> {
        let mut clock = Self { gpu, events: Vec::new() };
        clock.end("begin")?;
        Ok(clock)
    }

    pub(super) fn end(&mut self, phase: &'static str) -> Result<()> {
        self.events.push((phase, self.gpu.mark()?));
        Ok(())
    }

    pub(super) fn phases(&self) -> Result<Vec<(&'static str, Duration)>> {
        let took =
            |pair: &[(&'static str, CudaEvent)]| Ok((pair[1].0, self.gpu.between(&pair[0].1, &pair[1].1)?));
        self.events.windows(2).map(took).collect()
    }
}
