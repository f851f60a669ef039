//! Finding `tgw.lock`: the accepted tools of upstream servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::ManifestFile;
use crate::state::trust::TrustStore;

use super::{
    Failure, Found, FoundFile, Kind, Origin, path_or_variable, read_named, read_own, user_folder,
    workspace_file,
};

/// Finds the lock: flag, environment, workspace where trusted, the user's folder. There need be none.
///
/// # Errors
/// When one that would be obeyed cannot be read, or was trusted and has changed or is gone.
pub(crate) fn find_lock(flag: Option<&Path>, workspace: &Path, trust: &TrustStore) -> Result<Found, Failure> {
    let mut found = Found { files: Vec::new(), untrusted: None };
    if let Some(named) = path_or_variable(flag, Kind::Lock.variable()) {
        let origin = if flag.is_some() { Origin::Flag } else { Origin::Environment };
        found.files.push(read_named(&named, origin)?);
    } else if let Some(file) = workspace_file(Kind::Lock, workspace, trust, &mut found.untrusted)? {
        found.files.push(file);
    } else if let Some(path) = user_folder().map(|folder| folder.join(Kind::Lock.file_name()))
        && let Some(file) = read_own(&path)?
    {
        found.files.push(file);
    }
    Ok(found)
}

/// Where the lock is written: where it is named, else in the workspace.
pub(crate) fn lock_path(flag: Option<&Path>, workspace: &Path) -> (PathBuf, Origin) {
    match path_or_variable(flag, Kind::Lock.variable()) {
        Some(named) => (named, if flag.is_some() { Origin::Flag } else { Origin::Environment }),
        None => (workspace.join(Kind::Lock.file_name()), Origin::Workspace),
    }
}

/// The manifests found, each with the folder that relative paths in it start from.
pub(crate) fn manifests(tools: &Found, root: &Path) -> Vec<ManifestFile> {
    let manifest = |file: &FoundFile| ManifestFile {
        name: Arc::clone(&file.name),
        text: Arc::clone(&file.text),
        base: file
            .path
            .as_deref()
            .and_then(Path::parent)
            .map_or_else(|| root.to_path_buf(), Path::to_path_buf),
        trusted: true,
    };
    tools.files.iter().map(manifest).collect()
}
