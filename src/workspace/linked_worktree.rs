//! The `.git` file of a linked worktree (`git worktree add`), followed where what it names proves that it belongs here.
//!
//! Such a file leads out of the workspace, and whoever made the workspace wrote it. So it is believed only where the other
//! side says the same: a directory that git keeps for a worktree names the one `.git` that it is for, and only who may
//! write that repository can write that. Everything is opened by its real path, no link followed, and must belong to the
//! user who runs this.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};
use rustix::process::geteuid;

use super::locate::{look, pass};
use super::{FileKind, Workspace};

/// Most bytes of a file that holds a path, and of a path.
const MAX_PATH_BYTES: usize = 4096;
/// The permission of others than owner and group to write.
const OTHERS_WRITE: u32 = 0o002;

/// A directory that is open, and its real path.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) handle: OwnedFd,
    pub(super) path: PathBuf,
}

/// The two directories that git uses for a linked worktree.
#[derive(Debug)]
pub(super) struct LinkedWorktree {
    /// The worktree's own: its head and index.
    pub(super) own: Found,
    /// What it shares with the repository: objects, branches, configuration.
    pub(super) common: Found,
}

/// Follows the `.git` file at the workspace root.
///
/// # Errors
/// Why it is not followed, with no path outside the workspace.
pub(super) fn follow(workspace: &Workspace) -> Result<LinkedWorktree, &'static str> {
    let root = workspace.root();
    let text = line_of(super::tree::root_handle(workspace), ".git")?;
    let named = text.strip_prefix("gitdir: ").ok_or("it is a file that names no git directory")?;
    let own = absolute(root, named)?;
    let (common, name) = parts(&own).ok_or("it names a directory that is not one of a linked worktree")?;
    if common.starts_with(root) || root.starts_with(&common) {
        return Err("the git directory that it names is not apart from the workspace");
    }
    let common = open_real(&common)?;
    let list = below(&common, "worktrees")?;
    let own = below(&list, &name)?;
    if absolute(&own.path, &line_of(&own.handle, "gitdir")?)? != root.join(".git") {
        return Err("the git directory that it names belongs to another worktree");
    }
    if absolute(&own.path, &line_of(&own.handle, "commondir")?)? != common.path {
        return Err("the git directory that it names shares another repository");
    }
    Ok(LinkedWorktree { own, common })
}

/// `<common>/worktrees/<name>`, taken apart.
fn parts(own: &Path) -> Option<(PathBuf, String)> {
    let list = own.parent().filter(|list| list.ends_with("worktrees"))?;
    Some((list.parent()?.to_owned(), own.file_name()?.to_str()?.to_owned()))
}

/// Opens a directory by its path, in which no part may be a link.
fn open_real(path: &Path) -> Result<Found, &'static str> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let handle = openat2(CWD, path, flags, Mode::empty(), resolve)
        .map_err(|_| "the git directory that it names is not there, or lies behind a symbolic link")?;
    owned(Found { handle, path: path.to_owned() })
}

fn below(parent: &Found, name: &str) -> Result<Found, &'static str> {
    let handle = pass(&parent.handle, name)
        .map_err(|_| "the git directory that it names is not there, or lies behind a symbolic link")?;
    owned(Found { handle, path: parent.path.join(name) })
}

fn owned(found: Found) -> Result<Found, &'static str> {
    match fstat(&found.handle) {
        Ok(stat) if is_own(&stat) => Ok(found),
        Ok(_) | Err(_) => {
            Err("the git directory that it names belongs to another user, or others can write it")
        }
    }
}

fn is_own(stat: &Stat) -> bool {
    stat.st_uid == geteuid().as_raw() && stat.st_mode & OTHERS_WRITE == 0
}

/// The one line of a small file of this user's; git ends it with a line break.
fn line_of(parent: impl AsFd, name: &str) -> Result<String, &'static str> {
    const REFUSED: &str = "a file that names a git directory cannot be read, or belongs to another user";
    // Looked at first: opening a device can have effects of its own.
    match look(&parent, name) {
        Ok(Some(stat)) if FileKind::of(&stat) == FileKind::File => {}
        Ok(_) | Err(_) => return Err(REFUSED),
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&parent, name, flags, Mode::empty()).map_err(|_| REFUSED)?);
    if !fstat(&file).is_ok_and(|stat| FileKind::of(&stat) == FileKind::File && is_own(&stat)) {
        return Err(REFUSED);
    }
    let mut bytes = Vec::new();
    file.take(MAX_PATH_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|_| REFUSED)?;
    let text = String::from_utf8(bytes).map_err(|_| REFUSED)?;
    let line = text.trim_end_matches(['\n', '\r']);
    if text.len() > MAX_PATH_BYTES || line.is_empty() || line.chars().any(char::is_control) {
        return Err(REFUSED);
    }
    Ok(line.to_owned())
}

