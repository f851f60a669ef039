//! Which files found in a workspace the person trusts, by path and content.
//!
//! It belongs to the person, not to a workspace, and lies beside the workspaces' folders in the state home.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::clock::Timestamp;

use super::StoreError;
use super::home::{self, Missing};
use super::lock::FileLock;

const PATIENCE: Duration = Duration::from_secs(10);
const MOST_BYTES: u64 = 16 << 20;
const VERSION: u32 = 1;
const NAME: &str = "trust.json";

/// One trusted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustEntry {
    /// The real path.
    pub path: PathBuf,
    /// SHA-256 over the content that is trusted.
    pub digest: Digest,
    /// When the person said so.
    pub at: Timestamp,
}

/// The files that the person trusts. Another content at the same path is not trusted.
#[derive(Debug)]
pub struct TrustStore {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    trusted: BTreeMap<String, Row>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    digest: String,
    at: u64,
}

impl TrustStore {
    /// A trust store in the state home. Nothing is read or made yet.
    #[must_use]
    pub fn new(state_home: &Path) -> Self {
        Self { folder: state_home.to_owned() }
    }

    /// The digest that [`TrustStore::is_trusted`] compares.
    #[must_use]
    pub fn digest(content: &[u8]) -> Digest {
        Digest(Sha256::digest(content).into())
    }

    /// Whether this content at this real path is trusted.
    ///
    /// # Errors
    /// Why the record of trust cannot be read; nothing is trusted then.
    pub fn is_trusted(&self, path: &Path, digest: Digest) -> Result<bool, StoreError> {
        let wanted = digest.to_string();
        Ok(self.read()?.trusted.get(name_of(path)?).is_some_and(|row| row.digest == wanted))
    }

    /// Whether some content at this real path is trusted.
    ///
    /// # Errors
    /// As [`TrustStore::is_trusted`].
    pub fn is_known(&self, path: &Path) -> Result<bool, StoreError> {
        // A path that the record cannot spell is not in it.
        let known =
            |trusted: &BTreeMap<String, Row>| name_of(path).is_ok_and(|name| trusted.contains_key(name));
        Ok(known(&self.read()?.trusted))
    }

    /// Trusts this content at this real path, in place of what was trusted there before.
    ///
    /// # Errors
    /// Why the record of trust cannot be written.
    pub fn trust(&self, path: &Path, digest: Digest, now: Timestamp) -> Result<(), StoreError> {
        let name = name_of(path)?.to_owned();
        self.change(|trusted| {
            trusted.insert(name, Row { digest: digest.to_string(), at: now.0 });
        })
    }

    /// Takes back the trust in whatever is at this path; returns whether there was any.
    ///
    /// # Errors
    /// Why the record of trust cannot be written.
    pub fn revoke(&self, path: &Path) -> Result<bool, StoreError> {
        let name = name_of(path)?;
        self.change(|trusted| trusted.remove(name).is_some())
    }

    /// Lists what is trusted, by path.
    ///
    /// # Errors
    /// Why the record of trust cannot be read.
    pub fn list(&self) -> Result<Vec<TrustEntry>, StoreError> {
        let entry = |(path, row): (String, Row)| {
            let digest = Digest::parse(&row.digest).ok_or_else(|| self.unusable("a digest is not one"))?;
            Ok(TrustEntry { path: path.into(), digest, at: Timestamp(row.at) })
        };
        self.read()?.trusted.into_iter().map(entry).collect()
    }

    fn change<T>(&self, edit: impl FnOnce(&mut BTreeMap<String, Row>) -> T) -> Result<T, StoreError> {
        home::secure_folder(&self.folder, None, Missing::Create)?;
        let _turn = FileLock::acquire(&self.folder.join("trust.lock"), PATIENCE)?;
        let mut document = self.read()?;
        let outcome = edit(&mut document.trusted);
        self.replace(&document).map_err(|error| self.unusable(error))?;
        Ok(outcome)
    }

