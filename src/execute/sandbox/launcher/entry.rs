//! Where a process finds out that it is a launcher, and which kind.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use crate::execute::process::spawn::take_inherited;
use crate::execute::process::{janitor, tree};

use super::confine::Command;
use super::ending::Ending;
use super::{Report, Specification, supervise};

/// The first argument of a launcher.
pub const ARGUMENT: &str = "__confine";
/// The number under which it finds its specification.
pub(in crate::execute) const SPECIFICATION: i32 = 3;
/// The number under which it finds the pipe that the gateway controls it through.
pub(in crate::execute) const CONTROL: i32 = 4;
/// The number under which it finds the pipe for its report.
pub(in crate::execute) const REPORT: i32 = 5;

/// Runs as a launcher and ends the process. `arguments` are those after [`ARGUMENT`].
///
/// The program's `main` calls this before anything else when its first argument is `__confine`. A person who starts it so
/// by hand gets an error: the descriptors that it needs are not there.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> ! {
    let kind = arguments.next().unwrap_or_default();
    let status = match kind.to_str() {
        Some("run") => launch(),
        Some("janitor") => {
            janitor::run(arguments.next().unwrap_or_default().to_str().unwrap_or_default());
            Ok(())
        }
        _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
    };
    std::process::exit(i32::from(status.is_err()))
}

/// Reads the specification, starts the command and supervises it.
fn launch() -> io::Result<()> {
    let specification = take_inherited(SPECIFICATION)?;
    let control = take_inherited(CONTROL)?;
    let report = File::from(take_inherited(REPORT)?);
    let outcome = start(specification, control, &report);
    if let Err(error) = &outcome {
        Report::NoSandbox(error.to_string()).send(&report);
    }
    outcome
}

fn start(specification: OwnedFd, control: OwnedFd, report: &File) -> io::Result<()> {
    let specification = Specification::from_file(specification)?;
    tree::become_subreaper()?;
    let command = Command::prepare(&specification, report)?;
    let ending = Ending::prepare(&specification.confinement)?;
    let supervision = supervise::Supervision { control, ending, limit: specification.processes };
    supervise::run(command, supervision, report, specification.aftermath.as_ref())
}
