//! Exit codes: how a command ends, told to scripts.

use hyperblock::Error;
use std::io::ErrorKind;
use std::process::ExitCode;

/// The job failed.
pub(crate) const FAILED: u8 = 1;
/// Somebody asked to stop: 128 and the number of SIGINT, also for the other signals.
pub(crate) const INTERRUPTED: u8 = 130;
/// Whoever read our output has gone: 128 and the number of SIGPIPE.
const UNREAD: u8 = 141;

/// All of them, as `--help` shows them. clap ends with 2.
pub(crate) const HELP: &str = "\
Exit codes:
    0  done
    1  failed: input, rules, options that do not go together, output, memory, device; a line `error: ...` says what
    2  wrong arguments
  130  interrupted by a signal; nothing was written
  141  whoever read the output has gone, as in `| head`";

/// How a command ends that failed, and whether anybody needs to be told.
pub(crate) fn of(error: &Error) -> (ExitCode, bool) {
    match error {
        // Whoever read our output has seen enough.
        Error::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe => (ExitCode::from(UNREAD), false),
        Error::Interrupted => (ExitCode::from(INTERRUPTED), true),
        _ => (ExitCode::from(FAILED), true),
    }
}
