//! Running: on a thread, in a pool of its own, while the caller's thread looks for Ctrl-C and tells how far it is.

use crate::raised::{panicked, raised};
use crate::warned::say;
use hyperblock::{Backend, Budget, Control, DeviceChoice, Error, Result, Threads, device};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::thread;
use std::time::Duration;

/// How often the caller's thread looks up.
const TICK: Duration = Duration::from_millis(50);

/// Where a call runs, and with how much.
#[derive(FromPyObject)]
pub(crate) struct Place {
    #[pyo3(item)]
    device: String,
    #[pyo3(item)]
    threads: Option<usize>,
    /// Bytes.
    #[pyo3(item)]
    memory: Option<u64>,
    /// Bytes.
    #[pyo3(item)]
    device_memory: Option<u64>,
    /// Called with stage, done, all, and what is counted.
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
}

impl Place {
    /// Does `work` on the device, with the GIL released.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Backend, &Control) -> Result<T> + Send,
    ) -> PyResult<T> {
        let choice: DeviceChoice = self.device.parse().map_err(PyValueError::new_err)?;
        let control = Control::default().with_budget(self.memory.map(Budget::of).unwrap_or_default());
        let pool = plain(py, Threads::new(self.threads))?;
        let (device_memory, caller) = (self.device_memory, thread::current());
        let (control, pool) = (&control, &pool);
        thread::scope(|scope| {
            let all = move || {
                let done = pool.run(|| {
                    control.guard(|| {
                        let device = device::open(choice, device_memory)?;
                        control.runs_on(device.name());
                        work(&*device, control)
                    })
                });
                caller.unpark();
                done
            };
            let running = thread::Builder::new().name("hyperblock".into()).spawn_scoped(scope, all);
            let running = running.map_err(|error| PyValueError::new_err(error.to_string()))?;
            let mut stopped = None;
            while !running.is_finished() {
                py.detach(|| thread::park_timeout(TICK));
                let looked = py.check_signals().and_then(|()| self.tell(py, control)).and_then(|()| say(py));
                if let (None, Err(error)) = (&stopped, looked) {
                    control.cancel();
                    stopped = Some(error);
                }
            }
            match (running.join(), stopped) {
                (_, Some(stopped)) => Err(stopped),
                (Ok(Ok(done)), None) => say(py).map(|()| done),
                (Ok(Err(error)), None) => Err(raised(py, error)),
                (Err(panic), None) => Err(panicked(py, said(&*panic))),
            }
        })
    }

    fn tell(&self, py: Python<'_>, control: &Control) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let now = control.progress();
        progress.call1(py, (now.stage, now.n_done, now.n_all, now.things)).map(drop)
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("something went wrong")
}

/// For `map_err` where there is no thread to run on.
pub(crate) fn plain<T>(py: Python<'_>, result: std::result::Result<T, Error>) -> PyResult<T> {
    result.map_err(|error| raised(py, error))
}
