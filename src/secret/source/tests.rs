use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::diagnostic::Location;

/// Answers with what `argv[0]` says.
struct Scripted;

impl CommandSource for Scripted {
    async fn run(
        &self,
        argv: &[String],
        limits: CommandLimits,
    ) -> Result<Zeroizing<Vec<u8>>, CommandFailure> {
        match argv[0].as_str() {
            "print" => Ok(Zeroizing::new(argv[1].clone().into_bytes())),
            "flood" => Ok(Zeroizing::new(vec![b'x'; limits.output + 1])),
            "slow" => Err(CommandFailure::TimedOut),
            _ => Err(CommandFailure::Failed),
        }
    }
}

fn spec(name: &str, manifest: &Path, source: CredentialSource) -> CredentialSpec {
    CredentialSpec {
        name: CredentialName::parse(name).unwrap(),
        source,
        cache: None,
        location: Location { file: Arc::from(manifest.to_str().unwrap()), line: 1, column: 1 },
    }
}

fn resolve_all(specs: &[CredentialSpec], names: &[&str]) -> Result<Credentials, CallError> {
    let names: Vec<_> = names.iter().map(|name| CredentialName::parse(name).unwrap()).collect();
    let environment = |name: &str| match name {
        "TOKEN" => Some(OsString::from("s3cr3t-token")),
        "EMPTY" => Some(OsString::new()),
        "BLANK" => Some(OsString::from(" \t\n")),
        _ => None,
    };
    let mint = |_: &MintSpec| Err("there is no key");
    let (cache, clock) = (CredentialCache::default(), Clock::System);
    let sources =
        Sources { environment: &environment, commands: &Scripted, cache: &cache, clock: &clock, mint: &mint };
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(resolve(&names, specs, &sources))
}

fn one(source: CredentialSource) -> Result<Vec<u8>, CallError> {
    one_of(Path::new("tools.yaml"), source)
}

fn one_of(manifest: &Path, source: CredentialSource) -> Result<Vec<u8>, CallError> {
    let specs = [spec("c", manifest, source)];
    let credentials = resolve_all(&specs, &["c"])?;
    Ok(credentials.get(&specs[0].name).unwrap().to_vec())
}

fn env(name: &str) -> CredentialSource {
    CredentialSource::Env(name.to_owned())
}

fn command(argv: &[&str]) -> CredentialSource {
    CredentialSource::Command(argv.iter().map(|&part| part.to_owned()).collect())
}

#[test]
fn a_source_that_yields_nothing_is_unavailable_and_never_an_empty_secret() {
    for source in
        [env("UNSET"), env("EMPTY"), env("BLANK"), command(&["print", ""]), command(&["print", "\n"])]
    {
        let error = one(source).unwrap_err();
        assert_eq!(error.code, ErrorCode::CredentialUnavailable);
    }
}

#[test]
fn values_come_from_environment_file_and_command() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("token"), "from-file\r\n\n").unwrap();
    fs::set_permissions(place.path().join("token"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(one(env("TOKEN")).unwrap(), b"s3cr3t-token");
    assert_eq!(one(command(&["print", "from-command\n"])).unwrap(), b"from-command");
    let manifest = place.path().join("tools.yaml");
    assert_eq!(one_of(&manifest, CredentialSource::File("token".into())).unwrap(), b"from-file\r\n");
    assert_eq!(one(CredentialSource::File(place.path().join("token"))).unwrap(), b"from-file\r\n");
}

#[test]
fn a_file_that_others_may_write_or_that_is_none_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("token");
    let message = |path: &PathBuf| one(CredentialSource::File(path.clone())).unwrap_err().message;
    fs::write(&path, "value").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
    assert!(message(&path).ends_with("others may write to its file"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&path, vec![b'x'; MOST_BYTES + 1]).unwrap();
    assert!(message(&path).ends_with("its file is too long"));
    fs::remove_file(&path).unwrap();
    assert!(message(&path).ends_with("its file cannot be opened"));
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(message(&path).ends_with("its file is not a regular file"));
    assert!(!message(&path).contains(place.path().to_str().unwrap()));
}

#[test]
fn a_file_that_everyone_may_read_is_used_with_a_warning() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("token");
    fs::write(&path, "value").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let specs = [spec("c", Path::new("tools.yaml"), CredentialSource::File(path))];
    let credentials = resolve_all(&specs, &["c"]).unwrap();
    assert_eq!(credentials.warnings().count(), 1);
}

#[test]
fn a_value_too_short_to_be_redacted_is_used_with_a_warning() {
    let specs = [spec("c", Path::new("tools.yaml"), command(&["print", "abc"]))];
    assert_eq!(resolve_all(&specs, &["c"]).unwrap().warnings().count(), 1);
}

#[test]
fn a_command_that_fails_floods_or_hangs_is_unavailable() {
    for (argv, problem) in [
        (["fail"], "its command failed"),
        (["flood"], "its command printed too much"),
        (["slow"], "its command took too long"),
    ] {
        assert!(one(command(&argv)).unwrap_err().message.ends_with(problem));
    }
    assert!(one(command(&["print", "a\0b"])).is_err());
}

#[test]
fn all_or_none_are_resolved_each_once() {
    let manifest = Path::new("tools.yaml");
    let specs = [spec("a", manifest, env("TOKEN")), spec("b", manifest, env("UNSET"))];
    let message = |names: &[&str]| resolve_all(&specs, names).map(drop).unwrap_err().message;
    assert!(message(&["a", "b"]).contains("`b`"));
    assert!(message(&["a", "missing"]).contains("`missing`"));
    let credentials = resolve_all(&specs, &["a", "a"]).unwrap();
    assert_eq!(credentials.names().count(), 1);
    assert_eq!(credentials.uses().next().unwrap().source, "env");
}
