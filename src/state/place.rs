//! Which store is meant: a file, or a schema on a server.

use std::fmt;
use std::path::{Path, PathBuf};

use super::postgres::Server;

/// Where a store lies.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file of SQLite.
    File(PathBuf),
    /// A PostgreSQL server.
    Server(Box<Server>),
}

impl Place {
    /// The file, where it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// Whether a text is meant to name a server.
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        text.contains("://")
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<Server> for Place {
    fn from(server: Server) -> Self {
        Self::Server(Box::new(server))
    }
}

/// Without a password.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Server(server) => server.fmt(formatter),
        }
    }
}
