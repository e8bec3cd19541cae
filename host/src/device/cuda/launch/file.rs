//! A file of kernels: PTX, which the driver compiles for any GPU, and machine code for the GPUs that people have.
//!
//! To compile takes the driver seconds: once on a machine, and each time in a container. Machine code is loaded as it is.
//! What is made for one compute capability serves the later minor versions of its major one. Where there is none, or the
//! driver does not take it, the driver compiles the PTX.
//!
//! `cargo xtask device --machine-code` packs what it makes for all capabilities together, since half of it is the same:
//! first a line of capabilities and sizes, `7.0 8144 7.5 7968 …`, then the code of each.

use crate::base::error::{Error, Result};
use crate::device::cuda::driver;
use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use flate2::read::ZlibDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use zstd::Decoder;

/// A compute capability: its major and its minor version.
pub(in crate::device::cuda) type Capability = (i32, i32);

/// GPUs of embedded systems. NVIDIA does not promise that they run machine code for others of their major version.
const EMBEDDED: [Capability; 3] = [(7, 2), (8, 7), (10, 1)];

/// A file of kernels, as `build.rs` packed it.
#[derive(Clone, Copy)]
pub(in crate::device::cuda) struct KernelFile {
    /// Text, deflated.
    pub(super) ptx: &'static [u8],
    /// For all capabilities, packed by zstd; or nothing.
    pub(super) machine_code: &'static [u8],
}

/// The file of this name.
macro_rules! kernel_file {
    ($name:literal) => {
        $crate::device::cuda::launch::file::KernelFile {
            ptx: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".ptx.zz")),
            machine_code: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".cubin.zst")),
        }
    };
}
pub(super) use kernel_file;

impl KernelFile {
    /// Hands machine code to the driver, or PTX where that does not serve.
    pub(super) fn load(&self, context: &Arc<CudaContext>, device: &str) -> Result<Arc<CudaModule>> {
        if let Some(module) = self.load_machine_code(context) {
            return Ok(module);
        }
        context.load_module(Ptx::from_src(self.ptx()?)).map_err(|error| {
            driver::failed(device, "compiling the kernels (is the driver older than CUDA 12?)", error)
        })
    }

    fn load_machine_code(&self, context: &Arc<CudaContext>) -> Option<Arc<CudaModule>> {
        // What the driver says to the question it will say again to the PTX, which is then reported.
        let gpu = context.compute_capability().ok()?;
        let code = self.machine_code(gpu).unwrap_or_else(|error| {
            tracing::warn!("machine code does not unpack ({error}): the driver compiles the kernels");
            None
        });
        let loaded = context.load_module(Ptx::from_binary(code?));
        loaded.inspect_err(|error| tracing::info!("the driver compiles kernels: {error}")).ok()
    }

    /// The capability of the machine code that a GPU is given.
    pub(in crate::device::cuda) fn serving(&self, gpu: Capability) -> Option<Capability> {
        let contents = self.contents().ok()??.1;
        serving(gpu, contents.iter().map(|&(capability, _)| capability))
    }

