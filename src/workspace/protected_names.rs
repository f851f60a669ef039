//! Which protected names there are in the places that a command may write.
//!
//! Looked at before it runs, so that afterwards what is new can be told from what was there: see
//! [`undo_new`](ProtectedNames::undo_new).

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::{CStr, CString};
use std::os::fd::OwnedFd;

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::fold::fold;
use super::linked::Linked;
use super::protected::{ends_in_place, leads_to_place};
use super::tree::root_handle;
use super::{Access, Workspace, WorkspacePath};

/// Most entries looked at before a command runs. A folder that was begun is looked through to its end.
const MAX_ENTRIES: usize = 100_000;

/// Most folders remembered that could not be read.
const MAX_CLOSED: usize = 1_000;

/// Folders that hold what a machine made, in great number: looked into last.
const MADE: &[&str] = &["target", "node_modules"];

/// The protected names in some places of a workspace, as they were at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedNames {
    /// The places, links followed.
    pub(super) places: Vec<String>,
    /// The names, as paths from the root with odd bytes escaped; a link has its target behind it.
    pub(super) names: BTreeSet<String>,
    /// Folders that could not be read: what is in them is not known.
    pub(super) closed: BTreeSet<String>,
    /// What links at protected names led to.
    pub(super) linked: Linked,
    /// From which level on folders were not all looked through: outside those that a machine made, and in them.
    pub(super) levels: [Option<usize>; 2],
}

impl ProtectedNames {
    /// Looks through `places`, paths from the root of which `.` is the root itself; nearest first, to a fixed number of
    /// entries. One that is not there, or leads out, holds nothing.
    #[must_use]
    pub fn look<'p>(workspace: &Workspace, places: impl IntoIterator<Item = &'p str>) -> Self {
        let (linked, mut listing) = workspace.look_for_links_listing();
        let reached = places.into_iter().filter_map(|place| {
            workspace.resolve_as_known(&WorkspacePath::parse(place).ok()?, Access::Write).ok()
        });
        let mut reached: Vec<WorkspacePath> = reached.collect();
        reached.sort();
        let mut found = Self { linked: Linked::clone(&linked), ..Self::default() };
        let mut walk = Walk::default();
        for (at, place) in reached.iter().enumerate() {
            if !reached.iter().take(at).any(|above| place.is_at_or_below(above)) {
                found.places.push(place.as_str().to_owned());
                walk.push_place(place.as_str());
            }
        }
        while let Some(folder) = walk.next() {
            if walk.seen >= MAX_ENTRIES {
                walk.put_back(folder);
                break;
            }
            let mut judge = |parts: &[String], _: &CStr, kind| found.is_name(workspace, parts, kind);
            let listed = walk.take_listed(&folder, &mut listing, &mut judge);
            if listed.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            match folder.open(workspace) {
                Ok(handle) => {
                    let names = listed.unwrap_or_else(|| {
                        walk.list(&folder, &handle, &mut Listing::default(), &mut judge).unwrap_or_default()
                    });
                    found.names.extend(names.iter().map(|name| folder.key_of(name, &handle)));
                }
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) if found.closed.len() < MAX_CLOSED => {
                    found.closed.insert(folder.key());
                }
                Err(_) => walk.put_back(folder),
            }
        }
        found.levels = walk.levels();
        found
    }

    /// Whether these folded parts are a protected name themselves, and not merely inside one.
    ///
    /// So is a link that leads to one, or that stands between one and what it leads to: with another target it would give
    /// that name to something else.
    pub(super) fn is_name(&self, workspace: &Workspace, parts: &[String], kind: FileType) -> bool {
        let is_link = kind == FileType::Symlink;
        let is_named = |parts: &[String]| ends_in_place(parts) || (is_link && leads_to_place(parts));
        workspace.in_use.covers(parts)
            || is_named(parts)
            || self.linked.names_of(parts).any(|name| is_named(&name))
            || (is_link && self.linked.passes(parts))
    }

    /// Whether it is not known what was in a folder.
    pub(super) fn leaves_out(&self, folder: &Folder) -> bool {
        let [others, made] = self.levels;
        let most = if folder.made { made } else { others };
        most.is_some_and(|most| folder.folded.len() >= most) || self.closed.contains(&folder.key())
    }
}

/// A folder that is to be looked through.
pub(super) struct Folder {
    /// Its path from the root as the file system has it; empty for the root.
    raw: Vec<u8>,
    /// The parts of the path, folded.
    folded: Vec<String>,
    /// Whether a machine made it.
    made: bool,
}

impl Folder {
    pub(super) fn key(&self) -> String {
        self.raw.escape_ascii().to_string()
    }

    /// What tells an entry from others: its path and, for a link, what it leads to.
    pub(super) fn key_of(&self, name: &CStr, handle: &OwnedFd) -> String {
        let path = self.path_of(name).escape_ascii().to_string();
        match rustix::fs::readlinkat(handle, name, Vec::new()) {
            // No path has a line break in it once it is escaped.
            Ok(target) => format!("{path}\n{}", target.as_bytes().escape_ascii()),
            Err(_) => path,
        }
    }

    /// The path of an entry, for a person: cut where it is very long.
    pub(super) fn shown(&self, name: &[u8]) -> String {
        const MOST: usize = 300;
        let path =
            if self.raw.is_empty() { name.to_vec() } else { [self.raw.as_slice(), b"/", name].concat() };
        let text = String::from_utf8_lossy(&path);
        let shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
        if text.chars().nth(MOST).is_some() { format!("{shown}…") } else { shown }
    }

