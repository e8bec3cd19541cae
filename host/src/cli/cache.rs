//! Options that keep what was read and encoded for the next job.

use clap::Args;
use hyperblock::read::table::Cache;
use std::path::PathBuf;

/// Where encoded tables are kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Large jobs")]
pub(crate) struct CacheArgs {
    /// Keep what is read and encoded of the tables in this folder, and take it from there the next time
    ///
    /// A table whose path, size, time and inode are the same is not read again. The files hold what the tables hold; nobody else
    /// may read them. Remove the folder when it is no longer needed.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Also compare the content of the tables with what the folder was made of, by checksums
    #[arg(long, requires = "cache")]
    verify_cache: bool,
}

impl CacheArgs {
    pub(crate) fn cache(&self) -> Option<Cache> {
        self.cache.clone().map(|folder| Cache { folder, verifies: self.verify_cache })
    }
}
