//! Finding configuration: flag, environment, workspace, user, embedded; and which of it may be obeyed.

mod lock;
mod marked;

use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;

use crate::state::StoreError;
use crate::state::trust::TrustStore;

use super::exit::Failure;

pub(crate) use lock::{find_lock, lock_path, manifests};
use marked::nearest_marked;

/// Most bytes of a configuration file.
const LARGEST_FILE: u64 = 8 << 20;

/// Which file is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `tools.yaml`
    Tools,
    /// `policy.yaml`
    Policy,
    /// `tgw.lock`
    Lock,
}

impl Kind {
    /// The name looked for in the workspace and in the user's folder.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Tools => "tools.yaml",
            Self::Policy => "policy.yaml",
            Self::Lock => "tgw.lock",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Self::Tools => "TGW_TOOLS",
            Self::Policy => "TGW_POLICY",
            Self::Lock => "TGW_LOCK",
        }
    }

    fn embedded(self) -> &'static str {
        match self {
            Self::Tools => crate::catalog::EMBEDDED_MANIFEST,
            Self::Policy => crate::policy::EMBEDDED_POLICY,
            // None is shipped, and an empty one accepts nothing.
            Self::Lock => "",
        }
    }
}

/// Where a file was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// Named on the command line.
    Flag,
    /// Named by a variable.
    Environment,
    /// In the workspace, trusted.
    Workspace,
    /// In the user's configuration folder.
    User,
    /// In the binary.
    Embedded,
}

/// A file that is obeyed.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    /// Where it was found.
    pub(crate) origin: Origin,
    /// Its path; none for the embedded one.
    pub(crate) path: Option<PathBuf>,
    /// The name shown to a person.
    pub(crate) name: Arc<str>,
    /// Its text.
    pub(crate) text: Arc<str>,
}

/// Everything found for one kind of file.
#[derive(Debug)]
pub(crate) struct Found {
    /// The files that are obeyed.
    pub(crate) files: Vec<FoundFile>,
    /// A file of the workspace that is not obeyed because nobody trusted its present content.
    pub(crate) untrusted: Option<PathBuf>,
}

/// The user's configuration folder, `$XDG_CONFIG_HOME/tgw`.
pub(crate) fn user_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|base| base.config_dir().join("tgw"))
}

/// The folder of all state, `$XDG_STATE_HOME/tgw`.
///
/// # Errors
/// When neither `XDG_STATE_HOME` nor a home folder is known.
pub(crate) fn state_home() -> Result<PathBuf, Failure> {
    crate::state::state_home(&|name| std::env::var_os(name)).map_err(|error| {
        Failure::configuration(error.to_string()).with_hint("set HOME or XDG_STATE_HOME to an absolute path")
    })
}

/// The folder that the upstream servers of a workspace log to, whichever store it has.
///
/// # Errors
/// As [`state_home`].
pub(crate) fn server_logs(root: &Path) -> Result<PathBuf, Failure> {
    state_home()?;
    crate::state::state_folder(root, &|name| std::env::var_os(name))
        .map(|folder| folder.join("mcp"))
        .map_err(|error| Failure::configuration(error.to_string()))
}

/// A flag's value, or the environment's.
pub(crate) fn flag_or_variable(flag: Option<&str>, variable: &str) -> Result<Option<String>, Failure> {
    match flag {
        Some(value) => Ok(Some(value.to_owned())),
        None => match std::env::var(variable) {
            Ok(value) if value.is_empty() => Ok(None),
            Ok(value) => Ok(Some(value)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(Failure::configuration(format!("`{variable}` is not valid UTF-8")))
            }
        },
    }
}

/// A flag's path, or the environment's.
pub(crate) fn path_or_variable(flag: Option<&Path>, variable: &str) -> Option<PathBuf> {
    flag.map(Path::to_path_buf)
        .or_else(|| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from))
}

