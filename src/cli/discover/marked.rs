//! Which folder is the workspace where none is named.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::state::trust::TrustStore;

use super::{Kind, state_home};

/// A folder with something that makes it a workspace.
struct Marked<'f> {
    folder: &'f Path,
    is_repository: bool,
    /// Whether the person trusts one of its files, or trusted it with another content.
    is_trusted: bool,
}

impl<'f> Marked<'f> {
    fn of(folder: &'f Path, trusted: &[PathBuf]) -> Option<Self> {
        let files = [Kind::Tools, Kind::Policy].map(|kind| folder.join(kind.file_name()));
        // A link that leads nowhere is there, too.
        let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
        let is_repository = is_there(&folder.join(".git"));
        // A file that was trusted marks its folder also once it is gone: taking it away must not move the workspace to
        // where nobody misses it.
        let is_trusted = files.iter().any(|path| trusted.contains(path));
        let is_marked = is_repository || is_trusted || files.iter().any(is_there);
        is_marked.then_some(Self { folder, is_repository, is_trusted })
    }
}

/// The nearest ancestor that counts as a workspace, else the folder itself.
pub(super) fn nearest_marked(current: &Path) -> PathBuf {
    let trusted = trusted_files();
    let marked: Vec<Marked<'_>> =
        current.ancestors().filter_map(|folder| Marked::of(folder, &trusted)).collect();
    let Some(nearest) = marked.first() else { return current.to_path_buf() };
    let counts = |marked: &&Marked<'_>| marked.is_repository || marked.is_trusted;
    match marked.iter().find(counts) {
        Some(root) if root.folder != nearest.folder && marked.iter().any(|above| above.is_trusted) => {
            note_passed_over(nearest.folder, root.folder);
            root.folder.to_path_buf()
        }
        _ => nearest.folder.to_path_buf(),
    }
}

fn note_passed_over(nearest: &Path, root: &Path) {
    // A closed stderr leaves nobody to tell.
    let _ = writeln!(
        std::io::stderr(),
        "note: the workspace is `{root}`: nobody trusted what `{nearest}` has of tools.yaml and policy.yaml\n\
         hint: for a workspace of its own, say `--workspace {nearest}`",
        root = root.display(),
        nearest = nearest.display(),
    );
}

/// The files on the record of trust. One that cannot be read is for [`super::find`] to refuse.
fn trusted_files() -> Vec<PathBuf> {
    let entries = state_home().ok().and_then(|home| TrustStore::new(&home).list().ok()).unwrap_or_default();
    entries.into_iter().map(|entry| entry.path).collect()
}
