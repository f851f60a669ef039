//! The person's editor, started on the terminal that they are asked on.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::approval::{Cancellation, EditorRunner};

/// Starts editors as child processes of the gateway.
///
/// An editor is the person's own program, not a tool's: it keeps the gateway's session and environment, so that the
/// terminal's job control and the person's settings work.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessEditor;

impl EditorRunner for ProcessEditor {
    fn run(
        &self,
        command: &[String],
        file: &Path,
        terminal: &File,
        cancel: &Cancellation,
    ) -> io::Result<bool> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no editor is named"));
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "an editor needs the gateway's own session and terminal"
        )]
        let mut child = Command::new(program)
            .args(arguments)
            .arg(file)
            .stdin(Stdio::from(terminal.try_clone()?))
            .stdout(Stdio::from(terminal.try_clone()?))
            .stderr(Stdio::from(terminal.try_clone()?))
            .spawn()?;
        wait(&mut child, cancel)
    }
}

/// Waits for the editor's end, and ends it where its result is no longer wanted.
fn wait(child: &mut Child, cancel: &Cancellation) -> io::Result<bool> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut watched =
            [PollFd::new(&handle, PollFlags::IN), PollFd::from_borrowed_fd(cancel.as_fd(), PollFlags::IN)];
        match poll(&mut watched, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if cancel.cause().is_some() {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
    }
}
