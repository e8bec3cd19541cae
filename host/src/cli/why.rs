//! `hyperblock why`.

use super::say::answer;
use super::{AnswerFormat, WhyArgs, start_threads};
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::inspect::why::Inquiry;
use hyperblock::{Control, Result};

pub(crate) fn why(args: &WhyArgs, control: &Control) -> Result<()> {
    start_threads(None)?;
    let job = args.tables.usual(&args.input)?.job();
    let why = Inquiry::new(&job, control)?.why(&args.left_id, &args.right_id, control)?;
    match args.format {
        AnswerFormat::Text => answer(format_args!("{}", Shown(&why))),
        AnswerFormat::Json => answer(format_args!("{}\n", indented(&why.json()))),
    }
}
