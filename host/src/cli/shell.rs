//! `hyperblock completions` and `hyperblock man`: what shells and `man` are told of the commands.

use super::Cli;
use super::say::answer;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use hyperblock::{Error, Result};
use std::io::{self, Write};
use std::path::Path;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hyperblock", &mut script);
    answer(format_args!("{}", String::from_utf8_lossy(&script)))
}

pub(crate) fn man() -> Result<()> {
    let mut page = Vec::new();
    write(&mut page).map_err(Error::io(Path::new("the man page")))?;
    answer(format_args!("{}", String::from_utf8_lossy(&page)))
}

/// One page: the program, and behind it a section for each command.
fn write(page: &mut dyn Write) -> io::Result<()> {
    let mut program = Cli::command();
    program.build();
    let commands: Vec<clap::Command> = program.get_subcommands().cloned().collect();
    Man::new(program).render(page)?;
    for command in commands.into_iter().filter(|command| command.get_name() != "help") {
        let name = format!("hyperblock {}", command.get_name());
        writeln!(page, ".SH \"{}\"", name.to_uppercase())?;
        let man = Man::new(command);
        let mut section = vec![b'\n'];
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        // What would be sections of a page of its own.
        page.write_all(String::from_utf8_lossy(&section).replace("\n.SH ", "\n.SS ").as_bytes())?;
    }
    Ok(())
}
