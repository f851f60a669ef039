//! A file that is written before it has its name, so that no half of it is ever there.
//!
//! Where the file system can, it has no name at all until it is whole. What replaces another file needs one for a
//! moment, and some file systems need one all the time: a process that is killed then leaves it behind, and the next
//! write in the same directory takes it away.

use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat, flock};
use rustix::io::Errno;

use super::directory::FileKind;
use super::in_use::Identity;
use super::rename::rename_new;

/// How the temporary names begin and end; between stand 16 hexadecimal digits.
const BEGIN: &str = ".tgw-";
const END: &str = ".tmp";

/// Most entries of a directory that are looked at for what was left behind.
const MAX_ENTRIES: usize = 10_000;

/// A new file in a directory, gone unless it is placed. It is locked as long as it lives, under whatever name.
pub(super) struct Temporary<'d> {
    directory: BorrowedFd<'d>,
    pub(super) file: File,
    /// The name that it has, where it has one.
    name: Option<String>,
}

impl<'d> Temporary<'d> {
    pub(super) fn create(directory: BorrowedFd<'d>, mode: Mode) -> Result<Self, Errno> {
        remove_abandoned(directory);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        match rustix::fs::openat(directory, ".", flags | OFlags::TMPFILE, mode) {
            Ok(file) => {
                let file = File::from(file);
                lock(&file);
                Ok(Self { directory, file, name: None })
            }
            // The file system knows only files with names.
            Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::ISDIR | Errno::NOSYS) => {
                Self::create_named(directory, mode)
            }
            Err(errno) => Err(errno),
        }
    }

    fn create_named(directory: BorrowedFd<'d>, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = draw_name()?;
        let file = File::from(rustix::fs::openat(directory, &name, flags, mode)?);
        lock(&file);
        Ok(Self { directory, file, name: Some(name) })
    }

    /// Gives it a name that nothing has.
    ///
    /// # Errors
    /// `EXIST` where something has.
    pub(super) fn place_new(mut self, name: &str) -> Result<(), Errno> {
        match &self.name {
            None => self.link(name),
            Some(own) => {
                rename_new(self.directory, own, self.directory, name, FileKind::File)?;
                self.name = None;
                Ok(())
            }
        }
    }

    /// Gives it the name of another file, which goes.
    pub(super) fn replace(mut self, name: &str) -> Result<(), Errno> {
        let own = match &self.name {
            Some(own) => own.clone(),
            None => {
                let drawn = draw_name()?;
                self.link(&drawn)?;
                self.name = Some(drawn.clone());
                drawn
            }
        };
        rustix::fs::renameat_with(self.directory, &own, self.directory, name, RenameFlags::empty())?;
        self.name = None;
        Ok(())
    }

    fn link(&self, name: &str) -> Result<(), Errno> {
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        rustix::fs::linkat(rustix::fs::CWD, own, self.directory, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = rustix::fs::unlinkat(self.directory, name, AtFlags::empty());
        }
    }
}

/// Says to others that a living process writes this file. Where a file system has no locks, they let it be.
fn lock(file: &File) {
    let _unlocked = flock(file, FlockOperation::NonBlockingLockExclusive);
}

fn draw_name() -> Result<String, Errno> {
    let lot = getrandom::u64().map_err(|_| Errno::IO)?;
    Ok(format!("{BEGIN}{lot:016x}{END}"))
}

fn is_temporary(name: &[u8]) -> bool {
    name.strip_prefix(BEGIN.as_bytes())
        .and_then(|rest| rest.strip_suffix(END.as_bytes()))
        .is_some_and(|lot| lot.len() == 16 && lot.iter().all(|digit| digit.is_ascii_hexdigit()))
}

/// Removes what processes that were killed left in a directory. What cannot be removed does no harm.
fn remove_abandoned(directory: BorrowedFd<'_>) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(listable) = rustix::fs::openat(directory, ".", flags, Mode::empty()) else { return };
    let Ok(entries) = Dir::read_from(&listable) else { return };
    for entry in entries.flatten().take(MAX_ENTRIES) {
        if is_temporary(entry.file_name().to_bytes()) {
            let _let_be = remove_if_abandoned(directory, entry.file_name());
        }
    }
}

/// Removes a regular file of this user's own that has no other name and that no living process has locked.
fn remove_if_abandoned(directory: BorrowedFd<'_>, name: &std::ffi::CStr) -> Result<(), Errno> {
    let ours = |stat: &Stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat.st_uid == rustix::process::geteuid().as_raw()
            && stat.st_nlink == 1
    };
    let look = || rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
    if !ours(&look()?) {
        return Ok(());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let stat = rustix::fs::fstat(&file)?;
    // Locked now, it can be nobody's; it may have been placed meanwhile, and has another name then.
    if ours(&stat) && Identity::of(&stat) == Identity::of(&look()?) {
        rustix::fs::unlinkat(directory, name, AtFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    use super::*;

    const LEFT: &str = ".tgw-0123456789abcdef.tmp";

    fn names(folder: &std::path::Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn both_ways_make_and_replace_a_file_and_leave_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let directory = File::open(folder.path()).unwrap();
        for named in [false, true] {
            let make = || {
                let mode = Mode::from_raw_mode(0o644);
                match named {
                    true => Temporary::create_named(directory.as_fd(), mode).unwrap(),
                    false => Temporary::create(directory.as_fd(), mode).unwrap(),
                }
            };
            let mut new = make();
            new.file.write_all(b"new").unwrap();
            new.place_new("file").unwrap();
            let taken = make();
            assert_eq!(taken.place_new("file").unwrap_err(), Errno::EXIST);
            let mut newer = make();
            newer.file.write_all(b"newer").unwrap();
            newer.replace("file").unwrap();
            drop(make());
            assert_eq!(names(folder.path()), ["file"]);
            assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "newer");
            fs::remove_file(folder.path().join("file")).unwrap();
        }
    }

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_write() {
        let folder = tempfile::tempdir().unwrap();
        let directory = File::open(folder.path()).unwrap();
        fs::write(folder.path().join(LEFT), "half").unwrap();
        drop(Temporary::create(directory.as_fd(), Mode::RUSR).unwrap());
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn what_a_living_process_writes_stays() {
        let folder = tempfile::tempdir().unwrap();
        let directory = File::open(folder.path()).unwrap();
        let living = Temporary::create_named(directory.as_fd(), Mode::RUSR | Mode::WUSR).unwrap();
        drop(Temporary::create(directory.as_fd(), Mode::RUSR).unwrap());
        living.place_new("placed").unwrap();
        assert_eq!(names(folder.path()), ["placed"]);
    }

    #[test]
    fn what_is_not_a_left_over_stays_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let directory = File::open(folder.path()).unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("target"), "kept").unwrap();
        symlink("target", path(LEFT)).unwrap();
        fs::create_dir(path(".tgw-1123456789abcdef.tmp")).unwrap();
        fs::write(path(".tgw-x.tmp"), "kept").unwrap();
        fs::write(path(".tgw-2123456789abcdef.tmp"), "kept").unwrap();
        fs::hard_link(path(".tgw-2123456789abcdef.tmp"), path("other")).unwrap();
        let before = names(folder.path());
        drop(Temporary::create(directory.as_fd(), Mode::RUSR).unwrap());
        assert_eq!(names(folder.path()), before);
    }
}