/// The workspace: named, or the nearest ancestor with tools.yaml, policy.yaml or `.git`, else the current folder.
///
/// Below a folder whose own tools.yaml or policy.yaml is trusted, one that is not trusted marks no workspace: whoever put
/// it there would take the place of what the person trusts. It is named on stderr then.
///
/// # Errors
/// When it cannot be opened, or when it would be the home folder or `/` without being named.
pub(crate) fn workspace_root(flag: Option<&Path>) -> Result<PathBuf, Failure> {
    let real = |path: &Path| {
        path.canonicalize().map_err(|error| {
            Failure::configuration(format!("cannot open the workspace `{}`: {error}", path.display()))
        })
    };
    if let Some(named) = path_or_variable(flag, "TGW_WORKSPACE") {
        let root = real(&named)?;
        return if root.is_dir() {
            Ok(root)
        } else {
            Err(Failure::configuration(format!("the workspace `{}` is not a folder", named.display())))
        };
    }
    let current = real(Path::new("."))?;
    let root = nearest_marked(&current);
    let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    if root == Path::new("/") || Some(&root) == home.as_ref() {
        return Err(Failure::configuration(format!(
            "`{}` would be the workspace, and is too wide for one",
            root.display()
        ))
        .with_hint("change into a project, or name the folder with `--workspace`"));
    }
    Ok(root)
}

/// Finds the files of one kind.
///
/// # Errors
/// When a file that would be obeyed cannot be read, or others could have written it; also where the workspace's own was
/// trusted and is gone.
pub(crate) fn find(
    kind: Kind,
    flags: &[PathBuf],
    workspace: &Path,
    trust: &TrustStore,
) -> Result<Found, Failure> {
    let user = user_folder().map(|folder| folder.join(kind.file_name()));
    let mut found = Found { files: Vec::new(), untrusted: None };
    if !flags.is_empty() {
        for path in flags {
            found.files.push(read_named(path, Origin::Flag)?);
        }
    } else if let Some(list) = std::env::var_os(kind.variable()).filter(|list| !list.is_empty()) {
        for path in std::env::split_paths(&list) {
            found.files.push(read_named(&path, Origin::Environment)?);
        }
    } else if let Some(file) = workspace_file(kind, workspace, trust, &mut found.untrusted)? {
        found.files.push(file);
    } else if let Some(file) = user.as_deref().map(read_own).transpose()?.flatten() {
        found.files.push(file);
    } else {
        found.files.push(FoundFile {
            origin: Origin::Embedded,
            path: None,
            name: Arc::from(format!("<embedded>/{}", kind.file_name())),
            text: Arc::from(kind.embedded()),
        });
    }
    // The person's own policy always counts: nothing that a project brings can widen it.
    if kind == Kind::Policy
        && found.files.iter().all(|file| file.path != user)
        && let Some(file) = user.as_deref().map(read_own).transpose()?.flatten()
    {
        found.files.push(file);
    }
    Ok(found)
}

fn workspace_file(
    kind: Kind,
    workspace: &Path,
    trust: &TrustStore,
    untrusted: &mut Option<PathBuf>,
) -> Result<Option<FoundFile>, Failure> {
    let path = workspace.join(kind.file_name());
    let known = trust.is_known(&path).map_err(|error| trust_failure(&error))?;
    let absent = is_absent(&path);
    if absent && !known {
        return Ok(None);
    }
    let (text, others) = match read(&path) {
        Ok(content) => content,
        // Going on with other rules than the person trusted could allow what theirs deny.
        Err(problem) if known => return Err(lost(&path, problem, absent)),
        Err(_) => {
            *untrusted = Some(path);
            return Ok(None);
        }
    };
    let digest = TrustStore::digest(text.as_bytes());
    if !trust.is_trusted(&path, digest).map_err(|error| trust_failure(&error))? {
        if known {
            return Err(Failure::configuration(format!(
                "`{}` has changed since you trusted it",
                shown(&path)
            ))
            .with_hint(
                "look at what changed, then run `tgw trust`, or `tgw trust --revoke` to do without it",
            ));
        }
        // The shipped file needs no word of the person: it is what would be obeyed anyway.
        if text != kind.embedded() {
            *untrusted = Some(path);
        }
        return Ok(None);
    }
    if let Some(problem) = others {
        return Err(problem);
    }
    Ok(Some(FoundFile {
        origin: Origin::Workspace,
        name: shown(&path),
        path: Some(path),
        text: Arc::from(text),
    }))
}

