//! `firmament-tools completions` and `man`: made from the argument parser, so they cannot be out of
//! date.

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
    let mut script = String::from_utf8(script).expect("a script is a text");
    if arguments.shell == Shell::Bash {
        script = with_labels_as_set(&script);
    }
    to_stdout(|out| out.write_all(script.as_bytes()))
}

/// The script for Bash keeps the command so far in `cmd`, and has a case for each value. Version
/// 4.6 of `clap_complete` writes a hyphen in the program's name one way where `cmd` is set, and
/// another way in the labels of the cases.
fn with_labels_as_set(script: &str) -> String {
    script.replace("firmament__subcmd__tools", "firmament__tools")
}

/// Prints or writes manual pages.
pub fn man(arguments: &ManArguments) -> Result<(), Failure> {
    let mut command = without_help(Arguments::command());
    command.build();
    if let Some(folder) = &arguments.folder {
        return write_pages(&command, folder);
    }
    let wanted = match &arguments.command {
        None => &command,
        Some(name) => command.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let message = format!("{name:?} is no command; commands are {}", names.join(", "));
            Failure { message, exit_code: 2 }
        })?,
    };
    let page = page(wanted)?;
    to_stdout(|out| out.write_all(page.as_bytes()))
}

/// The command without the `help` command of clap and those below it, which are no pages of their
/// own: each would be named as one.
fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

/// The page of one command. Examples stay line by line.
fn page(command: &clap::Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered?;
    Ok(String::from_utf8_lossy(&page).replacen(".SH EXTRA\n", ".SH EXAMPLES AND NOTES\n.nf\n", 1))
}

/// Writes the page of a command and of all commands below it.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, page(command)?).map_err(|error| {
        let message = format!("cannot write {}: {error}", path.display());
        Failure { message, exit_code: 1 }
    })?;
    let mut below = command.get_subcommands().filter(|command| !command.is_hide_set());
    below.try_for_each(|command| write_pages(command, folder))
}
