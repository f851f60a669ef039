//! Seals of stored answers: what proves that a row of the store is what a person's act made of it.
//!
//! Whoever can write to the store can write a row of the right shape. The key that a row is sealed with lies elsewhere.

use std::cell::OnceCell;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use zeroize::Zeroizing;

use crate::catalog::Digest;

use super::StoreError;
use super::hmac::Hmac;
use super::home::{self, Missing};
use super::lock::FileLock;

const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "seal.key";
const BYTES: usize = 32;

/// What the seal of a stored answer says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// The row is as this program wrote it.
    Whole,
    /// It has none.
    Missing,
    /// It does not fit the row.
    Broken,
    /// There is no key to check it with.
    Unchecked,
}

impl Seal {
    /// Why the row is worth nothing; `None` where it is believed.
    #[must_use]
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Whole => None,
            Self::Missing => Some("it has no seal, so it is not tgw that wrote it"),
            Self::Broken => Some("its seal does not fit, so it was changed, or copied from somewhere else"),
            Self::Unchecked => {
                Some("`seal.key` of the state home, which it is sealed with, is not there or cannot be used")
            }
        }
    }
}

/// The key that stored answers are sealed with: random bytes in a file of the state home, which only its owner can read.
///
/// It is made when the first answer is stored, and read when the first one is looked at.
pub struct SealKey {
    folder: PathBuf,
    key: OnceCell<Hmac>,
}

impl SealKey {
    /// The key in a state home. Nothing is read or made yet.
    #[must_use]
    pub fn new(state_home: &Path) -> Self {
        Self { folder: state_home.to_owned(), key: OnceCell::new() }
    }

    /// Seals a row, with a new key where there is none.
    pub(super) fn seal(&self, row: &Canonical) -> Result<Digest, StoreError> {
        let key = match self.key.get() {
            Some(key) => key,
            None => {
                let key = match self.read()? {
                    Some(key) => key,
                    None => self.make()?,
                };
                self.key.get_or_init(|| key)
            }
        };
        Ok(key.digest(&[&row.0]))
    }

    /// What a row's seal says.
    pub(super) fn check(&self, row: &Canonical, seal: Option<&[u8]>) -> Seal {
        let Some(seal) = seal else { return Seal::Missing };
        let key = match self.key.get() {
            Some(key) => key,
            None => match self.read() {
                Ok(Some(key)) => self.key.get_or_init(|| key),
                Ok(None) => return Seal::Unchecked,
                Err(error) => {
                    tracing::error!(%error, "the key of stored answers cannot be used");
                    return Seal::Unchecked;
                }
            },
        };
        let expected = key.digest(&[&row.0]).0;
        // How far a guess was right must not show in the time that it takes.
        let differing = expected.iter().zip(seal).fold(0, |all, (one, other)| all | (one ^ other));
        if seal.len() == expected.len() && differing == 0 { Seal::Whole } else { Seal::Broken }
    }

    /// The seal of a store that several machines share, by which each notices that it has another key.
    pub(super) fn seal_of_store(&self) -> Result<Digest, StoreError> {
        self.seal(&Canonical::new("state store"))
    }

    /// What the seal of a shared store says.
    pub(super) fn check_of_store(&self, seal: Option<&[u8]>) -> Seal {
        self.check(&Canonical::new("state store"), seal)
    }

    fn read(&self) -> Result<Option<Hmac>, StoreError> {
        let path = self.folder.join(NAME);
        let file = match OpenOptions::new().read(true).custom_flags(home::NO_FOLLOW).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(&error)),
        };
        home::secure_folder(&self.folder, None, Missing::Leave)?;
        home::check_secret(&file, &path)?;
        let mut bytes = Zeroizing::new([0; BYTES + 1]);
        let mut filled = 0;
        // A pipe or a device was refused above, so that this ends.
        while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
            match (&file).read(room).map_err(|error| unusable(&error))? {
                0 => break,
                count => filled += count,
            }
        }
        match bytes.get(..filled) {
            Some(key) if key.len() == BYTES => Ok(Some(Hmac::new(key))),
            _ => Err(StoreError::Corrupt(format!("`{NAME}` of the state home does not hold {BYTES} bytes"))),
        }
    }

    /// Makes a key, or takes the one that another process made meanwhile.
    fn make(&self) -> Result<Hmac, StoreError> {
        home::secure_folder(&self.folder, None, Missing::Create)?;
        let _turn = FileLock::acquire(&self.folder.join("seal.lock"), PATIENCE)?;
        if let Some(key) = self.read()? {
            return Ok(key);
        }
        let mut bytes = Zeroizing::new([0; BYTES]);
        getrandom::fill(&mut *bytes).map_err(|error| StoreError::NoRandomness(error.to_string()))?;
        home::replace_file(&self.folder, NAME, &*bytes).map_err(|error| unusable(&error))?;
        Ok(Hmac::new(&*bytes))
    }
}

