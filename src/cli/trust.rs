//! `tgw trust`: the person's word for a file that a workspace brings.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use crate::clock::Clock;
use crate::state::StoreError;
use crate::state::trust::TrustStore;

use super::arguments::TrustArgs;
use super::discover::{self, Kind};
use super::exit::{Failure, Outcome};
use super::output::print;
use super::table;

/// Trusts files, stops trusting them, or lists what is trusted.
pub(crate) fn trust(arguments: &TrustArgs) -> Outcome {
    let store = TrustStore::new(&discover::state_home()?);
    if arguments.list {
        return list(&store);
    }
    let files = files(arguments)?;
    if arguments.revoke {
        for path in &files {
            let was = store.revoke(path).map_err(|error| failure(&error))?;
            print(&format!(
                "{}{}\n",
                path.display(),
                if was { ": no longer trusted" } else { ": was not trusted" }
            ))?;
        }
        return Ok(0);
    }
    let mut refused = false;
    for path in &files {
        let (text, others) = discover::read(path)?;
        if let Some(problem) = others {
            return Err(problem);
        }
        if !arguments.yes && !confirm(path, &text)? {
            print(&format!("{}: not trusted\n", path.display()))?;
            refused = true;
            continue;
        }
        store
            .trust(path, TrustStore::digest(text.as_bytes()), Clock::System.now())
            .map_err(|error| failure(&error))?;
        print(&format!("{}: trusted with its present content\n", path.display()))?;
    }
    Ok(u8::from(refused))
}

fn list(store: &TrustStore) -> Outcome {
    let entries = store.list().map_err(|error| failure(&error))?;
    let rows = entries
        .iter()
        .map(|entry| {
            let now = discover::read(&entry.path).map(|(text, _)| TrustStore::digest(text.as_bytes()));
            let state = match now {
                Ok(digest) if digest == entry.digest => "obeyed",
                Ok(_) => "changed since: not obeyed",
                Err(_) => "not readable",
            };
            vec![entry.path.display().to_string(), entry.at.rfc3339(), state.to_owned()]
        })
        .collect();
    print(&table::render(&["file", "trusted since", "now"], rows))?;
    Ok(0)
}

/// The files named, or those that the workspace has.
fn files(arguments: &TrustArgs) -> Result<Vec<PathBuf>, Failure> {
    if arguments.files.is_empty() {
        let root = discover::workspace_root(arguments.workspace.as_deref())?;
        let found: Vec<PathBuf> = [Kind::Tools, Kind::Policy]
            .map(|kind| root.join(kind.file_name()))
            .into_iter()
            .filter(|path| path.exists())
            .collect();
        return if found.is_empty() {
            Err(Failure::configuration(format!(
                "`{}` has neither tools.yaml nor policy.yaml",
                root.display()
            ))
            .with_hint("`tgw init` writes both"))
        } else {
            Ok(found)
        };
    }
    arguments
        .files
        .iter()
        .map(|path| {
            // A file that is gone can still be distrusted, under the path that it had.
            let gone = |error| if arguments.revoke { std::path::absolute(path) } else { Err(error) };
            path.canonicalize()
                .or_else(gone)
                .map_err(|error| Failure::configuration(format!("cannot open `{}`: {error}", path.display())))
        })
        .collect()
}

/// Shows the file and asks. Without a terminal nobody can have read it, so `--yes` must say so.
fn confirm(path: &std::path::Path, text: &str) -> Result<bool, Failure> {
    let (input, mut out) = (io::stdin(), io::stderr());
    if !input.is_terminal() || !out.is_terminal() {
        return Err(Failure::configuration(format!("no terminal to ask about `{}`", path.display()))
            .with_hint("read the file, then run `tgw trust --yes`"));
    }
    let asked = writeln!(
        out,
        "--- {}\n{}\n---\nIt decides which programs run here and what is asked. Trust this content? [y/N]",
        path.display(),
        table::visible(text)
    );
    asked.map_err(|error| Failure::failed(format!("cannot write to the terminal: {error}")))?;
    let mut answer = String::new();
    input
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn failure(error: &StoreError) -> Failure {
    Failure::failed(error.to_string())
}
