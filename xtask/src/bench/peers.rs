//! What another program's script prints of it: its version, and then how many pairs it found and the seconds of each run, or
//! why there are none.

use super::measure::Times;
use anyhow::{Result, bail, ensure};
use std::time::Duration;

/// How it begins to say why there are none: time, memory, or something that it does not know.
const WHYS: [&str; 3] = ["over ", "out of ", "has no "];

/// What was seen of a program.
pub(crate) enum Seen {
    Times(Times),
    /// Why there are none.
    Nothing(String),
}

/// Its name with its version, and what was seen; wrong if it found another number of pairs, or did not run so many times.
pub(crate) fn parse(
    program: &str,
    n_pairs: u64,
    is_complete: impl Fn(usize) -> bool,
    printed: &str,
) -> Result<(String, Seen)> {
    let lines: Vec<&str> = printed.lines().collect();
    let (version, seen) = match lines[..] {
        [version, why] if WHYS.iter().any(|begin| why.starts_with(begin)) => {
            (version, Seen::Nothing(why.to_owned()))
        }
        [version, n_found, seconds] => {
            let n_found: u64 = n_found.parse()?;
            ensure!(n_found == n_pairs, "{n_found} pairs, but {n_pairs} are right");
            let seconds =
                seconds.split(' ').map(|seconds| Ok(Duration::try_from_secs_f64(seconds.parse()?)?));
            let times = seconds.collect::<Result<Vec<_>>>()?;
            ensure!(is_complete(times.len()), "{} runs", times.len());
            (version, Seen::Times(Times::new(times)))
        }
        _ => bail!("{} lines", lines.len()),
    };
    Ok((format!("{program} {version}"), seen))
}
