//! The keys that passes are signed with: in a file of the state home, which only its owner can read.
//!
//! The file is read for each pass, so that a rotation counts at once in every process. It holds the private key in use and, as
//! long as a pass that one of them signed can still hold, the public keys before it.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use zeroize::Zeroizing;

use crate::catalog::MintSpec;
use crate::clock::Timestamp;
use crate::signature::{PublicKey, SecretKey};

use super::StoreError;
use super::home::{self, Missing};
use super::lock::FileLock;

const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "pass.key";
const LOCK: &str = "pass.lock";
const FIRST_LINE: &str = "tgw pass keys 1";
const MOST_BYTES: usize = 64 << 10;

/// How long a key that was rotated out is published: as long as a pass can hold, and what clocks may differ by.
const KEPT: Duration = MintSpec::LONGEST.saturating_add(Duration::from_secs(300));

/// Why there is no key to sign with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassKeyError {
    /// None was made yet.
    #[error("there is no key to sign passes with")]
    Missing,
    /// It lies in the workspace.
    #[error("the key to sign passes with lies in the workspace, where a tool may read it")]
    InWorkspace,
    /// No key that was rotated out has this id.
    #[error("no earlier key has the id `{0}`")]
    NoSuchKey(String),
    /// The file that holds it is not used. The text is for the person who operates the gateway.
    #[error("the key of passes is not used: {0}")]
    Unusable(String),
}

impl From<StoreError> for PassKeyError {
    fn from(error: StoreError) -> Self {
        Self::Unusable(match error {
            StoreError::UnsafePlace { path, problem } => format!("`{}`: {problem}", path.display()),
            error => error.to_string(),
        })
    }
}

/// A key that a backend may meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedKey {
    /// The key.
    pub key: PublicKey,
    /// Until when it is published; `None` for the key in use.
    pub until: Option<Timestamp>,
}

/// The keys of a state home.
#[derive(Debug, Clone)]
pub struct PassKeys {
    folder: PathBuf,
}

/// What the file says.
struct Ring {
    current: SecretKey,
    earlier: Vec<PublishedKey>,
}

impl PassKeys {
    /// The keys in a state home. Nothing is read or made yet.
    #[must_use]
    pub fn new(state_home: &Path) -> Self {
        Self { folder: state_home.to_owned() }
    }

    /// The file they lie in.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// The key in use, where it lies out of reach of the tools of a workspace, whose real path is given.
    ///
    /// # Errors
    /// [`PassKeyError`].
    pub fn current(&self, workspace: &Path) -> Result<SecretKey, PassKeyError> {
        let ring = self.read()?.ok_or(PassKeyError::Missing)?;
        match self.folder.canonicalize() {
            Ok(real) if real.starts_with(workspace) => Err(PassKeyError::InWorkspace),
            Ok(_) => Ok(ring.current),
            Err(error) => Err(unusable(&self.file(), &error)),
        }
    }

    /// Every key under which a pass may hold at this instant, the one in use first.
    ///
    /// # Errors
    /// [`PassKeyError`].
    pub fn published(&self, now: Timestamp) -> Result<Vec<PublishedKey>, PassKeyError> {
        let ring = self.read()?.ok_or(PassKeyError::Missing)?;
        let current = PublishedKey { key: ring.current.public(), until: None };
        let earlier = ring.earlier.into_iter().filter(|key| key.until.is_some_and(|until| now < until));
        Ok(std::iter::once(current).chain(earlier).collect())
    }

    /// Makes the first key; `None` where there is one already.
    ///
    /// # Errors
    /// Why the file cannot be read or written.
    pub fn generate(&self) -> Result<Option<PublicKey>, PassKeyError> {
        let _turn = self.lock()?;
        if self.read()?.is_some() {
            return Ok(None);
        }
        self.replace(Vec::new()).map(Some)
    }

    /// Makes a new key and forgets the private half of the one in use. Its public half is published until no pass that it
    /// signed can hold any longer.
    ///
    /// # Errors
    /// [`PassKeyError`]; there must be a key.
    pub fn rotate(&self, now: Timestamp) -> Result<PublicKey, PassKeyError> {
        let _turn = self.lock()?;
        let mut earlier = self.published(now)?;
        for key in &mut earlier {
            key.until.get_or_insert(now.plus(KEPT));
        }
        self.replace(earlier)
    }

