//! `hyperblock devices`.

use hyperblock::Result;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::operators::Backend;

pub(crate) fn devices() -> Result<()> {
    println!("{}", Cpu::new().name());
    match cuda::gpus() {
        Err(reason) => println!("cuda: none; {reason}"),
        Ok(gpus) => {
            for (ordinal, gpu) in gpus.iter().enumerate() {
                let (major, minor) = gpu.capability;
                let gib = gpu.memory as f64 / f64::from(1 << 30);
                println!("cuda:{ordinal} ({}), {gib:.1} GiB, compute capability {major}.{minor}", gpu.name);
            }
        }
    }
    Ok(())
}