    fn read(&self) -> Result<Document, StoreError> {
        let path = self.path();
        let opened = OpenOptions::new().read(true).custom_flags(home::NO_FOLLOW).open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Document { version: VERSION, trusted: BTreeMap::new() });
            }
            Err(error) => return Err(self.unusable(error)),
        };
        home::secure_folder(&self.folder, None, Missing::Leave)?;
        home::check_file(&path)?;
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text).map_err(|error| self.unusable(error))?;
        let document: Document = serde_json::from_slice(&text).map_err(|error| self.unusable(error))?;
        if document.version != VERSION {
            return Err(self.unusable("its version is unknown"));
        }
        Ok(document)
    }

    fn replace(&self, document: &Document) -> io::Result<()> {
        home::replace_file(&self.folder, NAME, &serde_json::to_vec_pretty(document)?)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn unusable(&self, problem: impl std::fmt::Display) -> StoreError {
        StoreError::Trust { path: self.path(), problem: problem.to_string() }
    }
}

/// A path as the record spells it. One that is not UTF-8 could not be told from another one.
fn name_of(path: &Path) -> Result<&str, StoreError> {
    path.to_str().filter(|_| path.is_absolute()).ok_or_else(|| StoreError::UnsafePlace {
        path: path.to_owned(),
        problem: "only an absolute path in UTF-8 can be trusted",
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    fn store() -> (tempfile::TempDir, TrustStore) {
        let place = tempfile::tempdir().unwrap();
        let store = TrustStore::new(&place.path().join("tgw"));
        (place, store)
    }

    #[test]
    fn trust_is_for_one_content_at_one_path() {
        let (_place, store) = store();
        let (path, digest) = (Path::new("/w/tools.yaml"), TrustStore::digest(b"a"));
        assert!(!store.is_trusted(path, digest).unwrap());
        store.trust(path, digest, Timestamp(7)).unwrap();
        assert!(store.is_trusted(path, digest).unwrap());
        assert!(!store.is_trusted(path, TrustStore::digest(b"b")).unwrap());
        assert!(!store.is_trusted(Path::new("/v/tools.yaml"), digest).unwrap());
        assert_eq!(store.list().unwrap(), [TrustEntry { path: path.into(), digest, at: Timestamp(7) }]);
    }

    #[test]
    fn trust_can_be_taken_back() {
        let (_place, store) = store();
        let (path, digest) = (Path::new("/w/tools.yaml"), TrustStore::digest(b"a"));
        store.trust(path, digest, Timestamp(7)).unwrap();
        assert!(store.revoke(path).unwrap());
        assert!(!store.revoke(path).unwrap());
        assert!(!store.is_trusted(path, digest).unwrap());
    }

    #[test]
    fn the_record_is_its_owners_alone() {
        let (place, store) = store();
        store.trust(Path::new("/w/t"), TrustStore::digest(b"a"), Timestamp(1)).unwrap();
        let file = place.path().join("tgw/trust.json");
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_or_linked_record_trusts_nothing() {
        let (place, store) = store();
        let path = Path::new("/w/t");
        store.trust(path, TrustStore::digest(b"a"), Timestamp(1)).unwrap();
        let file = place.path().join("tgw/trust.json");
        fs::write(&file, "{\"version\":1,").unwrap();
        assert!(matches!(store.is_trusted(path, TrustStore::digest(b"a")), Err(StoreError::Trust { .. })));
        fs::rename(&file, place.path().join("elsewhere.json")).unwrap();
        symlink(place.path().join("elsewhere.json"), &file).unwrap();
        assert!(store.is_trusted(path, TrustStore::digest(b"a")).is_err());
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let (place, _) = store();
        let home = place.path().join("tgw");
        std::thread::scope(|scope| {
            for index in 0..8 {
                let home = &home;
                scope.spawn(move || {
                    let path = PathBuf::from(format!("/w/{index}"));
                    TrustStore::new(home).trust(&path, TrustStore::digest(b"a"), Timestamp(1)).unwrap();
                });
            }
        });
        assert_eq!(TrustStore::new(&home).list().unwrap().len(), 8);
    }
}
