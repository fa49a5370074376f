//! `firmament-tools completions` and `man`: made from the argument parser, so they cannot be out of date.

use super::output::to_stdout;
use super::{Arguments, Failure};
use clap::CommandFactory;
use clap_complete::Shell;
use std::path::{Path, PathBuf};

/// Options of `completions`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools completions bash > /etc/bash_completion.d/firmament-tools
  firmament-tools completions fish > ~/.config/fish/completions/firmament-tools.fish
  source <(firmament-tools completions zsh)")]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Options of `man`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  firmament-tools man | man -l -
  firmament-tools man build | man -l -
  firmament-tools man --folder /usr/local/share/man/man1")]
pub struct ManArguments {
    /// The command whose page to print; the page of the program itself unless given
    command: Option<String>,
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    folder: Option<PathBuf>,
}

/// Prints completions for a shell.
pub fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    to_stdout(|out| out.write_all(&script))
}

/// Prints or writes manual pages.
pub fn man(arguments: &ManArguments) -> Result<(), Failure> {
    let mut command = Arguments::command();
    command.build();
    if let Some(folder) = &arguments.folder {
        return write_pages(command, folder);
    }
    let wanted = match &arguments.command {
        None => &command,
        Some(name) => command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let message = format!("{name:?} is no command; commands are {}", names.join(", "));
            Failure { message, exit_code: 2 }
        })?,
    };
    let page = clap_mangen::Man::new(wanted.clone());
    to_stdout(|out| page.render(out))
}

fn write_pages(command: clap::Command, folder: &Path) -> Result<(), Failure> {
    clap_mangen::generate_to(command, folder).map_err(|error| {
        let message = format!("cannot write manual pages into {}: {error}", folder.display());
        Failure { message, exit_code: 1 }
    })
}
