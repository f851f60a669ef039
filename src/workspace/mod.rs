//! The workspace: a directory handle below which every path of a call stays.

mod directory;
mod fault;
mod fold;
mod git_directory;
mod in_use;
mod locate;
mod path;
mod protected;
mod remove;
mod rename;
mod sandbox;
mod tree;
mod write;

pub use directory::{Entry, FileKind, OpenedDirectory};
pub use git_directory::GitDirectory;
pub use path::WorkspacePath;
pub use protected::{Access, Protected};
pub use remove::{Removal, RemovalTarget, Seen};
pub use rename::Moved;
pub use sandbox::SandboxPaths;
pub use tree::{EntryKind, OpenedFile, Workspace};
pub use write::WriteTarget;