/// What a path in a file of `folder` names, `..` taken by the words: what is opened later has no links.
fn absolute(folder: &Path, text: &str) -> Result<PathBuf, &'static str> {
    let mut found = PathBuf::new();
    for part in folder.join(text).components() {
        match part {
            Component::RootDir => found.push("/"),
            Component::Normal(name) => found.push(name),
            Component::ParentDir if found.parent().is_some() => {
                found.pop();
            }
            Component::ParentDir | Component::CurDir | Component::Prefix(_) => {
                return Err("a path that names a git directory has a form that is not read");
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::workspace::Protected;

    /// A worktree as git lays one out, beside other folders.
    struct Laid {
        _folder: tempfile::TempDir,
        base: PathBuf,
    }

    impl Laid {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().canonicalize().unwrap();
            fs::create_dir_all(base.join("main/.git/worktrees/w")).unwrap();
            fs::create_dir(base.join("ws")).unwrap();
            let laid = Self { _folder: folder, base };
            laid.write("ws/.git", "gitdir: BASE/main/.git/worktrees/w\n");
            laid.write("main/.git/worktrees/w/gitdir", "BASE/ws/.git\n");
            laid.write("main/.git/worktrees/w/commondir", "../..\n");
            laid
        }

        fn write(&self, path: &str, text: &str) {
            fs::write(self.base.join(path), text.replace("BASE", self.base.to_str().unwrap())).unwrap();
        }

        fn follow(&self) -> Result<LinkedWorktree, &'static str> {
            follow(&Workspace::open(&self.base.join("ws"), Protected::default()).unwrap())
        }
    }

    #[test]
    fn a_worktree_that_both_sides_name_is_followed() {
        let laid = Laid::new();
        for (git, back) in [
            ("gitdir: BASE/main/.git/worktrees/w\n", "BASE/ws/.git\n"),
            ("gitdir: ../main/.git/worktrees/w\r\n", "../../../../ws/.git"),
        ] {
            laid.write("ws/.git", git);
            laid.write("main/.git/worktrees/w/gitdir", back);
            let found = laid.follow().unwrap();
            assert_eq!(found.own.path, laid.base.join("main/.git/worktrees/w"));
            assert_eq!(found.common.path, laid.base.join("main/.git"));
        }
        laid.write("main/.git/worktrees/w/commondir", "BASE/main/.git");
        laid.follow().unwrap();
    }

    #[test]
    fn what_one_side_alone_says_is_not_followed() {
        let own = "main/.git/worktrees/w/";
        for (file, text) in [
            ("ws/.git", "BASE/main/.git/worktrees/w\n"),
            ("ws/.git", ""),
            ("ws/.git", "gitdir: \n"),
            ("ws/.git", "gitdir: BASE/main/.git\n"),
            ("ws/.git", "gitdir: BASE/main/.git/worktrees\n"),
            ("ws/.git", "gitdir: BASE/main/.git/worktrees/other\n"),
            ("ws/.git", "gitdir: BASE/main/.git/worktrees/w\nx\n"),
            ("ws/.git", "gitdir: ../../../../../../../../../../../../../../../../worktrees/w\n"),
            (&format!("{own}gitdir"), "BASE/other/.git\n"),
            (&format!("{own}gitdir"), "BASE/ws\n"),
            (&format!("{own}gitdir"), "BASE/ws/.git/\u{7}\n"),
            (&format!("{own}commondir"), "..\n"),
            (&format!("{own}commondir"), "BASE/other/.git\n"),
        ] {
            let laid = Laid::new();
            laid.write(file, text);
            let refused = laid.follow().unwrap_err();
            assert!(!refused.contains('/'), "{refused}");
        }
        for missing in ["gitdir", "commondir"] {
            let laid = Laid::new();
            fs::remove_file(laid.base.join(own).join(missing)).unwrap();
            laid.follow().unwrap_err();
        }
    }

    #[test]
    fn no_link_is_passed_on_the_way() {
        for (link, to) in [
            ("main", "moved"),
            ("main/.git", "moved"),
            ("main/.git/worktrees", "../moved"),
            ("main/.git/worktrees/w", "../../../moved"),
            ("main/.git/worktrees/w/gitdir", "moved"),
            ("ws/.git", "moved"),
        ] {
            let laid = Laid::new();
            let link = laid.base.join(link);
            fs::rename(&link, link.parent().unwrap().join(to)).unwrap();
            symlink(to, &link).unwrap();
            assert!(link.exists());
            laid.follow().unwrap_err();
        }
    }

    #[test]
    fn what_others_can_write_is_not_followed() {
        for path in ["ws/.git", "main/.git", "main/.git/worktrees", "main/.git/worktrees/w/commondir"] {
            let laid = Laid::new();
            let path = laid.base.join(path);
            let mut permissions = path.metadata().unwrap().permissions();
            permissions.set_mode(permissions.mode() | OTHERS_WRITE);
            fs::set_permissions(&path, permissions).unwrap();
            laid.follow().unwrap_err();
        }
    }

    #[test]
    fn a_git_directory_in_the_workspace_or_around_it_is_not_followed() {
        for (own, back) in [("ws/in/worktrees/w", "BASE/ws/.git"), ("worktrees/w", "BASE/ws/.git")] {
            let laid = Laid::new();
            fs::create_dir_all(laid.base.join(own)).unwrap();
            laid.write("ws/.git", &format!("gitdir: BASE/{own}\n"));
            laid.write(&format!("{own}/gitdir"), back);
            laid.write(&format!("{own}/commondir"), "../..");
            assert_eq!(
                laid.follow().unwrap_err(),
                "the git directory that it names is not apart from the workspace"
            );
        }
    }
}