    /// The machine code that a GPU is given, unpacked.
    pub(super) fn machine_code(&self, gpu: Capability) -> io::Result<Option<Vec<u8>>> {
        let Some((mut unpacked, contents)) = self.contents()? else { return Ok(None) };
        let Some(wanted) = serving(gpu, contents.iter().map(|&(capability, _)| capability)) else {
            return Ok(None);
        };
        for (capability, size) in contents {
            let mut one = unpacked.by_ref().take(size);
            if capability == wanted {
                let mut code = Vec::new();
                let is_whole = one.read_to_end(&mut code)? as u64 == size;
                return if is_whole { Ok(Some(code)) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
            io::copy(&mut one, &mut io::sink())?;
        }
        Ok(None)
    }

    /// For which capabilities there is how much code, if there is any; and what that code is read from.
    #[expect(clippy::type_complexity, reason = "a reader and what it has read, for the two functions above")]
    fn contents(&self) -> io::Result<Option<(impl BufRead + use<>, Vec<(Capability, u64)>)>> {
        if self.machine_code.is_empty() {
            return Ok(None);
        }
        let mut unpacked = BufReader::new(Decoder::with_buffer(self.machine_code)?);
        let mut line = String::new();
        unpacked.read_line(&mut line)?;
        let contents = parsed(&line).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Some((unpacked, contents)))
    }

    /// The text of the PTX.
    pub(super) fn ptx(&self) -> Result<String> {
        let mut text = String::new();
        let damaged = |error| Error::Internal(format!("the kernels do not unpack: {error}"));
        ZlibDecoder::new(self.ptx).read_to_string(&mut text).map_err(damaged)?;
        Ok(text)
    }
}

/// Of the capabilities that there is code for, the one that serves a GPU: the latest that is not later than its own.
fn serving(gpu: Capability, made_for: impl Iterator<Item = Capability>) -> Option<Capability> {
    let serves = |&(major, minor): &Capability| major == gpu.0 && minor <= gpu.1;
    made_for.filter(serves).max().filter(|_| !EMBEDDED.contains(&gpu))
}

/// The capabilities and sizes of a line.
fn parsed(line: &str) -> Option<Vec<(Capability, u64)>> {
    let words: Vec<_> = line.split_whitespace().collect();
    let of = |pair: &[&str]| {
        let (major, minor) = pair[0].split_once('.')?;
        Some(((major.parse().ok()?, minor.parse().ok()?), pair.get(1)?.parse().ok()?))
    };
    words.chunks(2).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::{KernelFile, parsed, serving};

    #[test]
    fn code_serves_the_later_minor_versions_of_its_major_one() {
        let made_for = [(7, 0), (7, 5), (8, 0), (9, 0), (10, 0), (12, 0)];
        let serving = |gpu| serving(gpu, made_for.into_iter());
        for (gpu, expected) in [
            ((7, 0), (7, 0)),
            ((7, 5), (7, 5)),
            ((8, 0), (8, 0)),
            ((8, 6), (8, 0)),
            ((8, 9), (8, 0)),
            ((9, 0), (9, 0)),
            ((10, 0), (10, 0)),
            ((10, 3), (10, 0)),
            ((12, 0), (12, 0)),
            ((12, 1), (12, 0)),
        ] {
            assert_eq!(serving(gpu), Some(expected), "{gpu:?}");
        }
        // Too old, too new, in between, and embedded systems.
        for gpu in [(6, 1), (13, 0), (11, 0), (7, 2), (8, 7), (10, 1)] {
            assert_eq!(serving(gpu), None, "{gpu:?}");
        }
    }

    #[test]
    fn the_nearest_code_is_taken() {
        let serving = |gpu| serving(gpu, [(8, 6), (8, 0), (8, 9)].into_iter());
        assert_eq!(serving((8, 6)), Some((8, 6)));
        assert_eq!(serving((8, 8)), Some((8, 6)));
        assert_eq!(serving((8, 9)), Some((8, 9)));
    }

    fn packed(content: &[u8]) -> KernelFile {
        let machine_code = zstd::encode_all(content, 3).unwrap().leak();
        KernelFile { ptx: b"", machine_code }
    }

    #[test]
    fn a_gpu_is_given_its_own_code() {
        let file = packed(b"7.0 3 8.0 0 9.0 5\nabcdefgh");
        assert_eq!(file.machine_code((7, 5)).unwrap().unwrap(), b"abc");
        assert_eq!(file.machine_code((8, 6)).unwrap().unwrap(), b"");
        assert_eq!(file.machine_code((9, 0)).unwrap().unwrap(), b"defgh");
        assert_eq!(file.machine_code((10, 0)).unwrap(), None);
        assert_eq!(file.serving((7, 5)), Some((7, 0)));
    }

    #[test]
    fn a_file_may_have_none() {
        let file = KernelFile { ptx: b"", machine_code: b"" };
        assert_eq!(file.machine_code((9, 0)).unwrap(), None);
        assert_eq!(file.serving((9, 0)), None);
    }

    #[test]
    fn damage_is_an_error() {
        for content in ["9.0 4\nabc", "9.0\nabc", "9 3\nabc", "9.0 -3\nabc", "\u{0}"] {
            assert!(packed(content.as_bytes()).machine_code((9, 0)).is_err(), "{content:?}");
        }
        let whole = packed(b"9.0 5\nabcde").machine_code;
        for n_bytes in 1..whole.len() - 1 {
            let machine_code = &whole[..n_bytes];
            assert!(KernelFile { ptx: b"", machine_code }.machine_code((9, 0)).is_err(), "{n_bytes} bytes");
        }
        assert!(KernelFile { ptx: b"", machine_code: b"7.0 3\nabc" }.machine_code((7, 0)).is_err());
        assert!(KernelFile { ptx: b"7.0", machine_code: b"" }.ptx().is_err());
        assert_eq!(parsed("7.0 3 7.5"), None);
    }
}
