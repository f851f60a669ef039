//! Credential sources. A value exists only between its resolution and the end of the call.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::future::Future;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::catalog::{CredentialSource, CredentialSpec, MintSpec};
use crate::clock::Clock;
use crate::code::{CallError, ErrorCode};
use crate::ident::CredentialName;

use super::credential::is_usable;
use super::{CredentialCache, CredentialUse, Credentials, LEAST_SECRET, Minted, Secret};

/// Most bytes of a value.
const MOST_BYTES: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(10);
const UNUSABLE: &str = "its value is empty, blank or holds a NUL";
/// How much longer than its limit a runner may take to clean up before it is given up.
const GRACE: Duration = Duration::from_secs(2);

/// Why a server gets no pass.
pub const NO_PASS_FOR_SERVERS: &str = "a pass is for one call, and a server is started for many";

/// Where values come from besides files.
pub struct Sources<'a, C> {
    /// The gateway's environment.
    pub environment: &'a dyn Fn(&str) -> Option<OsString>,
    /// What runs programs.
    pub commands: &'a C,
    /// What was printed before, where a credential says how long that is kept.
    pub cache: &'a CredentialCache,
    /// Time.
    pub clock: &'a Clock,
    /// What makes a pass for the call that is about to run, or says why there is none.
    pub mint: &'a dyn Fn(&MintSpec) -> Result<Minted, &'static str>,
}

/// Bounds on a program that prints a credential.
#[derive(Debug, Clone, Copy)]
pub struct CommandLimits {
    /// The time it has; then it and everything it started is ended.
    pub timeout: Duration,
    /// Most bytes of its standard output; more is [`CommandFailure::TooLong`].
    pub output: usize,
}

/// Why a program did not print a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFailure {
    /// It could not be started.
    NotStarted,
    /// It exited with a status other than zero, or was ended by a signal.
    Failed,
    /// It took too long.
    TimedOut,
    /// It printed too much.
    TooLong,
}

/// Runs a program that prints a credential.
pub trait CommandSource {
    /// Runs `argv` without a shell, with empty standard input, and returns its standard output. Its standard error is shown
    /// to nobody. When the future is dropped, the program is ended.
    fn run(
        &self,
        argv: &[String],
        limits: CommandLimits,
    ) -> impl Future<Output = Result<Zeroizing<Vec<u8>>, CommandFailure>>;
}

/// Resolves the named credentials, all or none, each once.
///
/// A relative file is found beside the manifest that names it. One final line break of a file or of a program's output is
/// dropped.
///
/// # Errors
/// `CREDENTIAL_UNAVAILABLE` for a name without a source, and for a source that is missing, empty or only white space, holds
/// a NUL, is longer than 64 KiB, fails, takes longer than ten seconds, or is a file that others may write.
pub async fn resolve<C: CommandSource>(
    names: &[CredentialName],
    specs: &[CredentialSpec],
    sources: &Sources<'_, C>,
) -> Result<Credentials, CallError> {
    let mut credentials = Credentials::default();
    for name in names {
        if credentials.get(name).is_some() {
            continue;
        }
        let unavailable = |problem: &str| {
            CallError::new(
                ErrorCode::CredentialUnavailable,
                format!("credential `{name}` could not be resolved: {problem}"),
            )
            .with_hint("`tgw doctor` lists the credentials and their sources")
        };
        let spec =
            specs.iter().find(|spec| spec.name == *name).ok_or_else(|| unavailable("it is not declared"))?;
        let (mut key, mut expires) = (None, None);
        let read = match &spec.source {
            CredentialSource::Env(variable) => from_environment(variable, sources.environment),
            CredentialSource::File(path) => from_file(path, Path::new(&*spec.location.file)),
            CredentialSource::Command(argv) => {
                let printed = from_command(argv, sources.commands);
                let bytes = match spec.cache {
                    Some(kept) => sources.cache.get(name, kept, sources.clock, printed).await,
                    None => printed.await,
                };
                bytes.map(|bytes| Value { bytes, warning: None })
            }
            CredentialSource::Mint(mint) => (sources.mint)(mint).map(|minted| {
                (key, expires) = (Some(minted.key), Some(minted.expires));
                Value { bytes: minted.pass, warning: None }
            }),
        };
        let Value { bytes, warning } = read.map_err(|problem| match &spec.source {
            CredentialSource::Mint(_) => unavailable(problem).with_hint(
                "`tgw keys generate` makes a key to sign with; `tgw doctor` says what is wrong with one",
            ),
            _ => unavailable(problem),
        })?;
        let secret = Secret::new(bytes).ok_or_else(|| unavailable(UNUSABLE))?;
        let short = secret.expose().len() < LEAST_SECRET;
        let warning = if short { Some("its value is too short to be redacted in output") } else { warning };
        let used = CredentialUse { name: name.clone(), source: spec.source.kind(), key, expires };
        credentials.push(used, secret, warning);
    }
    Ok(credentials)
}

