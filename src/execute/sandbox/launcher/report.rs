//! What a launcher says about its command: one line, through a pipe of its own.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

/// One line of a report. The first line that a launcher writes counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::execute) enum Report {
    /// The command exited with this status.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// It ran more processes than it may, and was ended.
    TooManyProcesses,
    /// The sandbox could not be put in place; nothing ran. For the log, not for a model.
    NoSandbox(String),
    /// The program could not be started, with the kernel's error number; nothing ran.
    NoProgram(i32),
}

impl Report {
    /// Writes the line. A gateway that is gone wants no report.
    pub(super) fn send(&self, pipe: &File) {
        let line = match self {
            Self::Exited(status) => format!("exited {status}\n"),
            Self::Signalled(signal) => format!("signalled {signal}\n"),
            Self::TooManyProcesses => "processes 0\n".to_owned(),
            Self::NoSandbox(detail) => format!("sandbox {}\n", detail.replace('\n', " ")),
            Self::NoProgram(error) => format!("program {error}\n"),
        };
        let mut pipe = pipe;
        let _gone: io::Result<()> = pipe.write_all(line.as_bytes());
    }

    fn parse(line: &str) -> Option<Self> {
        let (kind, detail) = line.split_once(' ')?;
        let number = detail.parse();
        match kind {
            "exited" => number.ok().map(Self::Exited),
            "signalled" => number.ok().map(Self::Signalled),
            "processes" => Some(Self::TooManyProcesses),
            "sandbox" => Some(Self::NoSandbox(detail.to_owned())),
            "program" => number.ok().map(Self::NoProgram),
            _ => None,
        }
    }
}

/// Reads the report of a launcher that has ended; `None` when it was ended before it could make one.
pub(in crate::execute) fn read_report(pipe: OwnedFd) -> Option<Report> {
    let mut text = Vec::new();
    // The launcher alone holds the other end, so the end of the pipe is here already.
    File::from(pipe).take(4096).read_to_end(&mut text).ok()?;
    Report::parse(String::from_utf8_lossy(&text).lines().next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_reads_back_and_the_first_line_counts() {
        for report in [
            Report::Exited(7),
            Report::Signalled(9),
            Report::TooManyProcesses,
            Report::NoSandbox("landlock: no".to_owned()),
            Report::NoProgram(2),
        ] {
            let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
            let writer = File::from(writer);
            report.send(&writer);
            Report::Exited(0).send(&writer);
            drop(writer);
            assert_eq!(read_report(reader), Some(report));
        }
    }
}
