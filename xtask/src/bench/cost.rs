//! x
use super::CostArgs;
use anyhow::Result;
pub(super) fn run(_: &CostArgs) -> Result<()> {
    Ok(())
}
