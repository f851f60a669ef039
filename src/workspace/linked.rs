//! What symbolic links at protected names lead to.
//!
//! Hosts and the gateway follow links: with `.claude -> notes`, the file `notes/settings.json` is a host's settings,
//! which no path shows. So the links are looked for, and what they lead to goes by their names as well.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::fold::fold;
use super::protected::{LONGEST_PLACE, ends_in_place, leads_to_place};
use super::protected_names::{Listing, Walk};

/// Most entries looked at for links, nearest first. A folder that was begun is looked through to its end.
pub(super) const MAX_ENTRIES: usize = 20_000;

/// Most links at protected names that are followed.
const MAX_FOLLOWED: usize = 1_000;

/// Most links followed from one of them, and most names walked, as for the paths of calls.
const MAX_LINKS: usize = 40;
const MAX_STEPS: usize = 4096;

/// The names that places of a workspace have by links at protected names, as they were at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Linked {
    aliases: BTreeSet<Alias>,
    /// Folded parts of the links between those at protected names and what these lead to.
    passed: BTreeSet<Vec<String>>,
    /// Paths of what they lead to, from the root.
    places: BTreeSet<String>,
}

/// A second name of a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Alias {
    /// Folded parts of the place.
    place: Vec<String>,
    /// The last folded parts of the name: as many as a protected name can have.
    name: Vec<String>,
}

/// A link that was found.
struct Link {
    /// Its path from the root.
    raw: Vec<u8>,
    parts: Vec<String>,
}

impl Linked {
    /// Looks for links at protected names, and at those that other places have by such links.
    pub(super) fn look(workspace: &Workspace) -> Self {
        Self::look_listing(workspace, &mut Listing::default())
    }

    /// As [`Linked::look`]; what was read goes into `listing`.
    pub(super) fn look_listing(workspace: &Workspace, listing: &mut Listing) -> Self {
        let links = all_links(workspace, listing);
        let mut found = Self::default();
        let mut known = BTreeSet::new();
        let mut left: VecDeque<(&Link, Vec<String>)> = links
            .iter()
            .filter(|link| is_named(&link.parts))
            .map(|link| (link, last_of(link.parts.clone())))
            .collect();
        while let Some((link, name)) = left.pop_front() {
            if known.len() >= MAX_FOLLOWED {
                break;
            }
            if !known.insert((&link.raw, name.clone())) {
                continue;
            }
            for place in found.follow(workspace.root(), link, &name) {
                let below = links.iter().filter_map(|other| {
                    let rest = other.parts.strip_prefix(place.as_slice())?;
                    let other_name = [name.as_slice(), rest].concat();
                    is_named(&other_name).then(|| (other, last_of(other_name)))
                });
                left.extend(below);
            }
        }
        found
    }

    /// The further names of a place given by its folded parts, as far as they matter for its protection.
    pub(super) fn names_of(&self, parts: &[String]) -> impl Iterator<Item = Vec<String>> {
        self.aliases.iter().filter_map(move |alias| {
            let rest = parts.strip_prefix(alias.place.as_slice())?;
            Some([alias.name.as_slice(), rest].concat())
        })
    }

    /// Whether a link in this place is passed on the way from a protected name, or would be.
    pub(super) fn passes(&self, parts: &[String]) -> bool {
        let places = self.aliases.iter().map(|alias| &alias.place);
        self.passed.iter().chain(places).any(|place| place.starts_with(parts))
    }

    /// The paths from the root of what links at protected names lead to.
    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(String::as_str)
    }

    /// The places and the names that they have besides, both as folded parts.
    pub(super) fn aliases(&self) -> impl Iterator<Item = (&[String], &[String])> {
        self.aliases.iter().map(|alias| (alias.place.as_slice(), alias.name.as_slice()))
    }

    /// Follows a link, and returns the places in the workspace that it is spelt as on the way, the last one included.
    fn follow(&mut self, root: &Path, link: &Link, name: &[String]) -> Vec<Vec<String>> {
        let trail = Trail::of(root, &link.raw);
        self.passed.extend(trail.links.iter().skip(1).filter_map(|path| parts_below(root, path)));
        let mut places = Vec::new();
        for path in trail.places {
            if let Some(place) = parts_below(root, &path) {
                self.places.extend(path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned));
                self.aliases.insert(Alias { place: place.clone(), name: name.to_owned() });
                places.push(place);
            } else if let Some(below) = parts_below(&path, root) {
                // A link to a folder above the workspace: the root lies below its name.
                let name = last_of([name, &below].concat());
                self.aliases.insert(Alias { place: Vec::new(), name });
            }
        }
        places
    }
}

/// The way from a link to what it leads to.
#[derive(Default)]
struct Trail {
    /// Every link that is passed, itself first.
    links: Vec<PathBuf>,
    /// What stands for the same place: the spelling after each link, and the end.
    places: Vec<PathBuf>,
}

