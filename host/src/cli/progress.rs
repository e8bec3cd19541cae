//! A progress bar on a terminal, nothing in a pipe.

use hyperblock::Control;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Shows how many of `n_pairs` are compared while `work` runs.
pub(crate) fn watch<T: Send>(
    n_pairs: u64,
    quiet: bool,
    control: &Control,
    work: impl FnOnce() -> T + Send,
) -> T {
    watch_all(n_pairs, "pairs", quiet, control, work)
}

/// Shows how many of so many things are done while `work` runs.
pub(crate) fn watch_all<T: Send>(
    n: u64,
    things: &str,
    quiet: bool,
    control: &Control,
    work: impl FnOnce() -> T + Send,
) -> T {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(n) };
    if bar.is_hidden() {
        return work();
    }
    let template =
        format!("{{wide_bar}} {{percent}}%  {{human_pos}} of {{human_len}} {things}  {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Without a thread to spare there is no bar.
        let _ = std::thread::Builder::new().spawn_scoped(scope, || {
            while !done.load(Relaxed) {
                bar.set_position(control.n_compared());
                std::thread::sleep(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        });
        let result = work();
        done.store(true, Relaxed);
        result
    })
}
