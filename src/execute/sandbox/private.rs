//! What of the system's own folders only its owner may read: a gateway that root runs could, and passes it on to no command.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rustix::process::geteuid;

/// The mode bit by which others read a file.
const OTHERS_READ: u32 = 0o004;
/// The mode bit by which others reach what is in a folder.
const OTHERS_PASS: u32 = 0o001;

/// A folder that is looked through.
struct Place {
    path: &'static str,
    /// Most entries looked at, nearest first.
    most: usize,
    /// What becomes of a folder that is not looked into for that bound.
    beyond: Beyond,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Hide,
    Show,
}

/// Where secrets of the system and of what is installed in it are kept. Programs themselves are in `/opt`, in great number.
const PLACES: [Place; 3] = [
    Place { path: "/etc", most: 20_000, beyond: Beyond::Hide },
    Place { path: "/usr/local/etc", most: 5_000, beyond: Beyond::Hide },
    Place { path: "/opt", most: 5_000, beyond: Beyond::Show },
];

/// What programs need to start, to resolve names and to trust certificates, also where someone's mask made it private.
/// A folder here is looked into.
const NEEDED: &[&str] = &[
    "/etc/passwd",
    "/etc/group",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/ssl",
    "/etc/ssl/openssl.cnf",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/certs/ca-bundle.crt",
    "/etc/ca-certificates",
    "/etc/pki",
    "/etc/pki/tls",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/ca-trust/extracted/pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// The files and folders that others may not read, found once in a process.
pub(super) fn private() -> &'static [PathBuf] {
    static FOUND: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let own = Some(geteuid().as_raw()).filter(|user| *user != 0);
        let mut found = Vec::new();
        for place in PLACES {
            look_through(Path::new(place.path), place.most, place.beyond, own, &mut found);
        }
        found
    });
    &FOUND
}

/// Finds what others may not read below a folder, without what is inside it. What belongs to `own` is no secret of others.
fn look_through(root: &Path, most: usize, beyond: Beyond, own: Option<u32>, found: &mut Vec<PathBuf>) {
    let mut left = most;
    let mut level = vec![root.to_owned()];
    while !level.is_empty() {
        let mut below = Vec::new();
        for folder in level {
            match look_into(&folder, &mut left, own, found) {
                Some(folders) => below.extend(folders),
                None if beyond == Beyond::Hide => found.push(folder),
                None => {}
            }
        }
        level = below;
    }
}

/// Returns the folders in a folder that others may enter; `None` where there is more in it than may be looked at.
fn look_into(
    folder: &Path,
    left: &mut usize,
    own: Option<u32>,
    found: &mut Vec<PathBuf>,
) -> Option<Vec<PathBuf>> {
    let mut below = Vec::new();
    let mut private = Vec::new();
    // What the gateway cannot list its commands cannot either.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        *left = left.checked_sub(1)?;
        let Ok(metadata) = entry.metadata() else { continue };
        let needed = |path: &Path| NEEDED.iter().any(|known| path == Path::new(known));
        let bit = if metadata.is_dir() { OTHERS_PASS } else { OTHERS_READ };
        let path = entry.path();
        // A link says nothing itself: what it leads to does.
        let hidden = !metadata.is_symlink()
            && metadata.mode() & bit == 0
            && own != Some(metadata.uid())
            && !needed(&path);
        if hidden {
            private.push(path);
        } else if metadata.is_dir() {
            below.push(path);
        }
    }
    found.append(&mut private);
    Some(below)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn make(root: &Path, entries: &[(&str, u32)]) {
        for (path, mode) in entries {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if path.extension().is_none() {
                fs::create_dir_all(&path).unwrap();
            } else {
                fs::write(&path, "x").unwrap();
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
        }
    }

    fn found(root: &Path, most: usize, beyond: Beyond, own: Option<u32>) -> Vec<String> {
        let mut found = Vec::new();
        look_through(root, most, beyond, own, &mut found);
        let relative = |path: PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let mut found: Vec<String> = found.into_iter().map(relative).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn what_others_may_not_read_is_found_at_any_depth_and_only_that() {
        let folder = tempfile::tempdir().unwrap();
        make(
            folder.path(),
            &[
                ("open/a.conf", 0o644),
                ("open/deep/key.pem", 0o600),
                ("open/deep/group.pem", 0o640),
                ("closed/a.conf", 0o644),
                ("closed", 0o750),
                ("unlisted/a.key", 0o600),
                ("unlisted", 0o711),
            ],
        );
        std::os::unix::fs::symlink("deep/key.pem", folder.path().join("open/link.pem")).unwrap();
        let expected = ["closed", "open/deep/group.pem", "open/deep/key.pem", "unlisted/a.key"];
        assert_eq!(found(folder.path(), 100, Beyond::Hide, None), expected);
        let own = folder.path().metadata().unwrap().uid();
        assert_eq!(found(folder.path(), 100, Beyond::Hide, Some(own)), [""; 0]);
    }

    #[test]
    fn folders_beyond_the_bound_are_hidden_or_left_as_the_place_says() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), &[("a/key.pem", 0o600), ("a/b/c.conf", 0o644), ("d/e.conf", 0o644)]);
        // Two of the root, then those of one of the two: which one comes first is the file system's choice.
        assert_eq!(found(folder.path(), 2, Beyond::Hide, None), ["a", "d"]);
        assert_eq!(found(folder.path(), 2, Beyond::Show, None), [""; 0]);
        assert_eq!(found(folder.path(), 6, Beyond::Hide, None), ["a/key.pem"]);
    }
}
