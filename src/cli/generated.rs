//! Files made from the command line's definition: completions and man pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use super::arguments::Cli;
use super::exit::{Failure, Outcome};
use super::operator_arguments::{CompletionsArgs, ManArgs};
use super::output::print;

/// `tgw completions`
pub(crate) fn completions(arguments: &CompletionsArgs) -> Outcome {
    if let Some(directory) = &arguments.check {
        return check(directory, &all_completions(), "tgw completions --write");
    }
    if let Some(directory) = &arguments.write {
        return write(directory, &all_completions());
    }
    let shell = arguments.shell.ok_or_else(|| Failure::configuration("name a shell"))?;
    print(&completion(shell))?;
    Ok(0)
}

/// `tgw man`
pub(crate) fn man(arguments: &ManArgs) -> Outcome {
    let pages = man_pages()?;
    match (&arguments.check, &arguments.directory) {
        (Some(directory), _) => check(directory, &pages, "tgw man"),
        (None, Some(directory)) => write(directory, &pages),
        (None, None) => Err(Failure::configuration("name a folder")),
    }
}

fn completion(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tgw", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn all_completions() -> BTreeMap<String, String> {
    use clap_complete::Generator;
    Shell::value_variants().iter().map(|shell| (shell.file_name("tgw"), completion(*shell))).collect()
}

fn man_pages() -> Result<BTreeMap<String, String>, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut pages = BTreeMap::new();
    collect_pages(&command, "tgw", &mut pages)?;
    Ok(pages)
}

fn collect_pages(
    command: &clap::Command,
    name: &str,
    pages: &mut BTreeMap<String, String>,
) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned()).display_name(name.to_owned()))
        .render(&mut page)
        .map_err(|error| Failure::failed(format!("cannot render the page of `{name}`: {error}")))?;
    pages.insert(format!("{name}.1"), String::from_utf8_lossy(&page).into_owned());
    for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
        collect_pages(child, &format!("{name}-{}", child.get_name()), pages)?;
    }
    Ok(())
}

fn write(directory: &Path, files: &BTreeMap<String, String>) -> Outcome {
    let failed = |path: &Path, error: std::io::Error| {
        Failure::failed(format!("cannot write `{}`: {error}", path.display()))
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(0)
}

fn check(directory: &Path, files: &BTreeMap<String, String>, remake: &str) -> Outcome {
    let stale: Vec<PathBuf> = files
        .iter()
        .map(|(name, text)| (directory.join(name), text))
        .filter(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text))
        .map(|(path, _)| path)
        .collect();
    if stale.is_empty() {
        return Ok(0);
    }
    let list = stale.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ");
    Err(Failure::failed(format!("not what would be written now: {list}"))
        .with_hint(format!("run `{remake} {}`", directory.display())))
}