/// Whether nothing is there. A link that leads nowhere is something: what it led to may have denied a call.
fn is_absent(path: &Path) -> bool {
    let looked = path.symlink_metadata();
    looked.is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// A file that the person trusted and that is not there to be obeyed.
fn lost(path: &Path, problem: Failure, absent: bool) -> Failure {
    let revoke = format!("run `tgw trust --revoke {}`", path.display());
    let (reason, hint) = if absent {
        ("it is gone".to_owned(), format!("bring it back; where you removed it on purpose, {revoke}"))
    } else {
        (problem.message, format!("mend it; where you want to do without it, {revoke}"))
    };
    Failure::configuration(format!("`{}` is trusted and cannot be obeyed: {reason}", shown(path)))
        .with_hint(hint)
}

/// An error of the record of trust: without it, nobody knows which files must be obeyed.
pub(crate) fn trust_failure(error: &StoreError) -> Failure {
    let failure = Failure::configuration(error.to_string());
    match error {
        StoreError::Trust { .. } => {
            failure.with_hint("mend it, or move it away and trust your files again with `tgw trust`")
        }
        _ => failure.with_hint("`tgw doctor` shows where the state is and what is wrong with it"),
    }
}

/// Reads a file that the person named; their word is enough.
pub(crate) fn read_named(path: &Path, origin: Origin) -> Result<FoundFile, Failure> {
    let (text, _) = read(path)?;
    Ok(FoundFile { origin, path: Some(path.to_path_buf()), name: shown(path), text: Arc::from(text) })
}

/// Reads a file of the user's folder, which nobody else may be able to write; `None` where there is none.
pub(crate) fn read_own(path: &Path) -> Result<Option<FoundFile>, Failure> {
    if is_absent(path) {
        return Ok(None);
    }
    let (text, others) = read(path)?;
    match others {
        Some(problem) => Err(problem),
        None => Ok(Some(FoundFile {
            origin: Origin::User,
            path: Some(path.to_path_buf()),
            name: shown(path),
            text: Arc::from(text),
        })),
    }
}

/// Reads a bounded regular file, and says whether someone else could have written it.
pub(crate) fn read(path: &Path) -> Result<(String, Option<Failure>), Failure> {
    let shown = crate::text::escape(&path.to_string_lossy()).into_owned();
    let failed = |what: String| Failure::configuration(format!("cannot read `{shown}`: {what}"));
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(|error| failed(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() {
        return Err(failed("it is not a regular file".to_owned()));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(failed(format!("it has {} bytes, and {LARGEST_FILE} are the most", metadata.len())));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(failed(format!("it has more than {LARGEST_FILE} bytes")));
    }
    let text = crate::document::decode(&bytes).map_err(failed)?.to_owned();
    Ok((text, writable_by_others(path, &metadata)))
}

fn writable_by_others(path: &Path, metadata: &std::fs::Metadata) -> Option<Failure> {
    let own = rustix::process::geteuid().as_raw();
    let problem = if metadata.uid() != own && metadata.uid() != 0 {
        "it belongs to another user"
    } else if metadata.mode() & 0o002 != 0 {
        "every user can write it"
    } else if metadata.mode() & 0o020 != 0 && metadata.gid() != rustix::process::getegid().as_raw() {
        "another group can write it"
    } else {
        return None;
    };
    Some(
        Failure::configuration(format!("`{}` is not obeyed: {problem}", path.display()))
            .with_hint("take it over and close it: chown it to you, chmod go-w"),
    )
}

fn shown(path: &Path) -> Arc<str> {
    let current = std::env::current_dir().ok();
    let short = current.as_deref().and_then(|current| path.strip_prefix(current).ok()).unwrap_or(path);
    Arc::from(short.display().to_string())
}
