//! The program as a user meets it: files and arguments in, files, messages and exit codes out.
//!
//! [`program`] builds and runs it in a folder of its own; [`outputs`] is what it writes and says when all is well,
//! [`inputs`] the many shapes of the same table, [`why`] what it says about one pair, [`errors`] what it says when
//! something is wrong, and [`signals`] how it ends when it is told to.

mod errors;
mod inputs;
mod outputs;
mod program;
#[cfg(unix)]
mod signals;
mod why;
