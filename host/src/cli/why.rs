//! `hyperblock why`.

use super::{AnswerFormat, WhyArgs};
use hyperblock::base::json::indented;
use hyperblock::inspect::why::Inquiry;
use hyperblock::{Error, Result};
use std::io::Write;
use std::path::Path;

pub(crate) fn why(args: &WhyArgs) -> Result<()> {
    let job = args.input.job(&args.table, args.right_table.as_ref(), args.right_id_column.as_ref());
    let why = Inquiry::new(&job)?.why(&args.left_id, &args.right_id)?;
    // Not `print!`, which panics when nobody reads on.
    let mut out = std::io::stdout().lock();
    let written = match args.format {
        AnswerFormat::Text => write!(out, "{why}"),
        AnswerFormat::Json => writeln!(out, "{}", indented(&why.json())),
    };
    written.and_then(|()| out.flush()).map_err(Error::io(Path::new("standard output")))
}
