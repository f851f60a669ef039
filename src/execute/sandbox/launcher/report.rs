//! What a launcher says about its command: one line, through a pipe of its own.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use crate::workspace::Undone;

/// Most bytes of a report that are read; a pipe holds that many.
const MAX_BYTES: u64 = 64 << 10;

/// How the line begins that says what was undone.
const UNDONE: &str = "undone ";

/// The line that says that something of a command is alive.
const SURVIVORS: &str = "survivors";

/// What a launcher said in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::execute) struct Reported {
    /// How the command ended; `None` where the launcher was ended before it could say so.
    pub(in crate::execute) end: Option<Report>,
    /// What was undone of the command; `None` where the launcher did not look.
    pub(in crate::execute) undone: Option<Undone>,
    /// Whether something of the command could not be ended.
    pub(in crate::execute) survivors: bool,
}

/// How a command ended. The first line of this kind that a launcher writes counts.
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

/// Writes that something of a command could not be ended.
pub(super) fn send_survivors(pipe: &File) -> io::Result<()> {
    let mut pipe = pipe;
    pipe.write_all(format!("{SURVIVORS}\n").as_bytes())
}

/// Writes what was undone of a command.
pub(super) fn send_undone(undone: &Undone, pipe: &File) -> io::Result<()> {
    let mut pipe = pipe;
    // JSON text has no line ends of its own.
    pipe.write_all(format!("{UNDONE}{}\n", serde_json::to_string(undone)?).as_bytes())
}

/// Reads the report of a launcher that has ended.
pub(in crate::execute) fn read_report(pipe: OwnedFd) -> Reported {
    let mut bytes = Vec::new();
    // The launcher alone holds the other end, so the end of the pipe is here already. What was read before an error counts.
    let _partly = File::from(pipe).take(MAX_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let mut reported = Reported::default();
    for line in text.lines() {
        match line.strip_prefix(UNDONE) {
            Some(json) => reported.undone = serde_json::from_str(json).ok(),
            None if line == SURVIVORS => reported.survivors = true,
            None if reported.end.is_none() => reported.end = Report::parse(line),
            None => {}
        }
    }
    reported
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
            assert_eq!(read_report(reader), Reported { end: Some(report), ..Reported::default() });
        }
    }

    #[test]
    fn survivors_are_told_beside_the_end() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let writer = File::from(writer);
        send_survivors(&writer).unwrap();
        Report::Exited(0).send(&writer);
        drop(writer);
        let expected = Reported { end: Some(Report::Exited(0)), undone: None, survivors: true };
        assert_eq!(read_report(reader), expected);
    }

    #[test]
    fn what_was_undone_reads_back_wherever_it_stands() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let writer = File::from(writer);
        let fate = crate::workspace::Fate::Renamed("b\nc".to_owned());
        let undone = Undone { entries: vec![("a\nexited 0".to_owned(), fate)], more: 2, incomplete: true };
        send_undone(&undone, &writer).unwrap();
        Report::Exited(7).send(&writer);
        drop(writer);
        let expected = Reported { end: Some(Report::Exited(7)), undone: Some(undone), survivors: false };
        assert_eq!(read_report(reader), expected);
    }
}
