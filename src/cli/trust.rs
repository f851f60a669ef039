//! `tgw trust`: the person's word for a file that a workspace brings.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::audit::{ApprovalNote, Entry, PendingRecords, RecordKind};
use crate::catalog::Digest;
use crate::clock::Clock;
use crate::ident::{AgentName, Principal, UserName};
use crate::state::trust::TrustStore;
use crate::state::{Batch, Durability, Place, SealKey, SqlStore, Store, StoreError};
use crate::text::escape_line;

use super::consent::{ConsentTo, consents};
use super::discover::{self, Kind};
use super::exit::{Failure, Outcome};
use super::operator_arguments::TrustArgs;
use super::output::print;
use super::session::{operating_system_user, store_place, tenant};
use super::table;
use super::within::refuse_in_a_call;

/// Trusts files, stops trusting them, or lists what is trusted.
pub(crate) fn trust(arguments: &TrustArgs) -> Outcome {
    if !arguments.list {
        refuse_in_a_call("change what is trusted")?;
    }
    let store = TrustStore::new(&discover::state_home()?);
    if arguments.list {
        return list(&store);
    }
    let files = files(arguments)?;
    if arguments.revoke {
        for path in &files {
            let was = store.revoke(path).map_err(|error| failure(&error))?;
            if was {
                record(folder_of(path), path, None, "command")
                    .map_err(|problem| unrecorded_revocation(path, &problem))?;
            }
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
        let kind = obeyed(path)?;
        let (text, others) = discover::read(path)?;
        if let Some(problem) = others {
            return Err(problem);
        }
        let digest = TrustStore::digest(text.as_bytes());
        if store.is_trusted(path, digest).map_err(|error| failure(&error))? {
            print(&format!("{}: already trusted with its present content\n", path.display()))?;
            continue;
        }
        warn_of_errors(kind, path, &text);
        if !arguments.yes && !confirm(path, &text)? {
            print(&format!("{}: its present content is not trusted\n", path.display()))?;
            refused = true;
            continue;
        }
        // On record first: what widens and leaves no trace does not happen.
        record(folder_of(path), path, Some(digest), if arguments.yes { "flag" } else { "terminal" })?;
        store.trust(path, digest, Clock::System.now()).map_err(|error| failure(&error))?;
        print(&format!("{}: trusted with its present content\n", path.display()))?;
    }
    Ok(u8::from(refused))
}

/// Which kind of file this is. Trust in another one would change nothing, and look as if it did.
fn obeyed(path: &Path) -> Result<Kind, Failure> {
    [Kind::Tools, Kind::Policy, Kind::Lock]
        .into_iter()
        .find(|kind| path.file_name() == Some(std::ffi::OsStr::new(kind.file_name())))
        .ok_or_else(|| {
            Failure::configuration(format!(
                "`{}` is never obeyed by itself: only the tools.yaml, policy.yaml and tgw.lock of a workspace are",
                path.display()
            ))
            .with_hint("name another file with `--tools`, `--policy` or `--lock`; that needs no trust")
        })
}

/// Says on stderr what would keep the file from being loaded.
fn warn_of_errors(kind: Kind, path: &Path, text: &str) {
    if let Some(problems) = super::session::problems(kind, path, text) {
        // A closed stderr leaves nobody to tell.
        let _ = writeln!(
            io::stderr(),
            "warning: `{}` cannot be loaded as it is, and would stop every command\n{}",
            path.display(),
            problems.trim_end()
        );
    }
}

/// The workspace that a trusted file configures: the folder it lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Puts on record that a person trusts a content, or no longer trusts a file, in the chain of a workspace.
pub(super) fn record(root: &Path, path: &Path, content: Option<Digest>, how: &str) -> Result<(), Failure> {
    let place = store_place(None, root)?;
    let key = SealKey::new(&discover::state_home()?);
    let mut store = SqlStore::open(&place, root, key).map_err(|error| super::store::failure(&error))?;
    let operator = operating_system_user();
    let principal = principal(&operator, &place)?;
    let now = Clock::System.now();
    let file = path.display().to_string();
    let id = content.map_or_else(|| "any".to_owned(), |digest| digest.to_string());
    let mut records = PendingRecords::default();
    let pushed = records.push(&Entry {
        approval: Some(ApprovalNote {
            id: &id,
            by: Some(&operator),
            how,
            answer: if content.is_some() { "trusted" } else { "no longer trusted" },
            question: None,
        }),
        notes: &[("file", &file)],
        ..Entry::new(RecordKind::Trust, now, &principal)
    });
    let appended = pushed.and_then(|()| {
        store.append(&mut Batch {
            tenant: &principal.tenant,
            now,
            durability: Durability::Power,
            changes: &[],
            records: &mut records,
        })
    });
    appended.map(drop).map_err(|error| super::store::failure(&error))
}

/// The person at the terminal: no agent of theirs does this.
fn principal(operator: &str, place: &Place) -> Result<Principal, Failure> {
    let named = |error: crate::ident::InvalidName| Failure::failed(error.to_string());
    Ok(Principal {
        user: UserName::parse(operator).map_err(named)?,
        agent: AgentName::parse("person").map_err(named)?,
        agent_version: None,
        tenant: tenant(None, place)?,
    })
}

/// The file is not trusted any more, which is the safe side; only the record is missing.
fn unrecorded_revocation(path: &Path, problem: &Failure) -> Failure {
    Failure::failed(format!(
        "{} is no longer trusted, and that could not be recorded: {}",
        path.display(),
        problem.message
    ))
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
        let found: Vec<PathBuf> = [Kind::Tools, Kind::Policy, Kind::Lock]
            .map(|kind| root.join(kind.file_name()))
            .into_iter()
            .filter(|path| path.exists())
            .collect();
        return if found.is_empty() {
            Err(Failure::configuration(format!(
                "`{}` has neither tools.yaml nor policy.yaml nor tgw.lock",
                root.display()
            ))
            .with_hint("`tgw init` writes the first two"))
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

/// Shows the file on the controlling terminal and asks there. Without one nobody can have read it, so `--yes` must say so.
fn confirm(path: &Path, text: &str) -> Result<bool, Failure> {
    let consent = ConsentTo {
        heading: format!(
            "--- {} ({} lines, {} bytes)",
            escape_line(&path.display().to_string()),
            text.lines().count(),
            text.len()
        ),
        text: table::visible(text),
        question: "---\nIt decides which programs run here and what is asked. Trust this content?".to_owned(),
        word: "trust",
    };
    consents(consent, None)?.ok_or_else(|| {
        Failure::configuration(format!("no terminal to ask about `{}`", path.display()))
            .with_hint("read the file, then run `tgw trust --yes`")
    })
}

fn failure(error: &StoreError) -> Failure {
    discover::trust_failure(error)
}