impl Trail {
    /// Follows `start`, below `root`, a real path: in the workspace or out of it, whether the end is there or not.
    fn of(root: &Path, start: &[u8]) -> Self {
        let mut trail = Self::default();
        let mut here = root.to_owned();
        let mut pending = reversed(Path::new(OsStr::from_bytes(start)));
        for _ in 0..MAX_STEPS {
            let Some(name) = pending.pop() else { break };
            if name == ".." {
                here.pop();
                continue;
            }
            here.push(&name);
            let Ok(target) = std::fs::read_link(&here) else { continue };
            if trail.links.len() >= MAX_LINKS {
                return trail;
            }
            trail.links.push(here.clone());
            if target.is_absolute() {
                here = PathBuf::from("/");
            } else {
                here.pop();
            }
            pending.extend(reversed(&target));
            let mut spelling = here.clone();
            for name in pending.iter().rev() {
                if name == ".." {
                    spelling.pop()
                } else {
                    push(&mut spelling, name)
                };
            }
            trail.places.push(spelling);
        }
        trail.places.push(here);
        trail
    }
}

fn push(path: &mut PathBuf, name: &OsStr) -> bool {
    path.push(name);
    true
}

/// The names in a path, last first.
fn reversed(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.collect()
}

/// Folded parts of a path below `root`.
fn parts_below(root: &Path, path: &Path) -> Option<Vec<String>> {
    let below = path.strip_prefix(root).ok()?;
    Some(below.components().map(|part| fold(&part.as_os_str().to_string_lossy())).collect())
}

/// Whether a link of this name gives what it leads to a protected name.
fn is_named(parts: &[String]) -> bool {
    ends_in_place(parts) || leads_to_place(parts)
}

fn last_of(mut parts: Vec<String>) -> Vec<String> {
    parts.split_off(parts.len().saturating_sub(LONGEST_PLACE))
}

/// Every link of the workspace, nearest first, to a fixed number of entries.
fn all_links(workspace: &Workspace, listing: &mut Listing) -> Vec<Link> {
    let mut links = Vec::new();
    let mut walk = Walk::default();
    walk.push_place("");
    while let Some(folder) = walk.next() {
        if walk.seen >= MAX_ENTRIES {
            break;
        }
        let Ok(handle) = folder.open(workspace) else { continue };
        let mut keep = |parts: &[String], name: &CStr, kind| {
            if kind == FileType::Symlink {
                links.push(Link { raw: folder.path_of(name), parts: parts.to_vec() });
            }
            // What is inside a protected place is protected as it is.
            ends_in_place(parts)
        };
        // What cannot be read to its end is judged as far as it was read.
        let _names = walk.list(&folder, &handle, listing, &mut keep);
    }
    links
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::workspace::{Access, Protected, WorkspacePath};

    /// A workspace with these links, as name and target.
    fn workspace(links: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        for (name, target) in links {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(target.replace("ROOT", folder.path().canonicalize().unwrap().to_str().unwrap()), path)
                .unwrap();
        }
        let workspace = Workspace::open(folder.path(), Protected::default()).unwrap();
        (folder, workspace)
    }

    #[test]
    fn what_links_at_protected_names_lead_to_is_protected_as_they_are() {
        for (links, protected, free) in [
            (&[(".claude", "notes")][..], "notes/settings.json", "notes/agents/a.md"),
            (&[(".MCP.json", "./a/../notes/h.json")], "notes/h.json", "notes/other.json"),
            (&[("a/.vscode", "../notes")], "notes/Tasks.json", "notes/launch.json"),
            (&[(".gemini", "l1"), ("l1", "l2"), ("l2", "notes")], "notes/settings.json", "notes/x"),
            (&[(".github", "g"), ("g/copilot", "../c")], "c/settings.json", "c/x"),
            (&[(".gemini", "ROOT/notes")], "notes/hooks/x", "notes/x"),
            (&[(".gemini", "x/notes"), ("x", "y")], "y/notes/hooks", "y/notes/x"),
            (&[(".codex", "notes")], "notes/anything", "note"),
            (&[(".claude", ".")], "settings.json", "src/settings.toml"),
            (&[("sub/.claude/settings.json", "../../n.txt")], "N.txt", "n.md"),
        ] {
            let (_folder, workspace) = workspace(links);
            let what = |path| workspace.protection(&WorkspacePath::parse(path).unwrap(), Access::Read);
            assert!(what(protected).is_some(), "{links:?}");
            assert_eq!(what(free), None, "{links:?}");
        }
    }

    #[test]
    fn links_at_other_names_and_links_that_go_round_protect_nothing() {
        let links = [("claude", "notes"), (".gemini", "round"), ("round", ".gemini"), ("a/.github", "..")];
        let (_folder, workspace) = workspace(&links);
        let what = |path| workspace.protection(&WorkspacePath::parse(path).unwrap(), Access::Write);
        assert_eq!(what("notes/settings.json"), None);
        // The folder of a link is where its `..` begins.
        assert!(what("hooks/x").is_some());
        assert_eq!(what("a/hooks/x"), None);
    }

    #[test]
    fn what_stands_between_a_name_and_its_place_is_known() {
        let (_folder, workspace) = workspace(&[(".claude", "a/l"), ("a/l", "../notes")]);
        let linked = Linked::look(&workspace);
        let passes = |path: &str| linked.passes(&path.split('/').map(fold).collect::<Vec<_>>());
        assert!(passes("a") && passes("a/l") && passes("notes"));
        assert!(!passes("notes/x") && !passes("b"));
    }
}
