//! What of the gateway's own files is in use, recognised by path and by identity.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::Protected;
use super::fold::fold;

/// Device and inode: the same for every name of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[expect(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    pub(super) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }
}

/// The files in use, prepared for comparing.
#[derive(Debug)]
pub(super) struct InUse {
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    absolute: PathBuf,
    /// What it was when the workspace was opened.
    identity: Option<Identity>,
    /// Folded parts below the workspace root, where it lies there.
    relative: Option<Vec<String>>,
}

impl InUse {
    pub(super) fn new(root: &Path, protected: &Protected) -> Self {
        let places = protected.in_use.iter().map(|path| Place::new(root, path)).collect();
        Self { places }
    }

    /// Whether these folded parts name a file in use, or something below a folder in use.
    pub(super) fn covers(&self, parts: &[String]) -> bool {
        self.places.iter().any(|place| place.relative.as_ref().is_some_and(|place| parts.starts_with(place)))
    }

    /// The paths below the workspace root, with `/` between the parts.
    pub(super) fn below_root(&self) -> impl Iterator<Item = String> {
        self.places.iter().filter_map(|place| place.relative.as_ref().map(|parts| parts.join("/")))
    }

    /// Whether this is a file in use under another name: a hard link, a bind mount, an alias of the file system.
    ///
    /// The files in use are looked at anew, since an editor that saves one gives it a new identity; but not for a file
    /// with one name that was none of them at the start: another name of it could only be a bind mount made since.
    pub(super) fn is(&self, stat: &Stat) -> bool {
        let wanted = Identity::of(stat);
        if stat.st_nlink <= 1 && self.places.iter().all(|place| place.identity != Some(wanted)) {
            return false;
        }
        self.places.iter().any(|place| {
            let Ok(found) = rustix::fs::stat(&place.absolute) else { return false };
            if Identity::of(&found) == wanted {
                return true;
            }
            // A file inside a folder in use can only be reached from outside by a further hard link.
            is_directory(&found) && holds(&place.absolute, wanted)
        })
    }
}

impl Place {
    fn new(root: &Path, path: &Path) -> Self {
        let absolute = real(path);
        let relative = absolute
            .strip_prefix(root)
            .ok()
            .map(|below| below.components().map(|part| fold(&part.as_os_str().to_string_lossy())).collect());
        let identity = rustix::fs::stat(&absolute).ok().map(|stat| Identity::of(&stat));
        Self { absolute, identity, relative }
    }
}

/// The real path, also of a file that does not exist yet in a folder that does.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        match (path.parent().and_then(|p| p.canonicalize().ok()), path.file_name()) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => path.to_owned(),
        }
    })
}

fn is_directory(stat: &Stat) -> bool {
    rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Directory
}

/// Whether a folder in use holds this file. Such folders are the gateway's own: flat and small.
fn holds(folder: &Path, wanted: Identity) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    entries
        .flatten()
        .any(|entry| rustix::fs::lstat(entry.path()).is_ok_and(|stat| Identity::of(&stat) == wanted))
}
