//! A child's environment: explicit, from the gateway's own only what is named.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::code::{CallError, ErrorCode};
use crate::secret::Credentials;
use crate::telemetry::TraceParent;
use crate::validate::CommandPlan;

/// Names that every child gets where the gateway has them.
const ALWAYS: [&str; 5] = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"];

/// A snapshot of the gateway's own environment. It has no `Debug`: it may hold secrets.
#[derive(Clone, Default)]
pub struct ParentEnvironment {
    entries: BTreeMap<OsString, OsString>,
}

impl ParentEnvironment {
    /// The environment of this process.
    #[must_use]
    pub fn current() -> Self {
        Self { entries: std::env::vars_os().collect() }
    }

    /// The value of a name; an empty one counts as absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.entries.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Every name that is valid Unicode.
    pub(in crate::execute) fn names(&self) -> impl Iterator<Item = String> {
        self.entries.keys().filter_map(|name| name.to_str().map(str::to_owned))
    }

    /// The home folder, where it is stated as an absolute path.
    pub(in crate::execute) fn home(&self) -> Option<PathBuf> {
        self.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }

    /// The folder for temporary files.
    pub(in crate::execute) fn temporary(&self) -> PathBuf {
        self.get("TMPDIR")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| "/tmp".into())
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for ParentEnvironment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}

/// Variables that steer the dynamic loader. A launcher must not see them, or they would act before the sandbox does.
pub(in crate::execute) type LoaderVariables = Vec<(Vec<u8>, Vec<u8>)>;

/// Everything a child will find in its environment; wiped when dropped.
#[derive(Default)]
pub(in crate::execute) struct ChildEnvironment {
    entries: BTreeMap<Vec<u8>, Zeroizing<Vec<u8>>>,
}

impl ChildEnvironment {
    /// Puts together what the plan states: the fixed names, then `pass_env`, `TRACEPARENT`, `env` and the credentials,
    /// the later ones winning.
    ///
    /// # Errors
    /// `CREDENTIAL_UNAVAILABLE` for a credential that was not resolved, `INVALID_ARGUMENTS` for a NUL byte.
    pub(in crate::execute) fn of(
        plan: &CommandPlan,
        parent: &ParentEnvironment,
        credentials: &Credentials,
        traceparent: Option<TraceParent>,
    ) -> Result<Self, CallError> {
        let mut made = Self::fixed(parent);
        made.pass(plan.pass_env.iter().map(String::as_str), parent);
        if let Some(traceparent) = traceparent {
            made.set("TRACEPARENT", traceparent.to_string().as_bytes());
        }
        for (name, value) in &plan.env {
            made.set(name, value.as_bytes());
        }
        for (name, credential) in &plan.credentials {
            let secret = credentials.get(credential).ok_or_else(|| unresolved(credential.as_str()))?;
            made.set(name, secret);
        }
        let broken = made.entries.iter().find(|(name, value)| {
            name.is_empty() || name.contains(&b'=') || name.contains(&0) || value.contains(&0)
        });
        match broken {
            None => Ok(made),
            Some((name, _)) => {
                let name = String::from_utf8_lossy(name).escape_debug().to_string();
                Err(CallError::new(
                    ErrorCode::InvalidArguments,
                    format!("environment entry `{name}` holds a character that no environment can carry"),
                ))
            }
        }
    }

    /// Only the fixed names.
    pub(in crate::execute) fn fixed(parent: &ParentEnvironment) -> Self {
        let mut made = Self::default();
        made.pass(ALWAYS, parent);
        made
    }

    fn pass<'n>(&mut self, names: impl IntoIterator<Item = &'n str>, parent: &ParentEnvironment) {
        for name in names {
            if let Some(value) = parent.entries.get(OsStr::new(name)) {
                self.set(name, value.as_bytes());
            }
        }
    }

    /// Sets an entry, replacing an earlier one of the name.
    pub(in crate::execute) fn set(&mut self, name: &str, value: &[u8]) {
        self.entries.insert(name.as_bytes().to_vec(), Zeroizing::new(value.to_vec()));
    }

    /// Takes out the variables that the dynamic loader obeys.
    pub(in crate::execute) fn take_loader_variables(&mut self) -> LoaderVariables {
        let steers = |name: &[u8]| name.starts_with(b"LD_") || name == b"GLIBC_TUNABLES";
        let names: Vec<Vec<u8>> = self.entries.keys().filter(|name| steers(name)).cloned().collect();
        names
            .into_iter()
            .filter_map(|name| self.entries.remove(&name).map(|value| (name, value.to_vec())))
            .collect()
    }

    /// The `NAME=value` strings that a new process takes.
    pub(in crate::execute) fn strings(&self) -> Vec<Zeroizing<CString>> {
        self.entries
            .iter()
            .filter_map(|(name, value)| {
                let mut entry = Vec::with_capacity(name.len() + value.len() + 2);
                entry.extend_from_slice(name);
                entry.push(b'=');
                entry.extend_from_slice(value);
                CString::new(entry).ok().map(Zeroizing::new)
            })
            .collect()
    }
}

fn unresolved(name: &str) -> CallError {
    CallError::new(ErrorCode::CredentialUnavailable, format!("credential `{name}` was not resolved"))
}

/// Turns bytes from a [`LoaderVariables`] entry back into what a command takes.
pub(in crate::execute) fn os_string(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}
