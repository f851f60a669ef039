//! What a command needs open before it starts: its streams, its working directory, its launcher's pipes.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use zeroize::Zeroizing;

use crate::catalog::Streams;
use crate::code::{CallError, ErrorCode};
use crate::execute::process::{CappedReader, Feeder};
use crate::execute::sandbox::launcher;
use crate::secret::Credentials;
use crate::validate::{CommandPlan, StdinPlan};
use crate::workspace::Workspace;

use super::refusal::no_resources;

/// Most bytes kept of standard error where it is not part of the output.
pub(super) const STDERR_CAP: usize = 64 << 10;

/// A child's three streams, and the gateway's ends of them.
pub(super) struct ChildStreams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) feeder: Feeder,
    pub(super) output: CappedReader,
    pub(super) errors: Option<CappedReader>,
}

impl ChildStreams {
    /// Opens them as the plan wants them.
    ///
    /// # Errors
    /// `CREDENTIAL_UNAVAILABLE` for one that was not resolved, `BACKEND_UNAVAILABLE` when descriptors run out.
    pub(super) fn open(plan: &CommandPlan, credentials: &Credentials) -> Result<Self, CallError> {
        let bytes = match &plan.stdin {
            StdinPlan::Empty => None,
            StdinPlan::Text(text) => Some(text.as_bytes()),
            StdinPlan::Credential(name) => {
                let secret = credentials.get(name).ok_or_else(|| {
                    CallError::new(
                        ErrorCode::CredentialUnavailable,
                        format!("credential `{}` was not resolved", name.as_str()),
                    )
                })?;
                Some(secret)
            }
        };
        let opened = || -> io::Result<Self> {
            let (feeder, stdin) = match bytes {
                None => {
                    let null = open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
                    (Feeder::closed(), null)
                }
                Some(bytes) => Feeder::new(Zeroizing::new(bytes.to_vec()))?,
            };
            let (output, stdout) = CappedReader::new(plan.max_output_bytes)?;
            let (errors, stderr) = match plan.streams {
                Streams::Merged => (None, stdout.try_clone()?),
                Streams::Stdout => {
                    let (errors, stderr) = CappedReader::new(STDERR_CAP)?;
                    (Some(errors), stderr)
                }
            };
            Ok(Self { stdin, stdout, stderr, feeder, output, errors })
        };
        opened().map_err(|error| no_resources(&error))
    }
}

/// What a launcher inherits.
pub(in crate::execute) struct Launch {
    pub(in crate::execute) argv: Vec<CString>,
    specification: OwnedFd,
    control_end: OwnedFd,
    report_end: OwnedFd,
}

impl Launch {
    /// Returns the gateway's ends too: the one that controls the launcher, and the one with its report.
    pub(in crate::execute) fn open(
        specification: launcher::Specification,
    ) -> io::Result<(Self, OwnedFd, OwnedFd)> {
        let (control_end, control) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        rustix::io::ioctl_fionbio(&control_end, false)?;
        let (report, report_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let argv = ["tgw", launcher::ARGUMENT, "run"].into_iter().map(CString::new);
        let made = Self {
            argv: argv.collect::<Result<_, _>>()?,
            specification: specification.into_file()?,
            control_end,
            report_end,
        };
        Ok((made, control, report))
    }

    /// In the order of the numbers that the launcher knows them by.
    pub(in crate::execute) fn descriptors<'a>(
        &'a self,
        [stdin, stdout, stderr]: [BorrowedFd<'a>; 3],
    ) -> [BorrowedFd<'a>; 6] {
        const {
            assert!(launcher::SPECIFICATION == 3 && launcher::CONTROL == 4 && launcher::REPORT == 5);
        }
        [stdin, stdout, stderr, self.specification.as_fd(), self.control_end.as_fd(), self.report_end.as_fd()]
    }
}

/// Opens the working directory: what is opened is where the command runs, whatever takes its name meanwhile.
///
/// # Errors
/// `FILE_NOT_FOUND`, or `PATH_OUTSIDE_WORKSPACE` where a link leads out.
pub(in crate::execute) fn working_directory(workspace: &Workspace, path: &str) -> Result<OwnedFd, CallError> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = open(workspace.root(), flags, Mode::empty()).map_err(|error| no_resources(&error.into()))?;
    if path.is_empty() {
        return Ok(root);
    }
    let shown = path.escape_debug();
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..100 {
        let error = match openat2(&root, path, flags, Mode::empty(), resolve) {
            Ok(directory) => return Ok(directory),
            // A rename went on meanwhile.
            Err(Errno::AGAIN) => continue,
            Err(error) => error,
        };
        return Err(match error {
            Errno::NOENT => {
                CallError::new(ErrorCode::FileNotFound, format!("working directory `{shown}` does not exist"))
            }
            Errno::NOTDIR => CallError::new(
                ErrorCode::FileNotFound,
                format!("working directory `{shown}` is not a directory"),
            ),
            Errno::XDEV | Errno::LOOP => CallError::new(
                ErrorCode::PathOutsideWorkspace,
                format!("working directory `{shown}` leads out of the workspace"),
            ),
            _ => CallError::new(
                ErrorCode::BackendUnavailable,
                format!("working directory `{shown}` cannot be opened"),
            ),
        });
    }
    Err(CallError::new(ErrorCode::BackendUnavailable, format!("working directory `{shown}` keeps changing")))
}
