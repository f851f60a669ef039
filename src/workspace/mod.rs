//! The workspace: a directory handle below which every path of a call stays.

mod directory;
mod fault;
mod fold;
mod git_directory;
mod in_use;
mod linked;
mod linked_worktree;
mod locate;
mod path;
mod planted;
mod protected;
mod protected_names;
mod protection;
mod remove;
mod rename;
mod temporary;
mod tree;
mod write;

pub use directory::{Entry, FileKind, OpenedDirectory};
pub use git_directory::{GitDirectories, GitDirectory};
pub use path::WorkspacePath;
pub use planted::{Fate, Undone};
pub use protected::{Access, Protected};
pub use protected_names::ProtectedNames;
pub use remove::{Passage, Permits, Removal, RemovalTarget, Seen};
pub use rename::{Approve, Moved, Moving};
pub use tree::{EntryKind, OpenedFile, Workspace};
pub use write::WriteTarget;
