//! Inputs that come as they come: pipes, devices, standard input.
//!
//! Whoever waits for a pipe waits for somebody else, perhaps for ever, and so does whoever opens it. Another thread
//! does both, so that this one can be told to stop.

use crate::base::control::Control;
use crate::base::error::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;
/// How often a wait is interrupted to see whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);

/// What somebody writes while we read.
pub(super) struct Pipe<'a> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    control: &'a Control,
    chunk: io::Cursor<Vec<u8>>,
}

impl<'a> Pipe<'a> {
    /// `path` is for messages.
    pub(super) fn open(
        path: &Path,
        open: impl FnOnce() -> io::Result<File> + Send + 'static,
        control: &'a Control,
    ) -> Result<Self> {
        let (sender, chunks) = sync_channel(4);
        let read = move || {
            let mut file = match open() {
                Ok(file) => file,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match file.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let is_last = !matches!(read, Ok(1..));
                let sent = sender.send(read.map(|n| {
                    chunk.truncate(n);
                    chunk
                }));
                // Nobody listens any more, or there is nothing more to say.
                if is_last || sent.is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn(read).map_err(crate::base::error::Error::io(path))?;
        Ok(Self { chunks, control, chunk: io::Cursor::default() })
    }

    /// The next bytes; none at the end.
    fn next(&self) -> io::Result<Vec<u8>> {
        loop {
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => return chunk,
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
                // Not as `Interrupted`, after which readers try again.
                Err(RecvTimeoutError::Timeout) => {
                    self.control.check().map_err(|stop| io::Error::other(stop.to_string()))?;
                }
            }
        }
    }
}

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.position() == self.chunk.get_ref().len() as u64 {
            self.chunk = io::Cursor::new(self.next()?);
        }
        self.chunk.read(buffer)
    }
}
