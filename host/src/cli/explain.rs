//! `hyperblock explain`.

use super::ExplainArgs;
use hyperblock::Result;

pub(crate) fn explain(args: &ExplainArgs) -> Result<()> {
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref()).prepare()?;
    print!("{}", job.explain());
    Ok(())
}
