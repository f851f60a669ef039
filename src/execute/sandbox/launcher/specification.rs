//! What a launcher is told. It travels through an anonymous file: nothing of it is in the launcher's arguments, and
//! credentials are not in it at all.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, memfd_create};
use serde::{Deserialize, Serialize};

use crate::workspace::{Protected, ProtectedNames, Undone, Workspace};

/// How a command is confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::execute) enum Confinement {
    /// Not at all; for limits only.
    Unconfined,
    /// Landlock and seccomp.
    Landlock,
    /// Bubblewrap with seccomp.
    Bubblewrap {
        /// Where bubblewrap is.
        program: PathBuf,
    },
}

/// Whether a command has a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::execute) enum Network {
    Open,
    None,
}

/// What of the workspace a command can reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::execute) struct WorkspacePlaces {
    /// The real path of the root.
    pub(in crate::execute) root: PathBuf,
    /// What can be read, relative to the root; the root is `.`.
    pub(in crate::execute) read: Vec<String>,
    /// What can be written as well.
    pub(in crate::execute) write: Vec<String>,
    /// Absolute paths that cannot be written whatever `write` says.
    pub(in crate::execute) unwritable: Vec<PathBuf>,
}

/// What is to be undone once nothing of a command is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::execute) struct Aftermath {
    /// The real path of the workspace's root.
    pub(in crate::execute) root: PathBuf,
    /// What of the gateway's own files is in use.
    pub(in crate::execute) in_use: Vec<PathBuf>,
    /// The protected names that were there before.
    pub(in crate::execute) before: ProtectedNames,
}

impl Aftermath {
    /// Undoes what the command made under protected names.
    pub(in crate::execute) fn undo(&self) -> Undone {
        let protected = Protected { in_use: self.in_use.clone() };
        Workspace::open(&self.root, protected)
            .map_or_else(|_| Undone::unknown(), |workspace| self.before.undo_new(&workspace))
    }
}

/// Everything a launcher needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::execute) struct Specification {
    pub(in crate::execute) confinement: Confinement,
    /// The program's absolute path.
    pub(in crate::execute) program: PathBuf,
    /// `argv`, beginning with `argv[0]`.
    pub(in crate::execute) argv: Vec<String>,
    /// Variables of the dynamic loader, for the command alone.
    pub(in crate::execute) loader: Vec<(Vec<u8>, Vec<u8>)>,
    pub(in crate::execute) workspace: Option<WorkspacePlaces>,
    /// For a command that may write the workspace.
    pub(in crate::execute) aftermath: Option<Aftermath>,
    /// Absolute paths outside the workspace that can be read, besides the system's.
    pub(in crate::execute) readable: Vec<PathBuf>,
    /// Absolute paths that cannot be read, wherever they lie.
    pub(in crate::execute) hidden: Vec<PathBuf>,
    pub(in crate::execute) network: Network,
    /// Most address space of each process, in bytes.
    pub(in crate::execute) memory: Option<u64>,
    /// Most processes at one time.
    pub(in crate::execute) processes: Option<u64>,
    /// The home folder as the command's environment states it.
    pub(in crate::execute) home: Option<PathBuf>,
    /// Where a private folder for temporary files can be made.
    pub(in crate::execute) temporary: PathBuf,
}

impl Specification {
    /// Writes it into an anonymous file.
    ///
    /// # Errors
    /// When a path is not valid UTF-8, or there is no memory.
    pub(in crate::execute) fn into_file(self) -> io::Result<OwnedFd> {
        let mut file = File::from(memfd_create(c"tgw-launch", MemfdFlags::CLOEXEC)?);
        file.write_all(&serde_json::to_vec(&self)?)?;
        file.rewind()?;
        Ok(file.into())
    }

    /// Reads it back.
    ///
    /// # Errors
    /// When the file is not a specification.
    pub(super) fn from_file(file: OwnedFd) -> io::Result<Self> {
        let mut text = Vec::new();
        File::from(file).read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}
