//! The pages that people read, held against the program: README.md and those of the book.
//!
//! Of each page every command is run, in order, in a folder of its own ([`session`]), and says what the page shows; every rule
//! file on it is parsed. `hyperblock_tests::pages` says how a page is written. What needs a GPU, or data that is not here, is
//! reported as ignored, never as passed. The pages on Python are run by the package's own tests, in `python/tests/`.

mod session;

use hyperblock::rules::RuleFile;
use hyperblock_tests::pages::page::{Step, steps};
use hyperblock_tests::pages::{listed, root};
use libtest_mimic::{Arguments, Failed, Trial};
use session::Session;
use std::fs;
use std::path::Path;

fn main() {
    let arguments = Arguments::from_args();
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    // What the book has of the house itself is for those who build it: its commands are not those of a user.
    let of_users = |page: &String| !page.starts_with("../") || page == "../README.md";
    let pages: Vec<String> = listed(&summary).into_iter().filter(of_users).collect();

    let mut trials = vec![Trial::test("the_book_has_every_page", {
        let (pages, docs) = (pages.clone(), docs.clone());
        move || the_book_has_every_page(&docs, &pages)
    })];
    for page in pages {
        let name = page.strip_prefix("../").map_or_else(|| format!("docs/{page}"), str::to_owned);
        let text = read(&docs.join(&page));
        match steps(&text) {
            Ok(steps) => trials.extend(trials_of(&name, steps)),
            Err(error) => {
                let complaint = Failed::from(format!("{name}, {error}"));
                trials.push(Trial::test(name, || Err(complaint)));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn the_book_has_every_page(docs: &Path, pages: &[String]) -> Result<(), Failed> {
    for entry in fs::read_dir(docs)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != "SUMMARY.md" && !pages.contains(&name) {
            return Err(format!("docs/SUMMARY.md does not list docs/{name}").into());
        }
    }
    Ok(())
}

/// One trial for all that can be run of a page, and one for each command that cannot.
fn trials_of(name: &str, steps: Vec<Step>) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut todo = Vec::new();
    for step in steps {
        let (line, reason) = match &step {
            Step::Ignore(command, reason) => (command.line, Some(reason.clone())),
            Step::Run(command) => {
                let lacks = command.data.as_ref().filter(|data| session::data(data).is_none());
                (command.line, lacks.map(|data| format!("needs the public data set {data}")))
            }
            Step::File { .. } | Step::Rules { .. } => (0, None),
        };
        match reason {
            Some(reason) => {
                let name = format!("{name}:{line} ({reason})");
                trials.push(Trial::test(name, || Ok(())).with_ignored_flag(true));
            }
            None => todo.push(step),
        }
    }
    if !todo.is_empty() {
        let page = name.to_owned();
        trials.push(Trial::test(name, move || run(&page, &todo)));
    }
    trials
}

fn run(page: &str, steps: &[Step]) -> Result<(), Failed> {
    let session = Session::new();
    for step in steps {
        match step {
            Step::Run(command) => {
                session.run(command).map_err(|error| format!("{page}:{}: {error}", command.line))?;
            }
            Step::File { name, text } => session.write(name, text),
            Step::Rules { line, text } => {
                let place = format!("{page}:{line}");
                RuleFile::parse(Path::new(&place), completed(text)).map_err(|error| error.to_string())?;
            }
            Step::Ignore(..) => {}
        }
    }
    Ok(())
}

/// A page may show a section of a rule file; a file needs a rule beside it.
fn completed(text: &str) -> String {
    let alone = !["[[rules]]", "[[neighbourhoods]]", "[[pairs]]"].iter().any(|key| text.contains(key));
    if !alone {
        return text.to_owned();
    }
    let score = text.contains("[[score.attributes]]") && !text.contains("[score]");
    let score = match (score, text.contains("levels")) {
        (false, _) => "",
        (true, false) => "[score]\n",
        (true, true) => "[score]\nscore = \"fellegi-sunter\"\nweights = \"weights.toml\"\n",
    };
    format!("{score}{text}\n[[rules]]\nwhen = \"l.id = r.id\"\n")
}
