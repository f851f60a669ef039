//! Writing a lock in one step, and trusting it.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::clock::Clock;
use crate::state::trust::TrustStore;

use super::super::discover::trust_failure;
use super::super::exit::Failure;
use super::super::trust::record;

/// Writes a lock in place of the one there is, puts the word for it on record, and trusts it.
///
/// A run that starts in between finds a file whose content is not the trusted one, and stops.
pub(super) fn write(
    root: &Path,
    path: &Path,
    text: &str,
    trust: &TrustStore,
    how: &str,
) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::failed(format!("cannot write `{}`: {error}", path.display()));
    let name = path
        .file_name()
        .ok_or_else(|| Failure::configuration(format!("`{}` is not the name of a file", path.display())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(failed)?;
    let target = folder.join(name);
    let draft = folder.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let written = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, &target)
    };
    written().map_err(|error| {
        // What is left of a draft that could not be written is of no use.
        let _gone = std::fs::remove_file(&draft);
        failed(error)
    })?;
    let digest = TrustStore::digest(text.as_bytes());
    // On record first: what widens and leaves no trace does not happen.
    record(root, &target, Some(digest), how)?;
    trust.trust(&target, digest, Clock::System.now()).map_err(|error| trust_failure(&error))
}
