//! The boundary with libc: `posix_spawn` with its own session, an open working directory and exact descriptors.
//!
//! `std::process::Command` cannot start a session or close inherited descriptors without running code between fork
//! and exec, which would make it fork from a large parent.

#![expect(
    unsafe_code,
    reason = "posix_spawn and descriptor numbers that a parent chose have no safe interface"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_short};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Once;

use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use zeroize::Zeroizing;

/// What to start.
pub(in crate::execute) struct Start<'a> {
    /// The program: an absolute path.
    pub(in crate::execute) program: &'a CStr,
    /// `argv`, beginning with `argv[0]`.
    pub(in crate::execute) argv: &'a [CString],
    /// The whole environment, as `NAME=value`.
    pub(in crate::execute) environment: &'a [Zeroizing<CString>],
    /// The working directory.
    pub(in crate::execute) directory: BorrowedFd<'a>,
    /// The descriptors that the child gets, as 0, 1, 2 and so on. It gets no other.
    pub(in crate::execute) descriptors: &'a [BorrowedFd<'a>],
}

/// Starts a program in a session of its own, with default signal handling and nothing blocked.
///
/// # Errors
/// What the kernel says; nothing runs then.
pub(in crate::execute) fn spawn(start: &Start<'_>) -> io::Result<Pid> {
    collect_children_ourselves();
    let count = c_int::try_from(start.descriptors.len()).map_err(io::Error::other)?;
    // A source that lies among the targets could be overwritten before it is copied.
    let moved: Vec<OwnedFd> = start
        .descriptors
        .iter()
        .map(|source| rustix::io::fcntl_dupfd_cloexec(source, count.max(16)))
        .collect::<Result<_, _>>()?;

    let mut actions = Actions::new()?;
    actions.change_directory(start.directory)?;
    for (target, source) in (0..count).zip(&moved) {
        actions.duplicate(source.as_raw_fd(), target)?;
    }
    actions.close_from(count)?;
    let attributes = Attributes::new()?;

    let argv = pointers(start.argv.iter().map(CString::as_c_str));
    let environment = pointers(start.environment.iter().map(|entry| entry.as_c_str()));
    let mut pid = 0;
    // SAFETY: both lists end with a null pointer and, like the strings they point to, outlive the call; the actions
    // and attributes are initialised; posix_spawn changes none of the strings.
    let code = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            start.program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            environment.as_ptr(),
        )
    };
    check(code)?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("posix_spawn returned no process"))
}

/// Takes over a descriptor that the parent passed under this number, and keeps it from being passed on.
///
/// # Errors
/// When nothing is open there, or the number is that of a standard stream.
pub(in crate::execute) fn take_inherited(number: c_int) -> io::Result<OwnedFd> {
    if number <= 2 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: F_SETFD takes no pointer; on a number that is not open it fails with EBADF.
    if unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, and only the launcher's entry calls this, once for each number.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Registers a descriptor with the runtime, to wait until it is readable.
///
/// # Errors
/// When the kernel or the runtime refuses.
pub(super) fn watch(handle: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor keeps its number, and stays open until the registration, which owns it, is dropped.
    Ok(unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) }?)
}

/// Makes sure that the end of a child can be waited for, even where the harness that started us ignores SIGCHLD.
fn collect_children_ourselves() {
    static ONCE: Once = Once::new();
    // SAFETY: SIG_DFL installs no handler, so nothing of ours can run in a signal's context.
    ONCE.call_once(|| unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    });
}

fn pointers<'a>(strings: impl Iterator<Item = &'a CStr>) -> Vec<*mut c_char> {
    strings.map(|string| string.as_ptr().cast_mut()).chain([std::ptr::null_mut()]).collect()
}

fn check(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: init writes the whole structure, which is read only after it succeeded.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Ok(Self(actions.assume_init()))
        }
    }

    fn change_directory(&mut self, directory: BorrowedFd<'_>) -> io::Result<()> {
        // SAFETY: the structure is initialised, and the number is only read.
        check(unsafe { libc::posix_spawn_file_actions_addfchdir_np(&raw mut self.0, directory.as_raw_fd()) })
    }

    fn duplicate(&mut self, source: c_int, target: c_int) -> io::Result<()> {
        // SAFETY: as above.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.0, source, target) })
    }

    #[cfg(target_env = "gnu")]
    fn close_from(&mut self, first: c_int) -> io::Result<()> {
        // SAFETY: as above.
        check(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(&raw mut self.0, first) })
    }

    /// Other C libraries have no such action: everything that is open here is marked to close on exec instead.
    #[cfg(not(target_env = "gnu"))]
    fn close_from(&mut self, _first: c_int) -> io::Result<()> {
        let flags = libc::CLOSE_RANGE_CLOEXEC;
        // SAFETY: marking descriptors takes no pointer and closes nothing in this process.
        match unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let flags = libc::POSIX_SPAWN_SETSID
            | c_short::try_from(libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK)
                .map_err(io::Error::other)?;
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::uninit();
        // SAFETY: init and the sigset functions write the structures before anything reads them.
        unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut made = Self(attributes.assume_init());
            libc::sigemptyset(signals.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(&raw mut made.0, signals.as_ptr()))?;
            libc::sigfillset(signals.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(&raw mut made.0, signals.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(&raw mut made.0, flags))?;
            Ok(made)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used again.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}
