//! A resolved value, and the values of one call.

use zeroize::Zeroizing;

use crate::catalog::CredentialSource;
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
        let usable = !value.iter().all(u8::is_ascii_whitespace) && !value.contains(&0);
        usable.then_some(Self(value))
    }

    /// The value itself, for the one place that hands it to a child.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

/// The credentials of one call.
#[derive(Default)]
pub struct Credentials {
    entries: Vec<Entry>,
}

struct Entry {
    name: CredentialName,
    source: &'static str,
    secret: Secret,
    warning: Option<&'static str>,
}

impl Credentials {
    pub(super) fn push(
        &mut self,
        name: CredentialName,
        source: &CredentialSource,
        secret: Secret,
        warning: Option<&'static str>,
    ) {
        let source = match source {
            CredentialSource::Env(_) => "env",
            CredentialSource::File(_) => "file",
            CredentialSource::Command(_) => "command",
        };
        self.entries.push(Entry { name, source, secret, warning });
    }

    /// The value of a credential, where it was asked for.
    #[must_use]
    pub fn get(&self, name: &CredentialName) -> Option<&[u8]> {
        self.entries.iter().find(|entry| entry.name == *name).map(|entry| entry.secret.expose())
    }

    /// The names, in the order they were asked for.
    pub fn names(&self) -> impl Iterator<Item = &CredentialName> {
        self.entries.iter().map(|entry| &entry.name)
    }

    /// Each name with the kind of its source (`env`, `file`, `command`), for the audit.
    pub fn sources(&self) -> impl Iterator<Item = (&CredentialName, &'static str)> {
        self.entries.iter().map(|entry| (&entry.name, entry.source))
    }

    /// Each name and value, for the redactor.
    pub fn values(&self) -> impl Iterator<Item = (&CredentialName, &[u8])> {
        self.entries.iter().map(|entry| (&entry.name, entry.secret.expose()))
    }

    /// What a person should know about a source that was used.
    pub fn warnings(&self) -> impl Iterator<Item = (&CredentialName, &'static str)> {
        self.entries.iter().filter_map(|entry| Some((&entry.name, entry.warning?)))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
