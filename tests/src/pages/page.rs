//! A page is read: its fenced blocks, and the commands in them.

use std::fmt;

/// What a test does with a page, in the order of the page.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Runs a command.
    Run(Command),
    /// Tells of a command that no test can run, and why.
    Ignore(Command, String),
    /// Puts a file beside the commands to come.
    File {
        /// What it is called.
        name: String,
        /// What it holds.
        text: String,
    },
    /// Parses a rule file.
    Rules {
        /// Where its block begins.
        line: usize,
        /// What it holds.
        text: String,
    },
}

/// A command, as a page shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// Where it stands, from 1.
    pub line: usize,
    /// What a shell is told, on one line or several.
    pub text: String,
    /// What the page shows of its output; nothing if that is left out.
    pub shown: Vec<String>,
    /// The public data set that it needs.
    pub data: Option<String>,
}

/// What no test understands, and so must not stand on a page.
#[derive(Debug, PartialEq, Eq)]
pub struct Misunderstood {
    line: usize,
    what: String,
}

impl fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// What blocks hold that no test looks at: code that other tests run, and what programs write.
const SHOWN_ONLY: [&str; 7] = ["", "text", "json", "csv", "python", "rust,no_run", "text,ignore"];

/// What there is to do on a page.
///
/// # Errors
///
/// A block that is none of those that the module lists.
pub fn steps(page: &str) -> Result<Vec<Step>, Misunderstood> {
    let mut steps = Vec::new();
    for block in blocks(page)? {
        block.read(&mut steps)?;
    }
    Ok(steps)
}

/// A fenced block.
struct Block<'a> {
    /// Where its fence opens.
    line: usize,
    language: &'a str,
    /// `ignore`, `data` or `file`, and what stands behind it.
    mark: Option<(&'a str, &'a str)>,
    /// Where each line stands, and the line.
    lines: Vec<(usize, &'a str)>,
}

fn blocks(page: &str) -> Result<Vec<Block<'_>>, Misunderstood> {
    let mut blocks = Vec::new();
    let mut lines = (1..).zip(page.lines());
    while let Some((line, text)) = lines.next() {
        let indented = text.trim_start();
        let ticks = indented.bytes().take_while(|&byte| byte == b'`').count();
        if ticks < 3 {
            continue;
        }
        let fence = indented.get(..ticks).unwrap_or_default();
        let info = indented.trim_start_matches('`').trim();
        let within: Vec<_> = lines.by_ref().take_while(|(_, text)| text.trim() != fence).collect();
        if page.lines().count() == line + within.len() {
            return Err(Misunderstood { line, what: "this block is never closed".to_owned() });
        }
        let (language, mark) = match info.split_once(',') {
            Some((language, mark)) if !SHOWN_ONLY.contains(&info) => {
                (language, Some(mark.split_once(' ').unwrap_or((mark, ""))))
            }
            _ => (info, None),
        };
        blocks.push(Block { line, language, mark, lines: within });
    }
    Ok(blocks)
}

impl Block<'_> {
    fn text(&self) -> String {
        self.lines.iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    fn wrong(&self, what: impl Into<String>) -> Misunderstood {
        Misunderstood { line: self.line, what: what.into() }
    }

    fn read(&self, steps: &mut Vec<Step>) -> Result<(), Misunderstood> {
        let line = self.line;
        match (self.language, self.mark) {
            ("console", mark @ (None | Some(("data" | "ignore", _)))) => {
                if let Some((mark, "")) = mark {
                    return Err(self.wrong(format!("`{mark}` of what? Say it behind the word")));
                }
                for mut command in self.commands()? {
                    steps.push(match mark {
                        Some(("ignore", reason)) => Step::Ignore(command, reason.to_owned()),
                        Some((_, data)) => {
                            command.data = Some(data.to_owned());
                            Step::Run(command)
                        }
                        None => Step::Run(command),
                    });
                }
            }
            ("toml", None) => {
                let text = self.text();
                if !text.lines().any(|line| line.starts_with('[')) {
                    return Err(self.wrong("this is no rule file: it has no section"));
                }
                steps.push(Step::Rules { line, text });
            }
            ("sql", None) => {
                let conditions = self.lines.iter().filter(|(_, line)| !line.trim().is_empty());
                let rule = |(_, line): &(usize, &str)| format!("[[rules]]\nwhen = '''{line}'''\n");
                steps.push(Step::Rules { line, text: conditions.map(rule).collect() });
            }
            (language, Some(("file", name))) if !name.is_empty() && language != "console" => {
                let text = self.text();
                if text.lines().any(|line| line.starts_with("[[rules]]")) {
                    steps.push(Step::Rules { line, text: text.clone() });
                }
                steps.push(Step::File { name: name.to_owned(), text });
            }
            (_, Some(("ignore", reason))) if !reason.is_empty() => {}
            ("sh" | "bash" | "shell", _) => {
                return Err(self.wrong(
                    "a test runs commands in blocks of `console`, behind `$ `; say `sh,ignore REASON` if none can",
                ));
            }
            (language, None) if SHOWN_ONLY.contains(&language) => {
                let commands = ["$ ", "hyperblock ", "cargo ", "pip "];
                let is_command = |line: &str| commands.iter().any(|start| line.starts_with(start));
                if let Some(&(line, _)) = self.lines.iter().find(|(_, line)| is_command(line)) {
                    let what = "this is a command, and its block is not of `console`".to_owned();
                    return Err(Misunderstood { line, what });
                }
            }
            _ => return Err(self.wrong("no test knows what to do with this block")),
        }
        Ok(())
    }

    /// Its commands, each with the lines below it.
    fn commands(&self) -> Result<Vec<Command>, Misunderstood> {
        let mut commands: Vec<Command> = Vec::new();
        let mut lines = self.lines.iter().copied();
        while let Some((line, text)) = lines.next() {
            let Some(first) = text.strip_prefix("$ ") else {
                match commands.last_mut() {
                    Some(command) => command.shown.push(text.to_owned()),
                    None => return Err(self.wrong("the first line is no command: those begin with `$ `")),
                }
                continue;
            };
            let mut text = first.to_owned();
            let mut more = |text: &mut String, what: &str| {
                let (_, line) = lines.next().ok_or(Misunderstood {
                    line,
                    what: format!("the block ends before the command does: {what} is missing"),
                })?;
                text.push('\n');
                text.push_str(line);
                Ok(line == what)
            };
            while text.ends_with('\\') {
                more(&mut text, "a line behind `\\`")?;
            }
            if let Some(end) = here_document(first) {
                while !more(&mut text, end)? {}
            }
            commands.push(Command { line, text, shown: Vec::new(), data: None });
        }
        for command in &mut commands {
            while command.shown.last().is_some_and(|line| line.trim().is_empty()) {
                command.shown.pop();
            }
        }
        if commands.is_empty() { Err(self.wrong("there is no command in this block")) } else { Ok(commands) }
    }
}

