//! The page: `results/README.md` shows all figures as pictures, with what the papers state beside.
//!
//! What people wrote at its top stays. Below [`HEADING`] all is written anew, from what each figure has left beside its picture:
//! so a call that makes one of them keeps the others.

use super::definition::{Definition, Stated, Value, paper};
use super::points::Point;
use super::rows::Rows;
use crate::replace::replace;
use anyhow::Result;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What the page's own part begins with.
pub(super) const HEADING: &str = "## Figures of the papers";

/// All that is said of a figure.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) paper: &'a str,
    pub(super) definition: &'a Definition,
    pub(super) scale: f64,
    pub(super) all: &'a [Rows],
    pub(super) missing: &'a [String],
    pub(super) notes: &'a [String],
    pub(super) points: &'a [Point],
}

/// Writes what is said of a figure beside its picture.
pub(super) fn write_section(folder: &Path, section: &Section<'_>) -> Result<()> {
    let text = section.text();
    replace(&folder.join(format!("{}.md", section.name)), |file| file.write_all(text.as_bytes()))
}

/// Writes the page: what was there above the heading, and all figures that were made, now or before.
pub(super) fn write(output: &Path, names: &[String]) -> Result<()> {
    let path = output.join("README.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let above = old.split(HEADING).next().unwrap_or_default().trim_end();
    let mut text = if above.is_empty() { "# Results".to_owned() } else { above.to_owned() };
    write!(text, "\n\n{HEADING}\n\n{STORY}")?;
    let mut last = "";
    for name in names {
        let Ok(section) = fs::read_to_string(output.join("figures").join(format!("{name}.md"))) else {
            continue;
        };
        let paper = paper(name).unwrap_or_default();
        if paper != last {
            write!(text, "\n### {paper}\n")?;
            last = paper;
        }
        write!(text, "\n{section}")?;
    }
    replace(&path, |file| file.write_all(text.as_bytes()))?;
    println!("wrote {}", path.display());
    Ok(())
}

const STORY: &str = "\
`cargo xtask figures` makes them, by the definitions of `xtask/figures/`; `--scale 0.01` in minutes. Beside each picture in
`figures/` are its numbers as CSV. Numbers of the papers are those that their text or tables state; what they only draw is left
out, and nothing is read off a picture.
";

impl Section<'_> {
    fn text(&self) -> String {
        let Definition { title, place, differs, stated, .. } = self.definition;
        let name = self.name;
        let mut text = format!("#### {place}: {title}\n\n");
        let picture = format!(
            "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"figures/{name}-dark.svg\">\
             <img alt=\"{}, {place}\" src=\"figures/{name}.svg\"></picture>\n\n",
            self.paper
        );
        text += &picture;
        for rows in self.all {
            text += &format!("- {}\n", self.source(rows));
        }
        for missing in self.missing {
            text += &format!("- Not measured here: {missing}.\n");
        }
        for note in self.notes {
            text += &format!("- {note}.\n");
        }
        text += &format!("- What differs: {differs}\n");
        if stated.is_empty() {
            text += "- The paper states no numbers of it in text or tables.\n";
        } else {
            text += "\n| | the paper | here | where it stands |\n|---|---|---|---|\n";
            for stated in stated {
                text += &self.beside(stated);
            }
        }
        text
    }

    /// What was run, when and where.
    fn source(&self, rows: &Rows) -> String {
        let taken = &rows.taken;
        let machine = match taken.gpu.as_str() {
            "none" | "unknown" => taken.cpu.clone(),
            gpu => format!("{}; {gpu}", taken.cpu),
        };
        let how = if rows.is_saved { "Saved" } else { "Measured" };
        let scale = match self.scale {
            scale if scale < 1.0 && !rows.is_saved => format!(", with {scale} of the rows"),
            _ => String::new(),
        };
        format!("{how} {}, commit {}, {machine}{scale}: `{}`", taken.date, taken.commit, taken.command)
    }

    /// What the paper states, and what was found at the same place.
    fn beside(&self, stated: &Stated) -> String {
        let value = match &stated.value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.clone(),
        };
        let what: Vec<&str> = [&stated.panel, &stated.series, &stated.x]
            .into_iter()
            .filter_map(|part| part.as_deref())
            .collect();
        let is_same = |point: &&Point| {
            let panel = stated.panel.as_ref().is_none_or(|panel| point.panel.ends_with(panel.as_str()));
            panel && Some(&point.series) == stated.series.as_ref() && Some(&point.x) == stated.x.as_ref()
        };
        let ours = self.points.iter().filter(is_same).map(|point| {
            let over = if point.is_bound { "over " } else { "" };
            format!("{over}{} ({})", rounded(point.y), point.panel)
        });
        let cells = [what.join(", "), value, ours.collect::<Vec<_>>().join("; "), stated.at.clone()];
        // Papers write sizes between bars.
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    }
}

/// Three digits that count.
pub(super) fn rounded(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let digits = (2 - number.abs().log10().floor() as i32).max(0) as usize;
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::super::rows::example;
    use super::{HEADING, Section, rounded, write, write_section};
    use crate::cargo::{root, target};
    use crate::figures::definition::Definition;
    use crate::figures::points;
    use std::fs;

    #[test]
    fn three_digits_count() {
        assert_eq!([0.0, 0.012_345, 1.5, 1234.6].map(rounded), ["0", "0.0123", "1.50", "1235"]);
    }

    #[test]
    fn what_people_wrote_stays() {
        let output = target().join(format!("figures-test-{}", std::process::id()));
        fs::create_dir_all(output.join("figures")).unwrap();
        fs::write(output.join("README.md"), format!("# Results\n\nOurs.\n\n{HEADING}\n\nold\n")).unwrap();
        let name = "skewed-joins-figure-4a";
        let definition = Definition::read(&root().join("xtask/figures"), name).unwrap();
        let head = "s,device,method,output,median_s";
        let all = [example(head, &["1,cpu (2 threads),csh,pairs,2.5"])];
        let points = points::of(definition.plot.as_ref().unwrap(), &all).unwrap();
        let section = Section {
            name,
            paper: "CPU and GPU Hash Joins on Skewed Data",
            definition: &definition,
            scale: 0.01,
            all: &all,
            missing: &["needs a GPU".to_owned()],
            notes: &[],
            points: &points,
        };
        write_section(&output.join("figures"), &section).unwrap();
        write(&output, &[name.to_owned(), "skewed-joins-figure-1".to_owned()]).unwrap();
        let page = fs::read_to_string(output.join("README.md")).unwrap();
        fs::remove_dir_all(&output).unwrap();
        assert!(page.starts_with("# Results\n\nOurs.\n\n## Figures of the papers\n"), "{page}");
        for said in [
            "figures/skewed-joins-figure-4a-dark.svg",
            "with 0.01 of the rows",
            "needs a GPU",
            "What differs",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert!(!page.contains("old"), "{page}");
    }
}
