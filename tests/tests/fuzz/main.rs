//! Files that nobody would write: whoever reads them says what is wrong, and never panics, hangs or runs out of memory.
//!
//! Each target ([`targets`]) reads one kind of file. As a test it is given its corpus (`tests/corpus` and `tests/data`):
//! files of every shape, and files that once did harm. Of a small Parquet file and of Arrow files it is given all that
//! differ in a single bit. `cargo xtask fuzz` has it go on from there, by chance ([`mutate`], [`drive`]).

mod drive;
mod mutate;
mod targets;

use libtest_mimic::{Arguments, Trial};
use targets::TARGETS;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for target in &TARGETS {
        let replay = move || match drive::seconds() {
            None => drive::replay(target),
            Some(seconds) => drive::search(target, seconds),
        };
        trials.push(Trial::test(target.name, replay));
        for name in target.flipped {
            let flip = move || drive::flip_all_bits(target, name);
            trials.push(Trial::test(format!("{}::every_bit_of_{name}", target.name), flip));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
