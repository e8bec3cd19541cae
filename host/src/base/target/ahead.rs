//! A file that is brought to disk while it is written, by a thread of its own: what is left to wait for at the end is then little,
//! however large the file is. Whether all of it has come there is asked at the end, by who puts the file in its place.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

/// Bytes after which what is there is brought to disk: it takes some milliseconds.
const AT_ONCE: usize = 1 << 24;

/// A file that is being written.
pub(super) struct Ahead {
    file: File,
    /// Since it was last asked for.
    n_bytes: usize,
    /// Where to ask for it, once there is enough.
    asked: Option<SyncSender<()>>,
}

impl Ahead {
    pub(super) fn new(file: File) -> Self {
        Self { file, n_bytes: 0, asked: None }
    }

    /// Has what is there brought to disk, unless that is under way. Where there is no thread for it, it is done at the end.
    fn bring(&mut self) {
        if self.asked.is_none() {
            let Ok(file) = self.file.try_clone() else { return };
            let (asked, asks) = sync_channel(1);
            let bring = move || asks.iter().for_each(|()| drop(file.sync_data()));
            self.asked = Builder::new().name("disk".into()).spawn(bring).is_ok().then_some(asked);
        }
        if let Some(asked) = &self.asked {
            let _ = asked.try_send(());
        }
    }
}

impl Write for Ahead {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.n_bytes += n;
        if self.n_bytes >= AT_ONCE {
            self.n_bytes = 0;
            self.bring();
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let mut ahead = Ahead::new(File::create(&path).unwrap());
        let bytes: Vec<u8> = (0..AT_ONCE / 2 + 3).map(|ix| ix as u8).collect();
        for _ in 0..5 {
            ahead.write_all(&bytes).unwrap();
        }
        assert!(ahead.asked.is_some());
        drop(ahead);
        assert!(std::fs::read(&path).unwrap() == bytes.repeat(5));
    }
}
