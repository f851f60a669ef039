//! Undoing what a command made under a protected name.
//!
//! A sandbox guards files, and cannot forbid a name everywhere. So what has such a name afterwards and did not before
//! is given another one, in the same folder: nothing obeys it there, and nothing is lost, since a person may have made
//! it meanwhile.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::protected_names::{Folder, Listing, ProtectedNames, Walk};

/// Most entries looked at after a command ran: more than before, since it may have made many.
const MAX_ENTRIES: usize = 1_000_000;

/// Most names that are reported one by one.
const MAX_NAMED: usize = 20;

/// Most bytes of a name that are repeated in the new one.
const MAX_KEPT_NAME: usize = 40;

/// What was undone of a command, for the model, the person and the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The first of what had a protected name, by its path, and what became of it.
    pub entries: Vec<(String, Fate)>,
    /// How many more there were.
    pub more: u64,
    /// Whether it is not known that all was found.
    pub incomplete: bool,
}

/// What became of something with a protected name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It has this path now.
    Renamed(String),
    /// It was an empty folder, and is gone.
    Removed,
    /// It could not be given another name, and is there.
    Left,
}

impl Undone {
    /// A report that nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { incomplete: true, ..Self::default() }
    }

    /// One sentence for each thing that was found, and for what could not be looked at.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self
            .entries
            .iter()
            .map(|(path, fate)| {
                let became = match fate {
                    Fate::Renamed(name) => format!("it is renamed to `{name}`"),
                    Fate::Removed => "it is removed".to_owned(),
                    Fate::Left => "it could not be renamed and is to be deleted by a person".to_owned(),
                };
                format!("`{path}` appeared while the command ran and is protected: {became}")
            })
            .collect();
        if self.more > 0 {
            warnings.push(format!("{} more protected names were undone in the same way", self.more));
        }
        if self.incomplete {
            warnings.push(
                "not all of what the command left could be looked through for protected names".to_owned(),
            );
        }
        warnings
    }

    fn add(&mut self, path: String, fate: Fate) {
        // What is still there must not go unnamed among many that are not.
        let most = if fate == Fate::Left { 2 * MAX_NAMED } else { MAX_NAMED };
        if self.entries.len() < most {
            self.entries.push((path, fate));
        } else {
            self.more += 1;
        }
    }
}

impl ProtectedNames {
    /// Undoes every protected name that is there now and was not when these were looked at. To be called when nothing
    /// of the command is alive. Links are not followed, and are renamed themselves.
    #[must_use]
    pub fn undo_new(&self, workspace: &Workspace) -> Undone {
        let mut undone = Undone::default();
        let mut walk = Walk::default();
        self.places.iter().for_each(|place| walk.push_place(place));
        let mut judge = |parts: &[String], _: &CStr, kind| self.is_name(workspace, parts, kind);
        while let Some(folder) = walk.next() {
            if self.leaves_out(&folder) {
                continue;
            }
            if walk.seen >= MAX_ENTRIES {
                undone.incomplete = true;
                break;
            }
            let names = open(workspace, &folder).and_then(|handle| {
                Ok((walk.list(&folder, &handle, &mut Listing::default(), &mut judge)?, handle))
            });
            match names {
                Ok((names, handle)) => {
                    for name in names {
                        if self.names.contains(&folder.key_of(&name, &handle)) {
                            continue;
                        }
                        let fate = set_aside(&folder, &handle, &name);
                        undone.add(folder.shown(name.as_bytes()), fate);
                    }
                }
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) => undone.incomplete = true,
            }
        }
        undone
    }
}

/// Opens a folder for listing. One that the command closed to its own user is opened up again: what is in it would come
/// to light with the next change of its mode.
fn open(workspace: &Workspace, folder: &Folder) -> Result<OwnedFd, Errno> {
    match folder.open(workspace) {
        Err(Errno::ACCESS) => {
            open_up(&folder.open_as(workspace, OFlags::PATH)?)?;
            folder.open(workspace)
        }
        result => result,
    }
}

/// Gives the owner every right to a folder.
fn open_up(handle: &OwnedFd) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(handle)?.st_mode & 0o7777) | Mode::RWXU;
    // A handle that only names a file takes no change of mode itself.
    rustix::fs::chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), mode)
}