    /// Publishes a key that was rotated out no longer, though passes that it signed may still hold: for a key that somebody
    /// else has got hold of.
    ///
    /// # Errors
    /// [`PassKeyError`]; the key in use can only be rotated out.
    pub fn retire(&self, kid: &str) -> Result<(), PassKeyError> {
        let _turn = self.lock()?;
        let mut ring = self.read()?.ok_or(PassKeyError::Missing)?;
        let known = ring.earlier.len();
        ring.earlier.retain(|earlier| earlier.key.thumbprint() != kid);
        if ring.earlier.len() == known {
            return Err(PassKeyError::NoSuchKey(kid.to_owned()));
        }
        self.write(&ring)
    }

    fn lock(&self) -> Result<FileLock, PassKeyError> {
        home::secure_folder(&self.folder, None, Missing::Create)?;
        Ok(FileLock::acquire(&self.folder.join(LOCK), PATIENCE)?)
    }

    fn replace(&self, earlier: Vec<PublishedKey>) -> Result<PublicKey, PassKeyError> {
        let ring = Ring {
            current: SecretKey::random().map_err(|error| PassKeyError::Unusable(error.message))?,
            earlier,
        };
        self.write(&ring)?;
        Ok(ring.current.public())
    }

    fn write(&self, ring: &Ring) -> Result<(), PassKeyError> {
        home::replace_file(&self.folder, NAME, ring.to_text().as_bytes())
            .map_err(|error| unusable(&self.file(), &error))
    }

    fn read(&self) -> Result<Option<Ring>, PassKeyError> {
        let path = self.file();
        let file = match OpenOptions::new().read(true).custom_flags(home::NO_FOLLOW).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(&path, &error)),
        };
        home::secure_folder(&self.folder, None, Missing::Leave)?;
        home::check_secret(&file, &path)?;
        // One allocation of the full size: a text that grows leaves copies behind that nobody wipes.
        let mut text = Zeroizing::new(String::with_capacity(MOST_BYTES + 1));
        file.take(MOST_BYTES as u64 + 1)
            .read_to_string(&mut text)
            .map_err(|error| unusable(&path, &error))?;
        let ring = (text.len() <= MOST_BYTES).then(|| Ring::parse(&text)).flatten();
        let problem = || PassKeyError::Unusable(format!("`{}` holds something else", path.display()));
        ring.map(Some).ok_or_else(problem)
    }
}

fn unusable(path: &Path, error: &io::Error) -> PassKeyError {
    PassKeyError::Unusable(format!("`{}`: {error}", path.display()))
}

impl Ring {
    /// The written form: a first line, a line for each earlier key, and the key in use in PEM.
    fn to_text(&self) -> Zeroizing<String> {
        let pem = self.current.to_pem();
        let mut head = format!("{FIRST_LINE}\n");
        for PublishedKey { key, until } in &self.earlier {
            let until = until.map_or(0, |until| until.0);
            // Writing to a string does not fail.
            let _ = writeln!(head, "until {until} {key}");
        }
        let mut text = Zeroizing::new(String::with_capacity(head.len() + pem.len()));
        text.push_str(&head);
        text.push_str(&pem);
        text
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, pem) = text.split_at(text.find("-----BEGIN")?);
        let mut lines = head.lines();
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let earlier = lines.map(|line| {
            let (until, key) = line.strip_prefix("until ")?.split_once(' ')?;
            let until = Some(Timestamp(until.parse().ok()?));
            Some(PublishedKey { key: PublicKey::parse(key)?, until })
        });
        Some(Self { earlier: earlier.collect::<Option<_>>()?, current: SecretKey::from_pem(pem)? })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    /// A workspace that holds no key.
    const ELSEWHERE: &str = "/srv/work";

    fn home() -> (tempfile::TempDir, PassKeys) {
        let place = tempfile::tempdir().unwrap();
        let keys = PassKeys::new(&place.path().join("tgw"));
        (place, keys)
    }

    fn thumbprints(keys: &PassKeys, now: Timestamp) -> Vec<String> {
        keys.published(now).unwrap().iter().map(|key| key.key.thumbprint()).collect()
    }

    #[test]
    fn looking_makes_no_key_and_a_rotation_needs_one() {
        let (_place, keys) = home();
        assert_eq!(keys.current(Path::new(ELSEWHERE)).err(), Some(PassKeyError::Missing));
        assert_eq!(keys.published(NOW), Err(PassKeyError::Missing));
        assert!(!keys.folder.exists());
        assert_eq!(keys.rotate(NOW), Err(PassKeyError::Missing));
        assert!(!keys.file().exists());
    }

