//! A part of a page that is written by a program, between two comments; what people wrote around it stays.

use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::Write;
use std::path::Path;

const BEGIN: &str = "<!-- compare: written by cargo xtask compare -->";
const END: &str = "<!-- /compare -->";

/// Puts a part between the comments of a file. Where they are missing, they come before `heading`, or at the end.
pub(super) fn write(path: &Path, heading: Option<&str>, part: &str) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_default();
    let new = between(&old, heading, part).with_context(|| path.display().to_string())?;
    replace(path, |file| file.write_all(new.as_bytes()))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn between(old: &str, heading: Option<&str>, part: &str) -> Result<String> {
    let (above, below) = match (old.split_once(BEGIN), heading) {
        (Some((above, rest)), _) => {
            (above, rest.split_once(END).with_context(|| format!("{BEGIN} has no {END}"))?.1)
        }
        (None, Some(heading)) => old.split_at(old.find(heading).unwrap_or(old.len())),
        (None, None) => ("", ""),
    };
    ensure!(heading.is_some() || old.contains(BEGIN), "there is no {BEGIN}");
    let above = above.trim_end();
    Ok(format!("{above}\n\n{BEGIN}\n\n{}\n\n{END}\n\n{}", part.trim(), below.trim_start())
        .trim_end()
        .to_owned()
        + "\n")
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, between};

    #[test]
    fn what_people_wrote_stays() {
        let first = between("# Page\n\nOurs.\n\n## Figures\n\nmore\n", Some("## Figures"), "part\n").unwrap();
        assert_eq!(first, format!("# Page\n\nOurs.\n\n{BEGIN}\n\npart\n\n{END}\n\n## Figures\n\nmore\n"));
        // Again, with another part: nothing grows.
        let second = between(&first, Some("## Figures"), "other").unwrap();
        assert_eq!(second, first.replace("part\n", "other\n"));
        assert_eq!(
            between("# Page\n", Some("## Figures"), "x").unwrap(),
            format!("# Page\n\n{BEGIN}\n\nx\n\n{END}\n")
        );
        assert!(between("# Page\n", None, "x").is_err());
        assert!(between(&format!("a {BEGIN} b"), None, "x").is_err());
    }
}