/// What a source yields, with what a person should know about it.
struct Value {
    bytes: Zeroizing<Vec<u8>>,
    warning: Option<&'static str>,
}

/// The problem as a model may see it: no path, no output.
type Resolved = Result<Value, &'static str>;

fn from_environment(variable: &str, environment: &dyn Fn(&str) -> Option<OsString>) -> Resolved {
    let value = environment(variable).ok_or("its environment variable is not set")?;
    let bytes = Zeroizing::new(value.into_vec());
    if bytes.len() > MOST_BYTES {
        return Err("its value is too long");
    }
    Ok(Value { bytes, warning: None })
}

/// Why the file of a credential would be refused, found out without reading it.
#[must_use]
pub fn file_problem(path: &Path, manifest: &Path) -> Option<&'static str> {
    open_file(path, manifest).err()
}

fn from_file(path: &Path, manifest: &Path) -> Resolved {
    const READABLE_BY_ALL: u32 = 0o004;
    let (file, metadata) = open_file(path, manifest)?;
    // One allocation of the full size: a vector that grows leaves copies behind that nobody wipes.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MOST_BYTES + 1));
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|_| "its file cannot be read")?;
    if bytes.len() > MOST_BYTES {
        return Err("its file is too long");
    }
    drop_line_break(&mut bytes);
    let warning = (metadata.mode() & READABLE_BY_ALL != 0).then_some("everyone may read its file");
    Ok(Value { bytes, warning })
}

/// Opens the file of a credential, unless others could have written it.
fn open_file(path: &Path, manifest: &Path) -> Result<(File, Metadata), &'static str> {
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    let path = manifest.parent().unwrap_or(Path::new("")).join(path);
    // Without waiting for the other end of a FIFO, which is no regular file and is refused below.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
        .map_err(|_| "its file cannot be opened")?;
    let metadata = file.metadata().map_err(|_| "its file cannot be read")?;
    if !metadata.is_file() {
        return Err("its file is not a regular file");
    }
    if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err("others may write to its file");
    }
    Ok((file, metadata))
}

async fn from_command<C: CommandSource>(
    argv: &[String],
    commands: &C,
) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let limits = CommandLimits { timeout: PATIENCE, output: MOST_BYTES };
    let outcome = tokio::time::timeout(PATIENCE + GRACE, commands.run(argv, limits))
        .await
        .unwrap_or(Err(CommandFailure::TimedOut));
    let mut bytes = outcome.map_err(|failure| match failure {
        CommandFailure::NotStarted => "its command could not be started",
        CommandFailure::Failed => "its command failed",
        CommandFailure::TimedOut => "its command took too long",
        CommandFailure::TooLong => "its command printed too much",
    })?;
    if bytes.len() > MOST_BYTES {
        return Err("its command printed too much");
    }
    drop_line_break(&mut bytes);
    // What is not usable is not kept either.
    if is_usable(&bytes) { Ok(bytes) } else { Err(UNUSABLE) }
}

fn drop_line_break(bytes: &mut Vec<u8>) {
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
}

#[cfg(test)]
mod tests;
