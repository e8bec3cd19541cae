//! `hyperblock devices`.

use super::place::start_threads;
use super::say::answer;
use hyperblock::Result;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::operators::Backend;

pub(crate) fn devices() -> Result<()> {
    start_threads(None)?;
    answer(format_args!("{}\n", Cpu::new().name()))?;
    match cuda::gpus() {
        Err(reason) => answer(format_args!("cuda: none; {reason}\n"))?,
        Ok(gpus) => {
            for (ordinal, gpu) in gpus.iter().enumerate() {
                let (major, minor) = gpu.capability;
                let gib = gpu.memory as f64 / f64::from(1 << 30);
                let name = &gpu.name;
                let kernels = match cuda::machine_code_for(gpu.capability) {
                    Some((major, minor)) => format!("machine code for {major}.{minor}"),
                    None => "the driver compiles the kernels".into(),
                };
                answer(format_args!(
                    "cuda:{ordinal} ({name}), {gib:.1} GiB, compute capability {major}.{minor}, {kernels}\n"
                ))?;
            }
        }
    }
    Ok(())
}