/// The word that ends the text behind a command: of `cat > a <<'END'` it is `END`.
fn here_document(command: &str) -> Option<&str> {
    let (_, word) = command.split_once("<<")?;
    let word = word.split_whitespace().next()?.trim_matches(['\'', '"']);
    (!word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::{Command, Step, steps};

    fn command(line: usize, text: &str, shown: &[&str]) -> Command {
        let shown = shown.iter().map(|&line| line.to_owned()).collect();
        Command { line, text: text.to_owned(), shown, data: None }
    }

    fn refused(page: &str, what: &str) {
        match steps(page) {
            Ok(steps) => panic!("it is understood: {steps:?}"),
            Err(error) => assert!(error.to_string().contains(what), "{error}"),
        }
    }

    #[test]
    fn commands_have_their_output() {
        let page = "# Page\n\n```console\n$ one \\\n      more\nfirst\n\nsecond\n\n$ two\n```\n\n```console\n$ three\n…\n```\n";
        let expected = vec![
            Step::Run(command(4, "one \\\n      more", &["first", "", "second"])),
            Step::Run(command(10, "two", &[])),
            Step::Run(command(14, "three", &["…"])),
        ];
        assert_eq!(steps(page), Ok(expected));
    }

    #[test]
    fn here_documents_belong_to_their_command() {
        let page = "```console\n$ cat > a <<'END' | b\n$ not a command\nEND\nshown\n```\n";
        let expected = Step::Run(command(2, "cat > a <<'END' | b\n$ not a command\nEND", &["shown"]));
        assert_eq!(steps(page), Ok(vec![expected]));
    }

    #[test]
    fn blocks_are_marked() {
        let page = "```console,ignore needs a GPU\n$ one\n```\n```console,data people\n$ two\n```\n```csv,file a.csv\nid\n1\n```\n";
        let two = Command { data: Some("people".to_owned()), ..command(5, "two", &[]) };
        let file = Step::File { name: "a.csv".to_owned(), text: "id\n1\n".to_owned() };
        let expected =
            vec![Step::Ignore(command(2, "one", &[]), "needs a GPU".to_owned()), Step::Run(two), file];
        assert_eq!(steps(page), Ok(expected));
    }

    #[test]
    fn rules_are_files_or_conditions() {
        let page = "```toml\n[[rules]]\nwhen = 'l.a = r.a'\n```\n```sql\nl.b = r.b\n```\n";
        let expected = vec![
            Step::Rules { line: 1, text: "[[rules]]\nwhen = 'l.a = r.a'\n".to_owned() },
            Step::Rules { line: 5, text: "[[rules]]\nwhen = '''l.b = r.b'''\n".to_owned() },
        ];
        assert_eq!(steps(page), Ok(expected));
    }

    #[test]
    fn what_nobody_runs_is_refused() {
        refused("```sh\nhyperblock devices\n```\n", "blocks of `console`");
        refused("```\nhyperblock devices\n```\n", "line 2: this is a command");
        refused("```console\nhyperblock devices\n```\n", "the first line is no command");
        refused("```console\n```\n", "there is no command");
        refused("```console,ignore\n$ a\n```\n", "`ignore` of what?");
        refused("```console,never\n$ a\n```\n", "no test knows");
        refused("```console\n$ a \\\n```\n", "the block ends before the command does");
        refused("```cobol\n```\n", "no test knows");
        refused("```toml\na = 1\n```\n", "no rule file");
        refused("```console\n$ a\n", "never closed");
    }
}