fn unusable(error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!("the key of stored answers cannot be used: {error}"))
}

/// The bytes of a row that a seal is over: each field with its length, so that no two rows have the same.
pub(super) struct Canonical(Vec<u8>);

impl Canonical {
    /// The row of a kind; a seal of one kind is none of another.
    pub(super) fn new(kind: &str) -> Self {
        Self(Vec::new()).bytes(b"tgw 1").bytes(kind.as_bytes())
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_be_bytes())
    }

    /// A field that may be absent, which differs from an empty one.
    pub(super) fn maybe<T>(self, field: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match field {
            None => self.bytes(b"-"),
            Some(field) => add(self.bytes(b"+"), field),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn row(text: &str) -> Canonical {
        Canonical::new("row").text(text)
    }

    fn home() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("tgw");
        (place, home)
    }

    fn check(home: &Path, seal: Digest) -> Seal {
        SealKey::new(home).check(&row("a"), Some(&seal.0))
    }

    #[test]
    fn a_seal_fits_its_own_row_only() {
        let (_place, home) = home();
        let key = SealKey::new(&home);
        let seal = key.seal(&row("a")).unwrap();
        assert_eq!(check(&home, seal), Seal::Whole);
        assert_eq!(key.check(&row("b"), Some(&seal.0)), Seal::Broken);
        assert_eq!(key.check(&Canonical::new("other").text("a"), Some(&seal.0)), Seal::Broken);
        for cut in [&seal.0[..0], &seal.0[..31]] {
            assert_eq!(key.check(&row("a"), Some(cut)), Seal::Broken);
        }
        assert_eq!(key.check(&row("a"), None), Seal::Missing);
    }

    #[test]
    fn no_two_rows_have_the_same_bytes() {
        let of = |build: fn(Canonical) -> Canonical| build(Canonical::new("row")).0;
        let rows = [
            of(|row| row.text("ab").text("c")),
            of(|row| row.text("a").text("bc")),
            of(|row| row.text("abc")),
            of(|row| row.maybe(None::<&str>, Canonical::text).text("abc")),
            of(|row| row.maybe(Some("abc"), Canonical::text)),
            of(|row| row.maybe(Some(""), Canonical::text)),
            of(|row| row.maybe(None::<&str>, Canonical::text)),
            of(|row| row.number(1)),
            of(|row| row.number(256)),
        ];
        let distinct: std::collections::HashSet<&Vec<u8>> = rows.iter().collect();
        assert_eq!(distinct.len(), rows.len());
    }

    #[test]
    fn the_key_is_its_owners_alone_and_looking_makes_none() {
        let (_place, home) = home();
        assert_eq!(check(&home, Digest([0; 32])), Seal::Unchecked);
        assert!(!home.exists());
        SealKey::new(&home).seal(&row("a")).unwrap();
        let file = fs::metadata(home.join(NAME)).unwrap();
        assert_eq!((file.mode() & 0o777, file.len()), (0o600, 32));
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_none_is_not_used() {
        let (place, home) = home();
        let seal = SealKey::new(&home).seal(&row("a")).unwrap();
        let path = home.join(NAME);
        for mode in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(check(&home, seal), Seal::Unchecked, "{mode:o}");
            assert!(SealKey::new(&home).seal(&row("a")).is_err(), "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(check(&home, seal), Seal::Whole);
        let moved = place.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        assert_eq!(check(&home, seal), Seal::Unchecked);
        fs::remove_file(&path).unwrap();
        for length in [0, 31, 33, 1 << 20] {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path).unwrap();
            file.write_all(&vec![7; length]).unwrap();
            assert_eq!(check(&home, seal), Seal::Unchecked, "{length}");
            assert!(SealKey::new(&home).seal(&row("a")).is_err(), "{length}");
        }
    }

    #[test]
    fn another_key_breaks_every_seal() {
        let (_place, home) = home();
        let seal = SealKey::new(&home).seal(&row("a")).unwrap();
        fs::remove_file(home.join(NAME)).unwrap();
        SealKey::new(&home).seal(&row("a")).unwrap();
        assert_eq!(check(&home, seal), Seal::Broken);
    }

    #[test]
    fn those_who_start_together_agree_on_one_key() {
        let (_place, home) = home();
        let seals: Vec<Digest> = std::thread::scope(|scope| {
            let started: Vec<_> =
                (0..8).map(|_| scope.spawn(|| SealKey::new(&home).seal(&row("a")).unwrap())).collect();
            started.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(seals.iter().all(|seal| *seal == seals[0]));
    }
}
