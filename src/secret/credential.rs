//! A resolved value, and the values of one call.

use zeroize::Zeroizing;

use crate::clock::Timestamp;
use crate::ident::CredentialName;

/// A resolved value; wiped when dropped, never shown. It has neither `Debug` nor `Display`, and is never empty.
///
/// ```compile_fail,E0277
/// fn show(secret: tgw::secret::Secret) -> String { format!("{secret:?}") }
/// ```
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes a value over; `None` where it is empty, only white space, or holds a NUL, which no environment can.
    pub(super) fn new(value: Zeroizing<Vec<u8>>) -> Option<Self> {
        is_usable(&value).then_some(Self(value))
    }

    /// The value itself, for the one place that hands it to a child.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

/// Whether a value can be one.
pub(super) fn is_usable(value: &[u8]) -> bool {
    !value.iter().all(u8::is_ascii_whitespace) && !value.contains(&0)
}

/// The credentials of one call.
#[derive(Default)]
pub struct Credentials {
    entries: Vec<Entry>,
}

struct Entry {
    used: CredentialUse,
    secret: Secret,
    warning: Option<&'static str>,
}

/// That a call had a credential: everything about it but its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialUse {
    /// Its name.
    pub name: CredentialName,
    /// The kind of its source: `env`, `file`, `command`, `mint`.
    pub source: &'static str,
    /// The id of the key that signed it, where it is a pass.
    pub key: Option<String>,
    /// When it ends, where that is known.
    pub expires: Option<Timestamp>,
}

impl Credentials {
    pub(super) fn push(&mut self, used: CredentialUse, secret: Secret, warning: Option<&'static str>) {
        self.entries.push(Entry { used, secret, warning });
    }

    /// The value of a credential, where it was asked for.
    #[must_use]
    pub fn get(&self, name: &CredentialName) -> Option<&[u8]> {
        self.entries.iter().find(|entry| entry.used.name == *name).map(|entry| entry.secret.expose())
    }

    /// The names, in the order they were asked for.
    pub fn names(&self) -> impl Iterator<Item = &CredentialName> {
        self.entries.iter().map(|entry| &entry.used.name)
    }

    /// What is said of each, for the audit.
    pub fn uses(&self) -> impl Iterator<Item = &CredentialUse> {
        self.entries.iter().map(|entry| &entry.used)
    }

    /// Each with its value, for the redactor.
    pub fn values(&self) -> impl Iterator<Item = (&CredentialUse, &[u8])> {
        self.entries.iter().map(|entry| (&entry.used, entry.secret.expose()))
    }

    /// What a person should know about a source that was used.
    pub fn warnings(&self) -> impl Iterator<Item = (&CredentialName, &'static str)> {
        self.entries.iter().filter_map(|entry| Some((&entry.used.name, entry.warning?)))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
