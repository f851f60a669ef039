//! Where state lies, and whether that place is safe.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::StoreError;

/// Opens no symbolic link as the last part of a path.
pub(super) const NO_FOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();

const WRITABLE_BY_OTHERS: u32 = 0o022;
const OPEN_TO_OTHERS: u32 = 0o077;
const WRITABLE_BY_ALL: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Returns the folder of all state, `$XDG_STATE_HOME/tgw`, or `$HOME/.local/state/tgw`.
///
/// # Errors
/// [`StoreError::NoHome`] where neither variable is an absolute path.
pub fn state_home(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = match absolute("XDG_STATE_HOME") {
        Some(home) => home,
        None => absolute("HOME").ok_or(StoreError::NoHome)?.join(".local/state"),
    };
    Ok(home.join("tgw"))
}

/// Returns the folder of a workspace's state. `workspace` is the workspace's real path.
///
/// # Errors
/// As [`state_home`].
pub fn state_folder(
    workspace: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, StoreError> {
    let digest = Sha256::digest(workspace.as_os_str().as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(state_home(variable)?.join(name))
}

/// Returns the path of a workspace's store. `workspace` is the workspace's real path.
///
/// # Errors
/// As [`state_home`].
pub fn state_path(
    workspace: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, StoreError> {
    Ok(state_folder(workspace, variable)?.join("state.db"))
}

/// Whether a folder that does not exist is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Create,
    Leave,
}

/// Makes sure that a folder is a safe place and returns its real path; `None` where there is none and none is made.
///
/// `workspace`, where given, must not hold the folder, nor lie in it: a tool could reach the state then.
pub(super) fn secure_folder(
    folder: &Path,
    workspace: Option<&Path>,
    missing: Missing,
) -> Result<Option<PathBuf>, StoreError> {
    let unsafe_place = |problem| StoreError::UnsafePlace { path: folder.to_owned(), problem };
    let unreadable =
        |error: io::Error| StoreError::Unavailable(format!("its folder cannot be used: {error}"));
    if let Some(workspace) = workspace {
        // Before anything is created: what would be created must not be inside.
        let real = future_real_path(folder).map_err(unreadable)?;
        if real.starts_with(workspace) {
            return Err(unsafe_place("it is inside the workspace"));
        }
        if workspace.starts_with(&real) {
            return Err(unsafe_place("the workspace is inside it"));
        }
    }
    match folder.symlink_metadata() {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => match missing {
            Missing::Leave => return Ok(None),
            Missing::Create => {
                DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unreadable)?;
            }
        },
        Err(error) => return Err(unreadable(error)),
    }
    let metadata = folder.symlink_metadata().map_err(unreadable)?;
    if metadata.is_symlink() {
        return Err(unsafe_place("it is a symbolic link"));
    }
    if !metadata.is_dir() {
        return Err(unsafe_place("it is not a folder"));
    }
    if let Some(problem) = exposed(&metadata) {
        return Err(unsafe_place(problem));
    }
    let real = folder.canonicalize().map_err(unreadable)?;
    for ancestor in real.ancestors().skip(1) {
        let mode = ancestor.metadata().map_err(unreadable)?.mode();
        if mode & WRITABLE_BY_ALL != 0 && mode & STICKY == 0 {
            return Err(unsafe_place("a folder above it is writable by everyone"));
        }
    }
    Ok(Some(real))
}

/// Checks a file that exists.
pub(super) fn check_file(path: &Path) -> Result<(), StoreError> {
    let unsafe_place = |problem| StoreError::UnsafePlace { path: path.to_owned(), problem };
    let metadata = path
        .symlink_metadata()
        .map_err(|error| StoreError::Unavailable(format!("its file cannot be read: {error}")))?;
    if metadata.is_symlink() {
        return Err(unsafe_place("it is a symbolic link"));
    }
    if !metadata.is_file() {
        return Err(unsafe_place("it is not a regular file"));
    }
    exposed(&metadata).map_or(Ok(()), |problem| Err(unsafe_place(problem)))
}

/// Checks an open file whose content only its owner may know.
pub(super) fn check_secret(file: &File, path: &Path) -> Result<(), StoreError> {
    let unsafe_place = |problem| StoreError::UnsafePlace { path: path.to_owned(), problem };
    let metadata = file
        .metadata()
        .map_err(|error| StoreError::Unavailable(format!("its file cannot be read: {error}")))?;
    if !metadata.is_file() {
        return Err(unsafe_place("it is not a regular file"));
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(unsafe_place("it belongs to another user"));
    }
    let problem = (metadata.mode() & OPEN_TO_OTHERS != 0).then_some("others may use it");
    problem.map_or(Ok(()), |problem| Err(unsafe_place(problem)))
}

fn exposed(metadata: &Metadata) -> Option<&'static str> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some("it belongs to another user");
    }
    (metadata.mode() & WRITABLE_BY_OTHERS != 0).then_some("others may write to it")
}