fn set_aside(folder: &Folder, handle: &OwnedFd, name: &CString) -> Fate {
    if rustix::fs::unlinkat(handle, name.as_c_str(), AtFlags::REMOVEDIR).is_ok() {
        return Fate::Removed;
    }
    let renamed = new_name(name).and_then(|new| {
        match rename(handle, name, &new) {
            Err(Errno::ACCESS | Errno::PERM) => {
                open_up(handle)?;
                rename(handle, name, &new)?;
            }
            result => result?,
        }
        Ok(new)
    });
    match renamed {
        Ok(new) => Fate::Renamed(folder.shown(new.as_bytes())),
        // It went away by itself.
        Err(Errno::NOENT) => Fate::Removed,
        Err(_) => Fate::Left,
    }
}

fn rename(handle: &OwnedFd, name: &CStr, new: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(handle, name, handle, new, RenameFlags::NOREPLACE) {
        // Network file systems may not know the flag, and nothing else has a name drawn by lot.
        Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::renameat(handle, name, handle, new),
        result => result,
    }
}

/// A name that nothing obeys: no protected name begins as it does.
fn new_name(name: &CStr) -> Result<String, Errno> {
    let kept: String = String::from_utf8_lossy(name.to_bytes())
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        .take(MAX_KEPT_NAME)
        .collect();
    let lot = getrandom::u64().map_err(|_| Errno::IO)?;
    Ok(format!(".tgw-undone-{lot:016x}-{}", kept.trim_start_matches('.')))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;
    use crate::workspace::Protected;

    struct Ground {
        folder: tempfile::TempDir,
    }

    impl Ground {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }

        fn workspace(&self) -> Workspace {
            Workspace::open(self.folder.path(), Protected::default()).unwrap()
        }

        fn make(&self, path: impl AsRef<Path>) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "made").unwrap();
        }

        fn has(&self, path: &str) -> bool {
            self.folder.path().join(path).symlink_metadata().is_ok()
        }

        /// Undoes what `change` makes, and returns it by path, in order.
        fn undo(&self, places: &[&str], change: impl FnOnce(&Self)) -> Vec<(String, Fate)> {
            let before = ProtectedNames::look(&self.workspace(), places.iter().copied());
            change(self);
            let undone = before.undo_new(&self.workspace());
            assert!(!undone.incomplete);
            let mut entries = undone.entries;
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            for (path, fate) in &entries {
                assert!(!self.has(path), "{path}");
                if let Fate::Renamed(new) = fate {
                    assert!(self.has(new), "{new}");
                }
            }
            entries
        }

        fn undone(&self, places: &[&str], change: impl FnOnce(&Self)) -> Vec<String> {
            self.undo(places, change).into_iter().map(|(path, _)| path).collect()
        }
    }

    #[test]
    fn every_new_protected_name_is_undone_at_any_depth_and_in_any_spelling() {
        let ground = Ground::new();
        let paths = [
            ".MCP.json",
            ".claude/settings.json",
            ".codex/config.toml",
            "a/.git/config",
            "a/b/.vscode/tasks.json",
            "node_modules/x/.git",
            "policy.yaml",
            "target/.mcp.json",
            "tgw-lint.yaml",
            "tgw.lock",
        ];
        let undone = ground.undone(&["."], |ground| paths.iter().for_each(|path| ground.make(path)));
        let expected = paths.map(|path| match path {
            ".codex/config.toml" => ".codex",
            "a/.git/config" => "a/.git",
            other => other,
        });
        assert_eq!(undone, expected);
    }

    #[test]
    fn what_was_there_before_stays_whatever_became_of_it() {
        let ground = Ground::new();
        ground.make(".mcp.json");
        ground.make("a/.git/config");
        let undone = ground.undone(&["."], |ground| {
            fs::remove_file(ground.folder.path().join(".mcp.json")).unwrap();
            ground.make(".mcp.json");
            ground.make("a/.git/hooks/x");
        });
        assert_eq!(undone, [""; 0]);
        assert!(ground.has(".mcp.json") && ground.has("a/.git/hooks/x"));
    }

    #[test]
    fn a_folder_that_is_renamed_into_place_is_undone() {
        let ground = Ground::new();
        ground.make("a/settings.json");
        ground.make("b/c/hooks/x");
        let undone = ground.undone(&["."], |ground| {
            let path = |name| ground.folder.path().join(name);
            fs::rename(path("a"), path(".claude")).unwrap();
            fs::rename(path("b/c"), path("b/.claude")).unwrap();
        });
        assert_eq!(undone, [".claude/settings.json", "b/.claude/hooks"]);
    }

    #[test]
    fn links_are_undone_themselves_and_never_followed() {
        let ground = Ground::new();
        let outside = Ground::new();
        outside.make(".mcp.json");
        outside.make("settings.json");
        let undone = ground.undone(&["."], |ground| {
            let path = |name| ground.folder.path().join(name);
            symlink(outside.folder.path(), path("elsewhere")).unwrap();
            symlink(outside.folder.path(), path(".claude")).unwrap();
            symlink(outside.folder.path(), path(".git")).unwrap();
            symlink("nothing", path(".mcp.json")).unwrap();
        });
        assert_eq!(undone, [".claude", ".git", ".mcp.json"]);
        assert!(ground.has("elsewhere"));
        assert!(outside.has(".mcp.json") && outside.has("settings.json"));
    }

    #[test]
    fn empty_folders_are_removed_and_everything_else_is_kept_under_another_name() {
        let ground = Ground::new();
        let undone = ground.undo(&["."], |ground| {
            fs::create_dir(ground.folder.path().join(".git")).unwrap();
            ground.make("x/.mcp.json");
        });
        let [(git, Fate::Removed), (file, Fate::Renamed(new))] = &undone[..] else { panic!("{undone:?}") };
        assert_eq!((git.as_str(), file.as_str()), (".git", "x/.mcp.json"));
        assert!(new.starts_with("x/.tgw-undone-") && new.ends_with("-mcp.json"), "{new}");
        assert_eq!(fs::read_to_string(ground.folder.path().join(new)).unwrap(), "made");
    }

    #[test]
    fn names_that_are_no_text_hide_nothing() {
        let ground = Ground::new();
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"\xff"));
        let before = ProtectedNames::look(&ground.workspace(), ["."]);
        ground.make(odd.join(".mcp.json"));
        assert_eq!(before.undo_new(&ground.workspace()).entries.len(), 1);
        assert!(!ground.folder.path().join(odd).join(".mcp.json").exists());
    }

    #[test]
    fn only_the_places_that_could_be_written_are_looked_through() {
        let ground = Ground::new();
        let undone = ground.undone(&["target/deep", "./a/", "a/b", "../out", "gone"], |ground| {
            for path in ["target/deep/.mcp.json", "a/b/.mcp.json", ".mcp.json"] {
                ground.make(path);
            }
        });
        assert_eq!(undone, ["a/b/.mcp.json", "target/deep/.mcp.json"]);
        assert!(ground.has(".mcp.json"));
    }

    #[test]
    fn a_folder_that_is_closed_afterwards_hides_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let ground = Ground::new();
        let undone = ground.undone(&["."], |ground| {
            ground.make("a/.mcp.json");
            let closed = fs::Permissions::from_mode(0o000);
            fs::set_permissions(ground.folder.path().join("a"), closed).unwrap();
        });
        assert_eq!(undone, ["a/.mcp.json"]);
    }

    #[test]
    fn more_names_than_are_listed_are_counted_and_undone_all_the_same() {
        let ground = Ground::new();
        let before = ProtectedNames::look(&ground.workspace(), ["."]);
        (0..MAX_NAMED + 5).for_each(|number| ground.make(format!("{number}/.mcp.json")));
        let undone = before.undo_new(&ground.workspace());
        assert_eq!((undone.entries.len(), undone.more), (MAX_NAMED, 5));
        assert_eq!(before.undo_new(&ground.workspace()), Undone::default());
        assert!(undone.warnings().last().unwrap().contains("5 more"));
    }

    #[test]
    fn what_a_look_did_not_reach_is_not_judged() {
        let ground = Ground::new();
        ground.make("a/.mcp.json");
        let before = ProtectedNames {
            places: vec![String::new()],
            levels: [Some(1), Some(1)],
            ..ProtectedNames::default()
        };
        ground.make(".mcp.json");
        let undone = before.undo_new(&ground.workspace());
        assert_eq!(undone.entries.len(), 1);
        assert!(ground.has("a/.mcp.json") && !ground.has(".mcp.json"));
    }
}