    pub(super) fn path_of(&self, name: &CStr) -> Vec<u8> {
        if self.raw.is_empty() {
            name.to_bytes().to_vec()
        } else {
            [self.raw.as_slice(), b"/", name.to_bytes()].concat()
        }
    }

    /// Opens it for listing; no link on the way is followed.
    pub(super) fn open(&self, workspace: &Workspace) -> Result<OwnedFd, Errno> {
        self.open_as(workspace, OFlags::RDONLY)
    }

    /// Opens it, also where it cannot be listed.
    pub(super) fn open_as(&self, workspace: &Workspace, how: OFlags) -> Result<OwnedFd, Errno> {
        let path: &[u8] = if self.raw.is_empty() { b"." } else { &self.raw };
        let flags = how | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        openat2(root_handle(workspace), path, flags, Mode::empty(), resolve)
    }
}

/// Folders still to be looked through, the nearest first.
#[derive(Default)]
pub(super) struct Walk {
    others: VecDeque<Folder>,
    made: VecDeque<Folder>,
    /// How many entries were looked at.
    pub(super) seen: usize,
}

impl Walk {
    pub(super) fn push_place(&mut self, place: &str) {
        let folded = place.split('/').filter(|part| !part.is_empty()).map(fold).collect();
        self.others.push_back(Folder { raw: place.as_bytes().to_vec(), folded, made: false });
    }

    pub(super) fn next(&mut self) -> Option<Folder> {
        self.others.pop_front().or_else(|| self.made.pop_front())
    }

    fn put_back(&mut self, folder: Folder) {
        if folder.made { self.made.push_front(folder) } else { self.others.push_front(folder) }
    }

    fn levels(&self) -> [Option<usize>; 2] {
        [&self.others, &self.made].map(|queue| queue.iter().map(|folder| folder.folded.len()).min())
    }

    /// Returns the names in a folder that `judge` picks by their folded parts, and keeps the other folders in it for later.
    /// What was read goes into `listing`, as far as that has room.
    pub(super) fn list(
        &mut self,
        folder: &Folder,
        handle: &OwnedFd,
        listing: &mut Listing,
        judge: &mut Judge<'_>,
    ) -> Result<Vec<CString>, Errno> {
        let mut names = Vec::new();
        let mut parts = folder.folded.clone();
        let mut kept = Vec::new();
        let mut read = 0;
        for entry in Dir::read_from(handle)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say it in the listing.
                FileType::Unknown => kind_of(handle, name),
                kind => kind,
            };
            let folded = fold(&name.to_string_lossy());
            read += 1;
            if read <= listing.room {
                kept.push(Listed { name: name.to_owned(), folded: folded.clone(), kind });
            }
            parts.push(folded);
            if self.meet(folder, &parts, name, kind, judge) {
                names.push(name.to_owned());
            }
            parts.pop();
        }
        listing.keep(folder, read, kept);
        Ok(names)
    }

    /// As [`Walk::list`], for a folder that a walk before this one read: `None` where none did.
    fn take_listed(
        &mut self,
        folder: &Folder,
        listing: &mut Listing,
        judge: &mut Judge<'_>,
    ) -> Option<Vec<CString>> {
        let mut names = Vec::new();
        let mut parts = folder.folded.clone();
        for Listed { name, folded, kind } in listing.folders.remove(&folder.raw)? {
            parts.push(folded);
            if self.meet(folder, &parts, &name, kind, judge) {
                names.push(name);
            }
            parts.pop();
        }
        Some(names)
    }

    /// Whether `judge` picks an entry; a folder that it does not pick is kept for later.
    fn meet(
        &mut self,
        folder: &Folder,
        parts: &[String],
        name: &CStr,
        kind: FileType,
        judge: &mut Judge<'_>,
    ) -> bool {
        self.seen += 1;
        let picked = judge(parts, name, kind);
        if !picked && kind == FileType::Directory {
            let made = folder.made || parts.last().is_some_and(|name| MADE.contains(&name.as_str()));
            let below = Folder { raw: folder.path_of(name), folded: parts.to_vec(), made };
            if made { self.made.push_back(below) } else { self.others.push_back(below) }
        }
        picked
    }
}

/// Picks an entry by its folded parts, its name and what it is.
pub(super) type Judge<'j> = dyn FnMut(&[String], &CStr, FileType) -> bool + 'j;

/// What folders hold, as one walk read them: one that follows at once need not read them again.
#[derive(Default)]
pub(super) struct Listing {
    folders: HashMap<Vec<u8>, Vec<Listed>>,
    /// How many entries more are kept.
    room: usize,
}

struct Listed {
    name: CString,
    folded: String,
    kind: FileType,
}

impl Listing {
    /// One that keeps up to `room` entries.
    pub(super) fn with_room(room: usize) -> Self {
        Self { folders: HashMap::new(), room }
    }

    /// Keeps what a folder holds, where it is all of the `read` entries.
    fn keep(&mut self, folder: &Folder, read: usize, entries: Vec<Listed>) {
        if read <= self.room && self.room > 0 {
            self.room -= read;
            self.folders.insert(folder.raw.clone(), entries);
        }
    }
}

fn kind_of(directory: &OwnedFd, name: &CStr) -> FileType {
    rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}