/// The real path that `path` has, or would have once the missing folders of it were made.
fn future_real_path(path: &Path) -> io::Result<PathBuf> {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(real) => return Ok(rest.into_iter().rev().fold(real, |path, part| path.join(part))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                existing = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            }
            _ => return Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Gives a file of a folder that is its owner's alone new content as a whole, durably: a reader sees the old or the new.
/// The caller holds the lock between those who write it.
pub(super) fn replace_file(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let draft = folder.join(format!("{name}.new"));
    // A draft that an earlier process left behind is worth nothing, and may be a planted link.
    match std::fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(content)?;
    file.sync_all()?;
    std::fs::rename(&draft, folder.join(name))?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn environment(home: &'static str) -> impl Fn(&str) -> Option<OsString> {
        move |name| (name == "XDG_STATE_HOME").then(|| home.into())
    }

    fn problem(result: Result<Option<PathBuf>, StoreError>) -> &'static str {
        match result {
            Err(StoreError::UnsafePlace { problem, .. }) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_workspace_has_a_folder_of_its_own_under_the_state_home() {
        let path = state_path(Path::new("/w/app"), &environment("/s")).unwrap();
        assert!(path.starts_with("/s/tgw") && path.ends_with("state.db"));
        assert_eq!(path.parent().unwrap().file_name().unwrap().len(), 16);
        assert_ne!(path, state_path(Path::new("/w/app-x"), &environment("/s")).unwrap());
    }

    #[test]
    fn a_relative_state_home_is_ignored_and_no_home_is_an_error() {
        let home = |name: &str| match name {
            "XDG_STATE_HOME" => Some(OsString::from("state")),
            "HOME" => Some(OsString::from("/home/ann")),
            _ => None,
        };
        assert_eq!(state_home(&home).unwrap(), Path::new("/home/ann/.local/state/tgw"));
        assert_eq!(state_home(&|_| None), Err(StoreError::NoHome));
    }

    #[test]
    fn a_folder_is_made_for_its_owner_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("state/tgw/0123");
        secure_folder(&folder, None, Missing::Create).unwrap().unwrap();
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(folder.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_inside_the_workspace_is_refused_before_it_is_made() {
        let place = tempfile::tempdir().unwrap();
        let workspace = place.path().canonicalize().unwrap();
        let folder = workspace.join("a/b");
        assert_eq!(
            problem(secure_folder(&folder, Some(&workspace), Missing::Create)),
            "it is inside the workspace"
        );
        assert!(!workspace.join("a").exists());
    }

    #[test]
    fn a_link_into_the_workspace_is_seen_through() {
        let place = tempfile::tempdir().unwrap();
        let workspace = place.path().canonicalize().unwrap().join("w");
        fs::create_dir(&workspace).unwrap();
        symlink(&workspace, place.path().join("link")).unwrap();
        let folder = place.path().join("link/state");
        assert_eq!(
            problem(secure_folder(&folder, Some(&workspace), Missing::Create)),
            "it is inside the workspace"
        );
    }

    #[test]
    fn a_folder_around_the_workspace_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        assert_eq!(
            problem(secure_folder(&real, Some(&real.join("w")), Missing::Create)),
            "the workspace is inside it"
        );
    }

    #[test]
    fn a_linked_or_shared_folder_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("real"), place.path().join("link"));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        assert_eq!(problem(secure_folder(&link, None, Missing::Create)), "it is a symbolic link");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o770)).unwrap();
        assert_eq!(problem(secure_folder(&real, None, Missing::Create)), "others may write to it");
    }

    #[test]
    fn a_folder_below_one_that_everyone_may_change_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let open = place.path().join("open");
        fs::create_dir_all(open.join("state")).unwrap();
        fs::set_permissions(open.join("state"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(
            problem(secure_folder(&open.join("state"), None, Missing::Leave)),
            "a folder above it is writable by everyone"
        );
    }

    #[test]
    fn looking_creates_nothing() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(secure_folder(&place.path().join("none"), None, Missing::Leave).unwrap(), None);
        assert!(!place.path().join("none").exists());
    }
}