    #[test]
    fn a_key_is_made_once_and_is_its_owners_alone() {
        let (_place, keys) = home();
        let made = keys.generate().unwrap().unwrap();
        assert_eq!(keys.generate(), Ok(None));
        assert_eq!(keys.current(Path::new(ELSEWHERE)).unwrap().public(), made);
        assert_eq!(fs::metadata(keys.file()).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&keys.folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_key_that_was_rotated_out_is_published_until_its_last_pass_has_ended() {
        let (_place, keys) = home();
        let first = keys.generate().unwrap().unwrap();
        let pem = keys.current(Path::new(ELSEWHERE)).unwrap().to_pem();
        let second = keys.rotate(NOW).unwrap();
        assert_eq!(keys.current(Path::new(ELSEWHERE)).unwrap().public(), second);
        assert_eq!(thumbprints(&keys, NOW), [second.thumbprint(), first.thumbprint()]);
        let last = NOW.plus(MintSpec::LONGEST);
        assert_eq!(thumbprints(&keys, last), [second.thumbprint(), first.thumbprint()]);
        assert_eq!(thumbprints(&keys, NOW.plus(KEPT)), [second.thumbprint()]);
        let body = pem.lines().nth(1).unwrap();
        assert!(!fs::read_to_string(keys.file()).unwrap().contains(body), "the private half is gone");
        let third = keys.rotate(last).unwrap();
        assert_eq!(
            thumbprints(&keys, last),
            [third.thumbprint(), second.thumbprint(), first.thumbprint()],
            "a second rotation prolongs nothing"
        );
        assert_eq!(thumbprints(&keys, NOW.plus(KEPT)), [third.thumbprint(), second.thumbprint()]);
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_none_is_not_used() {
        let (place, keys) = home();
        keys.generate().unwrap();
        let path = keys.file();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let error = keys.current(Path::new(ELSEWHERE)).err().unwrap().to_string();
            assert!(error.contains("others may use it"), "{mode:o}: {error}");
            assert!(keys.rotate(NOW).is_err() && keys.generate().is_err(), "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let moved = place.path().join("moved");
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        assert!(keys.current(Path::new(ELSEWHERE)).is_err());
        fs::remove_file(&path).unwrap();
        let broken = [
            String::new(),
            text.replace("keys 1", "keys 2"),
            text.replace("-----BEGIN", "until x ed25519:AAAA\n-----BEGIN"),
            text.replace("-----END", "AAAA\n-----END"),
            format!("{text}{}", " ".repeat(MOST_BYTES)),
        ];
        for broken in broken {
            let mut file = OpenOptions::new();
            let file = file.write(true).create(true).truncate(true).mode(0o600).open(&path);
            io::Write::write_all(&mut file.unwrap(), broken.as_bytes()).unwrap();
            assert!(matches!(keys.current(Path::new(ELSEWHERE)), Err(PassKeyError::Unusable(_))), "{broken}");
            assert!(keys.generate().is_err(), "a file that is there is never replaced: {broken}");
        }
    }

    #[test]
    fn a_key_in_the_workspace_is_not_used() {
        let (place, keys) = home();
        let root = place.path().canonicalize().unwrap();
        keys.generate().unwrap();
        assert_eq!(keys.current(&root).err(), Some(PassKeyError::InWorkspace));
        assert_eq!(keys.current(&root.join("tgw")).err(), Some(PassKeyError::InWorkspace));
        assert!(keys.current(&root.join("beside")).is_ok());
    }

    #[test]
    fn a_key_that_was_rotated_out_can_be_withdrawn_at_once_and_the_one_in_use_cannot() {
        let (_place, keys) = home();
        assert_eq!(keys.retire("x"), Err(PassKeyError::Missing));
        let first = keys.generate().unwrap().unwrap().thumbprint();
        assert_eq!(keys.retire(&first), Err(PassKeyError::NoSuchKey(first.clone())));
        let second = keys.rotate(NOW).unwrap().thumbprint();
        let third = keys.rotate(NOW).unwrap().thumbprint();
        assert_eq!(keys.retire(&first), Ok(()));
        assert_eq!(thumbprints(&keys, NOW), [third.clone(), second]);
        assert_eq!(keys.current(Path::new(ELSEWHERE)).unwrap().public().thumbprint(), third);
        assert_eq!(keys.retire(&first), Err(PassKeyError::NoSuchKey(first)));
    }

    #[test]
    fn those_who_start_together_agree_on_one_key_and_lose_no_rotation() {
        let (_place, keys) = home();
        let made = std::thread::scope(|scope| {
            let started: Vec<_> = (0..8).map(|_| scope.spawn(|| keys.generate().unwrap())).collect();
            started.into_iter().filter_map(|one| one.join().unwrap()).count()
        });
        assert_eq!(made, 1);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| keys.rotate(NOW).unwrap());
            }
        });
        assert_eq!(keys.published(NOW).unwrap().len(), 9);
    }
}
