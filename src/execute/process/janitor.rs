//! A small process that outlives the gateway by a moment.
//!
//! Children that no supervisor watches would go on when the gateway is ended by SIGKILL, which it cannot notice. The
//! janitor notices: the pipe it reads from closes. It then ends every process that carries a tag of that gateway, with
//! their sessions and descendants. What has left its session, its parents and its environment behind is out of its
//! reach; a supervised command has no such way out.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, pipe_with};

use super::spawn::{self, Start};
use super::tree;

/// The number under which the janitor finds its pipe.
const PIPE: i32 = 3;

/// Starts the janitor of this process, once. Failing to do so is logged and costs only this protection.
pub(in crate::execute) fn ensure_started() {
    static PIPE_END: OnceLock<Option<OwnedFd>> = OnceLock::new();
    PIPE_END.get_or_init(|| match start() {
        Ok(end) => Some(end),
        Err(error) => {
            tracing::warn!(%error, "no janitor: a SIGKILL of the gateway may leave commands running");
            None
        }
    });
}

fn start() -> io::Result<OwnedFd> {
    let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
    let null = open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    let root = open(c"/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let arguments = ["tgw", "__confine", "janitor", tree::TAG_PREFIX.as_str()];
    let argv = arguments.into_iter().map(CString::new).collect::<Result<Vec<_>, _>>()?;
    let (null, theirs) = (null.as_fd(), theirs.as_fd());
    let start = Start {
        // The link names the running file itself, also where another has taken its place on disk.
        program: c"/proc/self/exe",
        argv: &argv,
        environment: &[],
        directory: root.as_fd(),
        descriptors: &[null, null, null, theirs],
    };
    tree::register(None, || spawn::spawn(&start))?;
    Ok(ours)
}

/// What the janitor does: waits for the gateway's end, then cleans up after it.
pub(in crate::execute) fn run(prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    if let Ok(pipe) = spawn::take_inherited(PIPE) {
        // Nothing is ever written: copying ends when the last writer is gone, and an interrupted read is repeated.
        if io::copy(&mut std::fs::File::from(pipe), &mut io::sink()).is_ok() {
            tree::end_tagged(prefix);
        }
    }
}
