//! Which files a command can reach, as open handles: what is opened here is what is granted, whatever a path names later.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, mkdirat, open, openat, openat2, statat,
};
use rustix::io::Errno;

use super::{Specification, WorkspacePlaces};

/// The system's own folders: programs, libraries and settings.
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/run/current-system",
    "/sys/devices/system/cpu",
];

/// What name resolution needs besides `/etc`.
pub(super) const RESOLVER: &[&str] =
    &["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"];

/// What a command may do with a file or with everything below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// See the names in it.
    List,
    /// Read and execute.
    Read,
    /// Read, execute, and change.
    Write,
}

/// One grant.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) handle: OwnedFd,
    pub(super) access: Access,
    pub(super) directory: bool,
}

/// A file or folder of the workspace, opened.
pub(super) struct Opened {
    pub(super) handle: OwnedFd,
    /// Its real path.
    pub(super) path: PathBuf,
}

/// The grants below some paths, without what is excluded.
#[derive(Default)]
pub(super) struct Grants {
    pub(super) list: Vec<Grant>,
}

impl Grants {
    /// Grants a path outside the workspace, if it exists.
    pub(super) fn add_path(&mut self, path: &Path, access: Access, excluded: &[&Path]) -> io::Result<()> {
        match open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => {
                let path = real_path(&handle)?;
                self.add(Opened { handle, path }, access, excluded)
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Grants what is open, or its parts where something below it is excluded.
    ///
    /// Landlock cannot take back what it granted for a folder. So a folder with something excluded below is not granted
    /// itself: its entries are, one by one, as they are now. Nothing new can be made directly in such a folder.
    pub(super) fn add(&mut self, opened: Opened, access: Access, excluded: &[&Path]) -> io::Result<()> {
        if excluded.iter().any(|place| opened.path.starts_with(place)) {
            return Ok(());
        }
        let directory = is_directory(&opened.handle)?;
        if !directory || !excluded.iter().any(|place| place.starts_with(&opened.path)) {
            self.list.push(Grant { handle: opened.handle, access, directory });
            return Ok(());
        }
        let listing = openat(
            &opened.handle,
            c".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        for entry in Dir::read_from(&listing)? {
            let entry = entry?;
            let name = entry.file_name();
            if [b".".as_slice(), b".."].contains(&name.to_bytes()) {
                continue;
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(handle) = openat(&opened.handle, name, flags, Mode::empty()) else { continue };
            if file_type(&handle)? == FileType::Symlink {
                continue;
            }
            let path = opened.path.join(OsStr::from_bytes(name.to_bytes()));
            self.add(Opened { handle, path }, access, excluded)?;
        }
        self.list.push(Grant { handle: opened.handle, access: Access::List, directory });
        Ok(())
    }
}

/// Everything that a specification grants, for Landlock.
pub(super) fn collect(specification: &Specification) -> io::Result<Grants> {
    let hidden: Vec<&Path> = hidden(specification).collect();
    let mut grants = Grants::default();
    let resolver: &[&str] = match specification.network {
        super::Network::Open => RESOLVER,
        super::Network::None => &[],
    };
    for path in SYSTEM.iter().chain(resolver).chain(&["/proc"]) {
        grants.add_path(Path::new(path), Access::Read, &hidden)?;
    }
    for path in &specification.readable {
        grants.add_path(path, Access::Read, &hidden)?;
    }
    for path in ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"] {
        grants.add_path(Path::new(path), Access::Write, &[])?;
    }
    if let Some(workspace) = &specification.workspace {
        let (read, write) = open_workspace(workspace)?;
        for opened in read {
            grants.add(opened, Access::Read, &hidden)?;
        }
        let excluded: Vec<&Path> =
            hidden.iter().copied().chain(workspace.unwritable.iter().map(PathBuf::as_path)).collect();
        for opened in write {
            grants.add(opened, Access::Write, &excluded)?;
        }
    }
    Ok(grants)
}

/// Every path that cannot be read.
pub(super) fn hidden(specification: &Specification) -> impl Iterator<Item = &Path> {
    specification.hidden.iter().map(PathBuf::as_path)
}

/// Opens what can be read and what can be written in the workspace. A folder that is to be written and does not exist
/// is made.
///
/// # Errors
/// When a path leaves the workspace, also through a symbolic link.
pub(super) fn open_workspace(places: &WorkspacePlaces) -> io::Result<(Vec<Opened>, Vec<Opened>)> {
    let root = open(&places.root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut read = Vec::new();
    for path in &places.read {
        match open_beneath(&root, path) {
            Ok(opened) => read.push(opened),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let mut write = Vec::new();
    for path in &places.write {
        let opened = match open_beneath(&root, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_folders(&root, path)?;
                open_beneath(&root, path)?
            }
            result => result?,
        };
        write.push(opened);
    }
    Ok((read, write))
}

/// Opens a path below a folder; no symbolic link leads out.
fn open_beneath(root: &OwnedFd, path: &str) -> io::Result<Opened> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // The kernel gives up with EAGAIN when a rename goes on meanwhile; a program that renames for ever must not hold
    // the launcher up.
    for _ in 0..100 {
        match openat2(root, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
            Ok(handle) => {
                let path = real_path(&handle)?;
                return Ok(Opened { handle, path });
            }
        }
    }
    Err(Errno::AGAIN.into())
}

/// Makes a folder below `root` and those that lead to it.
fn make_folders(root: &OwnedFd, path: &str) -> io::Result<()> {
    let mut above = open_beneath(root, ".")?.handle;
    let mut done = String::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        done = if done.is_empty() { part.to_owned() } else { format!("{done}/{part}") };
        match mkdirat(&above, part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        above = open_beneath(root, &done)?.handle;
    }
    Ok(())
}

/// The path of an open file as the kernel knows it.
fn real_path(handle: &impl AsRawFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd()))
}

fn file_type(handle: &OwnedFd) -> io::Result<FileType> {
    let status = statat(handle.as_fd(), c"", AtFlags::EMPTY_PATH)?;
    Ok(FileType::from_raw_mode(status.st_mode))
}

pub(super) fn is_directory(handle: &OwnedFd) -> io::Result<bool> {
    Ok(file_type(handle)? == FileType::Directory)
}
